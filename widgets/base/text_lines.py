"""Styled lines of text: the values that text views show, the styles that they name, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from rich.style import Style

from widgets.base.strips import Row

#: The styles that lines and spans can name, and what each looks like.
STYLES: dict[str, str] = {
    "heading": "color: $text-primary; text-style: bold;",
    "muted": "color: $foreground 60%;",
    "strong": "color: $foreground; text-style: bold;",
    "key": "color: $text-primary;",
    "string": "color: $text-success;",
    "number": "color: $text-accent;",
    "added": "color: $text-success;",
    "added-word": "color: $text-success; text-style: bold underline;",
    "removed": "color: $text-error;",
    "removed-word": "color: $text-error; text-style: bold strike;",
    "changed": "color: $text-warning;",
    "moved": "color: $text-accent;",
    "kept": "color: $foreground 75%;",
    "warning": "color: $text-warning; text-style: bold;",
    "error": "color: $text-error; text-style: bold;",
    "accent": "color: $text-accent;",
    "head": "color: $text-primary;",
    "middle": "color: $text-warning;",
    "tail": "color: $text-success;",
    "rest": "color: $foreground 25%;",
}
STYLE_CLASSES = frozenset(f"text--{name}" for name in STYLES)
#: Styles that are dimmed with 16 colours.
_DIM = ("muted", "kept", "rest")


def style_css(widget: str) -> str:
    """The style sheet that gives a widget the styles above."""
    rules = "".join(f"& > .text--{name} {{ {rule} }}\n" for name, rule in STYLES.items())
    dim = "".join(f"&:ansi > .text--{name} {{ text-style: dim; }}\n" for name in _DIM)
    return f"\n{widget} {{\n{rules}{dim}}}\n"


@dataclass(frozen=True, slots=True)
class Span:
    """A styled part of a line: half-open, in characters of a text that is safe already; `style` is one of STYLES."""

    start: int
    end: int
    style: str


@dataclass(frozen=True, slots=True)
class TextLine:
    """A logical line. `prefix` is drawn before its first row and indents the others; `tag` comes back on click.

    Where making the text safe for the screen changes it, its spans are dropped: they would point elsewhere.
    """

    text: str
    style: str = ""
    spans: tuple[Span, ...] = ()
    prefix: str = ""
    prefix_style: str = ""
    tag: str = ""


def line_of(*parts: tuple[str, str], tag: str = "") -> TextLine:
    """A line of (text, style) parts, safe for the screen already."""
    spans, place = [], 0
    for text, style in parts:
        if style and text:
            spans.append(Span(place, place + len(text), style))
        place += len(text)
    return TextLine("".join(text for text, _ in parts), spans=tuple(spans), tag=tag)


def paint(out: Row, text: str, base: Style, overlays: list[tuple[int, int, Style]]) -> None:
    """Add a text whose parts are covered by styles, later ones on top."""
    if not overlays:
        out.add(text, base)
        return
    cuts = sorted(
        {0, len(text), *(min(edge, len(text)) for low, high, _ in overlays for edge in (low, high))}
    )
    for start, end in pairwise(cuts):
        style = base
        for low, high, over in overlays:
            if low <= start and end <= high:
                style += over
        out.add(text[start:end], style)
