"""Metrics of a run: their definition, and the work for them."""

from __future__ import annotations

import pytest
from hypothesis import given

from inspector.core.conversations import USER
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.engines.replayable import replayable
from inspector.replay.course import Course
from inspector.replay.run import run_course
from inspector.replay.run_metrics import metrics_of
from tests.counting import lines_run
from tests.engines.lists import conversations
from tests.examples import fewer

#: A window that compacts the generated conversations several times.
SMALL = Settings(context_length=4_000)


def course(messages: tuple[Message, ...]) -> Course:
    rules = replayable(engine("documented"))
    return Course(rules, rules.read(messages), 0)


@fewer()
@given(conversations(least=5))
def test_the_metrics_follow_from_the_messages_that_left(messages: tuple[Message, ...]) -> None:
    made = course(messages)
    run = run_course(made, SMALL)
    sizes, left = made.messages.chars, run.removed_by
    assert len(left) == sum(map(len, run.removed)), "a message leaves once"
    early = [message for message, number in left.items() if number < len(run.events) - 1]
    whole = sum(sizes) or 1
    assert run.metrics.summarized_share == sum(sizes[message] for message in left) / whole
    assert run.metrics.resummarized_share == sum(sizes[message] for message in early) / whole
    ends = {message: run.events[number].step for message, number in left.items()}
    stays = [ends.get(at, len(messages)) - at for at, role in enumerate(made.messages.roles) if role == USER]
    assert run.metrics.user_steps == pytest.approx(sum(stays) / len(stays) if stays else 0.0)


def test_the_metrics_of_consecutive_messages_take_no_pass_over_them() -> None:
    messages = tuple(
        Message({"role": ("user", "assistant")[at % 2], "content": f"{at} " + "word " * 20})
        for at in range(4_000)
    )
    made = course(messages)
    run = run_course(made, Settings(context_length=20_000))
    prompts = [1_000] * len(made.calls)
    assert len(run.events) > 5
    assert sum(map(len, run.removed)) > 3_000
    assert lines_run(metrics_of, made, run.events, prompts, run.removed, None) < 40 * len(run.events)
