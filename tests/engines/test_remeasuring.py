"""Runs that use only `measure` and `plan` equal the runs of an engine's own method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import field
from msgspec.structs import replace

from inspector.core.errors import EngineError
from inspector.core.messages import Message, messages_from
from inspector.core.rough import message_chars
from inspector.engines import remeasuring
from inspector.engines.base import Budgets, Engine, Plan, Settings
from inspector.engines.hermes.direct import rows
from inspector.engines.registry import engine
from inspector.engines.remeasuring import Remeasuring
from inspector.engines.replayable import Replayable, least_firing, replayable
from inspector.engines.sizes import Compacted, MessageSize
from inspector.replay.course import Course
from inspector.replay.event import Event
from inspector.replay.run import run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.whatif import WhatIf
from tests.engines.lists import assistant, call, conversations, result, user
from tests.examples import also

#: Every summary is a message of 1,600 characters, with 40 more around it.
SIZE = MessageSize(410, 1_640, 0)


class InOrder(SummaryModel, frozen=True):
    """A model of summaries with given sizes, in order."""

    sizes: Iterator[MessageSize] = field(default_factory=lambda: repeat(SIZE))

    def written(self, number: int, step: int, messages: int, previous: int) -> MessageSize | None:
        """Return the next size."""
        return next(self.sizes)


def run(
    rules: Replayable[Any],
    messages: Sequence[Message],
    wanted: Settings,
    sizes: Sequence[MessageSize] = (),
) -> WhatIf:
    return run_course(
        Course(rules, rules.read(messages), 0), wanted, InOrder(sizes=chain(sizes, repeat(SIZE)))
    )


def run_measured_again(
    found: Engine, messages: Sequence[Message], wanted: Settings
) -> tuple[WhatIf, list[MessageSize]]:
    """Return a run that measures again, and the sizes of its stand-in summaries.

    A summary has the wanted characters, plus or minus a token for the text around it in a message of its role.
    """
    sizes: list[MessageSize] = []

    def tokens(wire: Mapping[str, Any]) -> int:
        return found.measure([Message(wire)]).tokens(0)

    def summary(role: str, size: MessageSize) -> dict[str, Any]:
        made = write(role, size)
        sizes.append(size._replace(walk=tokens(made)))
        return made

    def with_summary(wire: Mapping[str, Any], size: MessageSize) -> dict[str, Any]:
        made = merge(wire, size)
        sizes.append(size._replace(walk=tokens(made) - tokens(wire)))
        return made

    write, merge = remeasuring.summary_wire, remeasuring.merged_wire
    with (
        patch.object(remeasuring, "summary_wire", summary),
        patch.object(remeasuring, "merged_wire", with_summary),
    ):
        return run(Remeasuring(found), messages, wanted), sizes


def is_merged(event: Event) -> bool:
    """Whether the summary went into a message of the tail."""
    return event.after == event.before - (event.tail_start - event.head_end)


def plain(events: Sequence[Event]) -> list[Event]:
    """Return events without the summary's own size: only the size of the whole message is known."""
    return [event._replace(summary=0) for event in events]


@pytest.mark.parametrize("profile", also("hermes-0.19", "hermes-0.13", "documented", "truncation"))
@given(
    messages=conversations(least=5),
    context=st.sampled_from([4_000, 8_000, 16_000]),
    ratio=st.sampled_from([0.1, 0.3, 0.8]),
    last=st.sampled_from([2, 6, 20]),
)
def test_both_methods_compact_alike(
    profile: str, messages: tuple[Message, ...], context: int, ratio: float, last: int
) -> None:
    calls = [call.id for message in messages for call in message.tool_calls]
    # The list that is read (the whole list or the live list) decides which call a result with a reused id answers.
    assume(len(set(calls)) == len(calls))
    wanted = Settings(profile=profile, context_length=context, target_ratio=ratio, protect_last_n=last)
    anew, sizes = run_measured_again(engine(profile), messages, wanted)
    own = run(replayable(engine(profile)), messages, wanted, sizes)
    if profile.startswith("hermes"):
        # Over columns, an assistant's message that a summary went into is never pruned and says nothing new; measured
        # anew it may be pruned later, and the summary is an answer.
        merged = next((place for place, event in enumerate(own.events) if is_merged(event)), None)
        if merged is not None:
            assert plain(anew.events[: merged + 1]) == plain(own.events[: merged + 1])
            return
    assert plain(anew.events) == plain(own.events)
    assert anew.removed_by == own.removed_by
    assert anew.tokens == own.tokens
    assert anew.metrics == own.metrics


