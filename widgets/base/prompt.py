"""A line to type into. It says in the line of keys what enter and escape do, and what is typed stays text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from inspector.core.errors import InspectorError


class Prompt(Input):
    """An Input with visible keys. Posts Left on escape, and Input's Submitted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Confirm", id="prompt.take"),
        Binding("escape", "leave", "Cancel", id="prompt.leave"),
    ]

    @dataclass
    class Left(Message):
        """The prompt is to be put away."""

        prompt: Prompt

    def action_leave(self) -> None:
        """Ask to be put away."""
        self.post_message(self.Left(self))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is text here: Textual has no character for the two slashes, which it calls otherwise."""
        return key in ("slash", "backslash") or super().check_consume_key(key, character)


class FilterPrompt(Prompt):
    """A prompt for what a list is to leave; it does so while that is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Keep the filter", id="filter.take"),
        Binding("down", "app.focus_next", "To the list", id="filter.to_list", key_display="↓"),
        Binding("escape", "leave", "Clear the filter", id="filter.leave"),
    ]


class WordsPrompt(Prompt):
    """A prompt for words that are searched for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Search", id="words.take"),
        Binding("down", "app.focus_next", "To the hits", id="words.to_list", key_display="↓"),
        Binding("escape", "leave", "Back", id="words.leave"),
    ]


class FindPrompt(Prompt):
    """A prompt for a text that is looked for."""

    BORDER_TITLE = "find in this generation"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Find, then n N", id="find.take"),
        Binding("escape", "leave", "End the search", id="find.leave"),
    ]


class AskPrompt(Prompt):
    """Asks for one line at a time, and gives the focus back. An InspectorError leaves the line, to be corrected."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, compact=True)
        self.display = False
        self._take: Callable[[str], object] = lambda text: None
        self._back: Widget | None = None

    def ask(
        self, hint: str, take: Callable[[str], object], text: str = "", back: Widget | None = None
    ) -> None:
        """Ask for a line and hand it to `take`; `back` gets the focus afterwards, by default the widget that has it.

        `take` returns True to have the line stay until `close`.
        """
        if self.screen.focused is not self:
            self._back = self.screen.focused if back is None else back
        self.placeholder, self.value, self._take, self.display = hint, text, take, True
        # The placeholder is gone once there is a text.
        self.border_title = hint
        self.focus()

    def close(self) -> None:
        """Put the line away."""
        self.value, self.display = "", False
        if self._back is not None and self._back.focusable:
            self._back.focus()

    def action_leave(self) -> None:
        """Put the line away, with nothing taken."""
        self.close()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        try:
            stays = bool(text) and self._take(text) is True
        except InspectorError as error:
            self.app.notify(str(error), severity="error", markup=False, timeout=8)
            return
        if not stays:
            self.close()
