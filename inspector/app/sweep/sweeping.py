"""A sweep in a thread."""

from __future__ import annotations

from itertools import count
from threading import Event

from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.scheduling import Progress
from inspector.answers.sweeping import SweepRequest, identical_in, run_sweep, settings_by_window, unused_in
from inspector.app.sweep.subject import Subject, SweepState
from inspector.app.sweep.wording import value_words
from inspector.core.watching import Watch
from inspector.quality.facts.risk import FactSteps
from inspector.replay.reproducing import reproduction
from inspector.replay.run import run_course
from inspector.replay.sweep import Axis, Sweep, cells, sweep

#: The scope, rows and columns, and the facts that are counted: those known, or True for every conversation's.
SweepKey = tuple[str, Axis, Axis, FactSteps | bool]


def key_of(state: SweepState, facts: FactSteps | None) -> SweepKey:
    """The key of a sweep in this state. `facts` belong to the conversation on screen, None while unread."""
    counted: FactSteps | bool = state.counts_facts
    if state.scope == "this":
        counted = False if facts is None else facts
    return state.scope, state.rows, state.columns, counted


def sweep_in_thread(subject: Subject, key: SweepKey, stop: Event, watch: Watch) -> Sweep:
    """Sweep, and report the progress. Finished cells are kept when `stop` is set. Raises StoreErrors, EngineErrors."""
    scope, rows, columns, facts = key
    answers = subject.answers
    flags = {**answers.flags, **subject.changed}
    total, asked = len(rows.values) * len(columns.values), count()

    def one_more() -> bool:
        watch.some(Progress(next(asked), total, None))
        return not stop.is_set()

    if scope == "this":
        course = subject.recording.course.with_facts(None if isinstance(facts, bool) else facts)
        # A threshold that the user turned is a share of each window.
        by_window = (
            {}
            if "threshold" in subject.changed
            else settings_by_window(subject.inspection, subject.resolved, flags, rows, columns)
        )
        grid = cells(course, subject.model, subject.settings, rows, columns, one_more, by_window)
        whole = all(cell is not None for line in grid for cell in line)
        swept = sweep(rows, columns, [grid], whole, course.facts is not None)
        settings = [subject.settings]
        notes = (
            *unused_in(settings, [rows.name, columns.name]),
            *identical_in(settings, rows, columns, value_words),
        )
        reproduces, recording, force = None, subject.recording, subject.resolved.settings
        if recording.course.rules.engine.name == force.profile:
            measured = run_course(recording.course, force, recording.model, steps=False)
            reproduces = reproduction(recording.course, recording.events, measured)
        return replace(swept, unused=notes, reproduces=reproduces)
    names = subject.every if scope == "all" else subject.filtered
    request = SweepRequest(names, rows, columns, subject.size, facts is True)
    scheduling = replace(answers.scheduling, watch=watch.some, wanted=lambda: not stop.is_set())
    return run_sweep(request, Answers(answers.store, flags, answers.config, scheduling), value_words)
