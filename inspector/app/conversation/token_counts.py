"""Exact token counts of a list, as far as its messages have been counted, and their sums up to any message."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, MutableMapping

_UNKNOWN = -1


class Counts(MutableMapping[int, int]):
    """Tokens of the messages that have been counted, by index; -1 is the system prompt. Eight bytes a message."""

    def __init__(self) -> None:
        self._tokens = array("q")
        self._known = 0

    def __getitem__(self, index: int) -> int:
        place = index + 1
        tokens = self._tokens[place] if 0 <= place < len(self._tokens) else _UNKNOWN
        if tokens == _UNKNOWN:
            raise KeyError(index)
        return tokens

    def __setitem__(self, index: int, tokens: int) -> None:
        place, more = index + 1, index + 2 - len(self._tokens)
        if more > 0:
            self._tokens.extend((_UNKNOWN,) * more)
        self._known += self._tokens[place] == _UNKNOWN
        self._tokens[place] = tokens

    def __delitem__(self, index: int) -> None:
        self[index]  # a KeyError where it is not known
        self._tokens[index + 1] = _UNKNOWN
        self._known -= 1

    def __iter__(self) -> Iterator[int]:
        return (place - 1 for place, tokens in enumerate(self._tokens) if tokens != _UNKNOWN)

    def __len__(self) -> int:
        return self._known


class ExactSums:
    """Sums over the counts of a list from its first message on. `counts` may grow; -1 is the system prompt."""

    def __init__(self, counts: Mapping[int, int]) -> None:
        self.counts = counts
        self._sums = [0]

    def until(self, length: int, prompt: bool) -> int | None:
        """Tokens of the first `length` messages, with the system prompt if `prompt`; None while one is not counted."""
        counts, sums = self.counts, self._sums
        while len(sums) <= length:
            tokens = counts.get(len(sums) - 1)
            if tokens is None:
                return None
            sums.append(sums[-1] + tokens)
        system = counts.get(-1) if prompt else 0
        return None if system is None else sums[length] + system
