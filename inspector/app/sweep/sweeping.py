"""A sweep in a thread, and what its best cell is."""

from __future__ import annotations

from itertools import count
from math import isnan
from threading import Event

from inspector.answers.sweeping import Progress, Request, all_equal, run_sweep
from inspector.app.sweep.cells import Subject
from inspector.core.watching import Watch
from inspector.quality.facts.risk import FactSteps
from inspector.replay.sweep import Axis, Sweep, cells, sweep
from widgets.lists.heat_map import BEST, STUCK

#: The scope, rows and columns, and the facts that are counted: those known, or True for every conversation's.
SweepKey = tuple[str, Axis, Axis, FactSteps | bool]


def sweep_in_thread(subject: Subject, key: SweepKey, stop: Event, watch: Watch) -> Sweep:
    """Sweep; hands over how far it is. What is done when `stop` is set is kept. Raises StoreErrors, EngineErrors."""
    scope, rows, columns, facts = key
    total, asked = len(rows.values) * len(columns.values), count()

    def one_more() -> bool:
        watch.some(Progress(next(asked), total, None))
        return not stop.is_set()

    if scope == "this":
        course = subject.recording.course.with_facts(None if isinstance(facts, bool) else facts)
        grid = cells(course, subject.model, subject.settings, rows, columns, one_more)
        whole = all(cell is not None for line in grid for cell in line)
        return sweep(rows, columns, [grid], whole, course.facts is not None)
    names = subject.every if scope == "all" else subject.filtered
    answers = subject.answers
    flags = {**answers.flags, **subject.changed}
    request = Request(
        answers.paths(), names, rows, columns, flags, answers.config, subject.size, facts is True
    )
    return run_sweep(request, answers, watch.some, lambda: not stop.is_set())


def best_told(found: Sweep | None, metric: str) -> str:
    """What the mark of the best cell means: by some metrics several are equally good, or all. None: not swept yet."""
    if found is None or not found.conversations:
        return f"{BEST} best"
    if all_equal(found, metric):
        return "all cells are equal by this metric"
    place = found.best(metric)
    if place is None:
        run = any(not isnan(one) for line in found.cells[metric] for one in line)
        return f"{STUCK} the agent gives up, or compacts at every call" if run else "not known of any cell"
    equal = sum(
        cell == place.value and not found.stuck(row, column)
        for row, line in enumerate(found.cells[metric])
        for column, cell in enumerate(line)
    )
    return f"{BEST} the first of {equal:,} best" if equal > 1 else f"{BEST} best"
