"""Letters on the parts of a screen: the next key gives the focus to the part with that letter."""

from __future__ import annotations

from string import ascii_lowercase
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Label

#: The letters in order; the first ones are under the fingers.
LETTERS = "asdfghjkl" + "".join(letter for letter in ascii_lowercase if letter not in "asdfghjkl")


def parts_of(screen: Screen[object]) -> list[tuple[str, Widget]]:
    """Return the visible parts of a screen that take the focus, each with its letter."""
    visible = [widget for widget in screen.focus_chain if widget.region and widget.display]
    return list(zip(LETTERS, visible, strict=False))


class Jump(ModalScreen["Widget | None"]):
    """Shows a letter on each part of the screen below, and closes with the chosen part."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", show=False, id="jump_letters.close")
    ]

    def __init__(self, parts: list[tuple[str, Widget]]) -> None:
        super().__init__()
        self._parts = parts

    def compose(self) -> ComposeResult:
        """Yield a letter at the corner of each part."""
        for letter, widget in self._parts:
            label = Label(letter)
            label.absolute_offset = Offset(widget.region.x, widget.region.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """Close with the part of the letter; another key closes without one."""
        event.stop()
        event.prevent_default()
        self.dismiss(dict(self._parts).get(event.key))
