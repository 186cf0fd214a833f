"""Rows of a long text, worked out bit by bit: which logical line, and which part of it, each row shows."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_right
from collections.abc import Callable

from widgets.base.wrapping import breaks

#: Size of a piece of a logical line, in characters: one step lays out one piece.
PIECE = 16_384


class TextLayout:
    """The rows of `count` logical lines at a width; `text_of` returns a line, `indent_of` the width of its prefix.

    `advance` lays out more lines for a time; `rows` counts the rows laid out.
    """

    def __init__(
        self,
        count: int,
        width: int,
        text_of: Callable[[int], str],
        indent_of: Callable[[int], int],
        *,
        wrap: bool = True,
    ) -> None:
        self.count = count
        self.width = max(1, width)
        self.wrap = wrap
        self.rows = 0
        self._text_of = text_of
        self._indent_of = indent_of
        self._line = 0
        self._offset = 0
        # By piece: its logical line, the offset that it starts at, its first row, the breaks within it.
        self._lines = array("I")
        self._starts = array("Q")
        self._firsts = array("Q")
        self._breaks: dict[int, array[int]] = {}

    @property
    def done(self) -> bool:
        """Whether every line is laid out."""
        return self._line >= self.count

    def advance(self, seconds: float, *, rows: int = 0, line: int = -1) -> None:
        """Lay out lines for some seconds, or longer until there are `rows` rows and `line` is laid out."""
        limit = time.perf_counter() + seconds
        while not self.done:
            self._piece()
            if self.rows >= rows and self._line > line and time.perf_counter() >= limit:
                return

    def _piece(self) -> None:
        text = self._text_of(self._line)
        start, whole = self._offset, len(text)
        if self.wrap:
            part = text if start == 0 and whole <= PIECE else text[start : start + PIECE]
            offsets = breaks(part, max(1, self.width - self._indent_of(self._line)))
        else:
            part, offsets = text, None
        if offsets is not None:
            self._breaks[len(self._lines)] = offsets
        self._lines.append(self._line)
        self._starts.append(start)
        self._firsts.append(self.rows)
        self.rows += 1 + (len(offsets) if offsets is not None else 0)
        if start + len(part) < whole:
            self._offset = start + len(part)
        else:
            self._line, self._offset = self._line + 1, 0

    def place(self, row: int) -> tuple[int, int, int]:
        """The logical line of a row and the half-open part of it that the row shows. IndexError past the end."""
        if not 0 <= row < self.rows:
            raise IndexError(row)
        piece = bisect_right(self._firsts, row) - 1
        line, start = self._lines[piece], self._starts[piece]
        within = row - self._firsts[piece]
        offsets = self._breaks.get(piece)
        begin = start + (offsets[within - 1] if offsets is not None and within else 0)
        if offsets is not None and within < len(offsets):
            return line, begin, start + offsets[within]
        whole = len(self._text_of(line))
        return line, begin, min(whole, start + PIECE) if self.wrap else whole

    def row_of(self, line: int, offset: int = 0) -> int:
        """The row that shows an offset of a logical line, the last row where that is not laid out yet."""
        low, high = 0, len(self._lines)
        while low < high:
            middle = (low + high) // 2
            if (self._lines[middle], self._starts[middle]) <= (line, offset):
                low = middle + 1
            else:
                high = middle
        piece = max(0, low - 1)
        if not self._lines:
            return 0
        offsets = self._breaks.get(piece)
        within = 0
        if offsets is not None and self._lines[piece] == line:
            within = bisect_right(offsets, offset - self._starts[piece])
        return self._firsts[piece] + within
