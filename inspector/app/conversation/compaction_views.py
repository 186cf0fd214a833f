"""A compaction as its pane shows it: the list before it, and what it did in numbers. Pure functions over values."""

from __future__ import annotations

from dataclasses import replace

from inspector.app.conversation.chrome import outcome_of
from inspector.app.conversation.rows import GenerationRows
from inspector.core.conversations import Compaction
from inspector.core.rough import text_tokens
from inspector.engines.base import Plan
from widgets.base import human
from widgets.lists.message_list import Boundary, MessageRow
from widgets.panes.compaction_pane import BoundsView, CompactionView


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

    def row(self, row: int) -> MessageRow:
        """A row, from the list it belongs to, in the region that it was in."""
        rows, index = self.place(row)
        found = rows.row(rows.row_of(index))
        if rows is not self.before:
            return found
        return replace(found, region=self.compaction.region(index))

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
        left = human.plural(self.compaction.went, "message")
        came = "what stayed" if self.summary_at is None else "Σ took their place, then what stayed"
        return (
            Boundary(head, "head_end", "recorded", f"{left} left from here on"),
            Boundary(tail, "tail_start", "recorded", came),
        )


def reported_words(done: Compaction, sent: int | None) -> str:
    """The agent's own sizes before and after, in tokens, and what the first request after it `sent`; "" where the agent
    counted nothing."""
    sizes = [size for size in (done.tokens_before_reported, done.tokens_after_reported) if size is not None]
    told = [" → ".join(f"{size:,}" for size in sizes)] if sizes else []
    return " · ".join(told if sent is None else [*told, f"the next request sent {sent:,}"])


def compaction_view(
    total: int, done: Compaction, plan: Plan | None, went_tokens: int | None = None, reported: str = ""
) -> CompactionView:
    """A recorded compaction, one of `total`, beside the plan that the settings make of the same list. `went_tokens` are
    those of what left, as it stood, `reported` the agent's own sizes in words."""
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
    return CompactionView(
        index=done.index,
        total=total,
        before=done.before,
        after=done.after,
        tokens_before=done.tokens_before,
        tokens_after=done.tokens_after,
        outcome=outcome_of(done),
        reported=reported,
        bounds=tuple(bounds),
        went=done.went,
        went_tokens=went_tokens,
        stayed=done.stayed,
        came=max(0, done.after - done.stayed),
        at=done.at,
        session=done.session,
        notes=(done.note,) if done.note else (),
    )
