"""Places of the answers of requests in a list, and of the first difference of a prompt from the previous one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from inspector.core.conversations import ROLE_CODES, Generation, Request

_ASSISTANT = ROLE_CODES["assistant"]
#: Maximum seconds between the stored time of an answer and the time of its usage.
_WITHIN = 1.0


class AnswerPlaces:
    """The answers of a list, by row where the requests are `modelled`, else by time."""

    def __init__(self, generation: Generation, times: Sequence[float], modelled: bool) -> None:
        answers = [index for index, role in enumerate(generation.roles) if role == _ASSISTANT]
        self._rows = {str(generation.ids[index]): index for index in answers} if modelled else None
        timed = sorted((times[index], index) for index in answers if times[index])
        self._times, self._indexes = [time for time, _ in timed], [index for _, index in timed]

    def of(self, request: Request) -> int | None:
        """The index of a request's answer: of its row, or of its time, the last one before it where none is of that
        time."""
        if self._rows is not None:
            return self._rows.get(request.message)
        at = bisect_left(self._times, request.at - 0.001)
        if at == len(self._times) or self._times[at] - request.at >= _WITHIN:
            at -= 1
        return self._indexes[at] if request.at and at >= 0 else None


def difference(request: Request, index: int, first: Request, began: int, grown: Sequence[int]) -> str:
    """Return where a prompt first differs from the previous one: after the tokens that were read from the cache.

    `index` is the message of its answer. Reading ends at a breakpoint, so the difference is after that message. `first`
    is the first request of the list, `began` the message of its answer, and `grown` the rough tokens of the list's
    first n messages; from these follows the number of the provider's tokens for a rough token.
    """
    grew, sent = grown[index] - grown[began], request.context - first.context
    scale = sent / grew if grew > 0 and sent > 0 else 1.0
    # The rough tokens of the messages that what was read has room for, counted back from the whole prompt.
    room = grown[index] - (request.context - request.cache_read) / scale
    told = f"~{request.cache_read:,} tokens in"
    if room < grown[1 if len(grown) > 1 else 0]:
        return f"at the start (system prompt, tools or first message, {told})"
    return f"behind #{bisect_right(grown, room) - 2} ({told})"
