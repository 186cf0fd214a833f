"""The summary of the chosen compaction, in five views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import ATTEMPTS, COMPACTIONS, LINEAGE, attempts_read
from inspector.app.conversation.state import Resource, State, recorded, recorded_then
from widgets.panes.attempt_lines import NO_ATTEMPTS
from widgets.panes.lineage_lines import LineageView
from widgets.panes.summary_attempts import SummaryAttempts
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_lineage import SummaryLineage
from widgets.panes.summary_pane import SummaryPane, SummaryPaneView
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText

# Modules that only a computation needs are imported with it.
if TYPE_CHECKING:
    from inspector.app.conversation.as_of import LineageAsOf
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.core.conversations import Compaction


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded, compactions = context.state, context.loaded, context.loaded.latest(COMPACTIONS)
    if compactions is None:
        return None
    then = recorded_then(compactions, state.moment)
    # Within a compaction its summary does not exist yet.
    shown = recorded(then, min(state.compaction, len(then)), None)
    index = shown.index if shown is not None else 0
    earlier = [c for c in then if c.index < index and c.summary is not None]
    before = next((c for c in reversed(earlier) if not state.against or c.index <= state.against), None)
    changes = state.view in ("changes", "sides")
    lineage = context.loaded.latest(LINEAGE) if state.view == "lineage" else None
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
        attempts_read(state, loaded) if state.moment is None and state.view == "attempts" else None,
        tuple(c.index for c in earlier),
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
    earlier: tuple[int, ...] = (),
) -> SummaryPaneView:
    """Return the summary of a compaction with the parts that the view on screen needs.

    `before` is the compaction to compare with, one of the `earlier` ones with a summary. `then` compactions of `total`
    had been made. `budget` is the maximum size of a summary in tokens, None: unknown.
    """
    from inspector.app.conversation.attempt_views import attempts_view
    from widgets.panes.diff_lines import compare
    from widgets.panes.summary_lines import summary_view

    followed: LineageView | None = None
    if lineage is not None:
        followed = replace(lineage.until(then), column=max(0, shown.index - 1 if shown is not None else 0))
    return SummaryPaneView(
        summary_view(shown, then, budget),
        compare(before, shown) if changes else None,
        followed,
        attempts=attempts_view(attempts, shown) if view == "attempts" and shown is not None else NO_ATTEMPTS,
        earlier=earlier,
    )


def _wants(state: State) -> tuple[Resource[Any], ...]:
    wanted: dict[str, Resource[Any]] = {"lineage": LINEAGE, "attempts": ATTEMPTS}
    return (wanted[state.view],) if state.view in wanted else ()


PANE = Pane(
    "The summary of the chosen compaction by section, with its size against the budget. m shows the next view: the "
    "changes since the previous summary, both texts side by side, the state of every item in all summaries (lineage), "
    "and attempts. { and } compare with an earlier or later summary. P makes an attempt.",
    SummaryPane,
    _needs,
    compute,
    _wants,
    parts=(
        ("text", SummaryText),
        ("changes", SummaryChanges),
        ("sides", SummarySides),
        ("lineage", SummaryLineage),
        ("attempts", SummaryAttempts),
    ),
    threaded=True,
)
