"""Old results that an agent cleared without a summary, and the size that this freed.

Some agents record which results they cleared. If the reported requests shrank without such a record, results
were cleared too. It is unknown which results, so the oldest are assumed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat
from typing import NamedTuple

from inspector.core.conversations import TOOL, Microcompaction
from inspector.engines.replayable import ReadList
from inspector.replay.context_scale import ContextScale, Reported
from inspector.replay.transcript import Transcript

#: Characters of the line that replaces a result.
_STUB = 40
#: Minimum drop in tokens, against the last request and the expected size, that reveals a clearing.
_FELL = 10_000


class Cleared(NamedTuple):
    """A result that was cleared after `step` messages: its index among them, and the number of freed characters."""

    step: int
    message: int
    chars: int


class Freed:
    """Number of characters that clearing freed until each step, in the messages from `since` on."""

    def __init__(self, cleared: Sequence[Cleared], since: int = 0) -> None:
        results = [result for result in cleared if result.message >= since]
        self._steps = [result.step for result in results]
        self._chars = list(accumulate((result.chars for result in results), initial=0))

    def __bool__(self) -> bool:
        return bool(self._steps)

    def at(self, step: int) -> int:
        """Return the number of characters that were freed after `step` messages."""
        return self._chars[bisect_right(self._steps, step)]


def before_clearing(
    reported: Iterable[Reported], microcompactions: Iterable[Microcompaction]
) -> list[Reported]:
    """Return the requests of each list before its first clearing. Later requests lack results that the list has."""
    places: dict[int, int] = {}
    for done in microcompactions:
        places[done.generation] = min(done.place, places.get(done.generation, done.place))
    requests: list[Reported] = []
    shrunk: set[int] = set()
    last: Reported | None = None
    for request in reported:
        if last is not None and last.generation == request.generation and _fell(last, request):
            shrunk.add(request.generation)
        last = request
        cleared = request.length >= places.get(request.generation, request.length + 1)
        if not cleared and request.generation not in shrunk:
            requests.append(request)
    return requests


def _fell(last: Reported, request: Reported) -> bool:
    """Return whether the size of a request reveals a clearing."""
    return last.tokens - request.tokens >= _FELL


def cleared_results(
    transcript: Transcript,
    lists: Sequence[ReadList],
    microcompactions: Iterable[Microcompaction],
    reported: Iterable[Reported],
    scale: ContextScale,
) -> tuple[Cleared, ...]:
    """Return every cleared result, in order.

    Results that a compaction cleared are left out, because the compaction fired at the size before.
    """
    generations = _Generations(transcript, lists)
    last_list = len(lists)
    micro = sorted(
        (
            step
            for step in microcompactions
            if step.generation == last_list or step.place < len(lists[step.generation - 1])
        ),
        key=lambda step: (step.generation, step.place),
    )
    requests = sorted(reported, key=lambda request: (request.generation, request.length))
    last: Reported | None = None
    for request in requests:
        while micro and (micro[0].generation, micro[0].place) <= (request.generation, request.length):
            generations.clear(micro.pop(0))
        if last is not None and last.generation == request.generation:
            _clear_fall(generations, last, request, scale)
        last = request
    for step in micro:
        generations.clear(step)
    return tuple(sorted(generations.results))


def _clear_fall(generations: _Generations, last: Reported, request: Reported, scale: ContextScale) -> None:
    """Clear the oldest results if the size of a request reveals a clearing."""
    if not scale.requests or not _fell(last, request):
        return
    freed = generations.freed(request.generation) // 4
    missing = scale.reported(request.rough - freed) - request.tokens
    if missing >= _FELL:
        generations.clear_oldest(request.generation, request.length, round(4 * missing / scale.scale))


class _Generations:
    """The lists of a conversation, and the cleared results of each."""

    def __init__(self, transcript: Transcript, lists: Sequence[ReadList]) -> None:
        self.results: list[Cleared] = []
        self._lists = lists
        #: For each list, the index in the transcript by the index in the list.
        self._places: dict[int, dict[int, int]] = {}
        for index, place in enumerate(transcript.places):
            self._places.setdefault(place.generation, {})[place.index] = index
        self._cleared: set[tuple[int, int]] = set()

    def freed(self, generation: int) -> int:
        """Return the number of characters that were freed in a list."""
        places = self._places.get(generation, {}).values()
        first, last = min(places, default=0), max(places, default=-1)
        return sum(result.chars for result in self.results if first <= result.message <= last)

    def clear(self, done: Microcompaction) -> None:
        """Clear the results that the agent recorded as cleared."""
        chars = self._lists[done.generation - 1].chars
        for index, remaining in zip(done.cleared, done.left or repeat(_STUB)):  # noqa: B905
            self._clear(done.generation, index, done.place, chars[index], remaining)

    def clear_oldest(self, generation: int, length: int, chars: int) -> None:
        """Clear the oldest remaining results until `chars` characters are freed."""
        listed = self._lists[generation - 1]
        for index in range(length):
            if chars <= 0:
                return
            if listed.roles[index] == TOOL and (generation, index) not in self._cleared:
                chars -= self._clear(generation, index, length, min(chars + _STUB, listed.chars[index]))

    def _clear(self, generation: int, index: int, place: int, chars: int, remaining: int = _STUB) -> int:
        places = self._places.get(generation, {})
        if index not in places or chars <= remaining or (generation, index) in self._cleared:
            return 0
        self._cleared.add((generation, index))
        # The step counts the messages of the list before the place.
        step = next((places[at] + 1 for at in range(place - 1, -1, -1) if at in places), places[index] + 1)
        self.results.append(Cleared(max(step, places[index] + 1), places[index], chars - remaining))
        return chars - remaining
