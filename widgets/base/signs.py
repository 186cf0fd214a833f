"""Signs on screen with their meaning, for the help that `?` shows in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from textual.screen import Screen
from textual.widget import Widget

#: A sign and what it means.
Sign = tuple[str, str]


@runtime_checkable
class Signed(Protocol):
    """A widget that names the signs that it shows now without a word next to them."""

    def signs(self) -> Iterable[Sign]:
        """The signs on screen, each with its meaning."""
        ...


def signs_on(screen: Screen[object]) -> tuple[Sign, ...]:
    """Return the signs that the visible widgets of a screen show now, each once, from top to bottom."""
    shown: dict[Sign, None] = {}
    for widget in screen.query(Widget):
        visible = all(
            isinstance(node, Widget) and node.display for node in widget.ancestors_with_self if node.parent
        )
        if visible and widget.size.area and isinstance(widget, Signed):
            shown |= dict.fromkeys(widget.signs())
    return tuple(shown)
