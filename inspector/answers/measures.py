"""Measures of what each compaction of a conversation kept."""

from __future__ import annotations

from msgspec import Struct

from inspector.answers.answers import Answers
from inspector.answers.facts import facts_reading
from inspector.answers.inspection import Inspection
from inspector.answers.store_losses import model_decisions
from inspector.core.conversations import ConversationRow
from inspector.engines.base import Settings
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.measures import Measures, compression_of, survival, tokens_spent


class MeasuredConversation(Struct, frozen=True):
    """The measures of a conversation's compactions, by the settings' profile."""

    row: ConversationRow
    profile: str
    measures: Measures


def measure(answers: Answers, name: str) -> MeasuredConversation:
    """Return the measures of every compaction. Raises UnknownConversation, StoreErrors and EngineErrors."""
    inspection, resolved, reading = facts_reading(answers, name)
    measures = measures_of(inspection, resolved.settings, reading.facts)
    by_model = {life.fact.key for life in reading.facts.lives if any(fate.model for fate in life.fates)}
    for sentence in model_decisions(len(by_model)):
        answers.note(sentence)
    return MeasuredConversation(inspection.conversation.row, resolved.settings.profile, measures)


def measures_of(inspection: Inspection, settings: Settings, facts: ConversationFacts) -> Measures:
    """Return the measures of every compaction. Raises StoreErrors and EngineErrors."""
    compactions = inspection.compactions()
    return Measures(
        survival(facts, compactions),
        tuple(map(compression_of, compactions)),
        tuple(tokens_spent(done, inspection.middle_tokens(done, settings)) for done in compactions),
    )
