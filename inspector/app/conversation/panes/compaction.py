"""The chosen compaction: why it fired, its sizes, lost facts, its summary, the messages before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.app.conversation.compaction_rows import CompactionRows
from inspector.app.conversation.keys import key_of
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import (
    AFTERMATH,
    ATTEMPTS,
    COMPACTIONS,
    FACTS,
    INDEX_BEFORE,
    REQUESTS,
    attempts_read,
)
from inspector.app.conversation.rows import GenerationRows, MessageLine, RowMarks
from inspector.app.conversation.state import Opened, recorded, recorded_then
from inspector.core.signs import FATE_SIGNS
from widgets.base import human
from widgets.panes.attempt_lines import NO_ATTEMPTS
from widgets.panes.compaction_lines import CompactionView
from widgets.panes.compaction_pane import CompactionPane

# Modules that only a computation needs are imported with it.
if TYPE_CHECKING:
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.app.conversation.reading import AftermathRead, FactsRead
    from inspector.app.conversation.request_views import RequestsRead
    from inspector.core.conversations import Compaction
    from inspector.engines.base import Plan, TokenIndex
    from inspector.quality.facts.fact import Life

#: Maximum number of lost facts that count, and number of rows that other lost facts may fill.
_LOST_SHOWN, _OTHERS_SHOWN = 12, 6


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded = context.state, context.loaded
    compactions = loaded.latest(COMPACTIONS)
    if compactions is None:
        return None
    done = recorded(compactions, state.compaction, state.moment)
    if done is None:
        return ()
    index, plan = loaded.current(INDEX_BEFORE, state), None
    generations = context.opened.generations
    before, after = generations[done.index - 1], generations[done.index]
    if index is not None:
        system = context.opened.inspection.system_tokens(before.session)
        plan, _ = context.deriver.plan_for(index, state.settings, done.index - 1, system)
    lines = context.messages.lines
    total = len(compactions) if state.moment is None else len(recorded_then(compactions, state.moment))
    return (
        context.opened,
        done,
        max(total, done.index),
        lines(before.number),
        lines(after.number),
        index,
        plan,
        loaded.latest(FACTS),
        loaded.latest(AFTERMATH) if state.moment is None else None,
        loaded.latest(REQUESTS),
        context.derived.budgets.summary_limit,
        state.moment is None or done.index < state.moment.generation,
        attempts_read(state, loaded) if state.moment is None else None,
    )


def compute(*values: Any) -> tuple[CompactionView | None, CompactionRows | None]:
    """Return the recorded compaction with its rows; None without one."""
    return _view(*values) if values else (None, None)


def _view(
    opened: Opened,
    done: Compaction,
    total: int,
    lines_before: dict[int, MessageLine],
    lines_after: dict[int, MessageLine],
    index: TokenIndex | None,
    plan: Plan | None,
    facts: FactsRead | None,
    aftermath: AftermathRead | None,
    requests: RequestsRead | None,
    budget: int | None,
    over: bool,
    attempts: AttemptsRead | None = None,
) -> tuple[CompactionView, CompactionRows]:
    """Return a recorded compaction, one of `total`, with the plan that the settings make of the same list.

    The lines of both lists are those read already. `budget` is the maximum size of the summary in tokens (None:
    unknown). Until the compaction is `over`, its losses and its summary are left out.
    """
    from inspector.answers.compactions import why_of
    from inspector.app.conversation.attempt_views import attempts_view
    from inspector.engines.base import region_tokens
    from widgets.panes.summary_lines import summary_view

    before, after = opened.generations[done.index - 1], opened.generations[done.index]
    rows_before, rows_after = GenerationRows(before, "", lines_before), GenerationRows(after, "", lines_after)
    rows_before.put(RowMarks(token_index=index, plan=plan, ended_by=done))
    rows_after.put(RowMarks(made_by=done))
    has_unread = opened.inspection.conversation.has_unread
    lost, counted, notes = _lost(facts, aftermath, done, has_unread) if over else ((), 0, ())
    events = () if aftermath is None else aftermath.events.get(done.index, ())
    # Repeated work is known by the list before.
    is_known = (
        aftermath is not None and bool(done.before) and (bool(events) or (done.whole and not has_unread))
    )
    went = None if index is None else region_tokens(done, index)[1]
    if plan is not None and plan.compacts and done.before and not plan.budgets.observed:
        # The plan of this list may allow less than the settings allow at most.
        budget = plan.summary_budget
    view = CompactionView(
        done,
        total,
        plan,
        went,
        first_sent=opened.first_sent.get(done.index + 1) if over else None,
        why="" if index is None else why_of(opened.inspection, done, opened.resolved, index).text,
        cost="" if requests is None or not over else requests.bills.get(done.index, ""),
        lost=lost,
        counted=counted,
        lost_notes=notes,
        aftermath=events if is_known else None,
        summary=summary_view(done, total, budget) if over and done.summary is not None else None,
        attempts=NO_ATTEMPTS if attempts is None else attempts_view(attempts, done),
    )
    return view, CompactionRows(rows_before, rows_after, done)


def _lost(
    facts: FactsRead | None, aftermath: AftermathRead | None, done: Compaction, has_unread: bool
) -> tuple[tuple[Life, ...], int, tuple[str, ...]]:
    """The worst facts that the compaction lost (facts that count come first), the number of facts that count, and notes
    about the others. `has_unread` is as in Conversation."""
    from inspector.answers.store_losses import FOREIGN, PART_MISSING
    from inspector.app.conversation.fact_scopes import (
        counted,
        counted_words,
        is_harmed,
        lives_at,
        reasons_apart,
        worst_first,
    )

    if not done.before:
        return (), 0, ("unknown: the list before it is not in the files",)
    if facts is None:
        return (), 0, ("facts are being read",)
    losses = (facts if aftermath is None else aftermath).losses.get(done.index)
    after = lives_at(done.index, facts.reading.facts, facts.ended, losses)
    count = len(counted(losses))
    lives = worst_first((life for life in after if is_harmed(life) and not life.superseded), losses)
    shown = lives[: max(min(count, _LOST_SHOWN), _OTHERS_SHOWN)]
    more, apart = len(lives) - len(shown), len(lives) - count
    unknown = sum(life.outcome == "unknown" for life in after)
    notes = [f"and {more:,} more in the losses pane"] if more else []
    if apart:
        others = f"The other {apart:,} are" if apart > 1 else "The other one is"
        if not count:
            others = f"None of the {apart:,} counts:" if apart > 1 else "It does not count:"
        counting = f"{counted_words(losses)} count{'s' * (count == 1)}. " if count else ""
        notes.append(f"{counting}{others} {reasons_apart(lives, losses)}")
    if unknown:
        notes.append(f"unknown for {human.plural(unknown, 'fact')}: the summary cannot be read")
    if not done.whole:
        notes.append("unknown for a part of the list before it, which is not in the files")
    elif has_unread:
        notes.append(f"unknown in part: {PART_MISSING}")
    if not (lives or notes):
        notes.append("none of the recognized facts")
    if facts.foreign:
        notes.append(f"unknown in part: {FOREIGN}")
    if losses is not None and losses.uncertain:
        notes.append(f"{FATE_SIGNS['uncertain']} {human.plural(losses.uncertain, 'fact')} may be lost")
    return tuple(shown), count, tuple(notes)


def _show(pane: CompactionPane, shown: tuple[CompactionView | None, CompactionRows | None] | None) -> None:
    view, rows = shown or (None, None)
    if rows is None:
        pane.set_view(None, known=shown is not None)
    else:
        pane.set_view(view, rows, rows.boundaries(), max(0, rows.compaction.head_end - 1))


PANE = Pane(
    "The chosen compaction: why it fired, messages and tokens before and after, lost facts (worst first), repeated "
    "work after it, its cost, recorded and planned boundaries, its summary, and the list before it. Enter goes to a "
    "lost fact or to repeated work, or unfolds a section of the summary. #16 g2 is message 16 of generation 2. "
    f"{key_of('conversation.attempt')} makes the summary again with another model.",
    CompactionPane,
    _needs,
    compute,
    lambda state: (COMPACTIONS, INDEX_BEFORE, FACTS, AFTERMATH, REQUESTS, ATTEMPTS),
    show=_show,
)
