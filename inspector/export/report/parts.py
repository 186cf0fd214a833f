"""Parts of a report and their maximum sizes: facts of a compaction, facts at risk.

Omitted parts are counted and named.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.fact_reading import FactsReading
from inspector.engines.base import Plan
from inspector.export.document import Document
from inspector.export.facts import AT_RISK_LEAD
from inspector.export.masking import masked
from inspector.export.report.values import FactGroup, FactsPart, ToldFact
from inspector.models.masking import Masker
from inspector.quality.facts.carry import checklist
from inspector.quality.facts.fact import KINDS, OUTCOMES, ConversationFacts, Life
from inspector.quality.losses import is_lost, lives_after

#: Facts of one kind that are shown of a compaction, and all of a report together.
_GROUP, _GROUPS = 25, 500
_LEAST_GROUP = 5
#: Characters of a summary, and of all summaries together.
_SUMMARY, _SUMMARIES = 60_000, 800_000
_LEAST_SUMMARY = 4_000
#: Items of one section of a comparison, and all of a report together.
_ITEMS, _ALL_ITEMS = 40, 3_000
_LEAST_ITEMS = 8
#: Facts at risk of one kind, entries of the checklist.
RISK, CHECKLIST = 25, 40
#: Findings of one rule about one compaction, or about the conversation.
FINDINGS = 10


def group_limit(compactions: int) -> int:
    """Facts of one kind that are shown of each compaction."""
    return max(_LEAST_GROUP, min(_GROUP, _GROUPS // max(1, compactions)))


def summary_limit(compactions: int) -> int:
    """Characters of each summary."""
    return max(_LEAST_SUMMARY, min(_SUMMARY, _SUMMARIES // max(1, compactions)))


def items_limit(compactions: int) -> int:
    """Items of each section of each comparison."""
    return max(_LEAST_ITEMS, min(_ITEMS, _ALL_ITEMS // max(1, 10 * compactions)))


def facts_part(
    facts: ConversationFacts, compaction: int, limit: int, ended: Sequence[Life] = ()
) -> FactsPart:
    """Return the facts of a compaction and of earlier ones by kind and fate after it.

    At most `limit` facts of each kind and fate are listed. `ended` are earlier facts that it ended or weakened. A
    fact that was said again, taken back or changed later does not count as lost.
    """
    lives = facts.of(compaction)
    after = [life for life in lives_after(facts.lives, compaction) if is_lost(life) or not life.fate.gone]
    counts = {
        kind: {outcome: sum(life.kind == kind and life.outcome == outcome for life in after)
               for outcome in OUTCOMES}
        for kind in KINDS
    }  # fmt: skip
    pruned = [life for life in facts.pruned if life.compaction == compaction and life.fate.gone]
    return FactsPart(
        counts,
        _groups([life for life in lives if life.fate.gone], limit),
        _groups([life for life in lives if life.outcome == "weakened"], limit),
        _groups([life for life in ended if life.fate.gone], limit),
        _groups([life for life in lives if life.fate.alive or not life.fate.settled], limit),
        _groups(pruned, max(1, limit // 2)),
    )


def _groups(lines: Sequence[ToldFact], limit: int) -> tuple[FactGroup, ...]:
    """By kind in the order of KINDS; within a kind a user's facts first, then by rank."""
    groups = []
    for kind in KINDS:
        facts = sorted((line for line in lines if line.kind == kind), key=lambda line: line.role != "user")
        if facts:
            groups.append(FactGroup(kind, tuple(facts[:limit]), max(0, len(facts) - limit)))
    return tuple(groups)


def risk_part(plan: Plan, reading: FactsReading, masker: Masker) -> Document:
    """Return the facts that a compaction of the live list would summarize. Facts in only one message come first.

    The checklist is masked before its text is escaped, because escapes split secrets. `reason` says why nothing would
    be compacted, "" otherwise."""
    head, tail = plan.regions()
    found = reading.risk.at_risk(head, tail, kept=plan.kept) if plan.compacts else ()
    return {
        "reason": "" if plan.compacts else plan.reason,
        "head_end": head,
        "tail_start": tail,
        "length": plan.length,
        "total": len(found),
        "once": sum(entry.once for entry in found),
        "groups": _groups(found, RISK),
        "checklist": checklist(masked([entry.fact for entry in found[:CHECKLIST]], masker), AT_RISK_LEAD),
    }
