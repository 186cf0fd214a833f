"""The summary that the chosen compaction made, in five views."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual import on

from inspector.app.conversation.intents import Change, ChooseCompaction, DeleteAttempt
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import ATTEMPTS, COMPACTIONS, LINEAGE
from inspector.app.conversation.state import Resource, State, recorded, recorded_then
from widgets.panes.attempt_lines import NO_ATTEMPTS
from widgets.panes.choices import CompactionChosen
from widgets.panes.summary_attempts import SummaryAttempts
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_life import SummaryLife
from widgets.panes.summary_pane import (
    LineageView,
    SummaryPane,
    SummaryPaneView,
)
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText

# What the pane is worked out by is imported when it is on screen.
if TYPE_CHECKING:
    from inspector.app.conversation.as_of import LineageAsOf
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.core.conversations import Compaction


class Summary(SummaryPane):
    """The screen knows which view is shown; an item of the life leads to the changes of its compaction."""

    @on(SummaryPane.ViewShown)
    def _view_shown(self, event: SummaryPane.ViewShown) -> None:
        event.stop()
        self.post_message(Change(view=event.name))

    @on(SummaryPane.CellChosen)
    def _cell_chosen(self, event: Any) -> None:
        event.stop()
        self.post_message(ChooseCompaction(event.compaction))
        self.show_item(event.text)

    @on(CompactionChosen)
    def _compaction_chosen(self, event: CompactionChosen) -> None:
        event.stop()
        self.post_message(ChooseCompaction(event.compaction))

    @on(SummaryAttempts.DeleteWanted)
    def _delete_wanted(self, event: SummaryAttempts.DeleteWanted) -> None:
        event.stop()
        self.post_message(DeleteAttempt(event.attempt))


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded, compactions = context.state, context.loaded, context.loaded.latest(COMPACTIONS)
    if compactions is None:
        return None
    then = recorded_then(compactions, state.moment)
    # Within a compaction its summary is not there yet.
    shown = recorded(then, min(state.compaction, len(then)), None)
    index = shown.index if shown is not None else 0
    before = next((c for c in reversed(then) if c.index < index and c.summary is not None), None)
    changes = state.view in ("changes", "sides")
    lineage = context.loaded.latest(LINEAGE) if state.view == "life" else None
    budget = context.derived.budgets.summary_limit
    return (
        shown,
        before if changes else None,
        changes,
        lineage,
        len(then),
        len(compactions),
        budget,
        state.view,
        loaded.current(ATTEMPTS, state) if state.moment is None and state.view == "attempts" else None,
    )


def compute(
    shown: Compaction | None,
    before: Compaction | None,
    changes: bool,
    lineage: LineageAsOf | None,
    then: int,
    total: int,
    budget: int | None,
    view: str,
    attempts: AttemptsRead | None = None,
) -> SummaryPaneView:
    """The summary of a compaction, as far as the view on screen needs it; `then` compactions of `total` had been made.

    `budget` is the largest summary in tokens, None where nobody knows.
    """
    from inspector.app.conversation.attempt_views import attempts_view
    from inspector.app.conversation.summary_views import diff_view, summary_view

    life: LineageView | None = None
    if lineage is not None:
        life = replace(lineage.until(then), column=max(0, shown.index - 1 if shown is not None else 0))
    return SummaryPaneView(
        summary_view(shown, then, budget),
        diff_view(before, shown) if changes else None,
        life,
        life_pending=view == "life" and lineage is None,
        attempts=attempts_view(attempts, shown) if view == "attempts" and shown is not None else NO_ATTEMPTS,
    )


def _wants(state: State) -> tuple[Resource[Any], ...]:
    wanted: dict[str, Resource[Any]] = {"life": LINEAGE, "attempts": ATTEMPTS}
    return (wanted[state.view],) if state.view in wanted else ()


PANE = Pane(
    "The summary that the chosen compaction made, section by section, with its size against the budget for it. m turns "
    "to what changed since the one before (+ added, − removed, ≈ reworded, → moved, = kept), to both side by side, "
    "and to the life of every item through all compactions (+ new, = kept, # renumbered, ≈ reworded, ÷ split, & "
    "merged, → moved, ✓ done, − dropped, ↺ back; ! says something else since, ◷ open and stale), and to the "
    "summaries that were made again, each beside the recorded one. T has one made.",
    Summary,
    _needs,
    compute,
    Summary.set_view,
    _wants,
    parts=(
        ("text", SummaryText),
        ("changes", SummaryChanges),
        ("sides", SummarySides),
        ("life", SummaryLife),
        ("attempts", SummaryAttempts),
    ),
    threaded=True,
)
