"""The panes next to the message list: tabs and the pane on screen. Only the visible pane is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from inspector.app.conversation.panes.base import Context, Tab
from inspector.app.jobs import Jobs, same
from inspector.core.watching import Watch
from widgets.bars.pane_tabs import PaneTab, PaneTabs
from widgets.lists.message_list import MessageList
from widgets.panes.views_pane import ViewsPane


class Panes(Vertical):
    """The tabs and the current pane. Posts Shown when the pane changes."""

    DEFAULT_CSS: ClassVar[str] = """
    Panes {
        background: $surface;
        & > ContentSwitcher { height: 1fr; }
        & > ContentSwitcher > * { height: 1fr; }
    }
    """

    @dataclass
    class Shown(Message):
        """A pane came on screen."""

        name: str

    def __init__(self, tabs: Sequence[Tab], jobs: Jobs, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tabs = {tab.name: tab for tab in tabs}
        self._jobs = jobs
        self._wanted = tabs[0].name
        self._focus_wanted = False
        self._coming = False
        #: Inputs of the view that each pane shows.
        self._filled: dict[str, tuple[Any, ...] | None] = {}

    def compose(self) -> ComposeResult:
        """Yield tabs and an empty switcher. A pane is made on first use."""
        yield PaneTabs(
            [PaneTab(tab.name, str(n), tab.help, tab.short) for n, tab in enumerate(self.tabs.values(), 1)]
        )
        yield ContentSwitcher()

    def on_mount(self) -> None:
        """Bring up the pane that was asked for before."""
        self.show(self._wanted)

    @property
    def current(self) -> str:
        """Return the name of the current pane, or of the first pane before any is shown."""
        return self.query_one(ContentSwitcher).current or self._wanted

    def pane(self, name: str) -> Widget:
        """The widget of a pane by name. Raises NoMatches if it has not been made."""
        return self.query_one(ContentSwitcher).get_child_by_id(name)

    def made(self, name: str) -> bool:
        """Whether a pane has been made."""
        return bool(self.query_one(ContentSwitcher).query_children(f"#{name}"))

    def show(self, name: str, focus: bool = False) -> None:
        """Bring a pane up, with the focus if `focus`; an unknown name changes nothing.

        Fast keys skip the panes in between.
        """
        if name not in self.tabs:
            return
        self._wanted, self._focus_wanted = name, focus
        if self.is_mounted:
            self.query_one(PaneTabs).active = name
            if not self._coming:
                self._coming = True
                self.call_next(self._come)

    async def bring(self, name: str, view: str = "") -> Widget:
        """Show a pane in a view, with the focus. Creates it on first use."""
        self._wanted, self._focus_wanted = name, True
        self.query_one(PaneTabs).active = name
        await self._come()
        pane = self.pane(name)
        if view and isinstance(pane, ViewsPane):
            await pane.bring(view)
            self._focus(pane)
        return pane

    async def _come(self) -> None:
        """Show the wanted pane, unless the user chose another one while it was made."""
        self._coming = False
        name, switcher = self._wanted, self.query_one(ContentSwitcher)
        if not self.made(name):
            widget = self.tabs[name].pane.widget(id=name)
            widget.display = False
            await switcher.mount(widget)
        if name != self._wanted:
            return
        if switcher.current != name:
            switcher.current = name
            self.post_message(self.Shown(name))
        if self._focus_wanted:
            self._focus_wanted = False
            self._focus(self.pane(name))

    @staticmethod
    def _focus(pane: Widget) -> None:
        if isinstance(pane, ViewsPane) and pane.shown is not None:
            # This includes views that are not on screen.
            pane = pane.shown
        for widget in pane.walk_children(Widget, with_self=True):
            if widget.focusable:
                widget.focus()
                return

    @on(PaneTabs.Chosen)
    def _tab(self, event: PaneTabs.Chosen) -> None:
        event.stop()
        self.show(event.tab)

    def rows_changed(self) -> None:
        """Draw lists of the panes again, because messages were read."""
        for rows in self.query(MessageList):
            rows.rows_changed()

    # Filling.

    def fill(self, context: Context) -> None:
        """Compute and show the view of the pane on screen; equal inputs draw nothing."""
        name = self.current
        if not self.made(name):
            return
        pane = self.tabs[name].pane
        needs = pane.needs(context)
        before = self._filled.get(name)
        if name in self._filled and (needs is before or (needs and before and same(needs, before))):
            # The view of other inputs may still be computed. It must not come.
            self._jobs.cancel(f"pane {name}")
            return
        if needs is None:
            self._jobs.cancel(f"pane {name}")
            self._came(name, None, None)
        elif pane.threaded:
            self._jobs.run(
                f"pane {name}",
                (pane.compute, *needs),
                compute_view,
                lambda view: self._came(name, needs, view),
                rest=pane.rest,
            )
        else:
            self._came(name, needs, pane.compute(*needs))

    def _came(self, name: str, needs: tuple[Any, ...] | None, view: Any) -> None:
        self._filled[name] = needs
        self.tabs[name].pane.show(self.pane(name), view)
        # Which keys work depends on the view.
        self.screen.refresh_bindings()


def compute_view(compute: Any, *values: Any) -> Any:
    """Compute the view of a pane in a thread; the last value is the watch."""
    watch: Watch = values[-1]
    watch.check()
    return compute(*values[:-1])
