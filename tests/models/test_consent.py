"""Nothing is sent without consent: the tests watch connections and child processes of this process."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.core.errors import NotAllowed
from inspector.models.attempt import Ask, AttemptPlace
from inspector.models.consent import Allowance, Sending, sending_of
from inspector.models.kept import KeptAttempts
from inspector.models.making import make_attempt
from inspector.models.masking import Masker
from inspector.models.summarizers.base import Summarizer
from inspector.models.summarizers.command import CommandSummarizer
from inspector.models.summarizers.endpoint import EndpointSummarizer
from tests.models.server import DONE, Server, event, stream
from tests.models.watching import watched
from tests.program import Run

ROTATING = "Move checkout to orders-v2"
CAT = f"{shlex.quote(sys.executable)} -c 'import sys; print(sys.stdin.read()[-400:])'"


def ask(prompt: str) -> Ask:
    return Ask(AttemptPlace("store", "root", 1), prompt, "ours", 2_000)


def sending(summarizer: Summarizer, *prompts: str, growing: bool = False) -> Sending:
    return replace(sending_of([(summarizer, prompt, 2_000) for prompt in prompts], Masker()), growing=growing)


@pytest.mark.parametrize("words", [[], ["--json"], ["--no-mask"]])
@pytest.mark.parametrize("command", ["attempt", "life", "recall"])
def test_without_a_terminal_nothing_is_sent_without_a_flag(
    program: Run, server: Server, tmp_path: Path, command: str, words: list[str]
) -> None:
    server.answers = [stream(event("x"), DONE)]
    to = ["--endpoint", server.base, "--model", "some-model"]
    with watched() as seen:
        done = program(command, "--demo", ROTATING, "--compaction", "1", *to, *words)
    assert done.returncode == 1
    assert "Nothing was sent" in done.stderr
    assert "some-model at http://127.0.0.1" in done.stderr
    assert seen == []
    assert not server.requests
    assert not list(tmp_path.rglob("attempts.db"))


@pytest.mark.parametrize("command", ["attempt", "recall"])
def test_showing_a_prompt_sends_nothing(program: Run, command: str) -> None:
    with watched() as seen:
        done = program(command, "--demo", ROTATING, "--compaction", "1", "--show-prompt", "--command", CAT)
    assert done.returncode == 0
    assert "stripe-node" in done.stdout
    assert seen == []


def test_showing_attempts_sends_nothing(program: Run) -> None:
    program("attempt", "--demo", ROTATING, "--compaction", "1", "--command", CAT, "--send")
    with watched() as seen:
        for words in ([], ["--demo", ROTATING], ["--show", "1"], ["--delete", "1"]):
            assert program("attempts", *words).returncode == 0
    assert seen == []


@pytest.mark.parametrize(("typed", "sent"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_in_a_terminal_the_program_asks(
    typed: str, sent: bool, server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import io

    from inspector.commands.sending import Sender

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    monkeypatch.setattr("sys.stderr", terminal)
    summarizer = EndpointSummarizer(server.base, "m")
    sender = Sender((), server.base, ("m",), None, 1.0, no_mask=False, without_asking=False)
    if sent:
        sender.send(sending(summarizer, "prompt"), lambda allowance, _: allowance.take(summarizer, "prompt"))
    else:
        with pytest.raises((NotAllowed, __import__("click").Abort)):
            sender.send(sending(summarizer, "prompt"), lambda *_: None)
    assert "1 prompt of ~2 tokens to m at http://127.0.0.1" in terminal.getvalue()
    assert "Send it?" in terminal.getvalue()


def test_the_question_names_cost_secrets_and_recipient(program: Run, server: Server) -> None:
    server.answers = [stream(event("## Goal\nx"), DONE)]
    to = ["--endpoint", server.base, "--model", "gpt-4o"]
    done = program("attempt", "--demo", ROTATING, "--compaction", "1", *to, "--send", "--json")
    assert "US dollars" in done.stderr
    assert "genai-prices" in done.stderr
    assert "secrets" in done.stderr
    document = json.loads(done.stdout)
    assert document["sending"]["prompts"] == 1
    assert document["sending"]["cost"] > 0
    assert document["attempts"][0]["cost"]["amount"] > 0
    assert len(server.requests) == 1


def test_secrets_of_a_conversation_are_not_sent(
    program: Run, server: Server, tmp_path: Path, own_fixtures: Path
) -> None:
    import sqlite3

    secret = "ghp_" + "a1B2" * 9
    path = own_fixtures / "hermes-0.13-rotating.db"
    with sqlite3.connect(path) as database:
        database.execute(
            "UPDATE messages SET content = content || ? WHERE content LIKE '%held by legacy-gateway alone%'",
            (f" Push with {secret}.",),
        )
    server.answers = [stream(event("## Goal\nx"), DONE)]
    to = ["--endpoint", server.base, "--model", "m", "--send"]
    done = program("attempt", str(path), ROTATING, "--compaction", "1", *to)
    assert "1 × a GitHub token" in done.stderr
    sent = json.dumps(server.requests[0][2])
    assert secret not in sent
    assert "[masked: a GitHub token]" in sent
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("attempts.db*"))
    assert secret.encode() not in kept
    done = program("attempt", str(path), ROTATING, "--compaction", "1", *to, "--no-mask")
    assert "Masking is switched off" in done.stderr
    assert secret in json.dumps(server.requests[1][2])


def test_consent_is_for_one_recipient_and_a_number_of_tokens(server: Server, kept: KeptAttempts) -> None:
    server.answers = [stream(event("x"), DONE)]
    mine, other = EndpointSummarizer(server.base, "mine"), EndpointSummarizer(server.base, "other")
    refused: list[Callable[[], object]] = [
        lambda: make_attempt(kept, ask("p"), other, Allowance(sending(mine, "p")), lambda _: None),
        lambda: make_attempt(kept, ask("p" * 40), mine, Allowance(sending(mine, "p")), lambda _: None),
        lambda: make_attempt(kept, ask("p"), mine, Allowance(sending(mine)), lambda _: None),
    ]
    for send in refused:
        with watched() as seen, pytest.raises(NotAllowed):
            send()
        assert seen == []
    allowance = Allowance(sending(mine, "p"))
    assert make_attempt(kept, ask("p"), mine, allowance, lambda _: None).summary == "x"
    with pytest.raises(NotAllowed):
        make_attempt(kept, ask("p"), mine, allowance, lambda _: None)
    assert len(server.requests) == 1
    assert len(kept.all()) == 1


def test_the_watch_notices_sent_data(server: Server, kept: KeptAttempts) -> None:
    """Without this, the tests above would prove nothing."""
    server.answers = [stream(event("x"), DONE)]
    endpoint, command = EndpointSummarizer(server.base, "m"), CommandSummarizer(CAT)
    with watched() as seen:
        for one in (endpoint, command):
            make_attempt(kept, ask("p"), one, Allowance(sending(one, "p")), lambda _: None)
    assert {"socket.connect", "subprocess.Popen"} <= {name for name, _ in seen}


def test_consent_for_a_growing_prompt_includes_half_as_much_again() -> None:
    command = CommandSummarizer("cat")
    allowance = Allowance(sending(command, "p" * 400, "p" * 400, growing=True))
    allowance.take(command, "p" * 600)
    allowance.take(command, "p" * 600)
    with pytest.raises(NotAllowed):
        allowance.take(command, "p")
