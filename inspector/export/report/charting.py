"""Geometry of the charts of a report: lines, marks, labels, and descriptions for readers without pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from inspector.answers.inspection import Compared
from inspector.export.document import Document
from inspector.export.report.values import Course, Fall, GenerationLine, Report
from inspector.export.report.wording import KIND_NAMES, count, share_percent
from inspector.export.whatif import graph

#: Charts are so wide in their own units; a page scales them.
WIDTH = 1000
#: Approximate number of points of a curve; drops and peaks stay.
_POINTS = 700
#: Limits this far above all values are left out, else the curve would be a line at the bottom.
_FAR = {"threshold": 4.0, "hygiene": 1.6, "context": 1.6}
#: The width of a chart of text, in characters.
_COLUMNS = 96
#: How the curves of survival differ besides colour.
_DASHES = ("", "7 3", "2 3", "10 3 2 3", "5 2 1 2")
#: The markers of those curves, around their middle; the first one has a circle.
_MARKERS = {
    2: ((-4, -4), (4, -4), (4, 4), (-4, 4)),
    3: ((0, -5.5), (5, 4), (-5, 4)),
    4: ((0, -6), (6, 0), (0, 6), (-6, 0)),
    5: (
        (-5, -2), (-2, -2), (-2, -5), (2, -5), (2, -2), (5, -2), (5, 2), (2, 2), (2, 5), (-2, 5), (-2, 2), (-5, 2),
    ),
}  # fmt: skip
#: Minimum distance of the labels of curves.
_APART = 19.0


@dataclass(frozen=True, slots=True)
class Lane:
    """A generation below the curve. `label` is "" where there is no room."""

    x: float
    width: float
    label: str
    told: str
    live: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """The disc or square of a compaction: its middle, half its width, and its number ("" in a crowd)."""

    x: float
    y: float
    half: float
    label: str
    fall: Fall
    told: str


@dataclass(frozen=True, slots=True)
class CourseChart:
    """Tokens of the live list over the messages: an area for each list, and a fall between two.

    `grid` has (y, label), `stretches` (points of the line, points of the area), `falls` their x, `limits` (x of the
    label, y, name, tokens). `said` stands at the right end of the axis.
    """

    grid: tuple[tuple[float, str], ...]
    stretches: tuple[tuple[str, str], ...]
    falls: tuple[float, ...]
    limits: tuple[tuple[float, float, str, int], ...]
    lanes: tuple[Lane, ...]
    marks: tuple[Mark, ...]
    said: str
    told: str
    left: ClassVar[float] = 66
    right: ClassVar[float] = 976
    top: ClassVar[float] = 56
    floor: ClassVar[float] = 286
    height: ClassVar[float] = 348


@dataclass(frozen=True, slots=True)
class SurvivalLine:
    """The curve of a kind: `order` counts from 1 and gives it its colour, dashes and marker."""

    order: int
    dashes: str
    points: tuple[tuple[float, float], ...]
    label: str
    label_y: float

    @property
    def path(self) -> str:
        """The points as SVG draws them."""
        return "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class SurvivalChart:
    """Survival by kind over the compactions. `grid` has (y, label), `ticks` (x, label)."""

    grid: tuple[tuple[float, str], ...]
    ticks: tuple[tuple[float, str], ...]
    lines: tuple[SurvivalLine, ...]
    told: str
    left: ClassVar[float] = 56
    right: ClassVar[float] = 750
    top: ClassVar[float] = 16
    floor: ClassVar[float] = 250
    height: ClassVar[float] = 296


@dataclass(frozen=True, slots=True)
class Box:
    """A region of a list. `label` is "" where there is no room."""

    region: str
    x: float
    width: float
    label: str
    told: str


@dataclass(frozen=True, slots=True)
class RegionsRow:
    """The regions of one list, side by side."""

    name: str
    y: float
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class RegionsChart:
    """Recorded regions above planned ones."""

    rows: tuple[RegionsRow, ...]
    height: float
    told: str


def course_chart(report: Report) -> CourseChart:
    """The chart of a report's course."""
    course, steps = report.course, len(report.course.tokens)
    highest = max([1, *course.tokens, *(fall.before for fall in course.falls)])
    limits = {"threshold": course.threshold, "hygiene": course.hygiene, "context": course.window}
    near = {name: tokens for name, tokens in limits.items() if 0 < tokens <= _FAR[name] * highest}
    ceiling = max([highest, *near.values()]) * 1.06
    left, right, top, floor = CourseChart.left, CourseChart.right, CourseChart.top, CourseChart.floor

    def x(step: int) -> float:
        return left + max(0, min(steps, step)) * (right - left) / max(1, steps)

    def y(tokens: float) -> float:
        return floor - (floor - top) * tokens / ceiling

    def points(stretch: Sequence[tuple[int, int]]) -> tuple[str, str]:
        line = " ".join(f"{x(step):.1f},{y(tokens):.1f}" for step, tokens in stretch)
        return line, f"{x(stretch[0][0]):.1f},{floor:g} {line} {x(stretch[-1][0]):.1f},{floor:g}"

    def lane(one: GenerationLine) -> Lane:
        start = x(one.first_step - 1)
        width = max(1.0, x(one.first_step - 1 + one.said) - start - 2)
        names = (f"generation {one.number}", str(one.number))
        told = (
            f"Generation {one.number} ({'live' if one.live else 'compacted'}): {count(one.said, 'message')} said, "
            f"{one.messages:,} in the list at its end, ~{one.tokens:,} tokens"
        )
        return Lane(start + 1, width, next((n for n in names if 7 * len(n) + 8 < width), ""), told, one.live)

    step = _nice(ceiling / 4)
    ticks = [step * at for at in range(int(ceiling / step) + 1)]
    return CourseChart(
        tuple(
            (y(tick), "0" if not tick else f"{tick / 1000:g}k" if ceiling >= 4_000 else f"{tick:g}")
            for tick in ticks
        ),
        tuple(map(points, _stretches(course))),
        tuple(x(fall.step) for fall in course.falls),
        tuple((left + 6 + 170 * at, y(near[name]), name, near[name]) for at, name in enumerate(near)),
        tuple(lane(one) for one in report.generations if one.said),
        tuple(_marks(course.falls, [x(fall.step) for fall in course.falls])),
        f"{count(steps, 'message')} said",
        _course_told(course, limits),
    )


