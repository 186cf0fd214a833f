"""Geometry of the charts of a report: lines, marks, labels, and descriptions for readers without pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.answers.inspection import Compared
from inspector.core.shares import plural
from inspector.export.measures import share_percent
from inspector.export.report.values import Fall, GenerationLine, Report, TokenCourse
from inspector.export.whatif import graph
from inspector.quality.facts.fact import KINDS

#: The coordinates and texts of a chart by name, for a template.
Chart = dict[str, Any]
#: Width of a chart in its own units; a page scales it.
WIDTH = 1000
_COURSE: dict[str, float] = {"left": 66, "right": 976, "top": 56, "floor": 286, "height": 348}
_SURVIVAL: dict[str, float] = {"left": 56, "right": 750, "top": 16, "floor": 250, "height": 296}
#: Approximate number of points of a curve. Drops and peaks stay.
_POINTS = 700
#: Limits far above all values are left out. Otherwise the curve would be a line at the bottom.
_FAR = {"threshold": 4.0, "hygiene": 1.6, "context": 1.6}
#: The width of a chart of text, in characters.
_COLUMNS = 96
#: The dashes of the curves of survival.
_DASHES = ("", "7 3", "2 3", "10 3 2 3", "5 2 1 2")
#: The markers of these curves, around their middle. The first curve has a circle.
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


def course_chart(report: Report) -> Chart:
    """Return the chart of the tokens of the live list over the messages: an area for each list, a fall between two.

    `grid` has (y, label), `stretches` (points of the line, points of the area), `falls` their x, `limits` (x of the
    label, y, name, tokens). `said` is the label at the right end of the axis. Labels that do not fit are "".
    """
    course, steps = report.course, len(report.course.tokens)
    highest = max([1, *course.tokens, *(fall.before for fall in course.falls)])
    budgets, window = report.budgets, report.settings.settings.context_length
    limits = {"threshold": budgets.threshold_tokens, "hygiene": budgets.hygiene_tokens, "context": window}
    near = {name: tokens for name, tokens in limits.items() if 0 < tokens <= _FAR[name] * highest}
    ceiling = max([highest, *near.values()]) * 1.06
    left, right, top, floor = (_COURSE[side] for side in ("left", "right", "top", "floor"))

    def x(step: int) -> float:
        return left + max(0, min(steps, step)) * (right - left) / max(1, steps)

    def y(tokens: float) -> float:
        return floor - (floor - top) * tokens / ceiling

    def points(stretch: Sequence[tuple[int, int]]) -> tuple[str, str]:
        line = " ".join(f"{x(step):.1f},{y(tokens):.1f}" for step, tokens in stretch)
        return line, f"{x(stretch[0][0]):.1f},{floor:g} {line} {x(stretch[-1][0]):.1f},{floor:g}"

    def lane(generation: GenerationLine) -> Chart:
        start = x(generation.first_step - 1)
        width = max(1.0, x(generation.first_step - 1 + generation.said) - start - 2)
        names = (f"generation {generation.number}", str(generation.number))
        words = (
            f"Generation {generation.number} ({'live' if generation.live else 'compacted'}): "
            f"{plural(generation.said, 'message')} said, {generation.messages:,} in the list at its end, "
            f"~{generation.tokens:,} tokens"
        )
        label = next((n for n in names if 7 * len(n) + 8 < width), "")
        return {"x": start + 1, "width": width, "label": label, "description": words, "live": generation.live}

    step = _nice(ceiling / 4)
    ticks = [step * at for at in range(int(ceiling / step) + 1)]
    return {
        **_COURSE,
        "grid": [
            (y(tick), "0" if not tick else f"{tick / 1000:g}k" if ceiling >= 4_000 else f"{tick:g}")
            for tick in ticks
        ],
        "stretches": list(map(points, _stretches(course))),
        "falls": [x(fall.step) for fall in course.falls],
        "limits": [(left + 6 + 170 * at, y(near[name]), name, near[name]) for at, name in enumerate(near)],
        "lanes": [lane(generation) for generation in report.generations if generation.said],
        "marks": list(_marks(course.falls, [x(fall.step) for fall in course.falls])),
        "said": f"{plural(steps, 'message')} said",
        "description": _course_words(course, limits),
    }


def _nice(step: float) -> float:
    """Return the least of 1, 2, 2.5 or 5 times a power of ten that is not below a step."""
    power = 10.0 ** (len(str(int(max(1, step)))) - 1)
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= step)


def _stretches(course: TokenCourse) -> Iterator[list[tuple[int, int]]]:
    """Return (step, tokens) of each list, from one compaction to the next."""
    start, points = 0, list[tuple[int, int]]()
    for fall in course.falls:
        stop = min(fall.step, len(course.tokens))
        yield [*points, *_thinned(course.tokens, start, stop), (stop, fall.before)]
        start, points = stop, [(stop, fall.after)]
    points += _thinned(course.tokens, start, len(course.tokens))
    if points:
        yield points


def _thinned(tokens: Sequence[int], start: int, stop: int) -> list[tuple[int, int]]:
    """Return (step, tokens) of a stretch. Of a long stretch, only the lowest and the highest of each part stay."""
    most = max(2, _POINTS * (stop - start) // max(1, len(tokens)))
    if stop - start <= most:
        return [(at + 1, tokens[at]) for at in range(start, stop)]
    kept = {start, stop - 1}
    half = max(1, most // 2)
    for part in range(half):
        stretch = range(start + part * (stop - start) // half, start + (part + 1) * (stop - start) // half)
        kept |= {max(stretch, key=tokens.__getitem__), min(stretch, key=tokens.__getitem__)}
    return [(at + 1, tokens[at]) for at in sorted(kept)]


def _marks(falls: Sequence[Fall], places: Sequence[float]) -> Iterator[Chart]:
    """Yield the disc or square of each compaction: its middle, `half` its width, and its number."""
    last = -100.0
    for fall, x in zip(falls, places, strict=True):
        # If discs would overlap, some have numbers, and the others are dots below them.
        if x - last < 26:
            y, half, label = _COURSE["top"] - 8, 3, ""
        else:
            y, half, label = _COURSE["top"] - 23, 11, f"{fall.compaction}{'!' * fall.fallback}"
            last = x
        words = _fall_words(fall)
        yield {"x": x, "y": y, "half": half, "label": label, "fall": fall, "description": words}


def _fall_words(fall: Fall) -> str:
    sizes = (
        f"from ~{fall.before:,} to ~{fall.after:,} tokens{' (no summary was made)' if fall.fallback else ''}"
    )
    return f"compaction {fall.compaction} after {plural(fall.step, 'message')}, {sizes}"


def _course_words(course: TokenCourse, limits: dict[str, int]) -> str:
    falls = "; ".join(map(_fall_words, course.falls[:40]))
    highest = max([0, *course.tokens, *(fall.before for fall in course.falls)])
    sentences = [
        f"Tokens of the list over {plural(len(course.tokens), 'message')}",
        f"At most ~{highest:,} tokens; {falls or 'nothing was compacted'}",
        ", ".join(f"{name} {tokens:,}" for name, tokens in limits.items() if tokens),
    ]
    return ". ".join(filter(None, sentences)) + "."


def survival_chart(report: Report) -> Chart:
    """Return the chart of the surviving facts: each kind has a colour, dashes, a marker, and its name at the end.

    `grid` has (y, label), `ticks` (x, label). The `order` of a line counts from 1 and gives it its colour.
    """
    left, right, top, floor = (_SURVIVAL[side] for side in ("left", "right", "top", "floor"))
    last = len(report.compactions) - 1

    def x(at: int) -> float:
        return left + (right - left) * (at / last if last else 0.5)

    def y(share: float) -> float:
        return floor - (floor - top) * share

    drawn: list[tuple[int, list[tuple[float, float]]]] = []
    curves = report.measures.survival.shares
    for at, kind in enumerate(KINDS):
        # Equal curves are drawn side by side.
        aside = 1.7 * (at - len(KINDS) // 2)
        points = [
            (x(column), y(share.value) + aside)
            for column, share in enumerate(curves[kind])
            if share is not None and share.value is not None
        ]
        if points:
            drawn.append((at, points))
    labels = _apart([points[-1][1] for _, points in drawn], floor)
    words = "; ".join(
        f"{KINDS[at]}s: {', '.join(map(share_percent, curves[KINDS[at]][:40]))}" for at, _ in drawn
    )
    every = max(1, (last + 1) // 20)
    return {
        **_SURVIVAL,
        "grid": [(y(tick), f"{tick:.0%}") for tick in (0, 0.25, 0.5, 0.75, 1)],
        "ticks": [
            (x(at), str(part.recorded.index)) for at, part in enumerate(report.compactions) if at % every == 0
        ],
        "lines": [
            {
                "order": at + 1,
                "dashes": _DASHES[at],
                "points": points,
                "path": "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in points),
                "label": f"{KINDS[at]}s {share_percent(curves[KINDS[at]][-1])}",
                "label_y": label,
            }
            for (at, points), label in zip(drawn, labels, strict=True)
        ],
        "description": f"Of all facts summarized up to then. {words or 'No facts were found'}.",
    }


def _apart(places: Sequence[float], floor: float) -> list[float]:
    """Return places without overlaps of their labels, the lowest place not below the floor."""
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
    """Return the marker of the curve of an order around a point."""
    return " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in _MARKERS[order])


def regions_chart(compared: Compared) -> Chart:
    """Return the chart of head, middle and tail of the list before a compaction, as recorded and as planned."""
    recorded, planned = compared.recorded, compared.planned
    lists = [("recorded", recorded.head_end, recorded.tail_start, recorded.before)]
    if planned.compacts:
        lists.append(("planned", *planned.regions(), planned.length))
    rows = [
        {"name": name, "y": 6.0 + 34 * at, "boxes": list(_boxes(name, head, tail, length))}
        for at, (name, head, tail, length) in enumerate(lists)
    ]
    words = "; ".join(
        f"{name}: head {head:,}, middle {tail - head:,}, tail {length - tail:,}"
        for name, head, tail, length in lists
    )
    return {"rows": rows, "height": 8.0 + 34 * len(rows), "description": f"{words}."}


def _boxes(name: str, head: int, tail: int, length: int) -> Iterator[Chart]:
    """Yield the regions of a list, from left to right. A label is "" if it does not fit."""
    left = 110
    across = (WIDTH - left) / max(1, length)
    for region, low, high in (("head", 0, head), ("middle", head, tail), ("tail", tail, length)):
        width = (high - low) * across
        if width > 0:
            label = f"{region} {high - low:,}"
            yield {
                "region": region,
                "x": left + low * across,
                "width": max(1.0, width - 1.5),
                "label": label if width >= 7.5 * len(label) else "",
                "description": f"{name} {region}: messages {low} to {high - 1}",
            }


def course_lines(report: Report) -> list[str]:
    """Return tokens over the messages as lines of blocks, and below them the places of the compactions."""
    course = report.course
    columns = min(_COLUMNS, len(course.tokens))
    if not columns:
        return []
    marks = [" "] * columns
    for fall in course.falls:
        at = min(columns - 1, max(0, (fall.step - 1) * columns // len(course.tokens)))
        name = f"{fall.compaction}{'!' if fall.fallback else ''}"
        if all(mark == " " for mark in marks[max(0, at - 1) : at + len(name) + 1]):
            marks[at : at + len(name)] = name
    return [
        *graph(course.tokens, report.budgets.threshold_tokens, columns),
        f"{'':9} {''.join(marks).rstrip()}",
    ]
