"""The baseline: truncation."""

from __future__ import annotations

from hypothesis import given

from inspector.core.messages import Message, messages_from
from inspector.engines.base import Settings
from inspector.engines.truncation import TRUNCATION
from tests.engines.lists import assistant, conversations, user


@given(conversations(least=3))
def test_truncation_keeps_only_head_and_tail(messages: tuple[Message, ...]) -> None:
    engine = TRUNCATION
    plan = engine.plan(engine.measure(messages), Settings(context_length=4_000))
    output = engine.assemble(messages, plan, "never used")
    head, tail = plan.regions()
    sources = {out.source for out in output if out.source != "stub"}
    assert sources <= {*range(head), *range(tail, len(messages))} or not plan.compacts
    assert plan.pruned == ()
    assert plan.summary_budget == 0
    assert all("never used" not in str(out.wire.get("content")) for out in output)


def test_truncation_drops_the_middle() -> None:
    wires = [m for i in range(40) for m in (user(f"q{i}"), assistant("word " * 300))]
    engine = TRUNCATION
    messages = messages_from(wires)
    plan = engine.plan(engine.measure(messages), Settings(context_length=8_000))
    assert plan.compacts
    assert plan.tokens_after < plan.tokens_before
    assert len(engine.assemble(messages, plan, "")) == 80 - (plan.tail_start - plan.head_end)
