"""The app as its screens know it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from inspector.app.events import Problem
from inspector.core.text import desktop_notification
from inspector.stores.base import Store
from widgets.base.strips import fit, one_line, width_of

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.notifications import SeverityLevel

    from inspector.app.saved_state import SavedState


class BaseApp(App[None]):
    """Base of the app: the parts that screens share. `outside` writes escape sequences to the terminal."""

    def __init__(
        self,
        store: Store,
        saved: SavedState,
        flags: dict[str, Any],
        config: Path | None,
        driver: type[Driver] | None,
        outside: Callable[[str], None] | None,
    ) -> None:
        super().__init__(driver)
        self.store = store
        self.saved = saved
        self.flags = flags
        self.config = config
        self._outside = outside
        self._said: set[str] = set()
        #: Sentences that the user has dismissed.
        self.dismissed_notes: set[str] = set()

    def open_conversation(
        self, name: str, message: int | None = None, find: str = "", compaction: int | None = None
    ) -> None:
        """Open a conversation by any name.

        `message` is the store's row to go to, `find` a text to mark, `compaction` the compaction to choose and show.
        """
        raise NotImplementedError

    def shown_conversations(self) -> tuple[str, ...]:
        """Ids of the conversations that pass the filter."""
        raise NotImplementedError

    def leave_with(self, screen: object, sentence: str) -> None:
        """Leave a screen that has nothing to show, with the dialogs on it; the screen below shows the reason."""
        while screen in self.screen_stack:
            self.pop_screen()
        self.screen.post_message(Problem(sentence))

    def say_once(self, sentence: str) -> None:
        """Show a sentence, once in a run."""
        if sentence not in self._said:
            self._said.add(sentence)
            self.notify(sentence, timeout=6, markup=False)

    def show_event(self, title: str, text: str, severity: SeverityLevel, important: str = "") -> None:
        """Show the events of a live conversation, one per line, and send a desktop notification if the user wants that.

        A low screen has room for one line: the `important` one, or the first.
        """
        if self.screen.has_class("-low"):
            lines = text.splitlines()
            more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
            line = f"{one_line(title, 20)}: {important or lines[0]}"
            # A toast has a border and two blanks.
            room = self.size.width - 3 - len(more)
            line = fit(line, room) if width_of(line) > room else line
            self.notify(line + more, severity=severity, timeout=8, markup=False)
        else:
            self.notify(text, title=title, severity=severity, timeout=8, markup=False)
        if self.saved.alerts and self._outside is not None:
            self._outside(desktop_notification(title, text))
