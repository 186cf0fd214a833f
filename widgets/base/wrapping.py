"""Line breaks of long text. Text is safe for the screen already."""

from __future__ import annotations

from array import array

from rich.cells import get_character_cell_size

from widgets.base.strips import width_of


def breaks(text: str, width: int) -> array[int] | None:
    """Return the offsets of the rows after the first; None if one row has room for the text.

    Rows break after a space in their second half, else within a word. A row is at most `width` cells wide, trailing
    spaces excepted. Linear in the text.
    """
    if width <= 0:
        return None
    if text.isascii():
        if len(text) <= width:
            return None
        return _ascii_breaks(text, width)
    if len(text) * 2 <= width or width_of(text[: width + 1]) <= width >= len(text):
        return None
    return _wide_breaks(text, width)


def _ascii_breaks(text: str, width: int) -> array[int] | None:
    offsets = array("I")
    start, length, least = 0, len(text), width // 2
    while length - start > width:
        # A space right after the row is cut by the edge.
        space = text.rfind(" ", start + least, start + width + 1)
        start = start + width if space < 0 else space + 1
        if start < length:
            offsets.append(start)
    return offsets or None


def _wide_breaks(text: str, width: int) -> array[int] | None:
    offsets = array("I")
    cells, start, space = 0, 0, -1
    least = width // 2
    joined = "\ufe0f" in text
    for index, character in enumerate(text):
        size = 1 if character < "\x7f" else get_character_cell_size(character)
        if joined and character == "\ufe0f":
            # A variation selector may make the character before it wide.
            size = 1
        if cells + size > width and index > start and (character != " " or cells > width):
            start = space + 1 if space >= 0 and space + 1 > start else index
            offsets.append(start)
            cells = width_of(text[start:index]) if start < index else 0
            space = -1
        cells += size
        if character == " " and cells > least:
            space = index
    return offsets or None
