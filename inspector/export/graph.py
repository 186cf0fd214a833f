"""The token graph as a picture: an SVG without script or fonts of its own, alone or within a page.

Recorded tokens are an area that falls at each compaction, what-ifs are lines; below them may stand what the messages
belong to. Everything that is told by colour is told by dash, shape or words too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from inspector.export.html.markup import Html, join, tag

_WIDTH = 1000
_LEFT, _RIGHT = 66, 24
_TOP, _FLOOR, _LANE = 56, 286, 24
#: A row of signs below the curves, and the words at the bottom.
_SIGNS, _WORDS = 18, 22
#: All curves of one kind together are drawn with about so many points; drops and peaks stay.
_POINTS = 700
#: Marks that lie so far above all else are left out: what happens would be a line at the bottom.
_FAR = {"threshold": 4.0, "hygiene": 1.6, "context": 1.6}
_SIGN = {"recorded": "▲", "whatif": "△"}
#: The style of a graph that stands alone; colours follow the text around it.
_ALONE = (
    "text{font:12px sans-serif;fill:currentColor}.dimtext{fill-opacity:.7}"
    ".axis{stroke:currentColor;stroke-opacity:.5}.grid{stroke:currentColor;stroke-opacity:.12}"
    ".area{fill:#4a7aac;fill-opacity:.3}.line{fill:none;stroke:#4a7aac;stroke-width:1.8}"
    ".fall{stroke:currentColor;stroke-dasharray:2 3}"
    ".whatif{fill:none;stroke:#b4530a;stroke-width:2;stroke-dasharray:6 3}"
    ".kept{fill:none;stroke:#2e7d32;stroke-width:2;stroke-dasharray:2 3}"
    ".threshold{stroke:currentColor;stroke-width:1.5;stroke-dasharray:8 4}"
    ".hygiene{stroke:#b3261e;stroke-width:1.5;stroke-dasharray:3 3}"
    ".context{stroke:currentColor;stroke-opacity:.6;stroke-dasharray:1 4}"
    ".mark{fill:none;stroke:currentColor}.mark-bad{fill:none;stroke:#b3261e;stroke-width:2}"
    ".mark-text{text-anchor:middle}.lane,.lane-live{fill:currentColor;fill-opacity:.08}"
)

_Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Drop:
    """A compaction: its number, how many messages had been said, the tokens before and after it. `fallback`: no summary
    was made. `href` is where its mark leads ("": nowhere)."""

    number: int
    step: int
    before: int
    after: int
    fallback: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Tokens after each step, and its compactions: as drops, or as no more than their steps (counted from 1). `kind` is
    recorded, whatif or kept; `name` is what the legend says."""

    kind: str
    name: str
    tokens: Sequence[int]
    compactions: Sequence[int] = ()
    drops: Sequence[Drop] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Marks in tokens; 0 leaves one out."""

    threshold: int = 0
    hygiene: int = 0
    context: int = 0


@dataclass(frozen=True, slots=True)
class Lane:
    """A stretch below the curves: so many steps from one on (counted from 1), its names from long to short, and what
    is told of it."""

    first: int
    steps: int
    names: tuple[str, ...]
    told: str
    live: bool = False


def token_graph(
    curves: Sequence[Curve],
    lines: Lines,
    *,
    lanes: Sequence[Lane] = (),
    title: str = "Tokens by step",
    identity: str = "tokens",
    alone: bool = True,
) -> Html:
    """The SVG. `identity` begins the ids in it; `alone` gives it a style of its own, else the page around has one."""
    steps = max((len(curve.tokens) for curve in curves), default=0)
    drops = [drop for curve in curves for drop in curve.drops]
    peaks = [max(curve.tokens, default=0) for curve in curves]
    highest = max([1, *peaks, *(drop.before for drop in drops)])
    marks: list[tuple[str, int]] = [
        (name, mark) for name, far in _FAR.items() if 0 < (mark := getattr(lines, name)) <= far * highest
    ]
    ceiling: float = max([highest, *(mark for _, mark in marks)]) * 1.06
    across = (_WIDTH - _LEFT - _RIGHT) / max(1, steps)

    def x(step: float) -> float:
        return _LEFT + max(0.0, min(float(steps), step)) * across

    def y(tokens: float) -> float:
        return _FLOOR - (_FLOOR - _TOP) * tokens / ceiling

    parts: list[Html | None] = [_grid(ceiling, y)]
    for curve in curves:
        parts += _drawn(curve, x, y)
    parts += [_limit(number, name, mark, y) for number, (name, mark) in enumerate(marks)]
    floor = _FLOOR
    if lanes:
        parts += [_lane(lane, x) for lane in lanes]
        floor += 6 + _LANE
    for curve in curves:
        if curve.compactions:
            floor += _SIGNS
            parts += [
                _sign(curve, number, step, x, floor) for number, step in enumerate(curve.compactions, 1)
            ]
    floor += _WORDS
    parts.append(tag("text", "0", x=_LEFT, y=floor, cls="dimtext"))
    said = f"{steps:,} messages said" if steps != 1 else "1 message said"
    parts.append(tag("text", said, x=_WIDTH - _RIGHT, y=floor, cls="dimtext", text_anchor="end"))
    parts += _drops(drops, x)
    if len(curves) > 1:
        parts += _legend(curves)
    rules = "".join(f".token-graph {rule}}}" for rule in _ALONE.split("}") if rule)
    return tag(
        "svg",
        tag("title", title, id=f"{identity}-title"),
        tag("desc", _described(curves, lines, steps), id=f"{identity}-desc"),
        tag("style", Html(rules)) if alone else None,
        *parts,
        cls="chart token-graph",
        xmlns="http://www.w3.org/2000/svg" if alone else None,
        viewBox=f"0 0 {_WIDTH} {floor + 10:g}",
        role="group" if any(drop.href for drop in drops) else "img",
        aria_labelledby=f"{identity}-title {identity}-desc",
    )


def _grid(ceiling: float, y: _Scale) -> Html:
    step = _nice(ceiling / 4)
    lines = []
    value = 0.0
    while value <= ceiling:
        at = y(value)
        lines.append(
            tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, cls="grid" if value else "grid axis")
        )
        label = "0" if not value else f"{value / 1000:g}k" if ceiling >= 4_000 else f"{value:g}"
        lines.append(tag("text", label, x=_LEFT - 8, y=at + 4, text_anchor="end", cls="dimtext"))
        value += step
    return join(lines)


def _nice(step: float) -> float:
    """A step of 1, 2, 2.5 or 5 times a power of ten, not under the given one."""
    power = 10.0 ** (len(str(int(max(1, step)))) - 1)
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= step)


def _drawn(curve: Curve, x: _Scale, y: _Scale) -> list[Html]:
    """A line for each list, over an area where it was recorded, and a dotted fall between two."""
    parts = []
    start, first = 0, None
    for drop in [*curve.drops, None]:
        stop = len(curve.tokens) if drop is None else min(drop.step, len(curve.tokens))
        points = [(start, first)] if first is not None else []
        points += _thinned(curve.tokens, start, stop)
        if drop is not None:
            points.append((stop, drop.before))
        if points:
            line = " ".join(f"{x(step):.1f},{y(tokens):.1f}" for step, tokens in points)
            if curve.kind == "recorded":
                base = f"{x(points[0][0]):.1f},{_FLOOR} {line} {x(points[-1][0]):.1f},{_FLOOR}"
                parts.append(tag("polygon", points=base, cls="area"))
            parts.append(tag("polyline", points=line, cls="line" if curve.kind == "recorded" else curve.kind))
        if drop is not None:
            at = x(drop.step)
            parts.append(tag("line", x1=at, x2=at, y1=_TOP - 12, y2=_FLOOR, cls="fall"))
            start, first = stop, drop.after
    return parts


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


def _limit(number: int, name: str, mark: int, y: _Scale) -> Html:
    """A line with its label; marks that lie close have their labels beside each other."""
    at = y(mark)
    return join(
        tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, cls=name),
        tag("text", f"{name} {mark:,}", x=_LEFT + 6 + 170 * number, y=at - 5, cls=f"{name}-label"),
    )


def _lane(lane: Lane, x: _Scale) -> Html | None:
    if not lane.steps:
        return None
    low, high = x(lane.first - 1), x(lane.first - 1 + lane.steps)
    width = max(1.0, high - low - 2)
    label = next((name for name in lane.names if 7 * len(name) + 8 < width), "")
    middle = low + 1 + width / 2
    return tag(
        "g",
        tag("title", lane.told),
        tag("rect", x=low + 1, y=_FLOOR + 6, width=width, height=_LANE, rx=4,
            cls="lane-live" if lane.live else "lane"),
        tag("text", label, x=middle, y=_FLOOR + 6 + _LANE / 2 + 4, text_anchor="middle") if label else None,
    )  # fmt: skip


def _sign(curve: Curve, number: int, step: int, x: _Scale, row: float) -> Html:
    told = f"{curve.name}: compaction {number} at step {step:,}"
    return tag("text", _SIGN.get(curve.kind, "◇"), tag("title", told), x=x(step), y=row, text_anchor="middle")


def _drops(drops: Iterable[Drop], x: _Scale) -> list[Html]:
    """A numbered disc for each compaction, a square where no summary was made; it leads to where it is told of."""
    parts = []
    last = -100.0
    for drop in drops:
        at = x(drop.step)
        # Where discs would overlap, only some have numbers; the others are dots below them.
        crowded = at - last < 26
        last = at if not crowded else last
        told = f"Compaction {drop.number}: {drop.before:,} to {drop.after:,} tokens"
        told += ", no summary was made" if drop.fallback else ""
        number = f"{drop.number}{'!' if drop.fallback else ''}"
        inside = (
            tag("title", told),
            _disc(at, drop.fallback, crowded),
            None if crowded else tag("text", number, x=at, y=_TOP - 19, cls="mark-text"),
        )
        parts.append(tag("a", *inside, href=drop.href, aria_label=told) if drop.href else tag("g", *inside))
    return parts


def _disc(at: float, fallback: bool, small: bool) -> Html:
    half, middle = (3.0, _TOP - 8.0) if small else (11.0, _TOP - 23.0)
    if fallback:
        return tag("rect", x=at - half, y=middle - half, width=2 * half, height=2 * half, cls="mark-bad")
    return tag("circle", cx=at, cy=middle, r=half, cls="mark")


def _legend(curves: Sequence[Curve]) -> list[Html]:
    parts, at = [], _LEFT
    for curve in curves:
        kind = "line" if curve.kind == "recorded" else curve.kind
        parts.append(tag("line", x1=at, x2=at + 28, y1=12, y2=12, cls=kind))
        parts.append(tag("text", curve.name, x=at + 34, y=16))
        at += 60 + 7 * len(curve.name)
    return parts


def _described(curves: Sequence[Curve], lines: Lines, steps: int) -> str:
    told = []
    for curve in curves:
        falls = "; ".join(
            f"compaction {drop.number} after {drop.step:,} messages, from {drop.before:,} to {drop.after:,} tokens"
            + (" (no summary was made)" if drop.fallback else "")
            for drop in curve.drops[:40]
        ) or ", ".join(f"compaction at step {step:,}" for step in curve.compactions[:40])
        highest = max([0, *curve.tokens, *(drop.before for drop in curve.drops)])
        told.append(f"{curve.name}: at most {highest:,} tokens; {falls or 'nothing was compacted'}")
    marks = [
        f"{name} {getattr(lines, name):,}"
        for name in ("threshold", "hygiene", "context")
        if getattr(lines, name)
    ]
    return f"Tokens of the list over {steps:,} messages. {'. '.join([*told, *filter(None, [', '.join(marks)])])}."
