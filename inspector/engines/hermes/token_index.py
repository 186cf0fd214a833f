"""A list as prefix sums, so that a plan is arithmetic and needs no text."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, pairwise, repeat
from operator import add
from typing import Protocol

from inspector.core.rough import list_tokens


class Shifted:
    """Prefix sums of a list with other sizes for the messages at `places`.

    `grown` has by how much the first 0, 1, ... of these messages grow together.
    """

    __slots__ = ("grown", "places", "sums")

    def __init__(self, sums: array[int], places: Sequence[int], growth: Iterable[int]) -> None:
        self.sums, self.places, self.grown = sums, places, list(accumulate(growth, initial=0))

    def __len__(self) -> int:
        return len(self.sums)

    def __getitem__(self, index: int) -> int:
        return self.sums[index] + self.grown[bisect_left(self.places, index)]


def all_sums(sums: array[int] | Shifted) -> array[int]:
    """Return all prefix sums."""
    if not isinstance(sums, Shifted):
        return sums
    bounds = pairwise([0, *(place + 1 for place in sums.places), len(sums)])
    shifts = (repeat(grown, stop - start) for grown, (start, stop) in zip(sums.grown, bounds, strict=True))
    return array("q", map(add, sums.sums, chain.from_iterable(shifts)))


class SumsColumn:
    """A number for each message, before and after pruning, as prefix sums.

    `kept[i]` sums the first i messages after replacing duplicates, `short[i]` after full pruning. `between` and
    the walk take pruned numbers before `pruned_to` and kept ones from there on.
    """

    __slots__ = ("kept", "short")

    kept: array[int] | Shifted
    short: array[int] | Shifted

    def __init__(self, kept: Iterable[int], short: Iterable[int]) -> None:
        self.kept = array("q", accumulate(kept, initial=0))
        self.short = array("q", accumulate(short, initial=0))

    @classmethod
    def of(cls, kept: array[int] | Shifted, short: array[int] | Shifted) -> SumsColumn:
        """Make a column of known sums, which may start at any number."""
        column = cls.__new__(cls)
        column.kept, column.short = kept, short
        return column

    def between(self, start: int, stop: int, pruned_to: int) -> int:
        """Return the sum over [start:stop], clamped to the list."""
        last = len(self.kept) - 1
        start, stop = min(start, last), min(max(start, stop), last)
        middle = min(max(pruned_to, start), stop)
        return self.short[middle] - self.short[start] + self.kept[stop] - self.kept[middle]

    def overrun(self, ceiling: int, low: int, pruned_to: int) -> int:
        """Return the largest i >= low with between(i, end) > ceiling, or -1 if everything fits."""
        last = len(self.kept) - 1
        pruned_to = min(max(pruned_to, low), last)
        index = bisect_left(self.kept, self.kept[last] - ceiling, pruned_to, last) - 1
        if index >= pruned_to:
            return index
        room = ceiling - (self.kept[last] - self.kept[pruned_to])
        index = bisect_left(self.short, self.short[pruned_to] - room, low, pruned_to) - 1
        return index if index >= low else -1


class ListColumns(Protocol):
    """The columns of a list that a token index shares (see LiveColumns)."""

    roles: bytes
    calls: bytes
    asked: bytes
    speaking: bytes
    shorts: bytearray
    hands: bytearray
    walk: SumsColumn
    chars: SumsColumn
    images: SumsColumn | None

    @property
    def total_chars(self) -> int: ...

    @property
    def total_images(self) -> int: ...


class HermesTokenIndex:
    """A list as columns, a number or a byte for each message (see MessageColumns).

    `original` are walk tokens before pruning, `tokens_now` after. `chars` and `images` are those of the release's rough
    estimate. `duplicates` are messages that later messages repeat, in order; they are replaced in any region.
    `troubles` are errors that the release would raise, by phase: (index, exception name), sorted by index.
    """

    def __init__(
        self,
        listed: ListColumns,
        duplicates: Sequence[int],
        now: Sequence[SumsColumn],
        troubles: Mapping[str, Sequence[tuple[int, str]]],
    ) -> None:
        self.roles, self.calls, self.asked, self.speaking = (
            listed.roles, listed.calls, listed.asked, listed.speaking,
        )  # fmt: skip
        self.shorts, self.hands, self.original = listed.shorts, listed.hands, listed.walk
        self.tokens_now, self.chars, self.images = now
        self.raw_chars, self.raw_images = listed.chars, listed.images
        self.total_chars, self.total_images = listed.total_chars, listed.total_images
        self.duplicates, self.duplicate_set = duplicates, frozenset(duplicates)
        self.troubles = {
            phase: sorted(
                entry for entry in errors if phase != "prune_result" or entry[0] not in self.duplicate_set
            )
            for phase, errors in troubles.items()
        }

    @cached_property
    def changed(self) -> list[int]:
        """The results and calls that pruning changes, without duplicates."""
        return [at for at in compress(range(len(self)), self.shorts) if at not in self.duplicate_set]

    def __len__(self) -> int:
        return len(self.roles)

    def tokens(self, index: int) -> int:
        """Return the walk tokens of one message before pruning."""
        return self.original.kept[index + 1] - self.original.kept[index]

    def pruned_tokens(self, index: int) -> int:
        """Return the walk tokens of one message after full pruning."""
        return self.tokens_now.between(index, index + 1, index + 1)

    def total(self) -> int:
        """Return the release's rough estimate of the whole list without the system prompt, in tokens."""
        return list_tokens(self.total_chars, self.total_images)

    def rough_until(self, stop: int) -> int:
        """Return the release's rough estimate of the first `stop` messages before pruning, in tokens."""
        images = 0 if self.raw_images is None else self.raw_images.between(0, stop, 0)
        return list_tokens(self.raw_chars.between(0, stop, 0), images)

    def rough_between(self, start: int, stop: int, pruned_to: int) -> int:
        """Return the release's rough estimate of [start:stop], pruned before `pruned_to`, in tokens."""
        chars = self.chars.between(start, stop, pruned_to)
        return list_tokens(chars, self.images.between(start, stop, pruned_to))
