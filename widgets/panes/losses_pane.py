"""Losses: facts with their fates, and the fates with summaries that were made again."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from widgets.bars.mode_bar import Mode
from widgets.panes.losses_attempts import LossesAttempts
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_view import LossesView
from widgets.panes.views_pane import Shown, ViewsPane


class LossesPane(ViewsPane[LossesView]):
    """A LossesView in two views: facts and attempts."""

    VIEWS = (
        Shown(Mode("facts", "facts", "Facts that should survive, and their fates"), LossesFacts),
        Shown(
            Mode("attempts", "attempts", "The fate of each fact with summaries that were made again"),
            LossesAttempts,
            lambda view: view.attempts,
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "r", "scope", "Pruned, at risk", id="losses.beyond",
            tooltip="Show pruned facts, dismissed facts, facts at risk, then facts of the compaction again",
        ),
        Binding(
            "R", "source", "Rules or model", id="losses.source",
            tooltip="Show the facts of the model that judged the compaction, or of the rules",
        ),
    ]  # fmt: skip

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the scopes while there are none, and outside the facts."""
        if action == "scope":
            return self.view_name == "facts" and self.view is not None and bool(self.view.scopes)
        if action == "source":
            return self.view_name == "facts" and self.view is not None and bool(self.view.judged)
        return super().check_action(action, parameters)

    def action_source(self) -> None:
        """Show the facts of the next model, then of the rules again."""
        if isinstance(self.shown, LossesFacts):
            self.shown.next_source()

    def action_scope(self) -> None:
        """Show the next scope of facts."""
        if isinstance(self.shown, LossesFacts):
            self.shown.next_scope()
