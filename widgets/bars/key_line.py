"""The line of keys at the foot of a screen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from rich.style import Style
from textual import events
from textual.binding import ActiveBinding
from textual.dom import DOMNode
from textual.reactive import reactive
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


def _fitting(groups: list[list[_Key]], room: int) -> list[list[_Key]]:
    """Return the first groups of keys that fit into `room` cells together with the last group, and the last group. The
    key that leaves a screen or a field stays too."""
    # Two cells are before each group, and one between its keys. The first and the last cell of the line are empty.
    widths = [sum(key.width for key in group) + len(group) + 1 for group in groups]
    while len(groups) > 1 and sum(widths) > room:
        others = range(len(groups) - 2, -1, -1)
        least = next((at for at in others if groups[at][0].key != "escape"), 0)
        del groups[least], widths[least]
    return groups if sum(widths) <= room else []


class KeyLine(Inked, can_focus=False):
    """Active bindings in one line; a click presses a key, a tooltip explains it.

    Textual's Footer mounts a widget per key on each move of the focus. The palette's key is at the right end. It
    stays if not all keys fit, and so does the last of the others (help).
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

    #: The key under the pointer.
    pointed: reactive[str] = reactive("")

    def on_mount(self) -> None:
        """Follow the bindings in force."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the keys, the palette's at the right."""
        width = self.size.width
        active = self.screen.active_bindings
        palette = self._palette(active)
        room = width - (palette.width + 3 if palette is not None else 0)
        row = Row()
        for group in _fitting(list(self._groups(active)), room):
            gap = "  " if row.width else " "
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
        meta = Style(meta={"key": key.key, "enabled": key.enabled, "help": key.help})
        over = meta + self.ink("pointed" if key.key == self.pointed else "")
        row.add(key.shown, self.ink("footer-key" if key.enabled else "footer-off") + over)
        if key.text:
            row.add(" " + key.text, self.ink("footer-text" if key.enabled else "footer-off") + over)

    def _palette(self, active: dict[str, ActiveBinding]) -> _Key | None:
        active_key = active.get(self.app.COMMAND_PALETTE_BINDING) if self.app.ENABLE_COMMAND_PALETTE else None
        return None if active_key is None else self._key(active_key, active_key.binding.description)

    def _groups(self, active: dict[str, ActiveBinding]) -> Iterator[list[_Key]]:
        """Yield the keys to show, one per action and widget; a group has its description once."""
        shown: dict[tuple[DOMNode, str], ActiveBinding] = {}
        for key in active.values():
            if key.binding.show:
                shown.setdefault((key.node, key.binding.action), key)
        for group, members in groupby(shown.values(), lambda key: key.binding.group):
            if group is None:
                yield from ([self._key(key, key.binding.description)] for key in members)
            else:
                *rest, last = members
                yield [*(self._key(key, "") for key in rest), self._key(last, group.description.strip())]

    def _key(self, active: ActiveBinding, text: str) -> _Key:
        binding = active.binding
        shown = self.app.get_key_display(binding)
        return _Key(binding.key, shown, text, active.tooltip or binding.description, active.enabled)

    def on_click(self, event: events.Click) -> None:
        """A click presses the key."""
        key = event.style.meta
        if "key" not in key:
            return
        event.stop()
        if key["enabled"]:
            self.app.simulate_key(key["key"])
        else:
            self.app.bell()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Explain the key under the pointer."""
        self.pointed = event.style.meta.get("key", "")
        self.tooltip = event.style.meta.get("help")

    def on_leave(self) -> None:
        """Nothing is under the pointer any more."""
        self.pointed = ""
