"""The app: it opens a store, watches it for changes, and saves the place of the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from textual import events
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from inspector.app.base_app import BaseApp
from inspector.app.conversations.screen import ConversationsScreen
from inspector.app.events import StoreChanged, StoreFailed
from inspector.app.own_files import own_keymap
from inspector.app.themes import THEMES, own_theme
from inspector.app.throttle import touched
from inspector.core.errors import StoreBusy, StoreError
from inspector.stores.base import Store

if TYPE_CHECKING:
    from concurrent.futures import Future

    from textual.command import Provider
    from textual.driver import Driver
    from textual.widget import Widget

    from inspector.app.saved_state import SavedState
    from inspector.core.conversations import ConversationRow

#: Interval of the checks for changes of the store, in seconds.
WATCH_SECONDS = 0.4


@runtime_checkable
class HasPlace(Protocol):
    """A screen that shows a place that a link can name."""

    def place(self) -> tuple[str, int] | None:
        """Return the conversation and the chosen compaction (0: none); None until it is open."""
        ...

    def remember(self) -> None:
        """Copy the place into the saved state."""
        ...


def _palette() -> type[Provider]:
    # Imported late: the palette opens seldom.
    from inspector.app.palette import PaletteCommands

    return PaletteCommands


class InspectorApp(BaseApp):
    """compaction-inspector in a terminal. Reads a store, never writes to it."""

    TITLE = "compaction-inspector"
    #: Styles of the first two screens. Textual does not read the styles of a default screen, and parses all styles
    #: again when a screen with its own styles opens.
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "app.tcss",
        "conversations/conversations.tcss",
        "conversation/screen.tcss",
    ]
    #: Notifications are short on a low screen.
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {_palette}  # noqa: RUF012
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit", id="app.quit"),
        Binding("question_mark", "help", "Help", id="app.help", key_display="?"),
        Binding("semicolon", "jump", "Jump to a part by letter", id="app.jump", key_display=";", show=False),
        Binding("ctrl+t", "next_theme", "Next theme", id="app.theme", show=False),
        Binding("ctrl+c", "quit", "Quit", show=False, id="app.interrupt", priority=True),
    ]

    def __init__(
        self,
        store: Store,
        *,
        saved: SavedState,
        name: str | None = None,
        flags: dict[str, Any] | None = None,
        config: Path | None = None,
        theme: str | None = None,
        index: Future[tuple[tuple[ConversationRow, ...], bool]] | None = None,
        driver: type[Driver] | None = None,
        compaction: int | None = None,
        outside: Callable[[str], None] | None = None,
        tell_place: Callable[[tuple[str, int] | None], None] | None = None,
    ) -> None:
        """Create the app.

        `index` is a running read of the conversations, with whether it is complete. `driver` replaces Textual's
        driver. `outside` writes escape sequences to the terminal. `tell_place` gets the place that is shown.
        """
        super().__init__(store, saved, flags or {}, config, driver, outside)
        self._index = index
        self.first_conversation = name
        self.first_compaction = compaction
        self._tell_place = tell_place
        self._version: int | None = None
        self._asking = False
        self._trouble = ""
        own = own_theme()
        self._themes = [*THEMES, *([own] if own is not None else [])]
        for offered in self._themes:
            self.register_theme(offered)
        self.set_keymap(own_keymap())
        wanted = theme or saved.theme or THEMES[0].name
        self.theme = wanted if wanted in self.available_themes else THEMES[0].name

    def get_default_screen(self) -> Screen[Any]:
        """The list of conversations."""
        return ConversationsScreen(self.store, self.saved, self._index)

    def on_mount(self) -> None:
        """Open the conversation that was asked for on top of the list."""
        # Changes are noticed from now on, even before anything has been read.
        self._watch()
        if self.first_conversation is not None:
            self.open_conversation(self.first_conversation, compaction=self.first_compaction)
        self.set_interval(WATCH_SECONDS, self._watch)

    def open_conversation(
        self, name: str, message: int | None = None, find: str = "", compaction: int | None = None
    ) -> None:
        """Open a conversation on top of the other screens."""
        from inspector.app.conversation.screen import ConversationScreen

        screen = ConversationScreen(
            self.store, name, self.saved, self.flags, self.config, message, find, compaction
        )
        # Read the conversation while Textual builds the screen.
        screen.opening.begin()
        self.push_screen(screen)

    async def on_event(self, event: events.Event) -> None:
        """Report keys and mouse, so that background threads pause."""
        if isinstance(event, events.InputEvent):
            touched()
        await super().on_event(event)

    def shown_conversations(self) -> tuple[str, ...]:
        """Ids of the conversations that pass the filter."""
        for screen in self.screen_stack:
            if isinstance(screen, ConversationsScreen):
                return screen.shown()
        return ()

    def _watch(self) -> None:
        if self._tell_place is not None:
            self._tell_place(self._place())
        if not self._asking:
            self._asking = True
            self.run_worker(self._ask_version, thread=True, group="watch", exit_on_error=False)

    def _place(self) -> tuple[str, int] | None:
        """The place of the topmost screen that has one, or of the link while it is opened."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, HasPlace):
                return screen.place() or (self.first_conversation or "", self.first_compaction or 0)
        return None

    def _ask_version(self) -> None:
        try:
            version = self.store.version()
        except StoreBusy:
            # The database is locked for a moment. The next check asks again.
            return
        except StoreError as error:
            self.call_from_thread(self._in_trouble, str(error))
            return
        finally:
            self._asking = False
        if self._trouble:
            self.call_from_thread(self._in_trouble, "")
        if self._version is not None and version != self._version:
            self.call_from_thread(self._changed)
        self._version = version

    def _in_trouble(self, sentence: str) -> None:
        """Report once that the file is gone or no longer a store; "" if it can be read again. The screens keep what was
        read."""
        if sentence != self._trouble:
            self._trouble = sentence
            for screen in self.screen_stack:
                screen.post_message(StoreFailed(sentence))

    def _changed(self) -> None:
        for screen in self.screen_stack:
            screen.post_message(StoreChanged())

    def action_alerts(self) -> None:
        """Turn desktop notifications on or off."""
        self.saved.alerts = not self.saved.alerts
        self.notify(f"Desktop notifications are {'on' if self.saved.alerts else 'off'}.", timeout=3)

    def action_next_theme(self) -> None:
        """The next of the app's own themes, and the user's."""
        names = [theme.name for theme in self._themes]
        at = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(at + 1) % len(names)]
        self.saved.theme = self.theme
        self.notify(self.theme, timeout=1.5)

    def action_jump(self) -> None:
        """Show a letter on each part of the screen, and give the focus to the chosen part."""
        from inspector.app.jump import Jump, parts_of

        def focus(part: Widget | None) -> None:
            if part is not None:
                part.focus()

        self.push_screen(Jump(parts_of(self.screen)), focus)

    def action_help(self) -> None:
        """Open the help of the focused pane."""
        from inspector.app.help.screen import HelpScreen, help_for

        self.push_screen(HelpScreen(help_for(self)))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action that a key reaches from here, for the palette, then Textual's own commands."""
        from inspector.app.palette import palette_commands

        yield from palette_commands(self, screen)
        yield SystemCommand(
            f"Turn desktop notifications {'off' if self.saved.alerts else 'on'}",
            "The bell and OSC 9/777 for events of live conversations",
            self.action_alerts,
        )
        yield from super().get_system_commands(screen)

    async def action_quit(self) -> None:
        """Remember the place of every open screen, and leave."""
        for screen in self.screen_stack:
            if isinstance(screen, HasPlace):
                screen.remember()
        self.exit()

    async def on_unmount(self) -> None:
        """Save the place and close the store."""
        self.saved.save()
        self.store.close()
