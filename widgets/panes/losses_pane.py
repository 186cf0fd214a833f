"""What was lost: facts and their fates, and what each compaction kept, measure by measure."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from widgets.bars.mode_bar import Mode
from widgets.panes.choices import PlaceChosen
from widgets.panes.losses_attempts import LossesAttempts
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_measures import LossesMeasures
from widgets.panes.losses_view import FactScope, LossesView
from widgets.panes.views_pane import ViewsPane

__all__ = ["FactScope", "LossesPane", "LossesView"]


class LossesPane(ViewsPane[LossesView]):
    """Shows a LossesView in three views: facts, measures, attempts.

    Posts ViewShown, PlaceChosen for a place that the user wants to see, CopyWanted for a list of facts,
    CompactionChosen for a column.
    """

    VIEWS: ClassVar[tuple[Mode, ...]] = (
        Mode("facts", "facts", "What was said that should survive, and what became of it"),
        Mode("measures", "measures", "What each compaction kept and what it cost, with the evidence"),
        Mode("attempts", "attempts", "What became of each fact with the summaries that were made again"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "r", "beyond", "Beyond it", id="losses.beyond",
            tooltip="Facts: what was pruned, what is at risk, and back. Measures: all compactions together, and back",
        ),
    ]  # fmt: skip
    PlaceChosen: ClassVar = PlaceChosen
    CopyWanted: ClassVar = LossesFacts.CopyWanted

    def make(self, name: str) -> Widget:
        """The widget of a view."""
        kinds = {"facts": LossesFacts, "measures": LossesMeasures, "attempts": LossesAttempts}
        return kinds[name]()

    def fill(self, widget: Widget) -> None:
        """Hand a view's widget its part of the value."""
        view = self.view if self.view is not None else LossesView()
        if isinstance(widget, LossesFacts):
            widget.set_view(view)
        elif isinstance(widget, LossesMeasures):
            widget.set_view(view.measures, view.chosen)
        elif isinstance(widget, LossesAttempts):
            widget.set_view(view.attempts)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where nothing is known there is nothing beyond the chosen compaction."""
        view = self.view
        if action == "beyond":
            known = view is not None and (view.scopes if self.view_name == "facts" else view.measures)
            return bool(known) and self.view_name != "attempts"
        return super().check_action(action, parameters)

    def action_beyond(self) -> None:
        """Turn to what is not of the chosen compaction alone, and back."""
        if isinstance(self.shown, LossesFacts):
            self.shown.next_scope()
        elif isinstance(self.shown, LossesMeasures):
            self.shown.turn_whole()
