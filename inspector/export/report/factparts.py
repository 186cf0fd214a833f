"""The facts of a report: by compaction, kind and fate, a user's constraints first."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.fact_reading import FactsReading
from inspector.engines.base import Plan
from inspector.export.checklists import AT_RISK_LEAD
from inspector.export.document import Document
from inspector.export.masking import masked
from inspector.export.report.limits import CHECKLIST, RISK
from inspector.export.report.values import FactGroup, FactsPart, ToldFact
from inspector.models.masking import Masker
from inspector.quality.facts.carry import checklist
from inspector.quality.facts.fact import KINDS, OUTCOMES, ConversationFacts, Life
from inspector.quality.losses import is_lost, lives_after


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
        those = sorted((line for line in lines if line.kind == kind), key=lambda line: line.role != "user")
        if those:
            groups.append(FactGroup(kind, tuple(those[:limit]), max(0, len(those) - limit)))
    return tuple(groups)


def risk_part(plan: Plan, reading: FactsReading, masker: Masker) -> Document:
    """What a compaction of the live list would take, what stands there once first. Escapes break secrets up, so the
    checklist is without them before it is written. `reason` says why nothing would be compacted, "" otherwise."""
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
