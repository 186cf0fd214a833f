"""A sweep as points: cost against facts at risk."""

from __future__ import annotations

from inspector.app.sweep.wording import value_words
from inspector.core.shares import dollars
from inspector.replay.frontier import best_of, points, sentence
from inspector.replay.sweep import Sweep
from widgets.lists.heat_map import Cell
from widgets.panes.scatter import PointView, ScatterState

#: What stands where facts will be counted.
READING = "The facts are being read; they are counted as soon as they are there."


def scatter_state(found: Sweep | None, now: Cell | None, force: Cell | None) -> ScatterState:
    """The points of a sweep with what is marked on them; where there is none, why."""
    if found is None:
        return ScatterState(note="Sweeping …")
    every = points(found)
    if not every:
        if "facts_at_risk" not in found.cells:
            return ScatterState(note=READING)
        return ScatterState(note="No cell's cost is known: usage or prices are missing.")
    here = next((one for one in every if one.cell == force), None)
    best = None if here is None else best_of(every, here)
    facts, costs = [one.facts for one in every], [one.cost for one in every]
    return ScatterState(
        tuple(
            PointView(
                one.cell,
                one.facts,
                one.cost,
                f"{_words(found, one.cell)}: {one.facts:,.0f} facts at risk, {dollars(one.cost)} US dollars",
                one.unbeaten,
            )
            for one in every
        ),
        "facts at risk",
        "US dollars",
        dollars(min(costs)),
        dollars(max(costs)),
        f"{min(facts):,.0f}",
        f"{max(facts):,.0f}",
        now,
        force,
        None if best is None else best.cell,
    )


def told(found: Sweep | None, force: Cell | None) -> str:
    """What is worth taking beside the settings in force; of how many conversations costs are missing."""
    if found is None:
        return ""
    missing = (
        f" The costs of {found.unpriced:,} of {found.conversations:,} are not known."
        if found.unpriced
        else ""
    )
    return sentence(found, points(found), force) + missing


def _words(found: Sweep, cell: Cell) -> str:
    axes = (found.rows, found.columns)
    return " / ".join(value_words(axis.name, axis.values[at]) for axis, at in zip(axes, cell, strict=True))
