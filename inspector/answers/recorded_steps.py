"""The messages of a conversation, each once, with the compaction that summarized it."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.answers.inspection import Inspection
from inspector.core.messages import Message
from inspector.quality.aftermath import Step
from inspector.replay.transcript import message_paths, transcript_of


def recorded_steps(inspection: Inspection) -> Iterator[tuple[Step, Message]]:
    """Yield every message of the conversation once, at its first place. Raises StoreErrors."""
    transcript = transcript_of(inspection.conversation, inspection.compactions())
    removed_by = message_paths(transcript, inspection.compactions()).removed_by
    steps = {(place.generation, place.index): step for step, place in enumerate(transcript.places)}
    for generation in inspection.conversation.generations:
        for index, message in enumerate(inspection.store.iterate(generation)):
            step = steps.get((generation.number, index))
            if step is not None:
                row, removed = generation.ids[index], removed_by.get(step)
                yield Step(step, generation.number, index, row, removed), message
