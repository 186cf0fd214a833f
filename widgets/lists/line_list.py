"""A list that draws its rows on demand, up to a million rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from widgets.base.inked import InkedScroll
from widgets.base.strips import Row


class LineList(InkedScroll, can_focus=True):
    """A virtual list with a cursor. Lines are counted from 0 and hold rows or things drawn between rows.

    Subclasses say how many rows and lines there are, which line holds which row, and how a line is drawn.
    """

    @dataclass
    class Selected(Message):
        """The cursor came to a row."""

        list: LineList
        row: int

        @property
        def control(self) -> LineList:
            """The list."""
            return self.list

    class Opened(Selected):
        """A row was opened (enter, double click)."""

    #: Explains the list.
    TOOLTIP = ""
    #: Lines at the top that stay while the rest scrolls.
    header_height: ClassVar[int] = 0

    DEFAULT_CSS = """
    LineList { overflow-y: scroll; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="list.up", show=False),
        Binding("down,j", "move(1)", "Down", id="list.down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", id="list.page_up", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "Page down", id="list.page_down", show=False),
        Binding("ctrl+u", "half_page(-1)", "Half a page up", id="list.half_page_up", show=False),
        Binding("ctrl+d", "half_page(1)", "Half a page down", id="list.half_page_down", show=False),
        Binding("home,g", "first", "First", id="list.first", show=False),
        Binding("end,G", "last", "Last", id="list.last", show=False),
        Binding("enter", "open", "Open", id="list.open"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._cursor = 0
        self._empty = True
        self._hover = -1
        #: Cells of a line that is drawn, without the scrollbar.
        self._line_width = 0
        self.tooltip = self.TOOLTIP or None

    # For subclasses to define.

    @property
    def row_count(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    @property
    def line_count(self) -> int:
        """Number of lines of the rows, without the header."""
        return self.row_count

    def line_of(self, row: int) -> int:
        """The line that shows a row."""
        return row

    def row_at(self, line: int) -> int | None:
        """The row of a line; None for other lines."""
        return line if 0 <= line < self.row_count else None

    def draw_header(self, y: int, width: int) -> Strip:
        """A line of the header."""
        raise NotImplementedError

    def draw_line(self, line: int, width: int) -> Strip:
        """A line of the list."""
        raise NotImplementedError

    def opened(self, row: int) -> None:
        """Post that a row was opened."""
        self.post_message(self.Opened(self, row))

    # For subclasses to use.

    @property
    def cursor(self) -> int:
        """The row that the cursor is on; 0 in an empty list."""
        return self._cursor

    @property
    def visible_rows(self) -> range:
        """The rows that are on screen now."""
        top = self.scroll_offset.y
        bottom = min(self.line_count, top + self._page_lines)
        rows = [row for line in range(top, bottom) if (row := self.row_at(line)) is not None]
        return range(rows[0], rows[-1] + 1) if rows else range(0)

    def move_cursor(self, row: int, *, notify: bool = True, centre: bool = False) -> None:
        """Put the cursor on a row (clamped) and bring it into view; `notify` posts the selection."""
        total = self.row_count
        row = max(0, min(row, total - 1))
        moved, before = row != self._cursor, self._cursor
        self._cursor = row
        if not total:
            return
        if moved:
            self._refresh_row(before)
            self._refresh_row(row)
        self._show_line(self.line_of(row), centre)
        if moved and notify:
            self.post_message(self.Selected(self, row))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a row there is none to open."""
        return self.row_count > 0 if action == "open" else True

    def resized(self) -> None:
        """The number of lines changed: scrollbars and cursor follow."""
        if self._empty != (self.row_count == 0):
            self._empty = not self._empty
            if self.is_mounted:
                self.refresh_bindings()
        self._cursor = max(0, min(self._cursor, self.row_count - 1))
        self.scroll_over(self.line_count + self.header_height)

    def row_style(self, row: int) -> Style:
        """The background of a row: cursor, hover or none."""
        if row == self._cursor:
            return self.ink("cursor" if self.has_focus else "cursor-blurred")
        return self.ink("hover" if row == self._hover else "")

    def begin(self, row: int) -> Row:
        """A row with the sign of the cursor."""
        return Row().add(self.cursor_mark(row), Style())

    def end(self, drawn: Row, row: int, width: int) -> Strip:
        """Return a drawn row with its background. With 16 colours the cursor's row has one style, to be readable."""
        flat = row == self._cursor and self.app.native_ansi_color
        return drawn.strip(width, self.base_style + self.row_style(row), flat=flat)

    def cursor_mark(self, row: int) -> str:
        """The sign of the cursor, one cell, so that colour is not the only one."""
        return "›" if row == self._cursor else " "

    # Drawing and scrolling.

    @property
    def _page_lines(self) -> int:
        return max(1, self.size.height - self.header_height)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw some lines of the widget."""
        # Computing it takes as long as looking up a drawn line.
        self._line_width = self.scrollable_content_region.width
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line of the widget."""
        width = self._line_width
        if y < self.header_height:
            return self.draw_header(y, width).apply_style(self.base_style)
        line = self.scroll_offset.y + y - self.header_height
        if line >= self.line_count:
            return Strip.blank(width, self.base_style)
        return self.draw_line(line, width)

    def _refresh_row(self, row: int) -> None:
        line = self.line_of(row) + self.header_height
        if self.header_height <= line - self.scroll_offset.y < self.size.height:
            self.refresh_line(line)

    def _show_line(self, line: int, centre: bool) -> None:
        top, page = self.scroll_offset.y, self._page_lines
        if centre and not top <= line < top + page:
            target = line - page // 2
        elif line < top:
            target = line
        elif line >= top + page:
            target = line - page + 1
        else:
            return
        self.jump_to(target)

    def on_resize(self) -> None:
        """Keep the cursor in view when the widget changes size."""
        self.virtual_size = Size(0, self.line_count + self.header_height)
        if self.row_count:
            self._show_line(self.line_of(self._cursor), centre=False)

    # Keys and mouse.

    def action_move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        self.move_cursor(self._cursor + rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by a page."""
        self.move_cursor(self._cursor + pages * max(1, self._page_lines - 1))

    def action_half_page(self, pages: int) -> None:
        """Move the cursor by half a page."""
        self.move_cursor(self._cursor + pages * max(1, self._page_lines // 2))

    def action_first(self) -> None:
        """Move the cursor to the first row."""
        self.move_cursor(0)

    def action_last(self) -> None:
        """Move the cursor to the last row."""
        self.move_cursor(self.row_count - 1)

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self.row_count:
            self.opened(self._cursor)

    def _row_under(self, y: int) -> int | None:
        return None if y < self.header_height else self.row_at(self.scroll_offset.y + y - self.header_height)

    def on_click(self, event: events.Click) -> None:
        """A click selects a row, a double click opens it."""
        offset = event.get_content_offset(self)
        row = None if offset is None else self._row_under(offset.y)
        if row is None:
            return
        event.stop()
        self.move_cursor(row)
        if event.chain == 2:
            self.opened(row)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The row under the pointer is lit."""
        offset = event.get_content_offset(self)
        row = None if offset is None else self._row_under(offset.y)
        self._set_hover(-1 if row is None else row)

    def on_leave(self) -> None:
        """The pointer went away."""
        self._set_hover(-1)

    def _set_hover(self, row: int) -> None:
        if row == self._hover:
            return
        before, self._hover = self._hover, row
        for changed in (before, row):
            if changed >= 0:
                self._refresh_row(changed)
