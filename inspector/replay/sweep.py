"""A grid over two settings: every cell a whole what-if, over one conversation or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspector.core.errors import UsageProblem
from inspector.engines.base import RANGES, Settings
from inspector.replay.whatif import Course, Metrics, SummaryModel, WhatIf

METRICS: tuple[str, ...] = tuple(Metrics.__dataclass_fields__)
#: Of these more is better; of the others less.
MORE_IS_BETTER = frozenset({"user_steps"})
#: A grid of more cells than this is refused.
LARGEST = 10_000


@dataclass(frozen=True, slots=True)
class Axis:
    """A setting and the values it takes, in order."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Best:
    """The cell that is best by one metric; `row` and `column` index the axes."""

    row: int
    column: int
    value: float


@dataclass(frozen=True, slots=True)
class Sweep:
    """The metrics of every cell: cells[metric][row][column], rows along the first axis."""

    rows: Axis
    columns: Axis
    cells: Mapping[str, tuple[tuple[float, ...], ...]]
    conversations: int

    def best(self, metric: str) -> Best:
        """The best cell by a metric, the first of equals."""
        better = max if metric in MORE_IS_BETTER else min
        places = [(r, c) for r in range(len(self.rows.values)) for c in range(len(self.columns.values))]
        row, column = better(places, key=lambda place: self.cells[metric][place[0]][place[1]])
        return Best(row, column, self.cells[metric][row][column])


def parse_axis(name: str, text: str) -> Axis:
    """`0.3:0.9:0.1` (both ends included) or `0.3,0.5,0.8` as an axis. Raises UsageProblem saying what is wrong."""
    if name not in RANGES:
        raise UsageProblem(f"{name} cannot be swept; these can: {', '.join(RANGES)}.")
    try:
        if ":" in text:
            start, stop, step = (float(part) for part in text.split(":"))
        else:
            values = tuple(float(part) for part in text.split(","))
            return _checked(name, values)
    except ValueError:
        raise UsageProblem(
            f"--{name.replace('_', '-')} {text!r} is no range; write START:STOP:STEP or A,B,C."
        ) from None
    if step <= 0 or stop < start or (stop - start) / step > LARGEST:
        raise UsageProblem(f"The range {text} of {name} has no values, or too many; write START:STOP:STEP.")
    count = int((stop - start) / step + 1e-9) + 1
    return _checked(name, tuple(round(start + index * step, 6) for index in range(count)))


def _checked(name: str, values: tuple[float, ...]) -> Axis:
    low, high = RANGES[name]
    for value in values:
        if not low <= value <= high:
            raise UsageProblem(f"{name} is {value:g}; it must lie between {low:,g} and {high:,g}.")
    whole = name not in ("threshold", "target_ratio")
    return Axis(name, tuple(int(value) for value in values) if whole else values)


def cells(
    course: Course, model: SummaryModel, settings: Settings, rows: Axis, columns: Axis
) -> list[list[WhatIf]]:
    """The run of every cell of one conversation."""
    return [
        [
            course.run(settings.with_(**{rows.name: row, columns.name: column}), model)
            for column in columns.values
        ]
        for row in rows.values
    ]


def sweep(
    rows: Axis,
    columns: Axis,
    runs: Iterable[Sequence[Sequence[Metrics]]],
    progress: Callable[[int], None] | None = None,
) -> Sweep:
    """Put the cells of several conversations together: counts and tokens are summed, the peak is the highest, means
    and shares are weighted by calls. Raises UsageProblem for a grid that is too large or without conversations."""
    if len(rows.values) * len(columns.values) > LARGEST:
        raise UsageProblem(
            f"The grid has {len(rows.values) * len(columns.values):,} cells; {LARGEST:,} are the most."
        )
    height, width = len(rows.values), len(columns.values)
    total = [[_Sum() for _ in range(width)] for _ in range(height)]
    count = 0
    for count, grid in enumerate(runs, 1):
        for row in range(height):
            for column in range(width):
                total[row][column].add(grid[row][column])
        if progress is not None:
            progress(count)
    if count == 0:
        raise UsageProblem("There is no conversation to sweep over.")
    found = {
        name: tuple(tuple(total[row][column].value(name) for column in range(width)) for row in range(height))
        for name in METRICS
    }
    return Sweep(rows, columns, found, count)


class _Sum:
    """One cell summed over conversations."""

    __slots__ = ("sums", "weight")

    def __init__(self) -> None:
        self.sums = dict.fromkeys(METRICS, 0.0)
        self.weight = 0

    def add(self, metrics: Metrics) -> None:
        weight = max(metrics.calls, 1)
        self.weight += weight
        sums = self.sums
        for name in ("compactions", "calls", "input_tokens"):
            sums[name] += getattr(metrics, name)
        sums["peak_tokens"] = max(sums["peak_tokens"], metrics.peak_tokens)
        for name in ("mean_tokens", "summarized_share", "resummarized_share", "user_steps"):
            sums[name] += getattr(metrics, name) * weight

    def value(self, name: str) -> float:
        if name in ("mean_tokens", "summarized_share", "resummarized_share", "user_steps"):
            return self.sums[name] / self.weight
        return self.sums[name]
