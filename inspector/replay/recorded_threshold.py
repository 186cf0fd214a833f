"""The threshold that an agent's records show, where a user's own limit or a model's is not recorded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from inspector.core.conversations import Compaction, Request


def recorded_threshold(
    usual: int, requests: Sequence[Request], compactions: Sequence[Compaction]
) -> int | None:
    """The size in tokens that explains the records better than the `usual` threshold; None where none does.

    A threshold explains automatic compactions that came at it or above, and lists with no request at it or above after
    which the agent went on. Only sizes of recorded compactions are tried. A list counts once, because the settings of
    one part of a conversation may have been others; the newest list decides.
    """
    last: dict[int, int] = {}
    went_on: dict[int, int] = {}
    for request, coming in pairwise(requests):
        if request.generation == coming.generation and coming.context >= request.context:
            size = request.context + request.output
            went_on[request.generation] = max(size, went_on.get(request.generation, 0))
    for request in requests:
        last[request.generation] = request.context + request.output
    fired = [
        compaction.tokens_before_reported or last.get(compaction.index, 0)
        for compaction in compactions
        if compaction.trigger != "manual" and compaction.whole
    ]
    fired = [size for size in fired if size > 0]

    def wrong(threshold: int) -> int:
        return sum(size < threshold for size in fired) + sum(size >= threshold for size in went_on.values())

    newest = went_on.get(max(went_on, default=0), 0)
    tried = [size for size in (usual, *fired) if size > newest] or [usual]
    best = min(tried, key=lambda size: (wrong(size), size != usual, size))
    return None if best == usual else best
