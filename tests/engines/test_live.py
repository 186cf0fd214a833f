"""A live list as columns gives the measures, and so the plans, of the same list read anew."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.hermes.deck import Deck
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.live import LiveList, measures_until
from inspector.engines.hermes.releases import RELEASES
from inspector.engines.hermes.sketches import Numbers, sketch
from tests.engines.lists import conversations

SMALL = Settings(context_length=4_000, threshold=0.3)


@pytest.mark.parametrize("profile", sorted(RELEASES))
@settings(max_examples=60, deadline=None)
@given(messages=conversations(least=5), cut=st.integers(1, 60))
def test_the_plan_of_a_beginning_is_that_of_the_shorter_list(
    profile: str, messages: tuple[Message, ...], cut: int
) -> None:
    calls = [call.id for message in messages for call in message.tool_calls]
    # Which call a result of a reused id answers is decided by the whole list.
    assume(len(set(calls)) == len(calls))
    engine = HermesEngine(RELEASES[profile])
    sketches, troubles = sketch(messages, engine.policies)
    deck = Deck(sketches, engine.policies, troubles)
    stop = min(cut, len(messages))
    wanted = SMALL.with_(profile=profile)
    assert engine.plan(measures_until(deck, stop), wanted) == engine.plan(
        engine.measure(messages[:stop]), wanted
    )


@pytest.mark.parametrize("profile", sorted(RELEASES))
@settings(max_examples=60, deadline=None)
@given(messages=conversations(least=8))
def test_what_is_left_after_a_compaction_weighs_what_the_plan_says(
    profile: str, messages: tuple[Message, ...]
) -> None:
    engine = HermesEngine(RELEASES[profile])
    wanted = SMALL.with_(profile=profile)
    listed = LiveList(Deck(sketch(messages, engine.policies)[0], engine.policies))
    listed.extend(len(messages))
    measures = listed.measures()
    plan = engine.plan(measures, wanted)
    cut = engine.cut(measures, wanted, plan.budgets)
    assert bool(cut.reason) is not plan.compacts
    if not plan.compacts:
        return
    head, tail = plan.regions()
    assert cut.regions(len(messages)) == (head, tail)
    left = listed.replace(cut, measures, Numbers(100, 400, 0))
    assert left == list(range(head, tail))
    assert len(listed) == head + len(messages) - tail + (not plan.merged or tail == len(messages))
    assert listed.messages(0, len(listed)) == [*range(head), *range(tail, len(messages))]
    after = listed.measures().total()
    # Each region is rounded up by itself.
    assert abs(after - (plan.head_tokens + 100 + plan.tail_tokens)) <= 3


def test_a_list_grows_by_stretches() -> None:
    engine = HermesEngine(RELEASES["hermes-0.13"])
    text = "the same long answer " * 20
    messages = tuple(
        Message(
            {"role": "tool", "content": text if index % 3 == 0 else f"{index}", "tool_call_id": f"{index}"}
        )
        for index in range(12)
    )
    sketches = sketch(messages, engine.policies)[0]
    grown = LiveList(Deck(sketches, engine.policies))
    grown.extend(5)
    assert grown.measures().duplicates == [0]
    grown.extend(12)
    assert grown.measures().duplicates == [0, 3, 6]
    assert grown.measures().total() == engine.measure(messages).total()
