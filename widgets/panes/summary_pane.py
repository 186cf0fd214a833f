"""The summary of the chosen compaction: as it is, against the one before, side by side, and through all compactions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.widget import Widget

from widgets.bars.mode_bar import Mode
from widgets.panes.attempt_lines import NO_ATTEMPTS, AttemptsView
from widgets.panes.diff_lines import DiffItem, DiffSection, DiffView
from widgets.panes.life_lines import LineageView
from widgets.panes.summary_attempts import SummaryAttempts
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_life import SummaryLife
from widgets.panes.summary_lines import SummaryItem, SummarySection, SummaryView
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText
from widgets.panes.views_pane import ViewsPane

__all__ = [
    "DiffItem",
    "DiffSection",
    "DiffView",
    "LineageView",
    "SummaryItem",
    "SummaryPane",
    "SummaryPaneView",
    "SummarySection",
    "SummaryView",
]


@dataclass(frozen=True, slots=True)
class SummaryPaneView:
    """A summary, what changed in it (None where none came before), and the life of all summaries' items (None where
    there is none). What is `pending` is still being worked out; only what the view on screen shows needs to be there.
    """

    summary: SummaryView
    changes: DiffView | None = None
    life: LineageView | None = None
    life_pending: bool = False
    changes_pending: bool = False
    attempts: AttemptsView = NO_ATTEMPTS


class SummaryPane(ViewsPane[SummaryPaneView]):
    """Shows a SummaryPaneView in five views: text, changes, sides, life, attempts.

    Posts ViewShown, CellChosen for an item of the life to be seen where it changed, CompactionChosen for a column.
    """

    VIEWS: ClassVar[tuple[Mode, ...]] = (
        Mode("text", "text", "The summary section by section, with its size against the budget for it"),
        Mode("changes", "changes", "What was added, removed, reworded and moved since the summary before"),
        Mode("sides", "side by side", "The text of the summary before beside this one's"),
        Mode("life", "life", "Every item of every summary, through all compactions"),
        Mode("attempts", "attempts", "The recorded summary beside those that were made again"),
    )
    CellChosen: ClassVar = SummaryLife.CellChosen

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._item = ""

    def show_item(self, text: str) -> None:
        """Go to the item of that wording among the changes, in this comparison and in those that come, until J or K."""
        self._item = text
        self.show("changes")
        if isinstance(self.shown, SummaryChanges):
            self._go_to_item(self.shown)

    def _go_to_item(self, changes: SummaryChanges) -> None:
        if self._item:
            changes.show_item(self._item)
            self._item = ""

    def make(self, name: str) -> Widget:
        """The widget of a view."""
        kinds = {
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
            widget.set_view(view.changes, view.changes_pending)
        elif isinstance(widget, SummaryChanges):
            widget.set_view(view.changes, view.changes_pending)
            self._go_to_item(widget)
