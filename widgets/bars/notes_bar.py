"""Sentences for the user at the bottom of a screen, until they are put away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message
from textual.widgets import Static

from inspector.core.text import safe_line
from widgets.base.wrapping import breaks

#: Maximum rows of the bar.
_ROWS = 6


class NotesBar(Static):
    """Shows as many sentences as fit, each once.

    A click, or `dismiss`, puts these away, and then they do not come back. The next ones follow.
    """

    DEFAULT_CSS: ClassVar[str] = """
    NotesBar {
        height: auto;
        max-height: 6;
        padding: 0 1;
        color: $text-warning;
        background: $surface;
        display: none;
        &.-shown { display: block; }
    }
    """

    @dataclass
    class Dismissed(Message):
        """The user put these sentences away."""

        sentences: tuple[str, ...]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False)
        #: The sentences that were not put away, and the number of those on screen.
        self.sentences: tuple[str, ...] = ()
        self._count = 0
        self.tooltip = "Click, or press escape, to put this away."

    def show(self, sentences: Sequence[str]) -> None:
        """Show these sentences; none hides the bar."""
        self.sentences = tuple(dict.fromkeys(sentences))
        self.set_class(bool(self.sentences), "-shown")
        self._draw()

    def on_resize(self) -> None:
        """Another width may have room for other sentences."""
        self._draw()

    def _draw(self) -> None:
        width = max(20, self.app.size.width - 2)
        # A low screen needs its rows for other things.
        most = max(2, min(_ROWS, self.app.size.height // 6))
        lines: list[str] = []
        rows = 0
        for text in self.sentences:
            line = safe_line(text, (most - 1) * width)
            rows += 1 + len(breaks(line, width) or ())
            # One row stays free for the number of further sentences.
            if lines and rows >= most:
                break
            lines.append(line)
        self._count = len(lines)
        more = len(self.sentences) - len(lines)
        if lines:
            lines[-1] += f"  [esc shows {more} more]" if more > 0 else "  [esc]"
        self.update("\n".join(lines))

    def dismiss(self) -> None:
        """Put the sentences on screen away."""
        if self.sentences:
            self.post_message(self.Dismissed(self.sentences[: self._count]))
            self.show(self.sentences[self._count :])

    def on_click(self) -> None:
        """A click puts them away."""
        self.dismiss()
