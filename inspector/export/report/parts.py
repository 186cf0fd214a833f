"""Parts of a report and their maximum sizes: facts of a compaction and facts at risk.

Omitted parts are counted and named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inspector.answers.fact_reading import FactsReading
from inspector.answers.facts import Wanted, select_risks
from inspector.engines.base import Plan
from inspector.export.document import Document
from inspector.export.facts import AT_RISK_LEAD, ReportedFact
from inspector.export.masking import masked
from inspector.export.report.values import FactGroup, FactsPart
from inspector.models.masking import Masker
from inspector.quality.facts.carry import checklist
from inspector.quality.facts.fact import KINDS, OUTCOMES, ConversationFacts, Life
from inspector.quality.losses import is_lost, lives_after


class Limit(NamedTuple):
    """Maximum size of a part of a compaction, from `least` to `most`; all together have about `total`."""

    least: int
    most: int
    total: int

    def of(self, compactions: int) -> int:
        """Return the limit in a report of some compactions."""
        return max(self.least, min(self.most, self.total // max(1, compactions)))


#: Facts of one kind, characters of a summary, and items of one section of a comparison.
GROUP, SUMMARY, ITEMS = Limit(5, 25, 500), Limit(4_000, 60_000, 800_000), Limit(8, 40, 300)
#: Facts at risk of one kind, entries of the checklist, entries of a list of drift.
RISK, CHECKLIST, DRIFT = 25, 40, 15
#: Attempts that are shown of a compaction, the newest, and events after it, the gravest.
ATTEMPTS, EVENTS = 20, 15
#: Findings of one rule about one compaction, or about the conversation.
FINDINGS = 10


def facts_part(
    facts: ConversationFacts, compaction: int, limit: int, ended: Sequence[Life] = (), lacks: str = ""
) -> FactsPart:
    """Return the facts of a compaction and of earlier ones by kind and fate after it.

    At most `limit` facts of each kind and fate are listed. `ended` are earlier facts that it ended or weakened. A
    fact that was said again, taken back or changed later does not count as lost. `lacks` is as in FactsPart.
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
        _groups([life for life in lives if not life.fate.settled], limit),
        _groups([life for life in lives if life.fate.alive], limit),
        _groups(pruned, max(1, limit // 2)),
        lacks,
    )


def _groups(lines: Sequence[ReportedFact], limit: int) -> tuple[FactGroup, ...]:
    """Return facts by kind in the order of KINDS; within a kind a user's facts first, then by rank."""
    groups = []
    for kind in KINDS:
        facts = sorted((line for line in lines if line.kind == kind), key=lambda line: line.role != "user")
        if facts:
            groups.append(FactGroup(kind, tuple(facts[:limit]), max(0, len(facts) - limit)))
    return tuple(groups)


def risk_part(plan: Plan, reading: FactsReading, masker: Masker) -> Document:
    """Return the facts that a compaction of the live list would summarize. Facts in only one message come first.

    The checklist is masked before its text is escaped, because escapes split secrets. `reason` explains why nothing
    would be compacted, else "".
    """
    head, tail = plan.regions()
    at_risk = select_risks(plan, reading, Wanted())
    return {
        "reason": "" if plan.compacts else plan.reason,
        "head_end": head,
        "tail_start": tail,
        "length": plan.length,
        "total": len(at_risk),
        "once": sum(entry.once for entry in at_risk),
        "groups": _groups(at_risk, RISK),
        "checklist": checklist(masked([entry.fact for entry in at_risk[:CHECKLIST]], masker), AT_RISK_LEAD),
    }
