"""The charts of a report as inline SVG: titled, described, readable without colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inspector.reports.html.markup import Html, anchor, join, tag
from inspector.reports.report.values import Course, Curve, GenerationLine
from inspector.reports.report.wording import KIND_NAMES, count, percent

_WIDTH = 1000
_LEFT, _RIGHT = 66, 24
#: The course is drawn with at most so many points; each keeps the highest value of its stretch.
_POINTS = 700
_TOP, _BOTTOM, _LANE = 44, 270, 24
#: How the lines of survival differ besides colour.
_DASHES = ("", "7 3", "2 3", "10 3 2 3", "5 2 1 2")

_Scale = Callable[[float], float]


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
    steps = len(course.tokens)
    highest = max([*course.tokens, *(fall.before for fall in course.falls), 1])
    shown = course.window if course.window <= 1.6 * highest else 0
    ceiling = max(highest, course.threshold if course.threshold <= 4 * highest else 0, shown) * 1.06
    across = (_WIDTH - _LEFT - _RIGHT) / max(1, steps)

    def x(step: float) -> float:
        return _LEFT + step * across

    def y(tokens: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * tokens / ceiling

    parts: list[Html | None] = [_grid(ceiling, y)]
    parts += _stretches(course, x, y)
    parts += _limits(course, shown, ceiling, y)
    parts += [_lane(generation, steps, x) for generation in generations]
    parts.append(tag("text", "0", x=_LEFT, y=_BOTTOM + _LANE + 26, cls="dimtext"))
    parts.append(
        tag("text", count(steps, "message") + " said", x=_WIDTH - _RIGHT, y=_BOTTOM + _LANE + 26, cls="dimtext",
            text_anchor="end")
    )  # fmt: skip
    parts += _marks(course, x)
    falls = "; ".join(
        f"compaction {fall.compaction} after {fall.step:,} messages, from {fall.before:,} to {fall.after:,} tokens"
        + (" (no summary was made)" if fall.fallback else "")
        for fall in course.falls[:40]
    )
    told = (
        f"The list grows to at most {highest:,} tokens over {count(steps, 'message')}; the threshold is "
        f"{course.threshold:,}. {falls or 'Nothing was compacted'}."
    )
    title = "Tokens in the context, message by message"
    return chart("course", _BOTTOM + _LANE + 36, title, told, *parts, role="group" if course.falls else "img")


def _grid(ceiling: float, y: _Scale) -> Html:
    step = _nice(ceiling / 4)
    lines = []
    value = 0.0
    while value <= ceiling:
        at = y(value)
        lines.append(tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, cls="grid"))
        label = "0" if not value else f"{value / 1000:g}k" if ceiling >= 4_000 else f"{value:g}"
        lines.append(tag("text", label, x=_LEFT - 8, y=at + 4, text_anchor="end", cls="dimtext"))
        value += step
    return join(lines)


def _nice(step: float) -> float:
    """A step of 1, 2, 2.5 or 5 times a power of ten, not under the given one."""
    power = 10.0 ** (len(str(int(max(1, step)))) - 1)
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= step)


def _stretches(course: Course, x: _Scale, y: _Scale) -> list[Html]:
    """An area and a line for each list, a dotted fall between two."""
    parts = []
    start, first = 0, None
    for fall in [*course.falls, None]:
        stop = len(course.tokens) if fall is None else fall.step
        points = [(start, float(first))] if first is not None else []
        points += _thinned(
            course.tokens, start, stop, max(2, _POINTS * (stop - start) // max(1, len(course.tokens)))
        )
        if fall is not None:
            points.append((stop, float(fall.before)))
        if points:
            line = " ".join(f"{x(step):.1f},{y(tokens):.1f}" for step, tokens in points)
            base = f"{x(points[0][0]):.1f},{_BOTTOM} {line} {x(points[-1][0]):.1f},{_BOTTOM}"
            parts += [tag("polygon", points=base, cls="area"), tag("polyline", points=line, cls="line")]
        if fall is not None:
            at = x(fall.step)
            parts.append(tag("line", x1=at, x2=at, y1=_TOP - 12, y2=_BOTTOM, cls="fall"))
            start, first = fall.step, fall.after
    return parts


def _thinned(tokens: Sequence[int], start: int, stop: int, most: int) -> list[tuple[int, float]]:
    """(step, tokens) of a stretch, the highest of each of at most `most` parts."""
    size = stop - start
    if size <= most:
        return [(at + 1, float(tokens[at])) for at in range(start, stop)]
    found = []
    for part in range(most):
        low, high = start + part * size // most, start + (part + 1) * size // most
        best = max(range(low, high), key=tokens.__getitem__)
        found.append((best + 1, float(tokens[best])))
    return found


def _limits(course: Course, window: int, ceiling: float, y: _Scale) -> list[Html]:
    parts = []
    for value, cls, label in (
        (course.threshold, "threshold", f"threshold {course.threshold:,}"),
        (window, "window", f"window {window:,}"),
    ):
        if 0 < value <= ceiling:
            at = y(value)
            parts.append(tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, cls=cls))
            parts.append(tag("text", label, x=_LEFT + 6, y=at - 5, cls=f"{cls}-label"))
    return parts


def _lane(generation: GenerationLine, steps: int, x: _Scale) -> Html | None:
    if not generation.said:
        return None
    low, high = x(generation.first_step - 1), x(generation.first_step - 1 + generation.said)
    width = max(1.0, high - low - 2)
    state = "live" if generation.live else "compacted"
    told = (
        f"Generation {generation.number} ({state}): {count(generation.said, 'message')} said, "
        f"{generation.messages:,} in the list at its end, {generation.tokens:,} tokens"
    )
    label = f"generation {generation.number}" if width > 92 else str(generation.number) if width > 18 else ""
    return tag(
        "g",
        tag("title", told),
        tag("rect", x=low + 1, y=_BOTTOM + 6, width=width, height=_LANE, rx=4,
            cls="lane-live" if generation.live else "lane"),
        tag("text", label, x=low + 1 + width / 2, y=_BOTTOM + 6 + _LANE / 2 + 4, text_anchor="middle")
        if label else None,
    )  # fmt: skip


def _marks(course: Course, x: _Scale) -> list[Html]:
    """A numbered disc for each compaction, a square where no summary was made; it leads to its section."""
    parts = []
    last = -100.0
    for fall in course.falls:
        at = x(fall.step)
        # Where discs would overlap, only some have numbers; the others are dots below them.
        crowded = at - last < 26
        last = at if not crowded else last
        shape = _disc(at, fall.fallback, crowded)
        told = f"Compaction {fall.compaction}: {fall.before:,} to {fall.after:,} tokens"
        told += ", no summary was made" if fall.fallback else ""
        number = f"{fall.compaction}{'!' if fall.fallback else ''}"
        parts.append(
            tag(
                "a",
                tag("title", told),
                shape,
                None if crowded else tag("text", number, x=at, y=_TOP - 19, cls="mark-text"),
                href=f"#{anchor(fall.compaction)}",
                aria_label=told,
            )
        )
    return parts


def _disc(at: float, fallback: bool, small: bool) -> Html:
    half, middle = (3.0, _TOP - 8.0) if small else (11.0, _TOP - 23.0)
    if fallback:
        return tag("rect", x=at - half, y=middle - half, width=2 * half, height=2 * half, cls="mark-bad")
    return tag("circle", cx=at, cy=middle, r=half, cls="mark")


def survival_chart(curves: Sequence[Curve], compactions: Sequence[int]) -> Html:
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
        ends.append((points[-1][1], order, f"{KIND_NAMES[curve.kind][1]} {percent(last)}"))
        told.append(
            f"{KIND_NAMES[curve.kind][1]}: " + ", ".join(percent(share) for share in curve.shares[:40])
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
