"""A tiny app around one widget, for its posted messages and its lines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from tests.idle import draw
from widgets.bars.mode_bar import ModeBar
from widgets.base.headline import Headline
from widgets.lists.line_list import LineList
from widgets.panes.text_view import TextView

P = TypeVar("P", bound=Any)
#: Text that must never reach the terminal unchanged.
HOSTILE = "a\x1b[31mred\x9b1m [/foo] [bold]b[/bold] \u202eevil\u2066 \x00 nul \ud800 end\r\x08"
CONTROLS = {chr(c) for c in (*range(32), *range(0x7F, 0xA0))} | set("\u202e\u2066\ud800")


class Host(App[None]):
    """Shows one widget and keeps every message that comes from the package under test."""

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.posted: list[Message] = []
        self.pilot: Pilot[None]

    def compose(self) -> ComposeResult:
        yield self.widget

    def note(self, message: Message) -> None:
        """Keep a message once, although it arrives for every widget on its way up."""
        if not any(known is message for known in self.posted):
            self.posted.append(message)

    async def settle(self) -> None:
        """Wait until every message is handled and the frame is drawn."""
        await self.pilot.pause()
        await self.pilot.pause()
        while draw(self):
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys, and wait."""
        await self.pilot.press(*keys)
        await self.settle()

    async def click(self, widget: Widget, x: int, y: int, times: int = 1) -> None:
        """Click into a widget, and wait."""
        await self.pilot.click(widget, offset=(x, y), times=times)
        await self.settle()

    def messages_of(self, kind: type[Message]) -> list[Any]:
        """Return the messages of exactly one class, oldest first."""
        return [message for message in self.posted if type(message) is kind]


@asynccontextmanager
async def hosting(
    widget: Widget, size: tuple[int, int] = (100, 24), set_up: Callable[[], object] | None = None
) -> AsyncIterator[Host]:
    """Run the app with the focused widget, after its first frame."""
    host = Host(widget)
    async with host.run_test(size=size, message_hook=host.note) as pilot:
        host.pilot = pilot
        if set_up is not None:
            set_up()
        if widget.focusable:
            widget.focus()
        await host.settle()
        host.posted.clear()
        yield host


@asynccontextmanager
async def showing(pane: P, *values: Any, size: tuple[int, int] = (100, 24)) -> AsyncIterator[tuple[P, Host]]:
    """Run the app with a pane that shows the values, and yield both."""
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(*values)) as host:
        yield pane, host


def lines(widget: Widget) -> list[str]:
    """Return the drawn lines of the widget."""
    height, width = widget.size.height, widget.size.width
    drawn = [widget.render_line(y) for y in range(height)]
    for strip in drawn:
        for segment in strip:
            assert not set(segment.text) & CONTROLS, f"unsafe text on screen: {segment.text!r}"
        assert width - 1 <= strip.cell_length <= width, (strip.cell_length, width, strip.text)
    return [strip.text for strip in drawn]


def shown(pane: Widget) -> str:
    """Return all visible lines of all parts of a pane, top to bottom."""
    parts = [
        widget
        for widget in pane.query("*")
        if isinstance(widget, Headline | ModeBar | TextView | LineList)
        and all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))
    ]
    return "\n".join(line.rstrip() for part in parts for line in lines(part))
