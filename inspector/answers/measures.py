"""Measures of what each compaction of a conversation kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.answers.answers import Answers
from inspector.answers.facts import facts_reading
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction, ConversationRow
from inspector.core.rough import text_tokens
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.measures.conversation_measures import ConversationMeasures, measures_of
from inspector.quality.measures.measure import MeasuredCompaction

if TYPE_CHECKING:
    from inspector.engines.base import Settings


def measure_conversation(
    inspection: Inspection, settings: Settings, facts: ConversationFacts
) -> ConversationMeasures:
    """Return the measures of every compaction. Raises StoreErrors and EngineErrors."""
    # Each has the tokens that its summary call read and wrote.
    measured = (
        MeasuredCompaction(
            recorded, inspection.middle_tokens(recorded, settings), text_tokens(len(recorded.summary or ""))
        )
        for recorded in inspection.compactions()
    )
    return measures_of(measured, facts)


class MeasuredConversation(Struct, frozen=True):
    """The measures of a conversation's compactions, by the settings' profile."""

    row: ConversationRow
    profile: str
    compactions: tuple[Compaction, ...]
    measures: ConversationMeasures


def measure(answers: Answers, name: str) -> MeasuredConversation:
    """Return the measures of every compaction, with followed facts.

    Raises UnknownConversation, StoreErrors and EngineErrors.
    """
    inspection, resolved, reading = facts_reading(answers, name)
    return MeasuredConversation(
        inspection.conversation.row,
        resolved.settings.profile,
        inspection.compactions(),
        measure_conversation(inspection, resolved.settings, reading.facts),
    )
