"""The axes of a sweep: the default values of each setting, and the way to type them."""

from __future__ import annotations

from itertools import pairwise

from inspector.core.errors import UsageProblem
from inspector.engines.settings import SETTINGS, Settings
from inspector.replay.sweep import Axis, parse_axis

#: The settings that can be swept, in this order.
SWEPT: tuple[str, ...] = tuple(row.name for row in SETTINGS.values() if row.swept)


def default_axis(name: str, settings: Settings) -> Axis:
    """Return the values that a setting takes if none are typed."""
    row = SETTINGS[name]
    if not row.swept.startswith("*"):
        return parse_axis(name, row.swept)
    used = getattr(settings, name)
    values = {round(used * float(factor)) for factor in row.swept[1:].split(",")}
    return Axis(name, tuple(sorted(value for value in values if row.low <= value <= row.high)))


def axes_of(text: str) -> tuple[Axis, Axis]:
    """Parse axes such as `threshold=0.3:0.9:0.1 target_ratio=0.2,0.4`. Raises UsageProblem."""
    parts = [part.partition("=") for part in text.split()]
    axes = [parse_axis(name, values) for name, _, values in parts]
    if len(axes) != 2 or axes[0].name == axes[1].name:
        raise UsageProblem(
            "A sweep goes over two settings; write two, such as threshold=0.3:0.9:0.1 protect_last_n=5,20."
        )
    return axes[0], axes[1]


def cell_of(rows: Axis, columns: Axis, settings: Settings) -> tuple[int, int] | None:
    """Return the cell nearest to settings; None if they are more than a step outside of the grid."""
    row, column = (nearest(axis, getattr(settings, axis.name)) for axis in (rows, columns))
    return None if row is None or column is None else (row, column)


def nearest(axis: Axis, value: float | None) -> int | None:
    """Return the index of the nearest value of an axis; None if none is nearer than a step."""
    if value is None:
        return None
    place = min(range(len(axis.values)), key=lambda at: abs(axis.values[at] - value))
    steps = [abs(after - before) for before, after in pairwise(axis.values)]
    return place if abs(axis.values[place] - value) <= max(steps, default=0) + 1e-9 else None
