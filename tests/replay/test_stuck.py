"""Runs that cannot keep their list small: shown with the window, marked in sweeps, never the best."""

from __future__ import annotations

import pytest

from inspector.answers.answers import Answers
from inspector.answers.recordings import read_recording
from inspector.config.bundled import demo_databases
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.engines.replayable import replayable
from inspector.export.whatif import sweep_document
from inspector.replay.course import Course
from inspector.replay.event import Event
from inspector.replay.metrics import Scores
from inspector.replay.reproducing import reproduction
from inspector.replay.run import run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import METRIC_NAMES, Axis, cells, sweep
from inspector.replay.whatif import kept_all, stuck


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers.of(demo_databases(), {}, None)


def test_a_run_that_gives_up_is_compared_with_the_window(answers: Answers) -> None:
    inspection, resolved = answers.opened("Nightly orders import loses rows")
    settings = resolved.settings
    recording = read_recording(inspection, settings.profile)
    run = run_course(recording.course, settings.with_(threshold=0.9, target_ratio=0.6), recording.model)
    assert run.gives_up in recording.course.calls
    assert f"give up compacting at step {run.gives_up:,}" in stuck(run)
    assert f"{run.metrics.peak_tokens:,} tokens in a window of 64,000" in stuck(run)
    assert not [event for event in run.events if run.gives_up and event.step > run.gives_up]
    plain = run_course(recording.course, settings, recording.model)
    assert (plain.gives_up, plain.every_call, stuck(plain)) == (None, None, "")
    rows, columns = Axis("threshold", (0.5, 0.9)), Axis("target_ratio", (0.2, 0.6))
    found = sweep(rows, columns, [cells(recording.course, recording.model, settings, rows, columns)])
    assert found.gives_up[1] == (False, True)
    assert found.best("cost") is None, "no costs are known"
    for metric in set(METRIC_NAMES) - {"cost"}:
        best = found.best(metric)
        assert best is not None
        assert not found.stuck(best.row, best.column)
    document = sweep_document(found)
    assert document["gives_up"] == [[False, True], [False, True]]


def test_if_every_cell_is_stuck_none_is_the_best() -> None:
    axis = Axis("threshold", (0.5,)), Axis("target_ratio", (0.2,))
    one = Scores((1.0,) * len(METRIC_NAMES), 1.0, 0.0, every_call=True)
    found = sweep(*axis, [[[one]]])
    assert found.best("compactions") is None
    assert sweep_document(found)["best"] == {}
    assert sweep_document(found)["compacts_every_call"] == [[True]]


def test_compactions_at_calls_in_a_row_are_every_call(answers: Answers) -> None:
    inspection, resolved = answers.opened("Nightly orders import loses rows")
    # The documentation names no guard, so the engine never gives up.
    recording = read_recording(inspection, "documented")
    settings = resolved.settings.with_(profile="documented", context_length=30_000, target_ratio=0.8)
    run = run_course(recording.course, settings, recording.model)
    assert run.every_call is not None
    assert run.every_call in recording.course.calls
    # Later compactions summarize only the old summary, and change nothing.
    assert run.every_call in {event.step for event in run.events}


@pytest.mark.parametrize(("window", "gives_up"), [(200_000, None), (40_000, 17)])
def test_a_run_that_keeps_all_messages_is_noted(window: int, gives_up: int | None) -> None:
    words = "word " * 2_000
    messages = [Message({"role": ("user", "assistant")[i % 2], "content": words}) for i in range(24)]
    rules = replayable(engine("pi"))
    course = Course(rules, rules.read(messages), 0)
    settings = Settings(profile="pi", context_length=window, threshold=8_000 / window, tail_tokens=500_000)
    run = run_course(course, settings)
    assert (run.events, run.gives_up, run.refused) == ((), gives_up, 5)
    assert ("all messages of the list would stay" in stuck(run)) == (gives_up is None)
    recorded = Event(5, "agent", 5, 1, 0, 5, 12_000, 10, 12_000, 10)
    assert kept_all(run) in reproduction(course, [recorded], run).why_not
    rows, columns = Axis("tail_tokens", (500_000, 1_000)), Axis("threshold", (settings.threshold,))
    found = sweep(rows, columns, [cells(course, SummaryModel(), settings, rows, columns)])
    assert found.stuck(0, 0) == (gives_up is not None)
