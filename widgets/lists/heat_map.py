"""A grid of numbers, shaded by size: rows and columns are two settings, a cell is a run under both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from widgets.base.inked import Inked
from widgets.base.signs import Sign
from widgets.base.strips import Row, fit, one_line

Cell = tuple[int, int]
_SHADES = " ░▒▓█"
_LABEL, _LEAST = 10, 10
#: Signs of cells in addition to their shade: on screen, in force, best.
NOW, FORCE, BEST = "●", "◇", "★"
#: The sign of a cell with a stuck run, and of one that may be as good as the best.
STUCK, ALIKE = "!", "≈"
#: The sign before the text of a cell that is identical to an earlier one.
SAME = "="


class HeatState(Struct, frozen=True):
    """The content of the map. `cells` are None if nothing was run, `texts` are how they are written; `now`, `force`
    and `best` are (row, column). So are the cells of `stuck`, whose runs cannot keep their list small, of `alike`,
    which may be as good as the best, and of `same`, which are identical to an earlier cell."""

    row_name: str = ""
    column_name: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    cells: tuple[tuple[float | None, ...], ...] = ()
    texts: tuple[tuple[str, ...], ...] = ()
    now: Cell | None = None
    force: Cell | None = None
    best: Cell | None = None
    stuck: frozenset[Cell] = frozenset()
    alike: frozenset[Cell] = frozenset()
    same: frozenset[Cell] = frozenset()


class HeatMap(Inked, can_focus=True):
    """Posts CellChosen when the cursor moves, CellTaken for enter and double click."""

    DEFAULT_CSS = """
    HeatMap {
        height: 1fr;
        min-height: 4;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1, 0)", "Cell above", id="heat.up", show=False),
        Binding("down,j", "move(1, 0)", "Cell below", id="heat.down", show=False),
        Binding("left,h", "move(0, -1)", "Cell to the left", id="heat.left", show=False),
        Binding("right,l", "move(0, 1)", "Cell to the right", id="heat.right", show=False),
        Binding("home,g", "mark('now')", "The settings on screen", id="heat.now", show=False),
        Binding("end,G", "mark('best')", "The best cell", id="heat.best", show=False),
        Binding("enter", "take", "Use settings", id="heat.take"),
    ]
    TOOLTIP = "Arrows or a click choose a cell and show its curve. Enter uses its settings."

    state: reactive[HeatState] = reactive(HeatState())

    @dataclass
    class CellChosen(Message):
        """The cursor came to a cell."""

        row: int
        column: int

    class CellTaken(CellChosen):
        """A cell's settings are wanted."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tooltip = self.TOOLTIP
        #: The cell under the cursor: row, column.
        self.cursor: Cell = (0, 0)
        self._first = 0

    def signs(self) -> Iterator[Sign]:
        """The signs of the cells."""
        state = self.state
        signs = (
            (state.now, NOW, "settings on screen"),
            (state.force, FORCE, "settings in force"),
            (state.best, BEST, "best cell"),
            (state.alike, ALIKE, "may be as good as the best"),
            (state.stuck, STUCK, "run that cannot keep its list small"),
            (state.same, SAME, "identical to an earlier cell"),
        )
        yield from ((sign, meaning) for shown, sign, meaning in signs if shown)

    def move_to(self, cell: Cell, *, notify: bool = True) -> None:
        """Put the cursor on a cell (clamped)."""
        rows, columns = len(self.state.rows), len(self.state.columns)
        if not rows or not columns:
            return
        self.cursor = (max(0, min(cell[0], rows - 1)), max(0, min(cell[1], columns - 1)))
        self.refresh()
        if notify:
            self.post_message(self.CellChosen(*self.cursor))

    def watch_state(self) -> None:
        """Another grid may have fewer cells."""
        self.move_to(self.cursor, notify=False)

    # Drawing.

    def _shape(self) -> tuple[int, int, int]:
        """Cells of width, the first column on screen, how many are."""
        room = max(_LEAST, self.size.width - _LABEL)
        count = max(1, len(self.state.columns))
        width = max(_LEAST, min(13, room // count))
        fits = max(1, min(count, room // width))
        first = min(max(self._first, self.cursor[1] - fits + 1), self.cursor[1], count - fits)
        self._first = max(0, first)
        return width, self._first, fits

    @property
    def _top(self) -> int:
        """The first row on screen."""
        fits = max(1, self.size.height - 2)
        return max(0, self.cursor[0] - fits + 1)

    def render_line(self, y: int) -> Strip:
        """The names, the columns' values, then a row each."""
        state, (width, first, fits) = self.state, self._shape()
        muted, label = self.ink("muted"), self.ink("label")
        if not state.rows:
            return Strip.blank(self.size.width, self.base_style)
        if y == 0:
            more = (
                f"  {first + 1}–{first + fits} of {len(state.columns)}" if fits < len(state.columns) else ""
            )
            text = f"{one_line(state.row_name, 30)} ↓  {one_line(state.column_name, 30)} →{more}"
            return Row().add(text, muted).strip(self.size.width, self.base_style)
        if y == 1:
            row = Row().add(" " * _LABEL, label)
            for text in state.columns[first : first + fits]:
                row.add(fit(text, width - 3, right=True) + "   ", label)
            return row.strip(self.size.width, self.base_style)
        at = y - 2 + self._top
        if at >= len(state.rows):
            return Strip.blank(self.size.width, self.base_style)
        row = Row().add(fit(state.rows[at], _LABEL - 2, right=True) + "  ", label)
        for column in range(first, first + fits):
            self._draw_cell(row, (at, column), width)
        return row.strip(self.size.width, self.base_style)

    def _draw_cell(self, row: Row, cell: Cell, width: int) -> None:
        state = self.state
        value = state.cells[cell[0]][cell[1]] if state.cells else None
        if value is None:
            row.add(fit("·", width - 3, right=True) + "   ", self._style(cell, 0))
            return
        shade = self._shade(value)
        style = self._style(cell, shade)
        marks = "".join(
            sign
            for sign, place in ((BEST, state.best), (NOW, state.now), (FORCE, state.force))
            if place == cell
        )
        marks = (STUCK if cell in state.stuck else ALIKE if cell in state.alike else "") + marks
        text = (SAME if cell in state.same else "") + state.texts[cell[0]][cell[1]]
        row.add(_SHADES[shade], style).add(fit(text, width - 4, right=True), style)
        row.add(fit(marks, 3), style + (self.ink("warning") if cell != self.cursor else Style()))

    def _shade(self, value: float) -> int:
        numbers = [number for line in self.state.cells for number in line if number is not None]
        low, high = min(numbers), max(numbers)
        return 0 if high <= low else min(4, int((value - low) / (high - low) * 5))

    def _style(self, cell: Cell, shade: int) -> Style:
        style = self.ink(f"shade-{shade}" if shade else "")
        if cell == self.cursor:
            style += self.ink("chosen")
        return style

    # Keys and mouse.

    def action_move(self, rows: int, columns: int) -> None:
        """Go to another cell."""
        self.move_to((self.cursor[0] + rows, self.cursor[1] + columns))

    def action_mark(self, name: str) -> None:
        """Go to a cell that is marked."""
        place = {"now": self.state.now, "best": self.state.best}[name]
        if place is not None:
            self.move_to(place)

    def action_take(self) -> None:
        """Ask for the settings of the cell."""
        if self.state.rows:
            self.post_message(self.CellTaken(*self.cursor))

    def on_click(self, event: events.Click) -> None:
        """A click goes to a cell, a double click takes it."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < 2 or offset.x < _LABEL:
            return
        width, first, fits = self._shape()
        place = (offset.x - _LABEL) // width
        row = offset.y - 2 + self._top
        if place < fits and row < len(self.state.rows):
            event.stop()
            self.move_to((row, first + place))
            if event.chain == 2:
                self.action_take()
