"""Where in the lists the answers of requests stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from inspector.core.conversations import ROLE_CODES, Conversation, Request
from inspector.replay.recording import Recording

_ASSISTANT = ROLE_CODES["assistant"]
#: An answer is stored within so many seconds of what the usage says of its time.
_WITHIN = 1.0


def answer_places(
    conversation: Conversation, recording: Recording, requests: Sequence[Request], modelled: bool
) -> tuple[int | None, ...]:
    """The index of each request's answer in the list of its generation: by its row where the requests are `modelled`,
    else by its time, the last answer before it where none is of that time. None where there is none."""
    lists = {generation.number: generation for generation in conversation.generations}
    rows: dict[int, dict[str, int]] = {}
    timed: dict[int, tuple[list[float], list[int]]] = {}
    places: list[int | None] = []
    for request in requests:
        generation = lists.get(request.generation)
        if generation is None:
            places.append(None)
            continue
        number = generation.number
        if modelled:
            if number not in rows:
                rows[number] = {str(row): index for index, row in enumerate(generation.ids)}
            places.append(rows[number].get(request.message))
            continue
        if number not in timed:
            said = zip(recording.sent[number - 1].times, generation.roles, strict=False)
            answers = sorted(
                (time, index) for index, (time, role) in enumerate(said) if role == _ASSISTANT and time
            )
            timed[number] = [time for time, _ in answers], [index for _, index in answers]
        times, indexes = timed[number]
        at = bisect_left(times, request.at - 0.001)
        if at == len(times) or times[at] - request.at >= _WITHIN:
            at -= 1
        places.append(indexes[at] if request.at and at >= 0 else None)
    return tuple(places)


def difference(request: Request, index: int, first: tuple[Request, int], grown: Sequence[int]) -> str:
    """Where the prompt of a request whose answer is message `index` first differs from the one before: behind what was
    read. That ends at a breakpoint, so the difference lies behind that message. `first` is the first request of the
    list with its answer, `grown` the rough tokens of the list's first n messages: both tell how many tokens of the
    provider a rough one is."""
    grew, sent = grown[index] - grown[first[1]], request.context - first[0].context
    scale = sent / grew if grew > 0 and sent > 0 else 1.0
    # The rough tokens of the messages that what was read has room for, counted back from the whole prompt.
    room = grown[index] - (request.context - request.cache_read) / scale
    told = f"~{request.cache_read:,} tokens in"
    if room < grown[1 if len(grown) > 1 else 0]:
        return f"at the start (system prompt, tools or first message, {told})"
    return f"behind #{bisect_right(grown, room) - 2} ({told})"
