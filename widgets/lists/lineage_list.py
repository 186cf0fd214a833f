"""The items of a lineage as lines: the state in every column, and the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from inspector.core.signs import STATE_SIGNS
from inspector.summaries.lineage import Cell, Lineage, LineageRow, State
from widgets.base.signs import Sign
from widgets.base.strips import Row, fit, one_line
from widgets.lists.entry_list import EntryList

#: Sign and style of each state; the word next to the sign is the state.
SIGNS: dict[State, tuple[str, str]] = {
    "new": (STATE_SIGNS["new"], "added"),
    "kept": (STATE_SIGNS["kept"], "kept"),
    "renumbered": (STATE_SIGNS["renumbered"], "kept"),
    "reworded": (STATE_SIGNS["reworded"], "changed"),
    "split": (STATE_SIGNS["split"], "changed"),
    "merged": (STATE_SIGNS["merged"], "changed"),
    "moved": (STATE_SIGNS["moved"], "moved"),
    "done": (STATE_SIGNS["done"], "added"),
    "dropped": (STATE_SIGNS["dropped"], "removed"),
    "back": (STATE_SIGNS["back"], "moved"),
}
#: Words of states that do not fit in a cell.
_WORDS: dict[State, str] = {"renumbered": "number"}
_WORD, _SIGN = 11, 2
_FLAGS = {"!": "item whose meaning changed", "◷": "item that is stale: still open, though done or idle"}
#: Minimum width of the text; words become signs before it shrinks.
_TEXT = 26


class LineageList(EntryList[LineageRow]):
    """One line per item: its state in each column, and its text; sections are headings. The cursor is in a column."""

    @dataclass
    class ColumnPointed(Message):
        """A column was clicked."""

        column: int

    header_height: ClassVar[int] = 1

    def __init__(self) -> None:
        super().__init__()
        self._lineage = Lineage()
        #: By line its row, or its heading.
        self._lines: list[int | str] = []
        self.column = 0
        self._flags: dict[int, str] = {}
        self.tooltip = (
            "\n".join(
                "   ".join(f"{SIGNS[state][0]} {state}" for state in states)
                for states in (tuple(SIGNS)[:5], tuple(SIGNS)[5:])
            )
            + "\n! changed meaning   ◷ stale\nEnter shows the changes of this summary."
        )

    def signs(self) -> Iterator[Sign]:
        """The signs of the visible items."""
        rows = [self.entries[row] for row in self.visible_rows]
        states = {cell.state for row in rows for cell in row.cells if cell is not None}
        yield from ((sign, f"item: {state}") for state, (sign, _) in SIGNS.items() if state in states)
        flags = {self._flags.get(row.number, "") for row in rows}
        yield from ((sign, text) for sign, text in _FLAGS.items() if sign in flags)

    def key(self, entry: LineageRow) -> object:
        """Number of the item."""
        return entry.number

    @property
    def line_count(self) -> int:
        """The items, and the headings."""
        return len(self._lines)

    def line_of(self, row: int) -> int:
        """The line of an item."""
        return self._lines.index(row) if row < len(self.entries) else 0

    def row_at(self, line: int) -> int | None:
        """The item of a line; None for headings."""
        place = self._lines[line] if 0 <= line < len(self._lines) else ""
        return place if isinstance(place, int) else None

    def set_column(self, column: int) -> None:
        """Put the cursor into a column."""
        if column != self.column:
            self.column = column
            self.refresh()

    def set_rows(self, lineage: Lineage, shown: Callable[[LineageRow], bool], flags: dict[int, str]) -> None:
        """Show the items that `shown` accepts; the cursor stays on its item if it is still shown."""
        self._lineage, self._flags, self._lines = lineage, flags, []
        items: list[LineageRow] = []
        for name, rows in lineage.groups:
            taken = [row for row in rows if shown(row)]
            if taken:
                places = range(len(items), len(items) + len(taken))
                self._lines += [one_line(name, 120) or "(no heading)", *places]
                items += taken
        self.set_entries(items)
        self.resized()

    def widths(self, width: int) -> dict[int, int]:
        """Return the width of each visible column: for words if there is room, else for signs.

        The cursor's column keeps its word as long as possible. If the signs of all columns do not fit, columns around
        it stay.
        """
        count = len(self._lineage.columns)
        room = width - 3 - min(_TEXT, width // 3)
        if count * _WORD <= room:
            return dict.fromkeys(range(count), _WORD)
        signs = max(0, room - _WORD) // _SIGN
        if count - 1 <= signs:
            shown = range(count)
        else:
            first = max(0, min(self.column - signs // 2, count - 1 - signs))
            shown = range(first, first + signs + 1)
        return {column: _WORD if column == self.column else _SIGN for column in shown}

    def draw_header(self, y: int, width: int) -> Strip:
        """Draw the numbers of the compactions; `!` marks a fallback text."""
        row = Row().add("   ", Style())
        widths = self.widths(width)
        for column, cells in widths.items():
            of, here = self._lineage.columns[column], column == self.column
            name = f"{of.compaction}{'!' if of.fallback else '?' if of.summary is None else ''}"
            if cells == _WORD:
                name = f"{'▸' if here else ' '}{name}"
            elif cells < len(name) + 1:
                name = name[-1]
            style = self.ink("column") + (self.ink("here") if here else Style())
            row.add(fit(name, cells - 1), style + _click(column)).add(" ", Style())
        hidden = len(self._lineage.columns) - len(widths)
        if hidden:
            row.add(f"‹ {hidden} more ›", self.ink("quiet"))
        return row.strip(width, self.base_style)

    def draw_line(self, line: int, width: int) -> Strip:
        """Draw a heading or an item."""
        place = self._lines[line]
        if isinstance(place, str):
            return Row().add(f" {place}", self.ink("heading")).strip(width, self.base_style)
        item, row = self.entries[place], self.begin(place)
        row.add(fit(self._flags.get(item.number, ""), 1) + " ", self.ink("warning"))
        for column, cells in self.widths(width).items():
            here = self.ink("here") if (column, place) == (self.column, self.cursor) else Style()
            self._draw_cell(row, item.cells[column], cells, _click(column) + here)
        text = one_line(item.text, 2 * width + 40)
        row.add(fit(text, max(1, width - row.width)), self.ink(""))
        return self.end(row, place, width)

    def _draw_cell(self, row: Row, cell: Cell | None, cells: int, over: Style) -> None:
        if cell is None:
            row.add(" " * cells, over.without_color)
            return
        sign, style = SIGNS[cell.state]
        text = f"{sign} {_WORDS.get(cell.state, cell.state)}" if cells == _WORD else sign
        row.add(fit(text, cells - 1), self.ink("muted" if style == "kept" else style) + over).add(
            " ", Style()
        )

    def action_point(self, column: int) -> None:
        """Choose a column."""
        if column != self.column:
            self.post_message(self.ColumnPointed(column))


@cache
def _click(column: int) -> Style:
    return Style(meta={"@click": f"point({column})"})
