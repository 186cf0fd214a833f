"""The size of the tail that the recorded compactions show, if the setting is not recorded."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple


class RecordedTail(NamedTuple):
    """The start of a recorded tail, the maximum of its tokens, and a function from tokens to the start of a tail."""

    start: int
    most: int
    planned: Callable[[int], int]

    def tokens(self) -> range:
        """Return the numbers of tokens whose tail starts at the recorded place."""
        every = range(self.most + 1)
        first = bisect_left(every, True, key=lambda tokens: self.planned(tokens) <= self.start)
        end = bisect_left(every, True, key=lambda tokens: self.planned(tokens) < self.start)
        return range(first, end)


def recorded_tail(cuts: Sequence[RecordedTail], usual: int, tried: Sequence[int]) -> int | None:
    """Return the number of tokens that explains more of the `cuts` than the `usual` one; None if none does.

    Usual numbers (`tried`) are tried first, then the smallest number of each cut.
    """
    ranges = [cut.tokens() for cut in cuts]

    def explained(tokens: int) -> int:
        return sum(tokens in fitting for fitting in ranges)

    best = max((usual, *tried, *(fitting.start for fitting in ranges)), key=explained)
    return None if best == usual else best
