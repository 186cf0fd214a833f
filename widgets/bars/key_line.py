"""The line of keys at the foot of a screen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from rich.style import Style
from textual import events
from textual.binding import ActiveBinding
from textual.dom import DOMNode
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip

from widgets.base.inked import Inked
from widgets.base.strips import Row, width_of

_SEPARATOR = "│"


class _Key(NamedTuple):
    """A key as shown, with the text after it (empty within a group, except for its last key)."""

    key: str
    shown: str
    text: str
    help: str
    enabled: bool

    @property
    def width(self) -> int:
        return width_of(self.shown) + (width_of(self.text) + 1 if self.text else 0)


class KeyLine(Inked, can_focus=False):
    """Active bindings in one line; a click presses a key, a tooltip explains it.

    Textual's Footer mounts a widget per key on each move of the focus. The palette's key is at the right end and is
    never cut.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyLine {
        dock: bottom;
        height: 1;
        color: $footer-foreground;
        background: $footer-background;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._places: list[tuple[int, int, _Key]] = []
        self._under_pointer = ""

    def on_mount(self) -> None:
        """Follow the bindings in force."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One row."""
        return 1

    def render_line(self, y: int) -> Strip:
        """Draw the keys, the palette's at the right."""
        width = self.size.width
        active = self.screen.active_bindings
        palette = self._palette(active)
        room = width - (palette.width + 3 if palette is not None else 0)
        row, self._places = Row(), []
        for group in self._groups(active):
            gap = "  " if self._places else " "
            if row.width + len(gap) + sum(key.width for key in group) + len(group) > room:
                break
            for key in group:
                row.add(gap, Style())
                self._draw(row, key)
                gap = " "
        if palette is not None and palette.width + 3 <= width:
            row.fill(room, Style())
            row.add(f"{_SEPARATOR} ", self.ink("footer-line"))
            self._draw(row, palette)
        return row.strip(width, self.base_style)

    def _draw(self, row: Row, key: _Key) -> None:
        start = row.width
        off = None if key.enabled else self.ink("footer-off")
        pointed = self.ink("pointed") if key.key == self._under_pointer else Style()
        row.add(key.shown, (off or self.ink("footer-key")) + pointed)
        if key.text:
            row.add(" " + key.text, (off or self.ink("footer-text")) + pointed)
        self._places.append((start, row.width, key))

    def _palette(self, active: dict[str, ActiveBinding]) -> _Key | None:
        found = active.get(self.app.COMMAND_PALETTE_BINDING) if self.app.ENABLE_COMMAND_PALETTE else None
        return None if found is None else self._key(found, found.binding.description)

    def _groups(self, active: dict[str, ActiveBinding]) -> Iterator[list[_Key]]:
        """Yield the keys to show, one per action and widget; a group has its description once."""
        shown: dict[tuple[DOMNode, str], ActiveBinding] = {}
        for found in active.values():
            if found.binding.show:
                shown.setdefault((found.node, found.binding.action), found)
        for group, members in groupby(shown.values(), lambda found: found.binding.group):
            if group is None:
                yield from ([self._key(found, found.binding.description)] for found in members)
            else:
                *rest, last = members
                yield [*(self._key(found, "") for found in rest), self._key(last, group.description.strip())]

    def _key(self, found: ActiveBinding, text: str) -> _Key:
        binding = found.binding
        shown = self.app.get_key_display(binding)
        return _Key(binding.key, shown, text, found.tooltip or binding.description, found.enabled)

    def _key_at(self, x: int) -> _Key | None:
        return next((key for start, stop, key in self._places if start <= x < stop), None)

    def on_click(self, event: events.Click) -> None:
        """A click presses the key."""
        key = self._key_at(event.x)
        if key is None:
            return
        event.stop()
        if key.enabled:
            self.app.simulate_key(key.key)
        else:
            self.app.bell()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Explain the key under the pointer."""
        key = self._key_at(event.x)
        self._point_at("" if key is None else key.key)
        self.tooltip = None if key is None else key.help

    def on_leave(self) -> None:
        """Nothing is under the pointer any more."""
        self._point_at("")

    def _point_at(self, key: str) -> None:
        if key != self._under_pointer:
            self._under_pointer = key
            self.refresh()
