"""The threshold that the recorded compactions show, if the limit of the user or the model is not recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from inspector.core.conversations import Compaction, Request


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
    agent cleared results or failed to compact, so it was at its threshold. With `reasoning` (see Loop) the agent's own
    size is larger than a recorded size, by the last results and the reasoning of the list. With `turns_end` a list may
    exceed the usual threshold by a step, because the agent compacts only at the end of a turn.
    """
    requests = [request for request in requests if not request.summed]
    last: dict[int, int] = {}
    thought: Counter[int] = Counter()
    continued: dict[int, int] = {}
    step = 0
    for request, following in pairwise(requests):
        size = request.context + request.output
        if request.generation == following.generation and following.context >= request.context:
            step = max(step, following.context - size)
            if not any(request.at <= at <= following.at for at in excused):
                continued[request.generation] = max(size, continued.get(request.generation, 0))
    for request in requests:
        last[request.generation] = request.context + request.output
        thought[request.generation] += request.reasoning
    fired: list[tuple[int, int]] = []
    for compaction in compactions:
        least = most = compaction.tokens_before_reported or 0
        if not least and (least := last.get(compaction.index, 0)):
            most = least + step
        elif reasoning and least:
            most = least + step + int(reasoning * thought[compaction.index])
        by_size = compaction.trigger != "manual" and not compaction.overflow
        if by_size and compaction.whole and least:
            fired.append((least, most))

    def reached(size: int, threshold: int) -> bool:
        return size >= threshold + (step if turns_end and threshold == usual else 0)

    def wrong(threshold: int) -> int:
        return sum(most < threshold for _, most in fired) + sum(
            reached(size, threshold) for size in continued.values()
        )

    newest = continued.get(max(continued, default=0), 0)
    tried = [size for size in (usual, *(least for least, _ in fired)) if not reached(newest, size)] or [usual]
    best = min(tried, key=lambda size: (wrong(size), size != usual, size))
    return None if best == usual or any(most < best for _, most in fired) else best
