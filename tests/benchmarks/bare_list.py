"""A bare Textual app with a bare list, for comparison. On Enter it reads the rows of a conversation and shows them, the
cursor on the last.

python bare_list.py DATABASE SESSION
"""

from __future__ import annotations

import sqlite3
import sys
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

READY = "a bare Textual app is ready"
Row = tuple[str, str]


def rows_of(database: str, session: str) -> list[Row]:
    """Return role and first characters of each live message."""
    db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows = db.execute(
        "SELECT role, substr(coalesce(content, ''), 1, 200) FROM messages"
        " WHERE session_id = ? AND active = 1 ORDER BY id",
        (session,),
    )
    return [(role, " ".join(text.split())) for role, text in rows]


class List(ScrollView, can_focus=True):
    """A list of rows, one per line."""

    MOVES: ClassVar[dict[str, int]] = {
        "up": -1, "down": 1, "pageup": -40, "pagedown": 40, "home": -1_000_000, "end": 1_000_000,
    }  # fmt: skip

    def __init__(self, rows: list[Row]) -> None:
        super().__init__()
        self.rows = rows
        self.cursor = len(rows) - 1

    def on_mount(self) -> None:
        """Put the cursor on the last row."""
        self.virtual_size = Size(0, len(self.rows))
        self.focus()
        self.call_after_refresh(self.move, 0)

    def move(self, by: int) -> None:
        """Move the cursor, and scroll until it is visible."""
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + by))
        top, height = self.scroll_offset.y, self.size.height
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True, immediate=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True, immediate=True)
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """Move the cursor by the key."""
        if event.key in self.MOVES:
            event.stop()
            event.prevent_default()
            self.move(self.MOVES[event.key])

    def render_line(self, y: int) -> Strip:
        """Draw a row."""
        at = self.scroll_offset.y + y
        width = self.size.width
        if at >= len(self.rows):
            return Strip.blank(width)
        role, text = self.rows[at]
        style = Style(reverse=at == self.cursor)
        line = f"{'›' if at == self.cursor else ' '}{at:>7} {role:<10} {text}"
        return Strip([Segment(line[:width].ljust(width), style)], width)


class Bare(App[None]):
    """A line of text; Enter shows the list."""

    def compose(self) -> ComposeResult:
        """Show the line of text."""
        yield Static(READY)

    async def on_key(self, event: events.Key) -> None:
        """Show the list on Enter."""
        if event.key == "enter" and len(sys.argv) > 1:
            await self.query("*").remove()
            await self.mount(List(rows_of(*sys.argv[1:3])))


if __name__ == "__main__":
    Bare().run()
