"""Facts to be carried over a compaction: as a checklist for people, as memories for Mem0."""

from __future__ import annotations

from inspector.answers.facts import FactsAtRisk, FollowedFacts
from inspector.export.document import Document
from inspector.export.masking import masked
from inspector.models.masking import Masker
from inspector.quality.facts.carry import checklist, memories
from inspector.quality.facts.fact import Fact, Life

AT_RISK_LEAD = "Keep these in the summary, word for word and with their values:"
LOST_LEAD = "These were said before the last compaction and are no longer in your context; they still hold:"


def facts_checklist(answer: FollowedFacts | FactsAtRisk, masker: Masker) -> str:
    """The facts to be carried over as a checklist in Markdown, without secrets."""
    facts = masked(_carried(answer), masker)
    at_risk = isinstance(answer, FactsAtRisk)
    if not facts:
        return "Nothing is at risk.\n" if at_risk else "Nothing is lost.\n"
    return checklist(facts, AT_RISK_LEAD if at_risk else LOST_LEAD)


def facts_memories(answer: FollowedFacts | FactsAtRisk, user: str, masker: Masker) -> list[Document]:
    """The facts to be carried over as payloads for Mem0's add, without secrets."""
    return memories(masked(_carried(answer), masker), answer.conversation, user)


def _carried(answer: FollowedFacts | FactsAtRisk) -> list[Fact]:
    """Facts at risk, each once; or facts that the last list no longer has, unless fates were asked for."""
    if isinstance(answer, FactsAtRisk):
        facts = [entry.fact for entry in answer.facts]
    else:
        facts = [life.fact for life in answer.facts if answer.fates or _missing(life)]
    return list({fact.key: fact for fact in facts}.values())


def _missing(life: Life) -> bool:
    """Whether the last list no longer has a fact, or no longer as something that binds."""
    fate = life.fates[-1]
    return fate.gone or fate.outcome == "weakened"
