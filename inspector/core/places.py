"""Places of messages, and their names: #16 is an index in a list, row 17 the store's own number."""

from __future__ import annotations

from msgspec import Struct


class Place(Struct, frozen=True):
    """The place of a message: generation (from 1), index in its list, row of the store."""

    generation: int
    index: int
    message: int


def place_name(index: int | None, row: object = None, generation: int | None = None) -> str:
    """Return "#16 (row 17) of generation 2", as far as known; an empty string if nothing is."""
    told = "" if index is None else f"#{index:,}"
    if row is not None:
        told = f"{told} (row {row})" if told else f"row {row}"
    return f"{told} of generation {generation}" if told and generation is not None else told
