"""A line to type into. It says in the line of keys what enter and escape do, and what is typed stays text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class Prompt(Input):
    """An Input with visible keys. Posts Left on escape, and Input's Submitted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Take", id="prompt.take"),
        Binding("escape", "leave", "Leave", id="prompt.leave"),
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


class ListPrompt(Prompt):
    """A prompt with a list below it. Posts ListWanted where the list is to have the focus."""

    class ListWanted(Message):
        """The list is to have the focus."""

    def action_to_list(self) -> None:
        """Go to the list."""
        self.post_message(self.ListWanted())


class FilterPrompt(ListPrompt):
    """A prompt for what a list is to leave; it does so while that is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Keep the filter", id="filter.take"),
        Binding("down", "to_list", "To the list", id="filter.to_list", key_display="↓"),
        Binding("escape", "leave", "Show all again", id="filter.leave"),
    ]


class WordsPrompt(ListPrompt):
    """A prompt for words that are searched for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Search", id="words.take"),
        Binding("down", "to_list", "To the hits", id="words.to_list", key_display="↓"),
        Binding("escape", "leave", "Back", id="words.leave"),
    ]


class FindPrompt(Prompt):
    """A prompt for a text that is looked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Find, then n N", id="find.take"),
        Binding("escape", "leave", "End the search", id="find.leave"),
    ]
