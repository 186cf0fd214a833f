"""The panes beside the message list: tabs, and the one that is on screen."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message as TextualMessage
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from widgets.bars.pane_tabs import PaneTab, PaneTabs
from widgets.panes.cache_pane import CachePane
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.diff_pane import DiffPane
from widgets.panes.facts_pane import FactsPane
from widgets.panes.findings_pane import FindingList, FindingsPane
from widgets.panes.lineage_pane import LineagePane
from widgets.panes.measures_pane import MeasuresPane
from widgets.panes.message_pane import MessagePane
from widgets.panes.replay_pane import ReplayPane
from widgets.panes.summary_text import SummaryText as SummaryPane
from widgets.panes.tune_pane import TunePane

#: Name of each pane and what it shows, in the order of the tabs; the keys 1, 2, ... bring them up.
PANES: tuple[tuple[str, str], ...] = (
    (
        "message",
        "The message under the cursor in full: its text, its tool calls with their results, its reasoning, what "
        "pruning would leave of it, and the row as it is stored.",
    ),
    (
        "summary",
        "The summary that stands in this list, section by section, with its size against the budget for it. For the "
        "first list, which has none, the one that its compaction led to.",
    ),
    (
        "diff",
        "Two successive summaries: + items added, − removed, ~ reworded, → moved to another section, = kept.",
    ),
    (
        "cache",
        "Where the up to four prompt-cache breakpoints of the next request sit, on which part of each message, and "
        "how much of the request lies before them. ✗ marks breakpoints that the provider never sees.",
    ),
    (
        "tune",
        "The settings as knobs, and every number that follows from them with its reasons (◆ a rule that changed it). "
        "Digits and enter type a value here, so the keys 1, 2, ... of the panes wait until escape or tab leaves the "
        "knobs. R puts everything back to what is in force, ctrl+z takes the last change back.",
    ),
    (
        "compaction",
        "A recorded compaction beside the plan for the same list, and the list before it: − what left, = what stayed, "
        "Σ the summary that took its place.",
    ),
    (
        "replay",
        "The whole conversation step by step: the tokens as they were recorded, and as they would have been under the "
        "settings on screen.",
    ),
    (
        "findings",
        FindingList.HELP,
    ),
    (
        "facts",
        "What the messages said that a compaction summarized, and what became of it: ✗ lost, ? the thing is mentioned "
        "and its value is not, ~ in other words, = word for word; → what a compaction now would put through the "
        "summary. m goes to another compaction; c, f and w leave a kind, a fate, a speaker. Enter goes to where it was "
        "said, s to where it survives, C copies what is shown as a checklist for the agent.",
    ),
    (
        "lineage",
        "Every item of every summary as a row, compactions as columns: + new, = kept, # renumbered, ~ reworded, "
        "÷ split, & merged, → moved, ✓ done, − dropped, ↺ back. ! marks items that say something else since, ◷ open "
        "ones that are stale. [ and ] choose the column, enter shows that summary beside the one before.",
    ),
    (
        "measures",
        "What each compaction kept, measure by measure, and what it cost: open request and next step, files and "
        "commands, facts by kind, compression, tokens. No score sums them up. [ and ] choose the compaction, at last "
        "all of them, ! marks one that a fallback text followed; below, what was counted: ✗ not known any more, = "
        "known. Enter on a measure goes to its evidence, and there to where it was said; s to where it is found.",
    ),
)
NAMES = tuple(name for name, _ in PANES)
#: The key that brings each pane up: its place among the tabs, 0 for the life of the summaries, V for what has value.
KEYS = {name: str(place) for place, name in enumerate(NAMES, 1)} | {"lineage": "0", "measures": "V"}
HELP = dict(PANES)
_SHORT = {
    "message": "msg", "summary": "sum", "compaction": "comp", "replay": "play", "findings": "finds", "lineage": "life",
    "measures": "meas",
}  # fmt: skip
#: The widget of each pane.
KINDS: dict[str, type[Widget]] = {
    "message": MessagePane,
    "summary": SummaryPane,
    "diff": DiffPane,
    "cache": CachePane,
    "tune": TunePane,
    "compaction": CompactionPane,
    "replay": ReplayPane,
    "findings": FindingsPane,
    "facts": FactsPane,
    "lineage": LineagePane,
    "measures": MeasuresPane,
}


class Panes(Vertical):
    """One pane at a time. Posts Shown when another one comes up, so that only it is filled."""

    DEFAULT_CSS: ClassVar[str] = """
    Panes {
        background: $surface;
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
        self._focus_wanted = False

    def compose(self) -> ComposeResult:
        """Tabs over the panes. A pane is made when it is first wanted: all of them would cost most of an opening."""
        yield PaneTabs([PaneTab(name, KEYS[name], help, _SHORT.get(name, "")) for name, help in PANES])
        with ContentSwitcher(initial=NAMES[0]):
            yield KINDS[NAMES[0]](id=NAMES[0])

    def on_mount(self) -> None:
        """Bring up the pane that was asked for before."""
        if self._wanted == NAMES[0]:
            self.post_message(self.Shown(self._wanted))
        self.show(self._wanted)

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
        self._focus_wanted = False
        if not self.is_mounted:
            return
        self.query_one(PaneTabs).active = name
        if self.query_one(ContentSwitcher).query_children(f"#{name}"):
            self._bring_up(name)
        else:
            self.call_next(self._make, name)

    async def bring(self, name: str) -> Widget:
        """Bring a pane up, made where it is not yet, and give it the focus."""
        self._wanted = name
        self.query_one(PaneTabs).active = name
        await self._make(name)
        self.focus_pane()
        return self.pane(name)

    async def _make(self, name: str) -> None:
        switcher = self.query_one(ContentSwitcher)
        if not switcher.query_children(f"#{name}"):
            pane = KINDS[name](id=name)
            # Under fast keys another one may be wanted by the time it is mounted.
            pane.display = False
            await switcher.mount(pane)
        if name == self._wanted:
            self._bring_up(name)

    def _bring_up(self, name: str) -> None:
        switcher = self.query_one(ContentSwitcher)
        if switcher.current != name:
            switcher.current = name
            self.post_message(self.Shown(name))
        if self._focus_wanted:
            self.focus_pane()

    @on(PaneTabs.Chosen)
    def _tab(self, event: PaneTabs.Chosen) -> None:
        event.stop()
        self.show(event.tab)

    def focus_pane(self) -> None:
        """Give the focus to the pane on screen, or to the one that is coming."""
        self._focus_wanted = self.current != self._wanted
        if self._focus_wanted:
            return
        for widget in self.pane(self.current).walk_children(Widget, with_self=True):
            if widget.focusable:
                widget.focus()
                return