def _nice(step: float) -> float:
    """A step of 1, 2, 2.5 or 5 times a power of ten, not under the given one."""
    power = 10.0 ** (len(str(int(max(1, step)))) - 1)
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= step)


def _stretches(course: Course) -> Iterator[list[tuple[int, int]]]:
    """(step, tokens) of each list, from what the compaction left to what the next one found."""
    start, points = 0, list[tuple[int, int]]()
    for fall in course.falls:
        stop = min(fall.step, len(course.tokens))
        yield [*points, *_thinned(course.tokens, start, stop), (stop, fall.before)]
        start, points = stop, [(stop, fall.after)]
    points += _thinned(course.tokens, start, len(course.tokens))
    if points:
        yield points


def _thinned(tokens: Sequence[int], start: int, stop: int) -> list[tuple[int, int]]:
    """(step, tokens) of a stretch; of a long one the lowest and the highest of each part, so that drops stay."""
    most = max(2, _POINTS * (stop - start) // max(1, len(tokens)))
    if stop - start <= most:
        return [(at + 1, tokens[at]) for at in range(start, stop)]
    found = {start, stop - 1}
    half = max(1, most // 2)
    for part in range(half):
        stretch = range(start + part * (stop - start) // half, start + (part + 1) * (stop - start) // half)
        found |= {max(stretch, key=tokens.__getitem__), min(stretch, key=tokens.__getitem__)}
    return [(at + 1, tokens[at]) for at in sorted(found)]


def _marks(falls: Sequence[Fall], places: Sequence[float]) -> Iterator[Mark]:
    last = -100.0
    for fall, x in zip(falls, places, strict=True):
        told = f"Compaction {fall.compaction}: ~{fall.before:,} to ~{fall.after:,} tokens"
        told += ", no summary was made" if fall.fallback else ""
        # Where discs would overlap, some have numbers, and the others are dots below them.
        if x - last < 26:
            yield Mark(x, CourseChart.top - 8, 3, "", fall, told)
        else:
            yield Mark(x, CourseChart.top - 23, 11, f"{fall.compaction}{'!' * fall.fallback}", fall, told)
            last = x


def _course_told(course: Course, limits: dict[str, int]) -> str:
    falls = "; ".join(
        f"compaction {fall.compaction} after {fall.step:,} messages, from ~{fall.before:,} to ~{fall.after:,} tokens"
        + (" (no summary was made)" if fall.fallback else "")
        for fall in course.falls[:40]
    )
    highest = max([0, *course.tokens, *(fall.before for fall in course.falls)])
    told = [
        f"Tokens of the list over {count(len(course.tokens), 'message')}",
        f"At most ~{highest:,} tokens; {falls or 'nothing was compacted'}",
        ", ".join(f"{name} {tokens:,}" for name, tokens in limits.items() if tokens),
    ]
    return ". ".join(filter(None, told)) + "."


def survival_chart(report: Report) -> SurvivalChart:
    """The chart of what survives: each kind has its own colour, dashes and marker, and its name at the end."""
    left, right, top, floor = SurvivalChart.left, SurvivalChart.right, SurvivalChart.top, SurvivalChart.floor
    last = len(report.compactions) - 1

    def x(at: int) -> float:
        return left + (right - left) * (at / last if last else 0.5)

    def y(share: float) -> float:
        return floor - (floor - top) * share

    drawn: list[tuple[int, Document, list[tuple[float, float]]]] = []
    for at, curve in enumerate(report.curves):
        # Equal curves are drawn side by side.
        aside = 1.7 * (at - len(report.curves) // 2)
        points = [
            (x(column), y(share.value) + aside)
            for column, share in enumerate(curve["shares"])
            if share is not None and share.value is not None
        ]
        if points:
            drawn.append((at, curve, points))
    labels = _apart([points[-1][1] for _, _, points in drawn], floor)
    told = "; ".join(
        f"{KIND_NAMES[curve['kind']][1]}: {', '.join(map(share_percent, curve['shares'][:40]))}"
        for _, curve, _ in drawn
    )
    every = max(1, (last + 1) // 20)
    return SurvivalChart(
        tuple((y(tick), f"{tick:.0%}") for tick in (0, 0.25, 0.5, 0.75, 1)),
        tuple(
            (x(at), str(part.recorded.index)) for at, part in enumerate(report.compactions) if at % every == 0
        ),
        tuple(
            SurvivalLine(
                at + 1,
                _DASHES[at],
                tuple(points),
                f"{KIND_NAMES[curve['kind']][1]} {share_percent(curve['shares'][-1])}",
                label,
            )
            for (at, curve, points), label in zip(drawn, labels, strict=True)
        ),
        f"Of all facts summarized up to then. {told or 'No facts were found'}.",
    )


def _apart(places: Sequence[float], floor: float) -> list[float]:
    """The places, moved apart where labels would overlap, the lowest one not below the floor."""
    order = sorted(range(len(places)), key=places.__getitem__)
    placed: list[float] = []
    for at in order:
        placed.append(max(places[at], placed[-1] + _APART) if placed else places[at])
    below = floor
    for at in reversed(range(len(placed))):
        placed[at] = min(placed[at], below)
        below = placed[at] - _APART
    return [place for _, place in sorted(zip(order, placed, strict=True))]


def marker_points(order: int, x: float, y: float) -> str:
    """The marker of the curve of that order around a point."""
    return " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in _MARKERS[order])


def regions_chart(compared: Compared) -> RegionsChart:
    """Head, middle and tail of the list before a compaction, as recorded and as planned."""
    recorded, planned = compared.recorded, compared.planned
    lists = [("recorded", recorded.head_end, recorded.tail_start, recorded.before)]
    if planned.compacts:
        lists.append(("planned", *planned.regions(), planned.length))
    rows = tuple(
        RegionsRow(name, 6.0 + 34 * at, tuple(_boxes(name, head, tail, length)))
        for at, (name, head, tail, length) in enumerate(lists)
    )
    told = "; ".join(
        f"{name}: head {head:,}, middle {tail - head:,}, tail {length - tail:,}"
        for name, head, tail, length in lists
    )
    return RegionsChart(rows, 8.0 + 34 * len(rows), f"{told}.")


def _boxes(name: str, head: int, tail: int, length: int) -> Iterator[Box]:
    left = 110
    across = (WIDTH - left) / max(1, length)
    for region, low, high in (("head", 0, head), ("middle", head, tail), ("tail", tail, length)):
        width = (high - low) * across
        if width > 0:
            label = f"{region} {high - low:,}"
            yield Box(
                region,
                left + low * across,
                max(1.0, width - 1.5),
                label if width >= 7.5 * len(label) else "",
                f"{name} {region}: messages {low} to {high - 1}",
            )


def course_lines(course: Course) -> list[str]:
    """Tokens over the messages as lines of blocks, and below them where the compactions are."""
    columns = min(_COLUMNS, len(course.tokens))
    if not columns:
        return []
    marks = [" "] * columns
    for fall in course.falls:
        at = min(columns - 1, max(0, (fall.step - 1) * columns // len(course.tokens)))
        name = f"{fall.compaction}{'!' if fall.fallback else ''}"
        if all(mark == " " for mark in marks[max(0, at - 1) : at + len(name) + 1]):
            marks[at : at + len(name)] = name
    return [*graph(course.tokens, course.threshold, columns), f"{'':9} {''.join(marks).rstrip()}"]
