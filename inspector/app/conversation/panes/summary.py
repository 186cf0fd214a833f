"""The summary that the chosen compaction made, in four views."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from textual import on

from inspector.app.conversation.as_of import LineageAsOf
from inspector.app.conversation.intents import Change, ChooseCompaction
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import COMPACTIONS, LINEAGE
from inspector.app.conversation.state import Resource, State, recorded, recorded_then
from inspector.app.conversation.summary_views import diff_view, summary_view
from inspector.core.conversations import Compaction
from widgets.panes.choices import CompactionChosen
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_life import SummaryLife
from widgets.panes.summary_pane import (
    LineageView,
    SummaryPane,
    SummaryPaneView,
)
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText


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


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, compactions = context.state, context.loaded.latest(COMPACTIONS)
    if compactions is None:
        return None
    then = recorded_then(compactions, state.moment)
    # Within a compaction its summary is not there yet.
    shown = recorded(then, min(state.compaction, len(then)), None)
    index = shown.index if shown is not None else 0
    before = next((c for c in reversed(then) if c.index < index and c.summary is not None), None)
    changes = state.view in ("changes", "sides")
    lineage = context.loaded.latest(LINEAGE) if state.view == "life" else None
    budget = context.derived.budgets.max_summary_tokens
    return (
        shown,
        before if changes else None,
        changes,
        lineage,
        len(then),
        len(compactions),
        budget,
        state.view,
    )


def compute(
    shown: Compaction | None,
    before: Compaction | None,
    changes: bool,
    lineage: LineageAsOf | None,
    then: int,
    total: int,
    budget: int,
    view: str,
) -> SummaryPaneView:
    """The summary of a compaction, as far as the view on screen needs it; `then` compactions of `total` had been made.

    `budget` is the largest summary in tokens.
    """
    life: LineageView | None = None
    if lineage is not None:
        life = replace(lineage.until(then), column=max(0, shown.index - 1 if shown is not None else 0))
    return SummaryPaneView(
        summary_view(shown, then, budget),
        diff_view(before, shown) if changes else None,
        life,
        life_pending=view == "life" and lineage is None,
    )


def _wants(state: State) -> tuple[Resource[Any], ...]:
    return (LINEAGE,) if state.view == "life" else ()


PANE = Pane(
    "summary",
    "The summary that the chosen compaction made, section by section, with its size against the budget for it. m turns "
    "to what changed since the one before (+ added, − removed, ≈ reworded, → moved, = kept), to both side by side, "
    "and to the life of every item through all compactions (+ new, = kept, # renumbered, ≈ reworded, ÷ split, & "
    "merged, → moved, ✓ done, − dropped, ↺ back; ! says something else since, ◷ open and stale).",
    Summary,
    _needs,
    compute,
    Summary.set_view,
    _wants,
    short="sum",
    parts=(
        ("text", SummaryText),
        ("changes", SummaryChanges),
        ("sides", SummarySides),
        ("life", SummaryLife),
    ),
    threaded=True,
)
