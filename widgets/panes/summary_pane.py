"""The summary of the chosen compaction: its text, its changes, side by side, and the life of all items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.widget import Widget

from widgets.bars.mode_bar import Mode
from widgets.intents import Change, ChooseCompaction
from widgets.panes.attempt_lines import NO_ATTEMPTS, AttemptsView
from widgets.panes.diff_lines import Comparison
from widgets.panes.life_lines import LineageView
from widgets.panes.summary_attempts import SummaryAttempts
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_life import SummaryLife
from widgets.panes.summary_lines import SummaryView
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText
from widgets.panes.views_pane import ViewsPane


@dataclass(frozen=True, slots=True)
class SummaryPaneView:
    """A summary, its comparison with the previous one (None without one), and the life of all items.

    Only the parts that the view on screen shows need to be set. `life_pending`: the life is being computed.
    """

    summary: SummaryView
    changes: Comparison | None = None
    life: LineageView | None = None
    life_pending: bool = False
    attempts: AttemptsView = NO_ATTEMPTS


class SummaryPane(ViewsPane[SummaryPaneView]):
    """A SummaryPaneView in five views: text, changes, sides, life, attempts.

    Posts Change with the name of the view on screen.
    """

    VIEWS: ClassVar[tuple[Mode, ...]] = (
        Mode("text", "text", "The summary section by section, with its size against the budget for it"),
        Mode("changes", "changes", "Items added, removed, reworded and moved since the previous summary"),
        Mode("sides", "side by side", "The texts of the previous summary and of this one"),
        Mode("life", "life", "Every item of every summary, through all compactions"),
        Mode("attempts", "attempts", "The recorded summary and those that were made again"),
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._item = ""

    def show_item(self, text: str) -> None:
        """Show the changes and go to the item with this text, until J or K is pressed."""
        self._item = text
        self.show("changes")
        if isinstance(self.shown, SummaryChanges):
            self._go_to_item(self.shown)

    def _go_to_item(self, changes: SummaryChanges) -> None:
        if self._item:
            changes.show_item(self._item)
            self._item = ""

    @on(ViewsPane.ViewShown)
    def _view_shown(self, event: ViewsPane.ViewShown) -> None:
        event.stop()
        self.post_message(Change(view=event.name))

    @on(SummaryLife.CellChosen)
    def _cell_chosen(self, event: SummaryLife.CellChosen) -> None:
        event.stop()
        self.post_message(ChooseCompaction(event.compaction))
        self.show_item(event.text)

    def make(self, name: str) -> Widget:
        """Return the widget of a view."""
        kinds: dict[str, Callable[[], Widget]] = {
            "text": SummaryText,
            "changes": SummaryChanges,
            "sides": SummarySides,
            "life": SummaryLife,
            "attempts": SummaryAttempts,
        }
        return kinds[name]()

    def fill(self, widget: Widget) -> None:
        """Hand a view's widget its part of the value."""
        view = self.view if self.view is not None else SummaryPaneView(SummaryView())
        if isinstance(widget, SummaryText):
            widget.set_view(view.summary)
        elif isinstance(widget, SummaryLife):
            widget.set_view(view.life, view.life_pending)
        elif isinstance(widget, SummaryAttempts):
            widget.set_view(view.attempts)
        elif isinstance(widget, SummarySides):
            widget.set_view(view.changes)
        elif isinstance(widget, SummaryChanges):
            widget.set_view(view.changes)
            self._go_to_item(widget)
