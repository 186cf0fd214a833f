"""Reading a conversation for replay."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from inspector.answers.inspection import Inspection, watched
from inspector.answers.resolving import caching_release
from inspector.answers.summarizing import summarizing
from inspector.caching.modelled import SentMessages
from inspector.core.messages import Message
from inspector.engines.registry import agent_of, engine
from inspector.engines.replayable import ReadList, replayable
from inspector.replay.context_scale import Reported
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
    lists, times = [], []
    done = 0
    for generation in generations:
        sent = SentMessages(caching_release(profile))
        listed = rules.read(watched(_noted(inspection.store.iterate(generation), sent), watch, done))
        sent.sized(listed.chars, listed.images)
        inspection.keep_sent(generation, sent)
        lists.append(listed)
        times.append(sent.times)
        done += len(generation)
    systems = [inspection.system_tokens(generation.session) for generation in generations]
    return recording_of(
        inspection.conversation,
        compactions,
        rules,
        lists,
        systems,
        list(_reported(inspection, lists, systems, times)),
        inspection.store.microcompactions(inspection.conversation),
        clears=agent_of(profile) == inspection.conversation.row.agent,
    )


def _reported(
    inspection: Inspection,
    lists: Sequence[ReadList],
    systems: Sequence[int],
    times: Sequence[Sequence[float]],
) -> Iterator[Reported]:
    """The requests with the list that each was made of."""
    grown = [
        (listed.growth(), list(accumulate(told, max))) for listed, told in zip(lists, times, strict=True)
    ]
    calls = inspection.store.requests(inspection.conversation)
    # A call that summarizes asks another prompt than the list.
    own = summarizing(inspection, calls)
    for request in calls:
        if request.index in own:
            continue
        sizes, until = grown[request.generation - 1]
        length = bisect_left(until, request.at)
        rough = sizes[length] + systems[request.generation - 1]
        yield Reported(request.generation, rough, request.context, length)


def shared_recording(
    inspection: Inspection, profile: str, watch: Callable[[int], None] | None = None
) -> Recording:
    """The same, read once for all who ask of one inspection; of two engines both are kept. Raises as that does."""
    known = inspection.recordings
    with inspection.reading((profile, 0, 0)):
        found: Recording | None = known.get(profile)
        if found is None:
            found = read_recording(inspection, profile, watch)
            while len(known) > 1:
                known.pop(next(iter(known)))
            known[profile] = found
        return found


def _noted(messages: Iterable[Message], sent: SentMessages) -> Iterator[Message]:
    """The messages; what requests are worked out from is kept of each."""
    for message in messages:
        sent.note(message)
        yield message
