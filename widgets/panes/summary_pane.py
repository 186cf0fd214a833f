"""The summary of the chosen compaction: its text, its changes, side by side, and the lineage of all items."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.binding import Binding, BindingType

from widgets.bars.mode_bar import Mode
from widgets.intents import Change, ChooseCompaction
from widgets.panes.attempt_lines import NO_ATTEMPTS, AttemptsView
from widgets.panes.diff_lines import SummaryComparison
from widgets.panes.lineage_lines import LineageView
from widgets.panes.summary_attempts import SummaryAttempts
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_lineage import SummaryLineage
from widgets.panes.summary_lines import SummaryView
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText
from widgets.panes.views_pane import Shown, ViewsPane


class SummaryPaneView(Struct, frozen=True):
    """A summary, its comparison with an earlier one (None without one), and the lineage of all items.

    `earlier` are the compactions that it can be compared with. Only the parts that the view on screen shows need to be
    set. The lineage is None while it is being computed.
    """

    summary: SummaryView
    changes: SummaryComparison | None = None
    lineage: LineageView | None = None
    attempts: AttemptsView = NO_ATTEMPTS
    earlier: tuple[int, ...] = ()


class SummaryPane(ViewsPane[SummaryPaneView]):
    """A SummaryPaneView in five views: text, changes, sides, lineage, attempts.

    Posts Change with the name of the view on screen, and with the compaction to compare with.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left_curly_bracket", "against(-1)", "Compare with an earlier summary", id="summary.against_earlier",
            key_display="{", show=False,
        ),
        Binding(
            "right_curly_bracket", "against(1)", "Compare with a later summary", id="summary.against_later",
            key_display="}", show=False,
        ),
    ]  # fmt: skip
    VIEWS = (
        Shown(
            Mode("text", "text", "The summary section by section, with its size against the budget for it"),
            SummaryText,
            lambda view: view.summary,
        ),
        Shown(
            Mode(
                "changes",
                "changes",
                "Items added, removed, reworded and moved since the previous summary, or since another one",
            ),
            SummaryChanges,
            lambda view: view.changes,
        ),
        Shown(
            Mode(
                "sides",
                "side by side",
                "The texts of the previous summary, or of another one, and of this one",
            ),
            SummarySides,
            lambda view: view.changes,
        ),
        Shown(
            Mode("lineage", "lineage", "Every item of every summary, through all compactions"),
            SummaryLineage,
            lambda view: view.lineage,
        ),
        Shown(
            Mode("attempts", "attempts", "The recorded summary and the attempts"),
            SummaryAttempts,
            lambda view: view.attempts,
        ),
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._item = ""

    def show_item(self, text: str) -> None:
        """Show the changes and go to the item with this text, until J or K is pressed."""
        self._item = text
        self.show("changes")
        self.show_view()

    def show_view(self) -> None:
        """Hand the view on screen its part of the value, and go to the wanted item."""
        super().show_view()
        if self._item and isinstance(self.shown, SummaryChanges):
            self.shown.show_item(self._item)
            self._item = ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable comparing with another summary where there is none to choose."""
        if action != "against":
            return super().check_action(action, parameters)
        return self.view is not None and self.view.changes is not None and len(self.view.earlier) > 1

    def action_against(self, by: int) -> None:
        """Compare with an earlier (-1) or later (1) summary."""
        if self.view is not None and self.view.changes is not None:
            earlier = self.view.earlier
            at = earlier.index(self.view.changes.old.index) + by
            self.post_message(Change(against=earlier[max(0, min(at, len(earlier) - 1))]))

    @on(ViewsPane.ViewShown)
    def _view_shown(self, event: ViewsPane.ViewShown) -> None:
        event.stop()
        self.post_message(Change(view=event.name))

    @on(SummaryLineage.CellChosen)
    def _cell_chosen(self, event: SummaryLineage.CellChosen) -> None:
        event.stop()
        self.post_message(Change(against=0))
        self.post_message(ChooseCompaction(event.compaction))
        self.show_item(event.text)
