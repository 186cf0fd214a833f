"""Cost against facts at risk: the unbeaten cells of a sweep, and the best choice among these cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan

from inspector.core.shares import percent, plural
from inspector.replay.sweep import Sweep

#: The metrics that are set against each other; of both less is better.
ACROSS, UP = "facts_at_risk", "cost"


@dataclass(frozen=True, slots=True)
class Point:
    """A cell as a point: its `facts` at risk and its `cost` in US dollars. `unbeaten`: no other cell has fewer of one
    and no more of the other."""

    row: int
    column: int
    facts: float
    cost: float
    unbeaten: bool = False

    @property
    def cell(self) -> tuple[int, int]:
        """Row and column."""
        return self.row, self.column


def points(found: Sweep) -> tuple[Point, ...]:
    """Every finished cell whose agent is not stuck, row by row; empty if costs or facts are unknown."""
    if UP not in found.cells or ACROSS not in found.cells:
        return ()
    every = list(_known(found))
    unbeaten = set()
    least = float("inf")
    # From few facts to many: a cell is unbeaten if it costs less than all earlier cells.
    for facts, cost in sorted({(one.facts, one.cost) for one in every}):
        if cost < least:
            least = cost
            unbeaten.add((facts, cost))
    return tuple(
        Point(one.row, one.column, one.facts, one.cost, (one.facts, one.cost) in unbeaten) for one in every
    )


def _known(found: Sweep) -> Iterator[Point]:
    for row in range(len(found.rows.values)):
        for column in range(len(found.columns.values)):
            facts, cost = found.cells[ACROSS][row][column], found.cells[UP][row][column]
            if not isnan(facts) and not isnan(cost) and not found.stuck(row, column):
                yield Point(row, column, facts, cost)


def best_of(every: tuple[Point, ...], force: Point) -> Point | None:
    """The cheapest unbeaten cell with no more facts at risk than the settings in force. If no such cell costs
    less, the cell with the fewest facts that costs no more. None if the settings in force are unbeaten."""
    better = [
        one
        for one in every
        if one.unbeaten
        and one.facts <= force.facts
        and one.cost <= force.cost
        and (one.facts, one.cost) != (force.facts, force.cost)
    ]
    return min(better, key=lambda one: (one.cost, one.facts), default=None)


def sentence(found: Sweep, every: tuple[Point, ...], force: tuple[int, int] | None) -> str:
    """Choices to compare with the settings in force, whose cell is `force` (None: outside of the grid)."""
    if not every:
        return ""
    here = next((one for one in every if one.cell == force), None)
    if here is None:
        cheapest = min((one for one in every if one.unbeaten), key=lambda one: one.cost)
        least = f"{cheapest.cost:,.2f} US dollars at {_facts(cheapest.facts)}"
        return f"The settings in force are in no cell; {named(found, cheapest)} costs least: {least}."
    best = best_of(every, here)
    own = f"the settings in force ({named(found, here)})"
    if best is None:
        costs = f"{here.cost:,.2f} US dollars, {_facts(here.facts)}"
        return f"No cell costs less than {own} with as few facts at risk: {costs}."
    less = f"costs {percent(here.cost - best.cost, here.cost)} less than {own}"
    if found.meet(UP, best.cell, here.cell):
        less = f"may cost as much as {own}"
    if best.facts == here.facts:
        return f"{named(found, best)} {less} at the same {_facts(here.facts)}."
    return f"{named(found, best)} {less} at {_facts(best.facts)} instead of {here.facts:,.0f}."


def named(found: Sweep, point: Point) -> str:
    """The values of a cell: "0.6 / 0.15", "0.5 / 64,000"."""
    values = found.rows.values[point.row], found.columns.values[point.column]
    return " / ".join(f"{value:,.0f}" if value >= 10 else f"{value:g}" for value in values)


def _facts(count: float) -> str:
    return f"{plural(round(count), 'fact')} at risk"
