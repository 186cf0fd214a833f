"""The summaries of a conversation: compared two by two, their lineage and drift."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction
from inspector.core.errors import UnknownConversation, UsageProblem
from inspector.core.rough import text_tokens
from inspector.engines.base import Settings
from inspector.quality.facts.rules import load_stemmer
from inspector.summaries.diff import diff_summaries
from inspector.summaries.drift import Drift, drift_of
from inspector.summaries.lineage import Column, Lineage, follow
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import SummaryDiff


def lineage_of(compactions: Sequence[Compaction]) -> Lineage:
    """Return the items of all summaries, followed."""
    return follow(
        [
            Column(c.index, None if c.summary is None else parse_summary(c.summary), c.fallback)
            for c in compactions
        ]
    )


def drift_with(lineage: Lineage, compactions: Sequence[Compaction], budgets: Mapping[int, int]) -> Drift:
    """Return the drift of a lineage. `budgets` has the known budgets in rough tokens, by compaction."""
    tokens = [None if c.summary is None else text_tokens(len(c.summary)) for c in compactions]
    return drift_of(lineage, load_stemmer(), tokens, [budgets.get(c.index) for c in compactions])


def budgets_by_compaction(
    inspection: Inspection, compactions: Sequence[Compaction], settings: Settings
) -> dict[int, int]:
    """Return the budget of each compaction's summary in tokens, by the engine of the settings; none where only the
    usual size was observed. Reads the lists; raises EngineErrors."""
    budgets = {}
    for recorded in compactions:
        plan = inspection.plan(inspection.generation(recorded.index), settings)
        if plan.compacts and not plan.budgets.observed:
            budgets[recorded.index] = plan.summary_budget
    return budgets


class SummaryLives(Struct, frozen=True):
    """The lineage of all items of a conversation's summaries, and how the summaries drifted."""

    conversation: str
    lineage: Lineage
    drift: Drift


def follow_summaries(answers: Answers, name: str) -> SummaryLives:
    """Return the lineage of all items. Raises UnknownConversation if no compaction left a summary."""
    inspection, resolved = answers.opened(name)
    lives = summary_lives(inspection, resolved.settings)
    if lives is None:
        raise UnknownConversation("No compaction of this conversation left a summary that can be read.")
    return lives


def summary_lives(inspection: Inspection, settings: Settings) -> SummaryLives | None:
    """Return the lineage of all items; None if no compaction left a summary. Raises StoreErrors and EngineErrors."""
    compactions = inspection.compactions()
    lineage = lineage_of(compactions)
    if not any(column.summary for column in lineage.columns):
        return None
    budgets = budgets_by_compaction(inspection, compactions, settings)
    return SummaryLives(inspection.conversation.id, lineage, drift_with(lineage, compactions, budgets))


class ComparedSummaries(Struct, frozen=True):
    """The summaries of compactions `first` and `last`, compared."""

    first: int
    last: int
    diff: SummaryDiff


def compare_summaries(
    answers: Answers, name: str, first: int | None, last: int | None
) -> list[ComparedSummaries]:
    """Compare the summaries of compactions `first` and `last`. Without both, compare every two successive summaries.

    Without `first`, the summary before `last` is compared; without `last`, the last summary. Raises UnknownConversation
    if there are not two summaries, UsageProblem for a missing summary.
    """
    inspection, _ = answers.opened(name)
    summaries = {c.index: c.summary for c in inspection.compactions() if c.summary is not None}
    if len(summaries) < 2:
        raise UnknownConversation("There are not two summaries in this conversation to compare.")
    if first is None and last is None:
        return successive_summaries(inspection.compactions())
    return [_compared(summaries, *_pair(summaries, first, last))]


def successive_summaries(compactions: Sequence[Compaction]) -> list[ComparedSummaries]:
    """Compare every two successive summaries."""
    summaries = {c.index: c.summary for c in compactions if c.summary is not None}
    return [_compared(summaries, a, b) for a, b in pairwise(summaries)]


def _compared(summaries: Mapping[int, str], first: int, last: int) -> ComparedSummaries:
    parsed = parse_summary(summaries[first]), parse_summary(summaries[last])
    return ComparedSummaries(first, last, diff_summaries(*parsed))


def _pair(summaries: Collection[int], first: int | None, last: int | None) -> tuple[int, int]:
    indexes = sorted(summaries)
    with_summary = f"compactions with a summary: {', '.join(map(str, indexes))}."
    for index in (first, last):
        if index is not None and index not in summaries:
            raise UsageProblem(f"Compaction {index} left no summary here; {with_summary}")
    b = indexes[-1] if last is None else last
    a = max((i for i in indexes if i < b), default=b) if first is None else first
    if a == b and None in (first, last):
        where = "follows" if last is None else "precedes"
        raise UsageProblem(f"No summary {where} that of compaction {b}; {with_summary}")
    return a, b
