"""An endpoint over a real connection: streaming, slow, failing, malformed, cut off."""

from __future__ import annotations

import socket

import pytest

from inspector.core.errors import SummarizerCut, SummarizerFailed, UsageProblem
from inspector.core.text import is_safe
from inspector.models.summarizers.base import LONGEST
from inspector.models.summarizers.endpoint import LONGEST_PAUSE, TRIES, EndpointSummarizer
from tests.models.server import DONE, USAGE, Server, event, hangs_up, stream, whole

KEY = "sk-ant-api03-q7Rt2mZx9KcV4bNs8LdW1fHj6PyG3aTe5UioB0vQ"
GOOD = stream(event("## Goal\n"), event("Ship "), event("it."), event(finish="stop"), USAGE, DONE)


class Pauses(list[float]):
    """Records the waiting times, and does not wait."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def summarizer(
    server: Server, pauses: Pauses | None = None, patience: float = 60.0, key: str = ""
) -> EndpointSummarizer:
    return EndpointSummarizer(
        server.base, "some-model", key, patience, Pauses() if pauses is None else pauses
    )


def test_a_stream_is_joined_and_reported_as_it_arrives(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    server.answers = [GOOD]
    pieces: list[str] = []
    reply = summarizer(server, key="SOME_KEY").write("Summarize é \ud800", pieces.append)
    assert reply.text == "## Goal\nShip it."
    assert (reply.sent, reply.received, reply.model) == (1234, 56, "told-model")
    assert [piece for piece in pieces if piece] == ["## Goal\n", "Ship ", "it."]
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body["model"] == "some-model"
    assert body["stream"] is True
    assert body["messages"] == [{"role": "user", "content": "Summarize é ?"}]


def test_an_answer_without_a_stream_counts(server: Server) -> None:
    message = {
        "choices": [{"message": {"content": " whole "}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7},
    }
    server.answers = [whole(200, message)]
    reply = summarizer(server).write("x", lambda _: None)
    assert (reply.text, reply.sent, reply.received) == ("whole", 7, None)
    assert "Authorization" not in server.requests[0][1]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_temporary_failures_are_retried(server: Server, status: int) -> None:
    server.answers = [whole(status, {"error": {"message": "busy"}}), hangs_up, GOOD]
    pauses = Pauses()
    assert summarizer(server, pauses).write("x", lambda _: None).text == "## Goal\nShip it."
    assert pauses == [0.5, 1.0]
    assert len(server.requests) == 3


def test_retry_after_is_respected(server: Server) -> None:
    late = "Wed, 21 Oct 2015 07:28:00 GMT"
    server.answers = [whole(429, b"", retry_after="7"), whole(503, b"", retry_after=late), GOOD]
    pauses = Pauses()
    summarizer(server, pauses).write("x", lambda _: None)
    assert pauses == [7.0, 0.0]


def test_too_long_a_pause_is_an_error(server: Server) -> None:
    server.answers = [whole(429, {"error": {"message": "daily limit"}}, retry_after=str(LONGEST_PAUSE + 1))]
    with pytest.raises(SummarizerFailed, match=r"daily limit.*wait 61 seconds"):
        summarizer(server).write("x", lambda _: None)
    assert len(server.requests) == 1


def test_retries_are_limited(server: Server) -> None:
    server.answers = [whole(500, b"no")]
    with pytest.raises(SummarizerFailed, match=f"answered 500: no.*tried {TRIES} times"):
        summarizer(server).write("x", lambda _: None)
    assert len(server.requests) == TRIES


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (400, {"error": {"message": "context length exceeded"}}, "answered 400: context length exceeded"),
        (401, {"error": "bad key"}, "bad key.*key"),
        (403, {"detail": "no"}, "403"),
        (404, {"error": {"code": "model_not_found"}}, "model_not_found.*model"),
        (400, [{"error": {"message": "API key not valid"}}], "answered 400: API key not valid"),
        (400, {"error": {"type": "invalid_request_error"}}, "answered 400: invalid_request_error"),
        (413, b"<html>too large</html>", "too long"),
        (302, b"", "redirects to another address"),
        (418, b"", "answered 418"),
    ],
)
def test_a_refusal_is_not_retried(server: Server, status: int, body: object, message: str) -> None:
    server.answers = [whole(status, body, location="http://127.0.0.1:9/")]  # type: ignore[arg-type]
    with pytest.raises(SummarizerFailed, match=message):
        summarizer(server).write("x", lambda _: None)
    assert len(server.requests) == 1


def test_messages_of_an_endpoint_are_safe_and_without_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    hostile = f"\x1b]0;owned\x07Incorrect key \u202e{KEY} AKIAQW3ER5TY7UIOPAS2 " + "long " * 400
    server.answers = [whole(401, {"error": {"message": hostile}})]
    with pytest.raises(SummarizerFailed) as failure:
        summarizer(server, key="SOME_KEY").write("x", lambda _: None)
    message = str(failure.value)
    assert KEY not in message
    assert "AKIA" not in message
    assert is_safe(message)
    assert len(message) < 600


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([b"data: <html>\n\n"], "not JSON"),
        ([b"data: [1, 2]\n\n"], "not a chat completion"),
        ([event(finish="stop"), DONE], "no text"),
        ([event("x"), b'data: {"error": {"message": "overloaded"}}\n\n'], "broke off: overloaded"),
        ([b'data: {"error": "dead"}\n\n'], "broke off: dead"),
        ([b'data: {"error": {"type": "overloaded_error"}}\n\n'], "broke off: overloaded_error"),
        ([b'data: {"error": {"param": null, "status": 1}}\n\n'], r"broke off\.$"),
        ([b'data: {"choices": "odd", "usage": [1], "model": 3}\n\n', DONE], "no text"),
        ([b'data: {"choices": [{"delta": {"content": {"a": 1}}}]}\n\n', DONE], "no text"),
    ],
)
def test_a_malformed_stream_is_an_error(server: Server, pieces: list[bytes], message: str) -> None:
    server.answers = [stream(*pieces)]
    with pytest.raises((SummarizerFailed, SummarizerCut), match=message):
        summarizer(server).write("x", lambda _: None)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (stream(event("half a summ"), cut=True), "failed"),
        (stream(event("half a summ")), "before the end"),
        (stream(event("half a summ"), event(finish="length"), DONE), "limit of output tokens"),
        (stream(event("half a summ"), event(finish="content_filter"), DONE), "content filter"),
    ],
)
def test_a_cut_answer_keeps_its_text(server: Server, answer: object, message: str) -> None:
    server.answers = [answer]  # type: ignore[list-item]
    with pytest.raises(SummarizerCut, match=message) as cut:
        summarizer(server).write("x", lambda _: None)
    assert cut.value.text == "half a summ"
    assert len(server.requests) == 1


def test_comments_event_names_and_broken_lines_are_ignored(server: Server) -> None:
    data = event("one two")
    server.answers = [
        stream(b": keep-alive\n", b"event: message\nid: 3\n", data[:20], data[20:], b"\r\n", DONE)
    ]
    assert summarizer(server).write("x", lambda _: None).text == "one two"


def test_an_endless_answer_is_stopped(server: Server) -> None:
    flood = event("x" * 300_000)
    server.answers = [stream(*[flood] * 8)]
    with pytest.raises(SummarizerFailed, match=f"more than {LONGEST:,} bytes"):
        summarizer(server).write("x", lambda _: None)
    server.answers = [stream(b"data: " + b"x" * 700_000, b"x" * 700_000)]
    with pytest.raises(SummarizerFailed, match="a line of more than"):
        summarizer(server).write("x", lambda _: None)


class Stopped(Exception):
    """The user cancelled the work."""


def test_a_slow_answer_can_be_stopped(server: Server) -> None:
    """The server sends nothing, and the work ends when the user cancels it."""

    def hold() -> None:
        server.waits.set()
        server.go_on.wait(60)

    server.answers = [stream(event("late"), before=hold)]

    def on_text(_: str) -> None:
        if server.waits.is_set():
            raise Stopped

    with pytest.raises(Stopped):
        summarizer(server).write("x", on_text)


def test_a_slow_answer_has_a_time_limit(server: Server) -> None:
    server.answers = [stream(event("a"), event("late"), before=lambda: server.go_on.wait(60))]
    with pytest.raises(SummarizerFailed, match=r"longer than 0.2 seconds"):
        summarizer(server, patience=0.2).write("x", lambda _: None)


def test_a_closed_port_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    pauses = Pauses()
    with pytest.raises(SummarizerFailed, match=f"The connection to .* failed .*tried {TRIES} times"):
        EndpointSummarizer(f"http://127.0.0.1:{port}/v1", "m", sleep=pauses).write("x", lambda _: None)
    assert pauses == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("base", "model", "key", "message"),
    [
        ("ftp://example.org", "m", "", "not an address"),
        ("example.org/v1", "m", "", "not an address"),
        ("https://", "m", "", "not an address"),
        ("https://user:pw@example.org/v1", "m", "", "--key-env"),
        ("https://example.org/v1?key=abc", "m", "", "--key-env"),
        ("https://example.org/v1?", "m", "", "--key-env"),
        ("https://example.org/v1#x", "m", "", "a fragment"),
        ("https://example.org/v1#", "m", "", "a fragment"),
        ("https://example.org/v1", " ", "", "needs a model"),
        ("https://example.org/v1", "m", "NO_SUCH_KEY_AT_ALL", "is not set"),
    ],
)
def test_an_invalid_endpoint_is_refused(base: str, model: str, key: str, message: str) -> None:
    with pytest.raises(UsageProblem, match=message):
        EndpointSummarizer(base, model, key)


@pytest.mark.parametrize(
    "base",
    [
        f"https://me:{KEY}@example.org:99999/v1",
        f"https://me:{KEY}@example.org:x/v1",
        f"https://me:{KEY}@/v1",
        f"ftp://me:{KEY}@example.org/v1",
        f"me:{KEY}@example.org/v1",
    ],
)
def test_an_address_is_refused_without_its_user_and_password(base: str) -> None:
    with pytest.raises(UsageProblem) as refused:
        EndpointSummarizer(base, "m", "")
    assert KEY not in str(refused.value)
    assert "me:" not in str(refused.value)


@pytest.mark.parametrize(
    "key", [f"{KEY}\n", f"{KEY[:9]}\n{KEY[9:]}", f" {KEY}", " ", f"{KEY}\x7f", f"{KEY}é"]
)
def test_a_key_that_no_header_can_have_is_refused_without_its_text(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("SOME_KEY", key)
    with pytest.raises(UsageProblem, match="The key in SOME_KEY contains characters") as refused:
        EndpointSummarizer("https://example.org/v1", "m", "SOME_KEY")
    assert KEY[:9] not in str(refused.value)


def test_the_recipient_is_named_with_its_encryption() -> None:
    assert "not encrypted" in EndpointSummarizer("http://example.org/v1", "m").to
    assert "not encrypted" not in EndpointSummarizer("http://127.0.0.1:8080/v1", "m").to
    assert "not encrypted" not in EndpointSummarizer("http://localhost:11434/v1", "m").to
    assert "not encrypted" not in EndpointSummarizer("https://example.org/v1", "m").to
