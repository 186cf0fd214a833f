"""The panes beside the message list: tabs, and the one that is on screen."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message as TextualMessage
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Tab, Tabs

from widgets.cache_pane import CachePane
from widgets.compaction_pane import CompactionPane
from widgets.diff_pane import DiffPane
from widgets.findings_pane import FindingsPane
from widgets.message_pane import MessagePane
from widgets.replay_pane import ReplayPane
from widgets.summary_pane import SummaryPane
from widgets.tune_pane import TunePane

#: Name, label and key of each pane, in the order of the tabs.
PANES: tuple[tuple[str, str], ...] = (
    ("message", "message"),
    ("summary", "summary"),
    ("diff", "diff"),
    ("cache", "cache"),
    ("tune", "tune"),
    ("compaction", "compaction"),
    ("replay", "replay"),
    ("findings", "findings"),
)
NAMES = tuple(name for name, _ in PANES)


class Panes(Vertical):
    """One pane at a time. Posts Shown when another one comes up, so that only it is filled."""

    DEFAULT_CSS: ClassVar[str] = """
    Panes {
        background: $surface;
        & > Tabs { height: 2; }
        & > ContentSwitcher { height: 1fr; }
        & > ContentSwitcher > * { height: 1fr; }
    }
    """

    class Shown(TextualMessage):
        """A pane came on screen."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._wanted = NAMES[0]

    def compose(self) -> ComposeResult:
        """Tabs over the panes."""
        yield Tabs(*(Tab(f"{number} {label}", id=name) for number, (name, label) in enumerate(PANES, 1)))
        with ContentSwitcher(initial=NAMES[0]):
            yield MessagePane(id="message")
            yield SummaryPane(id="summary")
            yield DiffPane(id="diff")
            yield CachePane(id="cache")
            yield TunePane(id="tune")
            yield CompactionPane(id="compaction")
            yield ReplayPane(id="replay")
            yield FindingsPane(id="findings")

    def on_mount(self) -> None:
        """The tabs are moved through with the keys of the screen; they take no focus of their own."""
        self.query_one(Tabs).can_focus = False
        self.show(self._wanted)
        self.post_message(self.Shown(self._wanted))

    @property
    def current(self) -> str:
        """The name of the pane on screen."""
        return self.query_one(ContentSwitcher).current or NAMES[0]

    def pane(self, name: str) -> Widget:
        """A pane by name."""
        return self.query_one(ContentSwitcher).get_child_by_id(name)

    def show(self, name: str) -> None:
        """Bring a pane up; an unknown name changes nothing."""
        if name not in NAMES:
            return
        self._wanted = name
        if not self.is_mounted:
            return
        self.query_one(Tabs).active = name
        switcher = self.query_one(ContentSwitcher)
        if switcher.current != name:
            switcher.current = name
            self.post_message(self.Shown(name))

    @on(Tabs.TabActivated)
    def _tab(self, event: Tabs.TabActivated) -> None:
        event.stop()
        self.show(event.tab.id or NAMES[0])

    def focus_pane(self) -> None:
        """Give the focus to the pane on screen."""
        for widget in self.pane(self.current).walk_children(Widget, with_self=True):
            if widget.focusable:
                widget.focus()
                return
