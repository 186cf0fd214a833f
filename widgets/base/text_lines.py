"""Styled lines of text: the values that text views show, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct
from rich.style import Style

from widgets.base.strips import Row, width_of

Name = TypeVar("Name", bound=str)

#: A style from a place of a text to another, half-open.
Overlay = tuple[int, int, Style]


class Span(Struct, frozen=True):
    """A styled part of a line: half-open, in characters of a text that is safe already; `style` is one of INKS."""

    start: int
    end: int
    style: str


class TextLine(Struct, frozen=True):
    """A logical line. `prefix` is drawn before its first row and indents the others; `tag` comes back on click.

    Where making the text safe for the screen changes it, its spans are dropped: they would point elsewhere.
    """

    text: str
    style: str = ""
    spans: tuple[Span, ...] = ()
    prefix: str = ""
    prefix_style: str = ""
    tag: str = ""


def line_of(*parts: tuple[str, str], tag: str = "", prefix: str = "", prefix_style: str = "") -> TextLine:
    """A line of (text, style) parts, safe for the screen already."""
    spans, place = [], 0
    for text, style in parts:
        if style and text:
            spans.append(Span(place, place + len(text), style))
        place += len(text)
    return TextLine("".join(text for text, _ in parts), "", tuple(spans), prefix, prefix_style, tag)


def counted(
    signs: Mapping[Name, tuple[str, str]], counts: Mapping[Name, int], form: str
) -> list[tuple[str, str]]:
    """Parts with the number of each name that occurs, in the order of their signs: "   {sign} {count:,} {name}"."""
    return [
        (form.format(sign=sign, count=counts[name], name=name), style)
        for name, (sign, style) in signs.items()
        if counts[name]
    ]


def draw_part(
    ink: Callable[[str], Style],
    line: TextLine,
    safe: str,
    start: int,
    shown: str,
    over: Sequence[Overlay] = (),
) -> Row:
    """Draw `shown`, the part from `start` on of a line whose text is `safe` for the screen.

    The prefix only indents parts after the first. `over` are styles of other places in the part.
    """
    prefix = line.prefix if start == 0 else " " * width_of(line.prefix)
    stop = start + len(shown)
    overlays = [
        (max(start, span.start) - start, min(stop, span.end) - start, ink(span.style))
        for span in line.spans
        if safe == line.text and span.start < stop and span.end > start
    ]
    out = Row().add(prefix, ink(line.prefix_style or line.style))
    return paint(out, shown, ink(line.style), [*overlays, *over])


def paint(out: Row, text: str, base: Style, overlays: Sequence[Overlay]) -> Row:
    """Add a text whose parts are covered by styles, later ones on top."""
    if not overlays:
        return out.add(text, base)
    cuts = {0, len(text), *(min(edge, len(text)) for low, high, _ in overlays for edge in (low, high))}
    for start, end in pairwise(sorted(cuts)):
        style = base
        for low, high, over in overlays:
            if low <= start and end <= high:
                style += over
        out.add(text[start:end], style)
    return out
