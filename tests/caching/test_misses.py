"""Requests, their misses and causes, and requests modelled from messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.caching.breakpoints import Release, bearing
from inspector.caching.misses import judge
from inspector.caching.modelled import LOOKED_BACK, SentList, SentMessages, modelled_requests, smallest_prefix
from inspector.core.conversations import ASSISTANT, TOOL, USER, Request, role_code
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images


def request(index: int, read: int, write: int, at: float, **changes: Any) -> Request:
    values: dict[str, Any] = {
        "index": index, "generation": 1, "message": str(index), "model": "claude-opus-4-5", "at": at, "input": 10,
        "cache_read": read, "cache_write": write, "cache_write_1h": 0, "output": 100,
    }  # fmt: skip
    return Request(**(values | changes))


FIRST = request(1, 0, 50_000, 1_000.0)


@pytest.mark.parametrize(
    ("second", "cause", "missed"),
    [
        (request(2, 50_000, 2_000, 1_060.0), None, 0),
        (request(2, 0, 52_000, 1_500.0), "ttl", 50_000),
        (request(2, 20_000, 32_000, 1_060.0), "prefix", 30_000),
        (request(2, 0, 52_000, 1_060.0), "unknown", 50_000),
        (request(2, 0, 52_000, 1_060.0, model="claude-haiku-4-5"), "model", 50_000),
        (request(2, 18_000, 9_000, 1_060.0, generation=2), "compaction", 9_010),
        (request(2, 27_000, 500, 1_060.0, generation=2), "compaction", 0),
        (request(2, 49_500, 2_000, 1_060.0), None, 0),
    ],
)
def test_a_miss_has_a_cause(second: Request, cause: str | None, missed: int) -> None:
    first, judged = judge([FIRST, second])
    assert (first.cause, first.missed) == ("first", 0)
    assert (judged.cause, judged.missed) == (cause, missed)


def test_a_sum_of_several_calls_is_no_prompt_to_be_read_again() -> None:
    searched = request(2, 153_000, 3_000, 1_030.0, unsized=True)
    grown = request(3, 53_000, 9_000, 1_060.0)
    again = request(4, 20_000, 42_000, 1_090.0)
    judged = judge([FIRST, searched, grown, again])
    assert [(one.cause, one.missed) for one in judged] == [
        ("first", 0), (None, 0), (None, 0), ("prefix", 42_000)
    ]  # fmt: skip


def test_a_request_that_reads_the_cache_from_before_an_other_prefix_misses_nothing() -> None:
    other, back = request(2, 18_000, 40_000, 1_060.0), request(3, 50_000, 8_500, 1_120.0)
    assert [(one.cause, one.missed) for one in judge([FIRST, other, back])[1:]] == [
        ("prefix", 32_000),
        (None, 0),
    ]
    (*_, less) = judge([FIRST, other, request(3, 49_000, 9_500, 1_120.0)])
    assert (less.cause, less.missed) == ("prefix", 9_000)


def test_an_hour_to_live_is_known_from_the_written_tokens() -> None:
    hour = request(1, 0, 50_000, 1_000.0, cache_write_1h=50_000)
    late = request(2, 50_000, 0, 3_000.0)
    too_late = request(3, 0, 50_000, 9_000.0)
    assert [one.cause for one in judge([hour, late, too_late])] == ["first", None, "ttl"]


def test_cleared_results_cause_the_next_miss() -> None:
    second = request(2, 18_000, 40_000, 1_060.0)
    (_, judged) = judge([FIRST, second], [(1, 1_030.0)])
    assert (judged.cause, judged.missed) == ("microcompaction", 32_000)


@given(st.lists(st.integers(100, 9_000), min_size=1, max_size=30))
def test_a_warm_session_has_one_first_miss(growth: list[int]) -> None:
    requests, cached, at = [], 0, 1_000.0
    for index, added in enumerate(growth, 1):
        requests.append(request(index, cached, added, at))
        cached, at = cached + added, at + 20
    judged = judge(requests)
    assert [one.cause for one in judged] == ["first", *[None] * (len(growth) - 1)]
    assert sum(one.missed for one in judged) == 0


ROLES = bytes((USER, ASSISTANT, TOOL, ASSISTANT, USER, ASSISTANT))


TEXTS = (
    {"role": "user", "content": "a"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "1", "function": {"name": "read", "arguments": "{}"}}],
    },
    {"role": "tool", "content": "b", "tool_call_id": "1"},
    {"role": "assistant", "content": "c"},
    {"role": "user", "content": "d"},
    {"role": "assistant", "content": "e"},
)


def messages(times: list[float], texts: Sequence[dict[str, Any]] = TEXTS) -> SentMessages:
    kept = SentMessages()
    for text, at in zip(texts, times, strict=False):
        kept.append(Message(text, timestamp=at))
    return kept


def sent(times: list[float], **changes: Any) -> SentList:
    values: dict[str, Any] = {
        "generation": 1, "roles": ROLES, "rows": range(6), "sent": messages(times),
        "tokens": range(4_000, 64_000, 1_000),
    }  # fmt: skip
    return SentList(**(values | changes))


def test_a_modelled_conversation_reads_what_it_sent_before() -> None:
    first, second, third = modelled_requests([sent([0, 10, 11, 20, 25, 30])], "claude-sonnet-5", True)
    assert (first.cache_read, first.cache_write, first.input) == (0, 5_000, 0)
    assert (second.cache_read, second.cache_write) == (5_000, 2_000)
    assert (third.cache_read, third.context, third.output) == (7_000, 9_000, 1_000)


def test_a_modelled_pause_is_a_miss() -> None:
    requests = list(modelled_requests([sent([0, 10, 11, 20, 925, 930])], "claude-sonnet-5", True))
    assert [one.cache_read for one in requests] == [0, 5_000, 0]
    hours = modelled_requests([sent([0, 10, 11, 20, 925, 930])], "claude-sonnet-5", True, hour=True)
    assert [(one.cache_read, one.cache_write_1h) for one in hours] == [
        (0, 5_000),
        (5_000, 2_000),
        (7_000, 2_000),
    ]


def test_an_answer_without_a_time_does_not_hide_a_pause() -> None:
    requests = list(modelled_requests([sent([0, 10, 11, 0, 925, 930])], "claude-sonnet-5", True))
    assert [one.cache_read for one in requests] == [0, 5_000, 0]


def test_after_a_compaction_the_start_is_read() -> None:
    times = [0.0, 10, 11, 20, 25, 30]
    after = sent(times, generation=2, began=3, kept=4_500)
    requests = list(modelled_requests([sent(times), after], "claude-sonnet-5", True))
    assert [one.cache_read for one in requests if one.generation == 2] == [4_500, 7_000]


def test_without_markers_nothing_is_cached_and_a_short_prompt_is_not_kept() -> None:
    plain = list(modelled_requests([sent([0, 10, 11, 20, 25, 30])], "gpt-4o", False))
    assert [one.input for one in plain] == [5_000, 7_000, 9_000]
    assert not any(one.cache_read or one.cache_write for one in plain)
    by_itself = list(modelled_requests([sent([0, 10, 11, 20, 925, 930])], "gpt-4o", False, automatic=True))
    assert [(one.cache_read, one.cache_write, one.input) for one in by_itself] == [
        (0, 0, 5_000),
        (5_000, 0, 2_000),
        (0, 0, 9_000),
    ]
    small = sent([0, 10, 11, 20, 25, 30], tokens=range(0, 700, 100))
    assert all(one.cache_write == 0 for one in modelled_requests([small], "claude-opus-4-5", True))


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("anthropic/claude-opus-4.5", 4_096),
        ("claude-sonnet-4-6", 1_024),
        ("claude-opus-5", 512),
        ("other", 1_024),
    ],
)
def test_the_smallest_prefix_by_model(model: str, tokens: int) -> None:
    assert smallest_prefix(model) == tokens


def test_in_the_envelope_a_message_with_only_calls_is_no_breakpoint() -> None:
    """Three results after a call without text: with the envelope layout an older release marks none of them."""
    calls = [{"id": str(n), "function": {"name": "read", "arguments": "{}"}} for n in range(3)]
    results = [{"role": "tool", "content": "x", "tool_call_id": str(n)} for n in range(3)]
    texts = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        *results,
    ]
    texts.append({"role": "assistant", "content": "b"})
    roles = bytes(role_code(text["role"]) for text in texts)
    listed: dict[str, list[tuple[int, int, int]]] = {}
    for layout in ("native", "envelope"):
        kept = SentMessages("0.13")
        for place, text in enumerate(texts):
            kept.append(Message(text, timestamp=1_000.0 + place))
        made = modelled_requests(
            [sent([0.0] * 6, roles=roles, sent=kept)], "claude-sonnet-5", True, layout=layout
        )
        listed[layout] = [(one.cache_read, one.cache_write, one.input) for one in made]
    assert listed["native"] == [(0, 5_000, 0), (5_000, 4_000, 0)]
    # Only the system prompt is found and kept.
    assert listed["envelope"] == [(0, 5_000, 0), (4_000, 0, 5_000)]


@pytest.mark.parametrize(("results", "read"), [(LOOKED_BACK, 5_000), (LOOKED_BACK + 12, 4_000)])
def test_a_cached_prefix_is_found_twenty_blocks_back(results: int, read: int) -> None:
    """The breakpoints are on the last three messages; the cached prefix ends before the call and its results."""
    calls = [{"id": str(n), "function": {"name": "read", "arguments": "{}"}} for n in range(results // 2)]
    texts: list[dict[str, Any]] = [{"role": "user", "content": "a"}]
    texts.append({"role": "assistant", "content": "", "tool_calls": calls})
    texts += [{"role": "tool", "content": "x", "tool_call_id": str(n)} for n in range(results // 2)]
    texts.append({"role": "assistant", "content": "b"})
    roles = bytes(role_code(text["role"]) for text in texts)
    times = [1_000.0 + place for place in range(len(texts))]
    listed = sent(times, roles=roles, rows=range(len(texts)), sent=messages(times, texts))
    *_, last = modelled_requests([listed], "claude-sonnet-5", True)
    assert (last.cache_read, last.context) == (read, 4_000 + 1_000 * (len(texts) - 1))


CONTENTS = st.one_of(
    st.none(),
    st.sampled_from(["", " ", "text", "\n"]),
    st.lists(st.one_of(st.just("text"), st.just({"type": "text", "text": "x"}), st.just({})), max_size=2),
    st.just({"text_summary": "x", "_multimodal": True}),
    st.just(7),
)
CALLS = st.sampled_from(
    [None, [], [{}], ["x"], [{"id": "1", "function": {"name": "a", "arguments": ""}}], "x"]
)


@given(
    st.sampled_from(["user", "assistant", "tool", "system", "", None, ["user"]]),
    CONTENTS,
    CALLS,
    st.sampled_from(["0.13", "0.19"]),
)
def test_the_cached_form_of_a_message_shows_whether_it_has_a_breakpoint(
    role: Any, content: Any, calls: Any, release: Release
) -> None:
    message = Message({"role": role, "content": content, "tool_calls": calls})
    kept = SentMessages(release)
    kept.append(message)
    for layout in ("native", "envelope"):
        spent, honored = bearing(message, layout, release)
        assert kept.breakpoints(1, layout) == ((1, 1) if honored else (0, 0))
        bits = kept.marks[0] >> (0 if layout == "native" else 2)
        assert bool(bits & 1) is spent
    assert kept.grown() == [0, list_tokens(message_chars(message.wire), message_images(message.wire))]
