"""The threshold that an agent's records show, where a user's own limit or a model's is not recorded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from inspector.core.conversations import Compaction, Request


def recorded_threshold(
    usual: int, requests: Sequence[Request], compactions: Sequence[Compaction]
) -> int | None:
    """The size in tokens that explains the records better than the `usual` threshold; None where none does.

    A threshold explains automatic compactions that came at it or above, and requests below it after which the agent
    went on. Only sizes of recorded compactions are tried.
    """
    last: dict[int, int] = {}
    went_on: list[int] = []
    for request, coming in pairwise(requests):
        if request.generation == coming.generation and coming.context >= request.context:
            went_on.append(request.context + request.output)
    for request in requests:
        last[request.generation] = request.context + request.output
    fired = [
        compaction.tokens_before_reported or last.get(compaction.index, 0)
        for compaction in compactions
        if compaction.trigger != "manual" and compaction.whole
    ]
    fired = [size for size in fired if size > 0]

    def wrong(threshold: int) -> int:
        return sum(size < threshold for size in fired) + sum(size >= threshold for size in went_on)

    best = min([usual, *fired], key=lambda size: (wrong(size), size != usual, size))
    return None if best == usual else best
