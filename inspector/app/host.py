"""The app as screens see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.app import App
from textual.notifications import SeverityLevel


class Host(App[None]):
    """The app as its screens see it: settings given at the start, other screens, sentences for the user."""

    #: The settings that flags gave, by name, and the config file that --config named.
    flags: dict[str, Any]
    config: Path | None
    #: Sentences that the user has read and put away.
    put_away: set[str]

    def open_conversation(
        self, name: str, message: int | None = None, find: str = "", compaction: int | None = None
    ) -> None:
        """Open a conversation by any name; `message` is the store's row to go to, `compaction` the compaction to
        choose.
        """
        raise NotImplementedError

    def leave_with(self, sentence: str) -> None:
        """Leave a screen that has nothing to show; the screen below shows the reason."""
        raise NotImplementedError

    def say_once(self, sentence: str) -> None:
        """Show a sentence, once in a run."""
        raise NotImplementedError

    def tell_event(self, title: str, text: str, severity: SeverityLevel) -> None:
        """Show an event of a live conversation, outside the app too if the user wants that."""
        raise NotImplementedError

    def shown_conversations(self) -> tuple[str, ...]:
        """The ids of the conversations that the list shows under its filter."""
        raise NotImplementedError
