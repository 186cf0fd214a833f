"""The threshold that the recorded compactions show, if the limit of the user or the model is not recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from inspector.core.conversations import Compaction, Request
from inspector.engines.loop import BEFORE_REQUESTS, Loop


def recorded_threshold(
    usual: int,
    requests: Sequence[Request],
    compactions: Sequence[Compaction],
    excused: Sequence[float] = (),
    reasoning: float = 0.0,
    turns_end: bool = False,
) -> int | None:
    """Return the size in tokens that explains the records better than the `usual` threshold; None if none does.

    A threshold explains an automatic compaction at or above it. It also explains a list in which no request at or
    above it was followed by another request. Only sizes of recorded compactions are tried. A size that is not recorded
    is at least the size of the last request. It exceeds that by at most the largest step of any list. Each list counts
    once, because parts of a conversation may have had other settings; the newest list decides. If an automatic
    compaction came below the best threshold, none is returned. At `excused` times the
    agent cleared results or failed to compact, so it was at its threshold. If no compaction came by the size of its
    list, the sizes at which requests did not fit into the window are tried. With `reasoning` (see Loop) the agent's own
    size is larger than a recorded size, by the last results and the reasoning of the list. With `turns_end` the agent
    compacts only at the end of a turn, so only requests that end a turn count. If the agent does not record which ones
    do, a list may exceed the usual threshold by a step.
    """
    requests = [request for request in requests if not request.unsized]
    continued, step = _continued(requests, excused, turns_end)
    ends_unknown = turns_end and all(request.ends_turn is None for request in requests)
    fired, overflown = _sizes(requests, compactions, step, reasoning)

    def reached(size: int, threshold: int) -> bool:
        return size >= threshold + (step if ends_unknown and threshold == usual else 0)

    # An agent that checks only at the end of a turn may overflow once within it.
    overflown = overflown if len(overflown) > 1 or not turns_end else []
    # Such an agent overflows at its window, which is above the threshold.
    within = overflown if turns_end else []

    def wrong(threshold: int) -> int:
        below = sum(most < threshold for most in (*(most for _, most in fired), *within))
        return below + sum(reached(size, threshold) for size in continued.values())

    newest = continued.get(max(continued, default=0), 0)
    sizes = [least for least, _ in fired] or overflown
    tried = [size for size in (usual, *sizes) if not reached(newest, size)] or [usual]
    best = min(tried, key=lambda size: (wrong(size), size != usual, size))
    return None if best == usual or any(most < best for _, most in fired) else best


def _sizes(
    requests: Sequence[Request], compactions: Sequence[Compaction], step: int, reasoning: float
) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the least and greatest size of each compaction by size; and the sizes that did not fit into the window."""
    last = {request.generation: request.tokens for request in requests}
    thought: Counter[int] = Counter()
    for request in requests:
        thought[request.generation] += request.reasoning
    fired: list[tuple[int, int]] = []
    overflown: list[int] = []
    for compaction in compactions:
        reported = compaction.tokens_before_reported
        least = reported or last.get(compaction.index, 0)
        if not compaction.whole or not least:
            continue
        most = least
        if not reported:
            most += step
        elif reasoning:
            most += step + int(reasoning * thought[compaction.index])
        if compaction.overflow and compaction.trigger != "manual":
            overflown.append(least)
        elif compaction.by_size:
            fired.append((least, most))
    return fired, overflown


def last_beyond(
    threshold: int, requests: Sequence[Request], excused: Sequence[float] = (), turns_end: bool = False
) -> int | None:
    """Return the newest generation with a request after a request at or above a threshold; None if none.

    Until its end a higher threshold was in force. `excused` and `turns_end` are as in recorded_threshold.
    """
    continued, _ = _continued([request for request in requests if not request.unsized], excused, turns_end)
    return max((number for number, size in continued.items() if size >= threshold), default=None)


def first_beyond(
    threshold: int,
    requests: Sequence[Request],
    generation: int,
    excused: Sequence[float] = (),
    loop: Loop = BEFORE_REQUESTS,
) -> Request | None:
    """Return the first request of a generation at or above a threshold that the agent followed with another request of
    the same list; None if none. With this threshold it would have compacted there.

    An agent that compacts in the background sends one more request. `excused` is as in recorded_threshold.
    """
    sized = [call for call in requests if call.generation == generation and not call.unsized]
    beyond = [call for call in _followed(sized, excused, loop.turns_end) if call.tokens >= threshold]
    return next(iter(beyond[:-1] if loop.background else beyond), None)


def _followed(requests: Sequence[Request], excused: Sequence[float], turns_end: bool) -> Iterator[Request]:
    """Yield the checked requests that another request of the same list followed. With `turns_end`, a request within a
    turn is not checked."""
    for request, following in pairwise(requests):
        if request.generation != following.generation or following.context < request.context:
            continue
        is_checked = not turns_end or request.ends_turn is not False
        if is_checked and not any(request.at <= at <= following.at for at in excused):
            yield request


def _continued(
    requests: Sequence[Request], excused: Sequence[float], turns_end: bool
) -> tuple[dict[int, int], int]:
    """Return the largest request with its answer, in tokens, that another request followed, by generation; and the
    largest step between two requests of a list. With `turns_end`, a request within a turn does not count."""
    continued: dict[int, int] = {}
    step = 0
    for request, following in pairwise(requests):
        if request.generation == following.generation and following.context >= request.context:
            step = max(step, following.context - request.tokens)
    for request in _followed(requests, excused, turns_end):
        continued[request.generation] = max(request.tokens, continued.get(request.generation, 0))
    return continued, step
