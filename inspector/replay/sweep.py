"""A grid over two settings. Each cell is a what-if over one conversation or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite, isnan, nan
from types import MappingProxyType
from typing import TypeVar

from msgspec import Struct, field

from inspector.core.errors import UsageProblem
from inspector.core.shares import plural
from inspector.engines.registry import with_changes
from inspector.engines.settings import RANGES, SETTINGS, Settings, check_range
from inspector.replay.course import Course
from inspector.replay.metrics import BY_NAME, Metric, Scores, metrics_for, scores
from inspector.replay.reproducing import Reproduction
from inspector.replay.summary_model import SummaryModel

T = TypeVar("T")

#: The metrics of every sweep.
METRIC_NAMES: tuple[str, ...] = tuple(metric.name for metric in metrics_for(facts=False))
_COST = METRIC_NAMES.index("cost")
#: A cell's row and column.
Cell = tuple[int, int]
#: Rows of cells, each with the scores of one conversation; None for a cell that was not run.
Grid = Sequence[Sequence[Scores | None]]
#: Maximum number of cells of a grid.
LARGEST = 10_000


class Axis(Struct, frozen=True):
    """A setting and the values it takes, in order."""

    name: str
    values: tuple[float, ...]


class Best(Struct, frozen=True):
    """The cell that is best by one metric; `row` and `column` index the axes."""

    row: int
    column: int
    value: float


class Sweep(Struct, frozen=True):
    """The metrics of every cell, as cells[metric][row][column]. `rows` is the first axis. NaN: the cell was not run.

    `complete` is False if the sweep was cancelled; then it has the finished cells. Metrics of facts are included if
    the facts of the conversations were read. `gives_up` and `every_call` say for each cell whether the agent gives up,
    or compacts at every call, in any conversation. Such a cell is never the best. `unpriced` is the number of
    conversations without a known cost; the metric `cost` covers the others. `unused` has sentences about settings that
    the profiles of the sweep do not use. `ranges` has, for each metric and cell, the lowest and the highest value with
    summaries of half and twice the size. `identical_to` has, for each cell, the first cell with the same
    runs, None if it is itself the first.
    """

    rows: Axis
    columns: Axis
    cells: Mapping[str, tuple[tuple[float, ...], ...]]
    conversations: int
    complete: bool = True
    gives_up: tuple[tuple[bool, ...], ...] = ()
    every_call: tuple[tuple[bool, ...], ...] = ()
    unpriced: int = 0
    unused: tuple[str, ...] = ()
    reproduces: Reproduction | None = None
    ranges: Mapping[str, tuple[tuple[tuple[float, float], ...], ...]] = field(default_factory=dict)
    identical_to: tuple[tuple[Cell | None, ...], ...] = ()

    @property
    def doubted(self) -> bool:
        """Whether the settings in force do not reproduce the recording. Then no cell is the best."""
        reproduction = self.reproduces
        return reproduction is not None and reproduction.recorded > 0 and not reproduction.trusted

    @property
    def repeated(self) -> frozenset[Cell]:
        """The cells with the same runs as an earlier cell."""
        return frozenset(
            (row, column)
            for row, line in enumerate(self.identical_to)
            for column, first in enumerate(line)
            if first is not None
        )

    @property
    def cost_note(self) -> str:
        """Return a sentence about the conversations without a known cost; "" if there are none."""
        if not self.unpriced:
            return ""
        have = "has" if self.unpriced == 1 else "have"
        return f"{self.unpriced:,} of {plural(self.conversations, 'conversation')} {have} no known cost."

    def stuck(self, row: int, column: int) -> bool:
        """Return whether the agent gives up in a cell, or compacts at every call."""
        return any(marks[row][column] for marks in (self.gives_up, self.every_call) if marks)

    def best(self, metric: str) -> Best | None:
        """Return the best cell by a metric, the first of equal cells.

        None if the sweep is doubted, or if no cell has the metric and an agent that is not stuck. Raises UsageProblem
        if no cell was run.
        """
        values = self.cells[metric]
        places = [
            (row, column)
            for row, line in enumerate(values)
            for column, value in enumerate(line)
            if not isnan(value)
        ]
        if not places and not self.conversations:
            raise UsageProblem("No cell of the grid was run.")
        places = [place for place in places if not self.stuck(*place)]
        if not places or self.doubted:
            return None
        better = max if BY_NAME[metric].more_is_better else min
        row, column = better(places, key=lambda place: values[place[0]][place[1]])
        return Best(row, column, values[row][column])

    def alike(self, metric: str) -> tuple[Cell, ...]:
        """Return the cells that may be as good as the best by a metric: their values differ, but their ranges overlap.
        Raises UsageProblem as `best` does."""
        best = self.best(metric)
        if best is None:
            return ()
        return tuple(
            (row, column)
            for row, line in enumerate(self.cells[metric])
            for column, value in enumerate(line)
            if value != best.value
            and not self.stuck(row, column)
            and self.meet(metric, (best.row, best.column), (row, column))
        )

    def meet(self, metric: str, first: Cell, second: Cell) -> bool:
        """Return whether the ranges of two cells overlap, so that either cell may be the better one."""
        (least, most), (low, high) = (self._range(metric, *cell) for cell in (first, second))
        return least <= high and low <= most

    def _range(self, metric: str, row: int, column: int) -> tuple[float, float]:
        value = self.cells[metric][row][column]
        return self.ranges[metric][row][column] if metric in self.ranges else (value, value)


def parse_axis(name: str, text: str) -> Axis:
    """Parse an axis: `0.3:0.9:0.1` (both ends included) or `0.3,0.5,0.8`. Raises UsageProblem."""
    if name not in RANGES:
        raise UsageProblem(f"{name} cannot be swept; these can: {', '.join(RANGES)}.")
    try:
        if ":" in text:
            start, stop, step = (float(part) for part in text.split(":"))
        else:
            values = tuple(float(part) for part in text.split(","))
            return _checked(name, values)
    except ValueError:
        raise UsageProblem(f"{text!r} is not a range of {name}. Write START:STOP:STEP or A,B,C.") from None
    if not all(map(isfinite, (start, stop, step))) or step <= 0 or stop < start:
        raise UsageProblem(
            f"The range {text} of {name} has no values: in START:STOP:STEP, STOP must not be below START, "
            "and STEP must be above 0."
        )
    if (stop - start) / step > LARGEST:
        raise UsageProblem(f"The range {text} of {name} has more than {LARGEST:,} values.")
    count = int((stop - start) / step + 1e-9) + 1
    return _checked(name, tuple(round(start + index * step, 6) for index in range(count)))


def _checked(name: str, values: tuple[float, ...]) -> Axis:
    for value in values:
        check_range(name, value, name)
    is_integer = SETTINGS[name].kind != "share"
    if is_integer and any(value != int(value) for value in values):
        written = ", ".join(f"{value:g}" for value in values)
        raise UsageProblem(f"{name} takes whole numbers, not {written}.")
    once = tuple(dict.fromkeys(values))
    return Axis(name, tuple(int(value) for value in once) if is_integer else once)


def cells(
    course: Course,
    model: SummaryModel,
    settings: Settings,
    rows: Axis,
    columns: Axis,
    wanted: Callable[[], bool] = lambda: True,
    by_window: Mapping[float, Settings] = MappingProxyType({}),
) -> Grid:
    """Return the scores of every cell of one conversation.

    `by_window` has the settings of a value of context_length, if they are not `settings` with this value.
    A cell is None if `wanted` returned False before its run. Settings with the same derived numbers run once. Facts are
    counted if the course has them.
    """
    results: dict[object, Scores] = {}
    grid: list[list[Scores | None]] = []
    for row in rows.values:
        line: list[Scores | None] = []
        for column in columns.values:
            values = {rows.name: row, columns.name: column}
            changed = with_changes(by_window.get(values.get("context_length", 0), settings), **values)
            key = _decisive(course, changed)
            if key not in results and wanted():
                results[key] = scores(course, changed, model, len(results))
            line.append(results.get(key))
        grid.append(line)
    return grid


def _decisive(course: Course, settings: Settings) -> object:
    """Return a key that is equal for settings with equal runs; None if the run compacts nothing."""
    periods = course.periods(settings)
    limits = [period.threshold for period in periods]
    if course.gateway:
        limits += [period.budgets.hygiene_tokens for period in periods if period.budgets.hygiene_tokens]
    most = [period.budgets.hygiene_messages for period in periods if course.gateway]
    many = any(0 < count <= len(course.messages) for count in most)
    if not course.manual and not many and min(limits) > course.largest():
        return None
    return tuple(course.rules.decisive(period.settings, period.budgets) for period in periods)


def sweep(
    rows: Axis, columns: Axis, runs: Iterable[Grid], complete: bool = True, facts: bool = False
) -> Sweep:
    """Combine the cells of several conversations as each metric defines it. `facts`: all runs counted facts.

    Raises UsageProblem if the grid is too large, or if a complete sweep has no conversation.
    """
    check_size(rows, columns)
    wanted = metrics_for(facts)
    height, width = range(len(rows.values)), range(len(columns.values))
    total = [[_Sum(wanted) for _ in width] for _ in height]
    count = unpriced = 0
    for grid in runs:
        count += 1
        unpriced += any(cell is not None and isnan(cell.values[_COST]) for line in grid for cell in line)
        for row in height:
            for column in width:
                total[row][column].add(grid[row][column])
    if count == 0 and complete:
        raise UsageProblem("There is no conversation to sweep.")

    def each(value: Callable[[_Sum], T]) -> tuple[tuple[T, ...], ...]:
        return tuple(tuple(value(total[row][column]) for column in width) for row in height)

    first: dict[tuple[int, ...], Cell] = {}
    for row in height:
        for column in width:
            first.setdefault(total[row][column].key, (row, column))
    places = {metric.name: place for place, metric in enumerate(wanted)}
    return Sweep(
        rows,
        columns,
        {name: each(partial(_Sum.value, place=place)) for name, place in places.items()},
        count,
        complete,
        gives_up=each(lambda cell: cell.gives_up),
        every_call=each(lambda cell: cell.every_call),
        unpriced=unpriced,
        ranges={name: each(partial(_Sum.range, place=place)) for name, place in places.items()},
        identical_to=tuple(
            tuple(
                None if (cell := first[total[row][column].key]) == (row, column) else cell for column in width
            )
            for row in height
        ),
    )


def check_size(rows: Axis, columns: Axis) -> None:
    """Raise UsageProblem for a grid that is too large."""
    size = len(rows.values) * len(columns.values)
    if size > LARGEST:
        raise UsageProblem(f"The grid has {size:,} cells; the maximum is {LARGEST:,}.")


class _Sum:
    """One cell over several conversations.

    `totals` has its metrics with summaries of the modelled size, of half and of twice this size.
    """

    __slots__ = ("every_call", "gives_up", "runs", "totals")

    def __init__(self, wanted: Sequence[Metric]) -> None:
        self.totals = [_Totals(wanted) for _ in range(3)]
        self.runs: list[int | None] = []
        self.gives_up = self.every_call = False

    def add(self, result: Scores | None) -> None:
        self.runs.append(None if result is None else result.run)
        if result is None:
            return
        self.gives_up = self.gives_up or result.gives_up
        self.every_call = self.every_call or result.every_call
        others = result.half_and_double or (result.values, result.values)
        for total, values in zip(self.totals, (result.values, *others), strict=True):
            total.add(values, result)

    @property
    def key(self) -> tuple[int, ...]:
        """A key that is equal for cells with the same runs."""
        return tuple(id(self) if run is None else run for run in self.runs or [None])

    def value(self, place: int) -> float:
        return self.totals[0].value(place)

    def range(self, place: int) -> tuple[float, float]:
        values = [total.value(place) for total in self.totals]
        return min(values), max(values)


class _Totals:
    """The metrics of a cell over conversations."""

    __slots__ = ("has_value", "metrics", "sums", "weights")

    def __init__(self, wanted: Sequence[Metric]) -> None:
        self.metrics = wanted
        self.sums = [0.0] * len(wanted)
        self.weights = [0.0] * len(wanted)
        self.has_value = [False] * len(wanted)

    def add(self, values: Sequence[float], result: Scores) -> None:
        for place, (metric, value) in enumerate(zip(self.metrics, values, strict=True)):
            if isnan(value):
                continue
            self.has_value[place] = True
            if metric.combine == "max":
                self.sums[place] = max(self.sums[place], value)
            elif metric.combine == "mean":
                weight = result.weight(metric)
                self.weights[place] += weight
                self.sums[place] += value * weight
            else:
                self.sums[place] += value

    def value(self, place: int) -> float:
        if not self.has_value[place]:
            return nan
        if self.metrics[place].combine != "mean":
            return self.sums[place]
        return self.sums[place] / self.weights[place] if self.weights[place] else 0.0
