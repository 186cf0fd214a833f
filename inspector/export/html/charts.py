"""The charts of a report as inline SVG: titled, described, readable without colour."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.export.graph import Curve, Drop, Lane, Lines, token_graph
from inspector.export.html.markup import Html, anchor, tag
from inspector.export.report.values import Course, GenerationLine
from inspector.export.report.values import Curve as Survival
from inspector.export.report.wording import KIND_NAMES, count, share_percent

_WIDTH = 1000
#: How the lines of survival differ besides colour.
_DASHES = ("", "7 3", "2 3", "10 3 2 3", "5 2 1 2")


def chart(
    identity: str, height: float, title: str, description: str, *children: Html | None, role: str = "img"
) -> Html:
    """An SVG image with its title and text alternative; one with links in it is a group."""
    return tag(
        "div",
        tag(
            "svg",
            tag("title", title, id=f"{identity}-title"),
            tag("desc", description, id=f"{identity}-desc"),
            *children,
            cls="chart",
            viewBox=f"0 0 {_WIDTH} {height:g}",
            role=role,
            aria_labelledby=f"{identity}-title {identity}-desc",
        ),
        cls="wide",
    )


def course_chart(course: Course, generations: Sequence[GenerationLine]) -> Html:
    """Tokens of the live list over the messages, the compactions on top, the generations as a lane below."""
    drops = tuple(
        Drop(
            fall.compaction, fall.step, fall.before, fall.after, fall.fallback, f"#{anchor(fall.compaction)}"
        )
        for fall in course.falls
    )
    graph = token_graph(
        [Curve("recorded", "recorded", course.tokens, drops=drops)],
        Lines(course.threshold, course.hygiene, course.window),
        lanes=tuple(map(_lane, generations)),
        title="Tokens in the context, message by message",
        identity="course",
        alone=False,
    )
    return tag("div", graph, cls="wide")


def _lane(generation: GenerationLine) -> Lane:
    state = "live" if generation.live else "compacted"
    told = (
        f"Generation {generation.number} ({state}): {count(generation.said, 'message')} said, "
        f"{generation.messages:,} in the list at its end, {generation.tokens:,} tokens"
    )
    names = (f"generation {generation.number}", str(generation.number))
    return Lane(generation.first_step, generation.said, names, told, generation.live)


def survival_chart(curves: Sequence[Survival], compactions: Sequence[int]) -> Html:
    """Survival by kind over the compactions: each kind has its own colour, dash, marker, and its name at the end."""
    left, right, top, bottom = 56, 250, 16, 250
    across = (_WIDTH - left - right) / max(1, len(compactions) - 1)

    def x(at: int) -> float:
        return left + at * across if len(compactions) > 1 else left + (_WIDTH - left - right) / 2

    def y(share: float) -> float:
        return bottom - (bottom - top) * share

    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(tag("line", x1=left, x2=_WIDTH - right, y1=y(tick), y2=y(tick), cls="grid"))
        parts.append(tag("text", f"{tick:.0%}", x=left - 8, y=y(tick) + 4, text_anchor="end", cls="dimtext"))
    every = max(1, len(compactions) // 20)
    for at, number in enumerate(compactions):
        if at % every == 0:
            parts.append(
                tag("text", str(number), x=x(at), y=bottom + 20, text_anchor="middle", cls="dimtext")
            )
    parts.append(
        tag("text", "after compaction", x=(left + _WIDTH - right) / 2, y=bottom + 38, text_anchor="middle",
            cls="dimtext")
    )  # fmt: skip
    told, ends = [], []
    for order, curve in enumerate(curves):
        # Lines that coincide lie beside each other, so that each can be followed.
        aside = 1.7 * (order - len(curves) // 2)
        points = [
            (x(at), y(share.value) + aside)
            for at, share in enumerate(curve.shares)
            if share is not None and share.value is not None
        ]
        if not points:
            continue
        line = "M" + " L".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(tag("path", d=line, cls=f"curve k{order + 1}", stroke_dasharray=_DASHES[order] or None))
        parts += [_marker(order, a, b) for a, b in points] if len(points) <= 40 else []
        last = curve.shares[-1]
        ends.append((points[-1][1], order, f"{KIND_NAMES[curve.kind][1]} {share_percent(last)}"))
        told.append(
            f"{KIND_NAMES[curve.kind][1]}: " + ", ".join(share_percent(share) for share in curve.shares[:40])
        )
    parts += _labels(ends, _WIDTH - right + 14, bottom)
    return chart(
        "survival-chart",
        bottom + 46,
        "Facts that can still be read, by kind, after each compaction",
        f"Of all that was summarized so far. {'; '.join(told) or 'No facts were found'}.",
        *parts,
    )


def _marker(order: int, x: float, y: float) -> Html:
    """Circle, square, triangle, diamond, cross: the kinds in their order."""
    cls = f"k{order + 1}"
    if order == 0:
        return tag("circle", cx=x, cy=y, r=4.5, cls=cls)
    if order == 1:
        return tag("rect", x=x - 4, y=y - 4, width=8, height=8, cls=cls)
    shapes = {
        2: ((0, -5.5), (5, 4), (-5, 4)),
        3: ((0, -6), (6, 0), (0, 6), (-6, 0)),
        4: (
            (-5, -2),
            (-2, -2),
            (-2, -5),
            (2, -5),
            (2, -2),
            (5, -2),
            (5, 2),
            (2, 2),
            (2, 5),
            (-2, 5),
            (-2, 2),
            (-5, 2),
        ),
    }
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in shapes[order])
    return tag("polygon", points=points, cls=cls)


def _labels(ends: Sequence[tuple[float, int, str]], x: float, bottom: float) -> list[Html]:
    """The names at the ends of the lines, moved apart where they would overlap."""
    gap = 19.0
    placed: list[float] = []
    for y, _, _ in sorted(ends):
        placed.append(max(y, placed[-1] + gap) if placed else y)
    overflow = max(0.0, placed[-1] - bottom) if placed else 0.0
    for at in range(len(placed) - 1, -1, -1):
        above = placed[at + 1] - gap if at + 1 < len(placed) else placed[at] - overflow
        placed[at] = min(placed[at], above)
    parts = []
    for y, (_, order, label) in zip(placed, sorted(ends), strict=True):
        parts += [
            _marker(order, x, y),
            tag("text", label, x=x + 12, y=y + 4, cls=f"k{order + 1}"),
        ]
    return parts


def regions_chart(identity: str, rows: Sequence[tuple[str, int, int, int]]) -> Html:
    """Head, middle and tail of a list of `length` messages for each of (name, head_end, tail_start, length)."""
    left, height = 110, 26
    parts = [
        tag(
            "defs",
            tag("pattern", tag("line", x1=0, y1=0, x2=0, y2=8, cls="hatch"), id=f"{identity}-hatch", width=7,
                height=8, patternUnits="userSpaceOnUse", patternTransform="rotate(45)"),
        )
    ]  # fmt: skip
    told = []
    for at, (name, head, tail, length) in enumerate(rows):
        top = 6 + at * (height + 8)
        parts.append(tag("text", name, x=0, y=top + height / 2 + 4))
        across = (_WIDTH - left) / max(1, length)
        for region, low, high in (("head", 0, head), ("middle", head, tail), ("tail", tail, length)):
            width = (high - low) * across
            if width <= 0:
                continue
            start = left + low * across
            box = {"x": start, "y": top, "width": max(1.0, width - 1.5), "height": height}
            parts.append(
                tag(
                    "g",
                    tag("title", f"{name} {region}: messages {low} to {high - 1}"),
                    tag("rect", cls=region, **box),
                    tag("rect", fill=f"url(#{identity}-hatch)", **box) if region == "middle" else None,
                    _inside(f"{region} {high - low:,}", start + width / 2, top + height / 2 + 4, width),
                )
            )
        told.append(f"{name}: head {head:,}, middle {tail - head:,}, tail {length - tail:,}")
    return chart(
        identity,
        8 + len(rows) * (height + 8),
        "Head, middle and tail in messages",
        f"{'; '.join(told)}.",
        *parts,
    )


def _inside(label: str, x: float, y: float, width: float) -> Html | None:
    if width < 7.5 * len(label):
        return None
    return tag("text", label, x=x, y=y, cls="on", text_anchor="middle")


def share_bar(parts: Sequence[tuple[str, int]]) -> Html:
    """A stacked bar of (class, count), for what is written beside it."""
    total = sum(number for _, number in parts) or 1
    found, at = [tag("rect", x=0, y=0, width=100, height=12, cls="track")], 0.0
    for cls, number in parts:
        width = 100 * number / total
        if width:
            found.append(tag("rect", x=at, y=0, width=width, height=12, cls=cls))
        at += width
    return tag("svg", *found, cls="bar", viewBox="0 0 100 12", preserveAspectRatio="none", aria_hidden="true")