@given(messages=conversations(least=5), own=st.booleans())
def test_head_and_tail_stay_when_the_middle_is_dropped(messages: tuple[Message, ...], own: bool) -> None:
    found = engine("truncation")
    rules = replayable(found) if own else Remeasuring(found)
    wanted = Settings(profile="truncation", context_length=4_000)
    read = rules.read(messages)
    live = read.live(wanted, found.budgets(wanted), 0)
    stands: list[int] = []
    for stop in range(1, len(messages) + 1):
        live.extend(stop)
        stands.append(stop - 1)
        if found.fires(live.total_chars // 4, wanted) is None:
            continue
        done = live.compact(lambda _: pytest.fail("nobody writes a summary"))
        if not isinstance(done, Compacted):
            continue
        end = done.tail_start
        # Results leave the list together with their call.
        while end < len(stands) and messages[stands[end]].role == "tool":
            end += 1
        assert done.removed == stands[done.head_end : end]
        del stands[done.head_end : end]
        assert len(live) == len(stands)
        assert live.total_chars == sum(message_chars(messages[at].wire) for at in stands)


class Words:
    """A separate engine: a token is a word. From 200 words on it removes all but the last four messages."""

    name = "words"
    summary = "Counts words."

    def __init__(self) -> None:
        self.measured: list[int] = []

    def budgets(self, settings: Settings) -> Budgets:
        return Budgets(200, 100, 50, 10_000, {})

    def measure(self, messages: Iterable[Message]) -> WordIndex:
        index = WordIndex([len(message.text.split()) for message in messages])
        self.measured.append(len(index))
        return index

    def plan(
        self, token_index: WordIndex, settings: Settings, compactions: int = 0, system_tokens: int = 0
    ) -> Plan:
        plan = engine("documented").plan(engine("documented").measure(()), settings)
        tail = max(len(token_index) - 4, 1)
        return replace(
            plan, profile=self.name, budgets=self.budgets(settings), length=len(token_index), compacts=True,
            reason="", head_end=1, tail_start=tail, role="assistant",
        )  # fmt: skip

    def fires(self, tokens: int, settings: Settings) -> str | None:
        return "agent" if tokens >= 200 else None


class WordIndex:
    """Words of each message."""

    def __init__(self, words: list[int]) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def tokens(self, index: int) -> int:
        return self.words[index]

    def pruned_tokens(self, index: int) -> int:
        return self.words[index]

    def total(self) -> int:
        return sum(self.words)

    def rough_until(self, stop: int) -> int:
        return sum(self.words[:stop])


def test_an_engine_with_its_own_tokens_is_run_with_them() -> None:
    messages = messages_from([m for i in range(40) for m in (user("one two three"), assistant("so " * 17))])
    found = Words()
    done = run(replayable(found), messages, Settings(profile="words"))
    first = done.events[0]
    # 20 words per turn: the tenth request has 183 words, the eleventh has 203.
    assert (first.step, first.tokens_before, first.fires) == (21, 203, "agent")
    assert (first.head_end, first.tail_start, first.after) == (1, 17, 6)
    assert done.tokens[:20] == tuple(turn * 20 + words for turn in range(10) for words in (3, 20))
    assert len(done.events) > 1
    assert done.metrics.compactions == len(done.events)


def test_a_list_is_measured_only_at_compactions() -> None:
    messages = messages_from(
        [m for i in range(2_000) for m in (user("one two three"), assistant("so " * 17))]
    )
    found = Words()
    done = run(replayable(found), messages, Settings(profile="words"))
    assert len(done.events) > 100
    # Once for the recording; then the list before and after each compaction.
    assert found.measured[0] == len(messages)
    assert len(found.measured) == 1 + 2 * len(done.events)
    assert sum(found.measured[1:]) == sum(event.before + event.after for event in done.events)


def test_an_engine_that_never_fires_never_compacts() -> None:
    class Calm(Words):
        def fires(self, tokens: int, settings: Settings) -> str | None:
            return None

    messages = messages_from([user("word " * 100)] * 20)
    done = run(replayable(Calm()), messages, Settings(profile="words"))
    assert not done.events
    assert done.metrics.peak_tokens == 2_000


@pytest.mark.parametrize("profile", ["documented", "hermes-0.13", "hermes-0.19", "truncation"])
def test_the_least_tokens_that_fire(profile: str) -> None:
    wanted = Settings(profile=profile)
    for rules in (replayable(engine(profile)), Remeasuring(engine(profile))):
        least = least_firing(rules, wanted, engine(profile).budgets(wanted))
        assert least is not None
        assert engine(profile).fires(least, wanted)
        assert engine(profile).fires(least - 1, wanted) is None


def test_an_engine_may_fire_without_regard_to_its_budgets() -> None:
    class Early(Words):
        def fires(self, tokens: int, settings: Settings) -> str | None:
            return "agent" if tokens >= 77 else None

    wanted = Settings(profile="words")
    assert least_firing(replayable(Early()), wanted, Early().budgets(wanted)) == 77


@pytest.mark.parametrize("part", ["measure", "plan", "fires", "budgets"])
def test_an_engine_that_fails_is_named(part: str) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("no luck")

    found = Words()
    setattr(found, part, fail)
    messages = messages_from([user("word " * 100)] * 20)
    with pytest.raises(EngineError, match=r"The engine words failed: ZeroDivisionError: no luck\."):
        run(replayable(found), messages, Settings(profile="words"))


@given(
    st.lists(conversations(least=6), min_size=1, max_size=3),
    st.sampled_from(["hermes-0.20", "hermes-current"]),
    st.sampled_from([(2_000, 0.3), (4_000, 0.8), (9_000, 0.5)]),
)
def test_counting_each_message_once_changes_no_run(
    parts: list[tuple[Message, ...]], profile: str, sizes: tuple[int, float]
) -> None:
    messages = tuple(chain.from_iterable(parts))
    wanted = Settings(profile=profile, context_length=sizes[0], target_ratio=sizes[1], threshold_cap=1_500)
    anew = Remeasuring(engine(profile))
    own = replayable(engine(profile))
    for again in range(2):
        fast, slow = run(own, messages, wanted), run(anew, messages, wanted)
        assert plain(fast.events) == plain(slow.events), again
        assert (fast.tokens, fast.metrics) == (slow.tokens, slow.metrics), again


def test_runs_of_one_conversation_read_each_text_once() -> None:
    listed = [wire for n in range(200) for wire in (user(f"{n} " + "w " * 900), assistant("x " * 700))]
    rules = replayable(engine("hermes-0.20"))
    token_index = rules.read(messages_from(listed))
    counted = []
    with patch.object(rows, "message_tokens", lambda wire, *_, **__: counted.append(wire) or 500):
        for ratio in (0.1, 0.3, 0.5):
            wanted = Settings(profile="hermes-0.20", context_length=64_000, target_ratio=ratio)
            assert run_course(Course(rules, token_index, 0), wanted, InOrder()).events
    read = [wire for wire in counted if any(wire is other for other in listed)]
    assert 0 < len(read) <= len(listed)


@pytest.mark.parametrize("profile", ["hermes-0.20", "hermes-current"])
def test_settings_with_one_key_make_one_run(profile: str) -> None:
    filler = [
        wire for number in range(90) for wire in (user(f"{number} " + "w " * 900), assistant("x " * 700))
    ]
    messages = messages_from(filler)
    rules = replayable(engine(profile))
    runs: dict[object, list[WhatIf]] = {}
    for threshold in (0.2, 0.4, 0.75, 0.9):
        for last in (5, 20):
            wanted = Settings(
                profile=profile, threshold=threshold, context_length=64_000, protect_last_n=last
            )
            key = rules.decisive(wanted, rules.engine.budgets(wanted))
            runs.setdefault(key, []).append(run(rules, messages, wanted))
    assert 1 < len(runs) < 8
    for found in runs.values():
        assert len({(one.events, one.metrics) for one in found}) == 1


@pytest.mark.parametrize("profile", ["hermes-0.13", "hermes-0.20", "truncation"])
@pytest.mark.parametrize("own", [True, False])
def test_results_leave_with_their_call(profile: str, own: bool) -> None:
    """If the tail leaves only one message to summarize, the tail begins with the results of that message."""
    found = engine(profile)
    rules = replayable(found) if own else Remeasuring(found)
    wanted = Settings(profile=profile, context_length=128_000)
    calls = [call(f"c{number}") for number in range(2)]
    results = [result(f"c{number}", f"{number} " * 150_000) for number in range(2)]
    wires = [user("Go."), assistant("Yes."), user("And?"), assistant("", *calls), *results]
    wires += [user("Next."), assistant("Done."), user("Thanks."), assistant("Bye.")]
    messages = messages_from(wires)
    live = rules.read(messages).live(wanted, found.budgets(wanted), 0)
    live.extend(len(messages))
    done = live.compact(lambda budget, left: MessageSize(60, 200, 0))
    assert isinstance(done, Compacted)
    assert [messages[at].role for at in done.removed][-3:] == ["assistant", "tool", "tool"]
    assert live.total_chars < 2_000
