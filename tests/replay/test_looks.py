"""Times when other agents check the size of their lists: runs check at the same times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.replaying import Replay, replay
from inspector.core.messages import messages_from
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.engines.replayable import replayable
from inspector.replay.course import Course
from inspector.replay.run import run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import cells, parse_axis
from inspector.stores.detect import open_store
from tests.engines.lists import assistant, user
from tests.recipes import recipe

made_of = recipe("more_lines")
NAME = "5e55d500-0000-4000-8000-000000000001"


def replayed(made: Any, folder: Path, **flags: object) -> Replay:
    store = open_store(made.write(folder))
    (row,) = store.conversations()
    return replay(Answers(store, flags, None), row.id)


def call(number: int) -> Any:
    return made_of.Call(f"c{number}", "bash", {}, "a line of a log\n" * 40)


def copilot() -> Any:
    """The threshold is 80,000 of 100,000 tokens."""
    made = made_of.CopilotSession(NAME)
    made.user("Look at the logs.")
    made.answer("", call(1), sent=60_000)
    made.answer("", call(2), sent=82_000)
    return made


def test_copilot_sends_one_more_request_while_the_summary_is_written(tmp_path: Path) -> None:
    made = copilot()
    made.begin_compaction(82_200)
    made.answer("", call(3), sent=83_000)
    made.end_compaction("The logs are harmless.", 83_500, 4_000, 83_000)
    made.answer("Done.", sent=9_000)
    found = replayed(made, tmp_path)
    (recorded,), (event,) = found.recording.events, found.run.events
    assert (event.step, event.head_end, event.tail_start) == (7, 0, 5)
    assert (recorded.step, recorded.head_end, recorded.tail_start) == (7, 0, 5)
    assert found.reproduces.same == 1


def test_copilot_begins_again_with_the_next_turn(tmp_path: Path) -> None:
    made = copilot()
    made.answer("Done.", sent=83_000)
    made.user("And the other logs?")
    made.answer("", call(3), sent=84_000)
    made.answer("Done.", sent=85_000)
    (event,) = replayed(made, tmp_path).run.events
    # The answer that came while the summary was written stays, with its results.
    assert (event.step, event.tail_start, event.before) == (9, 7, 9)


def test_openclaw_compacts_between_turns(tmp_path: Path) -> None:
    made = made_of.OpenClawSession(NAME)
    made.user("Look at the logs.")
    made.answer("", call(1), sent=150_000)
    made.answer("", call(2), sent=185_000)
    made.answer("Done.", sent=190_000)
    made.user("And the other logs?")
    made.answer("Done.", sent=191_000)
    settings = {"context_length": 200_000, "threshold": 0.9, "tail_tokens": 10}
    assert [event.step for event in replayed(made, tmp_path, **settings).run.events] == [6]


def test_openclaw_compacts_a_list_within_a_turn_that_no_longer_fits(tmp_path: Path) -> None:
    made = made_of.OpenClawSession(NAME)
    made.user("Look at the logs.")
    made.answer("", call(1), sent=150_000)
    made.answer("", call(2), sent=185_000)
    made.answer("", call(3), sent=199_990)
    made.answer("Done.", sent=201_000)
    settings = {"context_length": 200_000, "threshold": 0.9, "tail_tokens": 10}
    assert [event.step for event in replayed(made, tmp_path, **settings).run.events] == [7]


@pytest.mark.parametrize(("sent", "step"), [(190_000, 6), (0, 8)])
def test_openclaw_knows_no_size_after_an_aborted_answer(tmp_path: Path, sent: int, step: int) -> None:
    made = made_of.OpenClawSession(NAME)
    made.user("Look at the logs.")
    made.answer("", call(1), sent=150_000)
    made.answer("", call(2), sent=185_000)
    made.answer("They are", sent=sent, output=9 if sent else 0)
    made.user("Go on.")
    made.answer("Done.", sent=191_000)
    made.user("And the other logs?")
    settings = {"context_length": 200_000, "threshold": 0.9, "tail_tokens": 10}
    assert [event.step for event in replayed(made, tmp_path, **settings).run.events][:1] == [step]


def chat(profile: str, gateway: bool) -> Course:
    """Return a chat of 450 turns with short messages."""
    wires = [wire for number in range(450) for wire in (user(f"Is {number} even?"), assistant("Yes."))]
    rules = replayable(engine(profile))
    return Course(rules, rules.read(messages_from(wires)), 0, gateway=gateway)


@pytest.mark.parametrize(
    ("profile", "gateway", "limit", "steps"),
    [
        ("hermes-0.13", True, None, [400, 794]), ("hermes-0.17", True, None, [400, 788]),
        ("hermes-0.18.0", True, None, []), ("hermes-0.20", True, 700, [700]), ("hermes-0.13", False, None, []),
        ("documented", True, None, []),
    ],
)  # fmt: skip
def test_a_gateway_compacts_a_list_of_many_messages(
    profile: str, gateway: bool, limit: int | None, steps: list[int]
) -> None:
    course = chat(profile, gateway)
    settings = Settings(profile=profile, message_limit=limit)
    assert [event.step for event in run_course(course, settings).events] == steps
    axes = parse_axis("threshold", "0.5"), parse_axis("target_ratio", "0.2")
    ((cell,),) = cells(course, SummaryModel(), settings, *axes)
    assert cell is not None
    assert cell.values[0] == len(steps)
