"""What each compaction of a conversation kept, measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.answers.answers import Answers
from inspector.answers.facts import facts_reading
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction, ConversationRow
from inspector.core.rough import text_tokens
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.measures.conversation_measures import ConversationMeasures, measures_of
from inspector.quality.measures.measure import MeasuredCompaction

if TYPE_CHECKING:
    from inspector.engines.base import Settings


def measure_conversation(
    inspection: Inspection, settings: Settings, facts: ConversationFacts | None = None
) -> ConversationMeasures:
    """The measures of every compaction. Reads each list once; raises StoreErrors and EngineErrors."""
    return measures_of(measured_compactions(inspection, settings), load_stemmer(), facts)


def measured_compactions(inspection: Inspection, settings: Settings) -> Iterator[MeasuredCompaction]:
    """Every recorded compaction with both its lists, one after the other."""
    store, profile = inspection.store, settings.profile
    for recorded in inspection.compactions():
        before, after = inspection.generation(recorded.index), inspection.generation(recorded.index + 1)
        plan = inspection.plan(before, settings)
        same = (recorded.head_end, recorded.tail_start) == (plan.head_end, plan.tail_start)
        token_index = inspection.token_index(before, profile)
        unpruned = token_index.rough_until(recorded.tail_start) - token_index.rough_until(recorded.head_end)
        yield MeasuredCompaction(
            recorded,
            store.messages(before)[: recorded.before],
            store.messages(after, 0, recorded.after),
            plan.middle_tokens if same else unpruned,
            text_tokens(len(recorded.summary or "")),
            inspection.gathered(before, profile).opened,
            inspection.gathered(after, profile).opened,
        )


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
