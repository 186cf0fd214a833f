"""Parts of a line on screen: text cut to cells, and segments gathered into a strip.

Text given to these functions is already safe for the screen; `one_line` makes it so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, get_character_cell_size, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from inspector.core.text import safe

_ASCII = re.compile(r"[\x00-\x7f]+")


def one_line(text: str, limit: int = 0) -> str:
    """The text safe for the screen and on one line, spaces kept; cut after `limit` characters with an ellipsis."""
    text = f"{text[: limit - 1]}…" if 0 < limit < len(text) else text
    return safe(text).replace("\n", " ")


def width_of(text: str) -> int:
    """Cells that a text needs."""
    if text.isascii():
        return len(text)
    if _is_joined(text):
        return cell_len(text)
    # Mostly a few of the same signs, whose width is kept.
    rest = _ASCII.sub("", text)
    return len(text) - len(rest) + cell_len(rest)


def _is_joined(text: str) -> bool:
    """Whether characters may have to be measured together."""
    return "\u200d" in text or "\ufe0f" in text


def fit(text: str, width: int, *, right: bool = False) -> str:
    """The text in exactly `width` cells: padded, or cut with an ellipsis; wide characters are never halved."""
    if width <= 0:
        return ""
    if text[: width + 1].isascii():
        if len(text) > width:
            return text[: width - 1] + "…"
        return text.rjust(width) if right else text.ljust(width)
    # Number of characters that can reach the screen, unless most have no width.
    text = text[: width * 8]
    cells = width_of(text)
    if cells > width:
        return _cut(text, width - 1) + "…"
    gap = " " * (width - cells)
    return gap + text if right else text + gap


def _cut(text: str, width: int) -> str:
    """The start of the text in exactly `width` cells."""
    if _is_joined(text):
        return set_cell_size(text, width)
    start = text[:width]
    if width_of(start) == width and get_character_cell_size(text[width]) > 0:
        return start
    cells = 0
    for index, character in enumerate(text):
        size = 1 if character < "\x7f" else get_character_cell_size(character)
        if cells + size > width:
            return text[:index] + " " * (width - cells)
        cells += size
    return text + " " * (width - cells)


def find_spans(text: str, query: str) -> Iterator[tuple[int, int]]:
    """Return the places of `query` in the text, ignoring case; half-open, not overlapping."""
    if not query:
        return
    low, needle = text.lower(), query.lower()
    if len(low) != len(text):
        # Some capitals grow when lowered; offsets would be off, so compare as they are.
        low, needle = text, query
    start = low.find(needle)
    while start >= 0:
        yield start, start + len(needle)
        start = low.find(needle, start + len(needle))


class Row:
    """Gathers the segments of one screen line and knows how wide they are."""

    __slots__ = ("segments", "width")

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.width = 0

    def add(self, text: str, style: Style, width: int | None = None) -> Row:
        """Append a text in a style; `width` are its cells where that is known."""
        if not text:
            return self
        self.width += width_of(text) if width is None else width
        if self.segments and self.segments[-1].style is style:
            text = self.segments.pop().text + text
        self.segments.append(Segment(text, style))
        return self

    def marked(self, text: str, style: Style, spans: Sequence[tuple[int, int]], mark: Style) -> Row:
        """Append a text whose spans (half-open, in order) are drawn in another style."""
        position = 0
        for start, end in spans:
            self.add(text[position:start], style)
            self.add(text[start:end], mark)
            position = end
        return self.add(text[position:], style)

    def fill(self, width: int, style: Style, glyph: str = " ") -> Row:
        """Extend with a one-cell glyph until the row is `width` cells wide."""
        if width > self.width:
            self.add(glyph * (width - self.width), style)
        return self

    def strip(self, width: int, base: Style, *, flat: bool = False) -> Strip:
        """The line, exactly `width` cells wide, on a base style; `flat` draws all of it in the base style."""
        if flat:
            segments = [Segment("".join(segment.text for segment in self.segments), base)]
        else:
            segments = [
                Segment(text, base if style is None else base + style) for text, style, _ in self.segments
            ]
        if self.width < width:
            segments.append(Segment(" " * (width - self.width), base))
        return Strip(segments, max(self.width, width)).adjust_cell_length(width, base)
