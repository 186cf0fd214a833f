"""Positions of points on a grid of cells, the same on screen and in print."""

from __future__ import annotations

from collections.abc import Sequence


def placed(points: Sequence[tuple[float, float]], width: int, height: int) -> list[tuple[int, int]]:
    """Return the (column, row) of each point (x, y): x from the left, y from the bottom; row 0 is at the top.

    If all points are equal along an axis, they are in its middle.
    """
    columns = _along([x for x, _ in points], width)
    rows = _along([y for _, y in points], height)
    return [(column, height - 1 - row) for column, row in zip(columns, rows, strict=True)]


def _along(values: Sequence[float], cells: int) -> list[int]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high <= low:
        return [(cells - 1) // 2] * len(values)
    return [round((value - low) / (high - low) * (cells - 1)) for value in values]
