"""Exact token counts of a list up to any message, as far as its messages have been counted."""

from __future__ import annotations

from collections.abc import Mapping


class ExactSums:
    """Sums over the counts of a list from its first message on. `counts` may grow; -1 is the system prompt."""

    def __init__(self, counts: Mapping[int, int]) -> None:
        self.counts = counts
        self._sums = [0]

    def until(self, length: int, prompt: bool) -> int | None:
        """Tokens of the first so many messages, with the system prompt if `prompt`; None while one is not counted."""
        counts, sums = self.counts, self._sums
        while len(sums) <= length:
            tokens = counts.get(len(sums) - 1)
            if tokens is None:
                return None
            sums.append(sums[-1] + tokens)
        system = counts.get(-1) if prompt else 0
        return None if system is None else sums[length] + system
