"""The app behind a browser. It sends the page its place, so that the address of the page names it.

The place is sent as an escape sequence of an operating system command that no terminal knows. The page reads it (see
inspector/serving/templates/page.html).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from textual.driver import Driver

#: The conversation, and the chosen compaction (0: none); None for another screen.
Place = tuple[str, int] | None
_COMMAND = 7770


class PlaceTeller:
    """Sends each new place to the page. `driver` is the class of the driver to use."""

    def __init__(self) -> None:
        from textual.drivers.web_driver import WebDriver

        teller = self

        class ServedDriver(WebDriver):
            def __init__(self, *words: Any, **kinds: Any) -> None:
                super().__init__(*words, **kinds)
                teller.write = self.write

        self.driver: type[Driver] = ServedDriver
        self.write: Callable[[str], None] | None = None
        #: The place that was sent last. Even a first None is sent: the address may name a conversation.
        self._sent: list[Place] = []

    def __call__(self, place: Place) -> None:
        """Send the place if it changed."""
        if self.write is not None and self._sent != [place]:
            self._sent = [place]
            self.write(sequence(place))


def sequence(place: Place) -> str:
    """Return the escape sequence of a place."""
    conversation, compaction = ("", 0) if place is None else place
    return f"\x1b]{_COMMAND};{quote(conversation, safe='')};{compaction or ''}\x07"
