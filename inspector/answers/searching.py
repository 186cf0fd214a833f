"""Places of search hits: the list with a message, and whether the agent still has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from inspector.core.conversations import Conversation, Hit
from inspector.core.errors import InspectorError
from inspector.stores.base import Store


class HitPlace(NamedTuple):
    """The first `generation` with a message, counted from 1, and the compaction that removed the message from the list
    (`left_with`; 0: it is in the live list)."""

    generation: int
    left_with: int


def hit_places(store: Store, hits: Iterable[Hit]) -> Iterator[tuple[Hit, HitPlace | None]]:
    """Return the place of each hit; None if no list of its conversation has it.

    Opens each conversation once. Conversations that cannot be opened are skipped; opening them shows the reason.
    """
    lists: dict[str, dict[int, HitPlace]] = {}
    for hit in hits:
        if hit.conversation not in lists:
            try:
                lists[hit.conversation] = _places(store.open(hit.conversation))
            except InspectorError:
                lists[hit.conversation] = {}
        yield hit, lists[hit.conversation].get(hit.message)


def _places(conversation: Conversation) -> dict[int, HitPlace]:
    last = conversation.generations[-1].number
    places: dict[int, HitPlace] = {}
    for generation in conversation.generations:
        removed_by = 0 if generation.number == last else generation.number
        for row in generation.ids:
            first = places.get(row)
            places[row] = HitPlace(first.generation if first else generation.number, removed_by)
    return places
