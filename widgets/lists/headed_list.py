"""Lists with rows below headings, and with columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.message import Message

from widgets.lists.line_list import LineList


class HeadedList(LineList):
    """Rows with headings between them; a row may take several lines."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: tuple[int | str, ...] = ()
        self._first: dict[int, int] = {}

    def lay_lines(self, lines: Sequence[int | str]) -> None:
        """Set the contents of each line: the number of a row, or the text of a heading."""
        self._lines, self._first = tuple(lines), {}
        for line, shown in enumerate(self._lines):
            if isinstance(shown, int):
                self._first.setdefault(shown, line)
        self.resized()

    def shown_at(self, line: int) -> int | str:
        """The row, or the heading, of a line."""
        return self._lines[line]

    @property
    def line_count(self) -> int:
        """The lines of the rows, and the headings."""
        return len(self._lines)

    def line_of(self, row: int) -> int:
        """The first line of a row."""
        return self._first.get(row, 0)

    def row_at(self, line: int) -> int | None:
        """The row of a line; None for headings."""
        found = self._lines[line] if 0 <= line < len(self._lines) else ""
        return found if isinstance(found, int) else None


class ColumnList(HeadedList):
    """Rows with columns and a cursor in one of them. A click chooses the column, too."""

    @dataclass
    class ColumnPointed(Message):
        """A column was clicked."""

        column: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.column = 0
        #: Cells of each drawn column: (start, stop, number).
        self.places: list[tuple[int, int, int]] = []

    def set_column(self, column: int) -> None:
        """Put the cursor into a column."""
        if column != self.column:
            self.column = column
            self.refresh()

    def column_style(self, here: bool) -> Style:
        """Style of the cursor's column."""
        return Style(bold=True, underline=True) if here else Style()

    def on_click(self, event: events.Click) -> None:
        """Post that another column was clicked."""
        offset = event.get_content_offset(self)
        if offset is not None:
            at = next((column for start, stop, column in self.places if start <= offset.x < stop), None)
            if at is not None and at != self.column:
                self.post_message(self.ColumnPointed(at))
