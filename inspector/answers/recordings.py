"""Reading a conversation for replay."""

from __future__ import annotations

from collections.abc import Callable

from inspector.answers.inspection import Inspection, watched
from inspector.engines.registry import engine
from inspector.engines.replayable import replayable
from inspector.replay.recording import Recording, recording_of


def read_recording(
    inspection: Inspection, profile: str, watch: Callable[[int], None] | None = None
) -> Recording:
    """Read every list of a conversation once, for replay under the rules of a profile. Raises EngineError where its
    engine fails, StoreErrors.

    `watch` is told now and then how many messages of all lists were read; an InspectorError that it raises ends the
    reading.
    """
    rules = replayable(engine(profile))
    generations = inspection.conversation.generations
    compactions = inspection.compactions()
    lists = []
    done = 0
    for generation in generations:
        lists.append(rules.read(watched(inspection.store.iterate(generation), watch, done)))
        done += len(generation)
    systems = [inspection.system_tokens(generation.session) for generation in generations]
    return recording_of(inspection.conversation, compactions, rules, lists, systems)
