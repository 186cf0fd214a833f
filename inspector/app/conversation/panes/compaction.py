"""The chosen compaction: recorded and planned, what it lost, the summary it made, the messages before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from textual import on

from inspector.app.conversation.fact_views import life_view, worst_first
from inspector.app.conversation.intents import ChooseCompaction, GoTo, ReadRows
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.panes.summary import summary_view
from inspector.app.conversation.reading import FactsRead
from inspector.app.conversation.resources import COMPACTIONS, FACTS, INDEX_BEFORE
from inspector.app.conversation.rows import GenerationRows, Line, RowMarks
from inspector.app.conversation.state import Resource, State, recorded, recorded_then
from inspector.core.conversations import Compaction, Generation
from inspector.core.rough import text_tokens
from inspector.engines.base import Plan, TokenIndex
from inspector.quality.facts.fact import Life
from widgets.base import human
from widgets.lists.message_list import Boundary, MessageList, MessageRow
from widgets.panes.choices import PlaceChosen
from widgets.panes.compaction_pane import BoundsView, CompactionPane, CompactionView

#: So many facts are listed, the worst first.
_LOST_SHOWN = 12


class CompactionRows:
    """The list before a compaction with the summary put where the middle was."""

    def __init__(self, before: GenerationRows, after: GenerationRows, compaction: Compaction) -> None:
        self.before = before
        self.after = after
        self.compaction = compaction
        self.summary_at = None if compaction.merged else compaction.summary_at

    def __len__(self) -> int:
        return self.compaction.before + (0 if self.summary_at is None else 1)

    def place(self, row: int) -> tuple[GenerationRows, int]:
        """Which list a row comes from, and the message's index in it."""
        if self.summary_at is not None:
            if row == self.compaction.tail_start:
                return self.after, self.summary_at
            if row > self.compaction.tail_start:
                row -= 1
        return self.before, row

    def row(self, row: int) -> MessageRow | None:
        """A row, from the list it belongs to, in the region that it was in."""
        rows, index = self.place(row)
        found = rows.row(rows.row_of(index))
        if found is None or rows is not self.before:
            return found
        done = self.compaction
        region = "head" if index < done.head_end else "middle" if index < done.tail_start else "tail"
        return replace(found, region=region)

    def missing(self, wanted: range) -> dict[int, range]:
        """What is to be read for some rows: a range of indexes by the number of the generation."""
        missing: dict[int, list[int]] = {}
        for row in wanted:
            if row < len(self):
                rows, index = self.place(row)
                if index not in rows.lines:
                    missing.setdefault(rows.generation.number, []).append(index)
        return {number: range(min(found), max(found) + 1) for number, found in missing.items()}

    def boundaries(self) -> tuple[Boundary, ...]:
        """The recorded boundaries as lines between the rows."""
        head, tail = self.compaction.head_end, self.compaction.tail_start
        left = human.plural(tail - head, "message")
        came = "what stayed" if self.summary_at is None else "Σ took their place, then what stayed"
        return (
            Boundary(head, "head_end", "recorded", f"{left} left from here on"),
            Boundary(tail, "tail_start", "recorded", came),
        )


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
        done,
        max(total, done.index),
        before,
        after,
        lines(before.number),
        lines(after.number),
        index,
        plan,
        loaded.latest(FACTS),
        context.derived.budgets.max_summary_tokens,
        state.moment is None or done.index < state.moment.generation,
    )


def compute(
    done: Compaction,
    total: int,
    before: Generation,
    after: Generation,
    lines_before: dict[int, Line],
    lines_after: dict[int, Line],
    index: TokenIndex | None,
    plan: Plan | None,
    facts: FactsRead | None,
    budget: int,
    over: bool,
) -> ShownCompaction:
    """A recorded compaction, one of `total`, beside the plan that the settings make of the same list.

    The lines of both lists are those read so far; they grow. `budget` is the largest summary in tokens.
    Until it is `over`, what it lost and the summary that it made are not told.
    """
    rows_before, rows_after = GenerationRows(before, "", lines_before), GenerationRows(after, "", lines_after)
    rows_before.put(RowMarks(token_index=index, plan=plan, ended_by=done))
    rows_after.put(RowMarks(made_by=done))
    lost, note = _lost(facts, done) if over else ((), "")
    view = replace(
        compaction_view(total, done, plan),
        lost=lost,
        lost_note=note,
        summary=summary_view(done, total, budget) if over and done.summary is not None else None,
    )
    return ShownCompaction(view, CompactionRows(rows_before, rows_after, done))


def _lost(facts: FactsRead | None, done: Compaction) -> tuple[Any, str]:
    """The facts that the compaction lost, the worst first, and what is to be said about more of them."""
    if facts is None:
        return (), "facts are still being looked for"
    lives: Sequence[Life] = [life for life in facts.reading.facts.of(done.index) if not life.fate.alive]
    views = tuple(life_view(life) for _, life in worst_first(list(enumerate(lives)))[:_LOST_SHOWN])
    more = len(lives) - len(views)
    return (
        views,
        f"and {more:,} more: the losses pane has them all" if more else "" if views else "nothing was lost",
    )


def compaction_view(total: int, done: Compaction, plan: Plan | None) -> CompactionView:
    """A recorded compaction, one of `total`, beside the plan that the settings make of the same list."""
    bounds = [
        BoundsView(
            "recorded",
            "recorded",
            done.head_end,
            done.tail_start,
            None if done.summary is None else text_tokens(len(done.summary)),
            done.tokens_after,
            "" if done.exact else "inferred",
        )
    ]
    if plan is not None:
        by = f"planned by {plan.profile}"
        if plan.compacts:
            agree = (plan.head_end, plan.tail_start) == (done.head_end, done.tail_start)
            note = "the same" if agree else "differs from the record"
            bounds.append(
                BoundsView("planned", by, *plan.regions(), plan.summary_budget, plan.tokens_after, note)
            )
        else:
            bounds.append(BoundsView("planned", by, 0, 0, note=plan.reason))
    stayed = done.head_end + done.before - done.tail_start
    outcome = "fallback" if done.fallback else "merged" if done.merged else "summary"
    return CompactionView(
        index=done.index,
        total=total,
        before=done.before,
        after=done.after,
        tokens_before=done.tokens_before,
        tokens_after=done.tokens_after,
        outcome=outcome if done.summary is not None or done.fallback else "failed",  # type: ignore[arg-type]
        bounds=tuple(bounds),
        went=done.tail_start - done.head_end,
        stayed=stayed,
        came=max(0, done.after - stayed),
        at=done.at,
        session=done.session,
        notes=(done.note,) if done.note else (),
    )


def _show(pane: CompactionDetails, view: ShownCompaction | None) -> None:
    if view is None:
        pane.rows = None
        pane.set_view(None)
    else:
        pane.rows = view.rows
        cursor = max(0, view.rows.compaction.head_end - 1)
        pane.set_view(view.view, view.rows, view.rows.boundaries(), cursor)


def _wants(state: State) -> tuple[Resource[Any], ...]:
    return (COMPACTIONS, INDEX_BEFORE, FACTS)


PANE = Pane(
    "compaction",
    "The chosen compaction: what it did to messages and tokens, where it cut beside where the profile would, what it "
    "lost (worst first), the summary it made, and the list before it: − what left, = what stayed, Σ the summary that "
    "took its place. Enter goes to where a lost fact was said, or unfolds a section of the summary.",
    CompactionDetails,
    _needs,
    compute,
    _show,
    _wants,
    short="comp",
)
