"""Sentences for the user at the bottom of a screen, until they are put away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message
from textual.widgets import Static

from inspector.core.text import safe_line

#: Sentences that are shown at once.
_SHOWN = 4


class NotesBar(Static):
    """Shows sentences, each once; a click, or `dismiss`, puts them away, and then they do not come back."""

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
        #: The sentences on screen.
        self.sentences: tuple[str, ...] = ()
        self.tooltip = "Click, or press escape, to put this away."

    def show(self, sentences: Sequence[str]) -> None:
        """Show these sentences; none hides the bar."""
        self.sentences = tuple(dict.fromkeys(sentences))
        self.set_class(bool(self.sentences), "-shown")
        lines = [safe_line(text, 600) for text in self.sentences[:_SHOWN]]
        more = len(self.sentences) - len(lines)
        if more > 0:
            lines[-1] += f"  (and {more} more)"
        if lines:
            lines[-1] += "  [esc]"
        self.update("\n".join(lines))

    def dismiss(self) -> None:
        """Put the sentences away."""
        if self.sentences:
            self.post_message(self.Dismissed(self.sentences))
            self.show(())

    def on_click(self) -> None:
        """A click puts them away."""
        self.dismiss()
