"""The aftermath of the compactions of a conversation, read from its store."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.answers.fact_reading import course_of
from inspector.answers.inspection import Inspection
from inspector.core.messages import Message
from inspector.quality.aftermath import AftermathEvent, Step, aftermath_of, steps_with_acts
from inspector.quality.facts.fact import ConversationFacts
from inspector.replay.transcript import transcript


def read_aftermath(inspection: Inspection, facts: ConversationFacts) -> tuple[AftermathEvent, ...]:
    """Every event after a compaction. Reads each list once; raises StoreErrors."""
    if not inspection.compactions():
        return ()
    return aftermath_of(steps_with_acts(_messages(inspection)), facts)


def _messages(inspection: Inspection) -> Iterator[tuple[Step, Message]]:
    """Every message of the conversation once, where it was said first."""
    said = transcript(inspection.conversation, inspection.compactions())
    left = course_of(said, inspection.compactions(), {}).left
    steps = {(place.generation, place.index): step for step, place in enumerate(said.places)}
    for generation in inspection.conversation.generations:
        for index, message in enumerate(inspection.store.iterate(generation)):
            step = steps.get((generation.number, index))
            if step is not None:
                yield Step(step, generation.number, index, generation.ids[index], left.get(step)), message
