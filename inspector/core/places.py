"""How the place of a message is written: #16 is an index in a list, row 17 the store's own number of it."""

from __future__ import annotations


def place_name(index: int | None, row: object = None, generation: int | None = None) -> str:
    """A message as "#16 (row 17) of generation 2", as far as it is known; an empty string of nothing."""
    told = "" if index is None else f"#{index:,}"
    if row is not None:
        told = f"{told} (row {row})" if told else f"row {row}"
    return f"{told} of generation {generation}" if told and generation is not None else told
