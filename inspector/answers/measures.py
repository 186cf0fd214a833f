"""What each compaction of a conversation kept, measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.answers.answers import Answers
from inspector.answers.facts import facts_reading
from inspector.answers.inspection import Inspection
from inspector.config.fact_rules import load_stemmer
from inspector.core.conversations import Compaction, ConversationRow
from inspector.core.rough import text_tokens
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.measures.conversation_measures import ConversationMeasures, measures_of
def reopened(inspection: Inspection, profile: str) -> Mapping[int, tuple[Evidence, ...]]:
    """Return by compaction the files and pages that were opened again after it, in order.

    Reads lists that were not read yet. Raises StoreErrors and EngineErrors.
    """
    gathering = Reopened()
    evidence = {}
    for recorded in inspection.compactions():
        before, after = inspection.generation(recorded.index), inspection.generation(recorded.index + 1)
        opened = inspection.gathered(before, profile).opened, inspection.gathered(after, profile).opened
        evidence[recorded.index] = gathering.measure(recorded, *opened).evidence
    return evidence


@dataclass(frozen=True, slots=True)
class MeasuredConversation:
    """The measures of a conversation's compactions, by the settings' profile."""

    row: ConversationRow
    profile: str
    compactions: tuple[Compaction, ...]
    measures: ConversationMeasures


def measure(answers: Answers, name: str) -> MeasuredConversation:
    """The measures of every compaction, facts followed. Raises UnknownConversation, StoreErrors and EngineErrors."""
    inspection, resolved, reading = facts_reading(answers, name)
    return MeasuredConversation(
        inspection.conversation.row,
        resolved.settings.profile,
        inspection.compactions(),
        measure_conversation(inspection, resolved.settings, reading.facts),
    )
