"""Conversion of rough sizes of messages to the reported sizes of requests.

A request has more than messages: the tools, and a system prompt that some agents do not record. A rough token is also
not a token of the provider. The offset and the scale are fitted to the reported requests, so other sizes are estimates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median_low
from typing import NamedTuple

from inspector.core.shares import plural

#: Minimum growth of a list in rough tokens for a scale.
_GROWN = 5_000
#: Range of plausible scales of a tokenizer. Other scales are ignored.
_LEAST, _MOST = 0.5, 3.0


class Reported(NamedTuple):
    """A request with its reported `tokens`, and the reported tokens of its answer (`output`) and of its reasoning.

    `generation` is its list, of `length` messages. `rough` are the rough tokens of the recorded part.
    """

    generation: int
    rough: int
    tokens: int
    length: int = 0
    output: int = 0
    number: int = 0
    reasoning: int = 0


class ContextScale(NamedTuple):
    """Conversion of rough sizes to reported sizes.

    Every request has `beside` tokens that are not recorded (tools, system prompt), and a rough token is
    `scale` reported tokens. `requests` is the number of requests used for the fit, 0 if nothing is modelled.
    `tools` is the rough size of the unrecorded part. `excess` has, for the first 0, 1, ... messages, the tokens
    beyond the scaled size; empty if only sums are known. `basis` describes the sums and compactions of the fit and its
    quality. `least` is the minimum size of a request.
    """

    beside: int = 0
    scale: float = 1.0
    requests: int = 0
    tools: int = 0
    excess: Sequence[int] = ()
    basis: str = ""
    least: int = 0

    def reported(self, rough: int, step: int = 0) -> int:
        """Return the reported tokens for a number of rough tokens, after `step` messages."""
        if not self.requests:
            return rough
        more = self.excess[step] if self.excess else 0
        return self.beside + int(self.scale * rough + 0.5) + more

    def beyond(self, message: int) -> int:
        """Return the tokens of a message beyond its scaled size; `message` counts from 0."""
        return self.excess[message + 1] - self.excess[message] if self.excess else 0

    def sentence(self) -> str:
        """Describe the source of the sizes."""
        if not self.requests:
            return "Tokens are rough, because the store has no sizes of requests."
        requests = plural(self.requests, "request")
        scale = (
            f"{self.scale:.4g} × the rough size, "
            f"plus {self.beside:,} for parts that are not recorded (tools, system prompt)"
        )
        if self.basis:
            return f"Sizes are fitted to {self.basis}: {scale}."
        return f"The agent reported the sizes of {requests}. Other sizes are estimated: {scale}."


def context_scale(requests: Iterable[Reported]) -> ContextScale:
    """Return the scale on which the lists agree, from the first and the largest request of each.

    If the beginning of a list is missing in the transcript, its offset is too large. So the lower of two offsets
    counts."""
    lists: dict[int, list[Reported]] = {}
    for request in requests:
        if request.tokens > 0:
            lists.setdefault(request.generation, []).append(request)
    slopes = []
    for listed in lists.values():
        first, largest = listed[0], max(listed, key=lambda request: request.tokens)
        if largest.rough - first.rough >= _GROWN:
            slopes.append((largest.tokens - first.tokens) / (largest.rough - first.rough))
    slopes = [slope for slope in slopes if _LEAST <= slope <= _MOST]
    if not lists:
        return ContextScale()
    scale = median_low(slopes) if slopes else 1.0
    beside = median_low(
        [max(0, listed[0].tokens - round(scale * listed[0].rough)) for listed in lists.values()]
    )
    least = min(beside, *(request.tokens for listed in lists.values() for request in listed))
    return ContextScale(beside, scale, sum(map(len, lists.values())), least=least)
