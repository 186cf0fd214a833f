"""The chosen compaction: why it fired, what it did and lost, what was read again, its summary, the messages before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from textual import on

from inspector.app.conversation.compaction_views import CompactionRows, compaction_view
from inspector.app.conversation.intents import ChooseCompaction, GoTo, ReadRows
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import (
    ATTEMPTS,
    COMPACTIONS,
    FACTS,
    INDEX_BEFORE,
    MEASURES,
    REQUESTS,
)
from inspector.app.conversation.rows import GenerationRows, Line, RowMarks
from inspector.app.conversation.state import Opened, Resource, State, recorded, recorded_then
from widgets.base import human
from widgets.lists.message_list import MessageList
from widgets.panes.attempt_lines import NO_ATTEMPTS
from widgets.panes.choices import PlaceChosen
from widgets.panes.compaction_pane import CompactionPane, CompactionView

# What the pane is worked out by is imported when it is on screen.
if TYPE_CHECKING:
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.app.conversation.measure_views import MeasuresAsOf
    from inspector.app.conversation.reading import FactsRead
    from inspector.app.conversation.request_views import RequestsRead
    from inspector.core.conversations import Compaction
    from inspector.engines.base import Plan, TokenIndex
    from inspector.quality.facts.fact import Life

#: So many facts are listed, the worst first.
_LOST_SHOWN = 12


class ShownCompaction(NamedTuple):
    """What the pane shows: the compaction in words, and the messages before it."""

    view: CompactionView
    rows: CompactionRows


class CompactionDetails(CompactionPane):
    """Goes to lost facts and to messages; asks for the messages on screen that have not been read."""

    rows: CompactionRows | None = None

    @on(PlaceChosen)
    def _place_chosen(self, event: PlaceChosen) -> None:
        event.stop()
        place = event.place
        self.post_message(GoTo(place.generation, place.index, place.text, "message"))

    @on(CompactionPane.StepWanted)
    def _step_wanted(self, event: CompactionPane.StepWanted) -> None:
        event.stop()
        if self.rows is not None:
            self.post_message(ChooseCompaction(self.rows.compaction.index + event.by))

    @on(MessageList.Selected)
    def _selected(self, event: MessageList.Selected) -> None:
        event.stop()

    @on(MessageList.RowsWanted)
    def _rows_wanted(self, event: MessageList.RowsWanted) -> None:
        event.stop()
        if self.rows is not None:
            self.post_message(ReadRows(self.rows.missing(event.rows)))

    @on(MessageList.Opened)
    def _opened(self, event: MessageList.Opened) -> None:
        event.stop()
        if self.rows is not None:
            rows, index = self.rows.place(event.index)
            self.post_message(GoTo(rows.generation.number, index))


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded = context.state, context.loaded
    compactions = loaded.latest(COMPACTIONS)
    done = recorded(compactions, state.compaction, state.moment)
    if done is None or compactions is None:
        return None
    index, plan = loaded.current(INDEX_BEFORE, state), None
    generations = context.opened.generations
    before, after = generations[done.index - 1], generations[done.index]
    if index is not None:
        system = context.opened.inspection.system_tokens(before.session)
        plan, _ = context.deriver.plan_for(index, state.settings, done.index, system)
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
        loaded.latest(MEASURES) if state.moment is None else None,
        loaded.latest(REQUESTS),
        context.derived.budgets.summary_limit,
        state.moment is None or done.index < state.moment.generation,
        loaded.current(ATTEMPTS, state) if state.moment is None else None,
    )


def compute(
    opened: Opened,
    done: Compaction,
    total: int,
    lines_before: dict[int, Line],
    lines_after: dict[int, Line],
    index: TokenIndex | None,
    plan: Plan | None,
    facts: FactsRead | None,
    measures: MeasuresAsOf | None,
    requests: RequestsRead | None,
    budget: int | None,
    over: bool,
    attempts: AttemptsRead | None = None,
) -> ShownCompaction:
    """A recorded compaction, one of `total`, beside the plan that the settings make of the same list.

    The lines of both lists are those read so far; they grow. `budget` is the largest summary in tokens, None where
    nobody knows. Until it is `over`, what it lost and the summary that it made are not told; what was read again is
    told by the `measures` alone.
    """
    from inspector.answers.compactions import why_of
    from inspector.app.conversation.attempt_views import attempts_view
    from inspector.app.conversation.compaction_views import reported_words
    from inspector.app.conversation.measure_views import evidence_of
    from inspector.app.conversation.summary_views import summary_view

    before, after = opened.generations[done.index - 1], opened.generations[done.index]
    rows_before, rows_after = GenerationRows(before, "", lines_before), GenerationRows(after, "", lines_after)
    rows_before.put(RowMarks(token_index=index, plan=plan, ended_by=done))
    rows_after.put(RowMarks(made_by=done))
    lost, note = _lost(facts, done) if over else ((), "")
    sent = opened.first_sent.get(done.index + 1) if over else None
    went = None
    if index is not None:
        stayed = sum(index.tokens(at) for at, _ in done.kept)
        went = index.rough_until(done.tail_start) - index.rough_until(done.head_end) - stayed
    view = replace(
        compaction_view(total, done, plan, went, reported_words(done, sent)),
        why="" if index is None else why_of(opened.inspection, done, opened.resolved, index).text,
        pruned=None if measures is None else len(evidence_of(measures.whole, "stayed-pruned", done.index)),
        again=() if measures is None else evidence_of(measures.whole, "read-again", done.index),
        cost="" if requests is None or not over else requests.bills.get(done.index, ""),
        lost=lost,
        lost_note=note,
        summary=summary_view(done, total, budget) if over and done.summary is not None else None,
        attempts=NO_ATTEMPTS if attempts is None else attempts_view(attempts, done),
    )
    return ShownCompaction(view, CompactionRows(rows_before, rows_after, done))


def _lost(facts: FactsRead | None, done: Compaction) -> tuple[Any, str]:
    """The facts that the compaction lost, its own and those that earlier summaries had kept until it, the worst first,
    and what is to be said about more of them."""
    from inspector.app.conversation.fact_views import gravest_first, life_view

    if facts is None:
        return (), "facts are still being looked for"
    lives: Sequence[Life] = [
        life
        for life in (*facts.reading.facts.of(done.index), *facts.ended.get(done.index, ()))
        if life.lost or life.outcome == "weakened"
    ]
    views = tuple(life_view(life) for life in gravest_first(lives)[:_LOST_SHOWN])
    more = len(lives) - len(views)
    if more:
        return views, f"and {more:,} more: the losses pane has them all"
    unknown = sum(life.outcome == "unknown" for life in facts.reading.facts.of(done.index))
    if unknown:
        return views, f"of {human.plural(unknown, 'fact')} nobody can tell: the summary is encrypted"
    return views, "" if views else "no fact that was found was lost"


def _show(pane: CompactionDetails, view: ShownCompaction | None) -> None:
    if view is None:
        pane.rows = None
        pane.set_view(None)
    else:
        pane.rows = view.rows
        cursor = max(0, view.rows.compaction.head_end - 1)
        pane.set_view(view.view, view.rows, view.rows.boundaries(), cursor)


def _wants(state: State) -> tuple[Resource[Any], ...]:
    return (COMPACTIONS, INDEX_BEFORE, FACTS, MEASURES, REQUESTS, ATTEMPTS)


PANE = Pane(
    "The chosen compaction: why it fired, what it did to messages and tokens, where it cut beside where the profile "
    "would, what it lost (worst first), the files that were read again after it, the summary it made, and the list "
    "before it: − what left, = what stayed, Σ the summary that took its place. Enter goes to where a lost fact was "
    "said, to where a file was opened again, or unfolds a section of the summary. T has the summary made again by a "
    "model of your choice; what it keeps then stands here too.",
    CompactionDetails,
    _needs,
    compute,
    _show,
    _wants,
)
