"""Places of messages, and their names: #16 is the index in the list of a generation."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Place(Struct, frozen=True):
    """The place of a message: generation (from 1), index in its list, row of the store."""

    generation: int
    index: int
    message: int


def place_name(index: int | None, generation: int | None = None) -> str:
    """Return "#16 of generation 2"; "" if the index is unknown."""
    if index is None:
        return ""
    return f"#{index:,}" if generation is None else f"#{index:,} of generation {generation}"


def nearest(places: Sequence[int], at: int, by: int) -> int:
    """Return the next (1) or the previous (-1) of some places in order; `at` if there is none."""
    if by > 0:
        return next((place for place in places if place > at), at)
    return next((place for place in reversed(places) if place < at), at)
