"""A sweep as a map of shaded cells, and what its marks mean."""

from __future__ import annotations

from math import isclose, isnan

from inspector.answers.sweeping import all_equal
from inspector.app.sweep.subject import SweepState
from inspector.app.sweep.wording import value_words, written
from inspector.engines.base import Settings
from inspector.replay.axes import cell_of
from inspector.replay.metrics import BY_NAME
from inspector.replay.sweep import Sweep
from widgets.lists.heat_map import ALIKE, BEST, FORCE, NOW, STUCK, Cell, HeatState


def heat_state(state: SweepState, swept: Sweep | None, now: Settings, force: Settings) -> HeatState:
    """The map of a sweep by the metric on screen, empty if nothing was swept yet; the cells of the settings on
    screen and of those in force are marked."""
    metric, rows, columns = BY_NAME[state.metric], state.rows, state.columns
    lines = swept.cells.get(state.metric, ()) if swept is not None else ()
    values = tuple(tuple(None if isnan(cell) else cell for cell in line) for line in lines)
    best, stuck, alike = None, frozenset[Cell](), frozenset[Cell]()
    if swept is not None:
        run = any(cell is not None for line in values for cell in line)
        place = swept.best(state.metric) if run and not all_equal(swept, state.metric) else None
        best = None if place is None else (place.row, place.column)
        alike = frozenset(swept.alike(state.metric) if place is not None else ())
        stuck = frozenset(
            (row, column)
            for row in range(len(rows.values))
            for column in range(len(columns.values))
            if swept.stuck(row, column)
        )
    return HeatState(
        rows.name,
        columns.name,
        tuple(value_words(rows.name, value) for value in rows.values),
        tuple(value_words(columns.name, value) for value in columns.values),
        values or tuple((None,) * len(columns.values) for _ in rows.values),
        tuple(tuple("" if cell is None else written(metric, cell) for cell in line) for line in values),
        cell_of(rows, columns, now),
        cell_of(rows, columns, force),
        best,
        stuck,
        alike,
        frozenset() if swept is None else swept.repeated,
    )


def settings_words(state: SweepState, now: Settings, force: Settings) -> str:
    """Return the meaning of the marks of the settings on screen and of those in force."""
    words = []
    for mark, settings, name in ((NOW, now, "on screen"), (FORCE, force, "in force")):
        cell = cell_of(state.rows, state.columns, settings)
        if cell is None:
            words.append(f"{mark} {name} (outside)")
            continue
        axes = zip((state.rows, state.columns), cell, strict=True)
        exact = all(isclose(axis.values[at], getattr(settings, axis.name)) for axis, at in axes)
        words.append(f"{mark} {name}" if exact else f"{mark} {name} (nearest)")
    return "  ".join(words)


def best_words(swept: Sweep | None, metric: str) -> str:
    """Return the meaning of the mark of the best cell, also if several or all cells are equally good. None: not swept
    yet."""
    if swept is None or not swept.conversations:
        return f"{BEST} best"
    if all_equal(swept, metric):
        return "all cells are equal by this metric"
    if swept.doubted:
        return "no cell is called the best"
    place = swept.best(metric)
    if place is None:
        run = any(not isnan(one) for line in swept.cells[metric] for one in line)
        return f"{STUCK} the agent gives up, or compacts at every call" if run else "not known of any cell"
    equal = sum(
        cell == place.value and not swept.stuck(row, column)
        for row, line in enumerate(swept.cells[metric])
        for column, cell in enumerate(line)
    )
    words = f"{BEST} best ({equal:,} cells are equal)" if equal > 1 else f"{BEST} best"
    return f"{words}  {ALIKE} alike" if swept.alike(metric) else words
