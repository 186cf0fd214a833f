"""The place of each request's answer in a list, and the place at which its prompt differs from the earlier prompt."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from inspector.answers.inspection import Inspection
from inspector.caching.requests import Requests
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import ASSISTANT, Generation, Request

#: Maximum seconds between the stored time of an answer and the time of its usage.
_TIME_TOLERANCE = 1.0


class AnswerFinder:
    """Finds the answers of a list: by row if the requests are estimated, else by time."""

    def __init__(self, generation: Generation, times: Sequence[float], is_estimated: bool) -> None:
        answers = [index for index, role in enumerate(generation.roles) if role == ASSISTANT]
        self._rows = {str(generation.ids[index]): index for index in answers} if is_estimated else None
        timed = sorted((times[index], index) for index in answers if times[index])
        self._times, self._indexes = [time for time, _ in timed], [index for _, index in timed]

    def of(self, request: Request) -> int | None:
        """Return the index of a request's answer. If no answer has the time of the request, return the last answer
        before it."""
        if self._rows is not None:
            return self._rows.get(request.message)
        at = bisect_left(self._times, request.at - 0.001)
        if not self.has(request):
            at -= 1
        return self._indexes[at] if request.at and at >= 0 else None

    def has(self, request: Request) -> bool:
        """Return whether the list has an answer at the time of a request. Answers on abandoned branches are not in the
        list."""
        at = bisect_left(self._times, request.at - 0.001)
        return at < len(self._times) and self._times[at] - request.at < _TIME_TOLERANCE


def with_differences(inspection: Inspection, resolved: ResolvedSettings, requests: Requests) -> Requests:
    """Return the requests. For each miss with the cause "prefix", add where the prompt changed, if its answer is found
    in the list."""
    if all(entry.judged.cause != "prefix" for entry in requests.priced):
        return requests
    places = answer_places(inspection, resolved.settings.profile, requests)
    firsts: dict[int, tuple[Request, int, Sequence[int]]] = {}
    priced = []
    for entry, index in zip(requests.priced, places, strict=True):
        request = entry.request
        if index is not None:
            if request.generation not in firsts:
                generation = inspection.generation(request.generation)
                grown = inspection.sent(generation, resolved.settings.profile).grown()
                firsts[request.generation] = request, index, grown
            if entry.judged.cause == "prefix":
                entry = entry._replace(differs=difference(request, index, *firsts[request.generation]))
        priced.append(entry)
    return replace(requests, priced=tuple(priced))


def answer_places(inspection: Inspection, profile: str, requests: Requests) -> tuple[int | None, ...]:
    """Return the index of each request's answer in the list of its generation, or None if the list has no such answer.

    An estimated request names the row of its answer. The answer of a recorded request is found by time: the answer at
    the time of the request, else the last answer before it."""
    lists = answer_finders(inspection, profile, requests)
    calls = (priced.request for priced in requests.priced)
    return tuple(lists[call.generation].of(call) if call.generation in lists else None for call in calls)


def answer_finders(inspection: Inspection, profile: str, requests: Requests) -> Mapping[int, AnswerFinder]:
    """Return a finder of the answers of each list with requests, by generation."""
    used = {priced.request.generation for priced in requests.priced}
    return {
        generation.number: AnswerFinder(
            generation, inspection.sent(generation, profile).times, requests.is_estimated
        )
        for generation in inspection.conversation.generations
        if generation.number in used
    }


def difference(request: Request, index: int, first: Request, began: int, grown: Sequence[int]) -> str:
    """Return a phrase for the place at which the prompt stops being read from the cache.

    `index` is the index of the request's answer. Reading ends at a breakpoint, so the prompts differ after the message
    with this breakpoint. `first` is the first request of the list, `began` the index of its answer, and `grown[n]` the
    rough tokens of the first n messages. These give the number of the provider's tokens for each rough token.
    """
    grew, sent = grown[index] - grown[began], request.context - first.context
    scale = sent / grew if grew > 0 and sent > 0 else 1.0
    # Rough tokens of the messages whose tokens were read from the cache, counted back from the end of the prompt.
    rough_read = grown[index] - (request.context - request.cache_read) / scale
    tokens_in = f"~{request.cache_read:,} tokens in"
    if rough_read < grown[1 if len(grown) > 1 else 0]:
        return f"at the start (system prompt, tools or first message, {tokens_in})"
    return f"after #{bisect_right(grown, rough_read) - 2} ({tokens_in})"
