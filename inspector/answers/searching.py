"""Places of search hits: the list with a message, and whether the agent still has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from inspector.core.conversations import Hit
from inspector.core.errors import InspectorError
from inspector.replay.transcript import message_paths, transcript_of
from inspector.stores.base import Store


class HitPlace(NamedTuple):
    """The first `generation` with a message, counted from 1, and the compaction that removed the message from the list
    (`left_with`; 0: it is in the live list). `message` is its row there: later lists may have copies of the message."""

    generation: int
    left_with: int
    message: int


def hit_places(store: Store, hits: Iterable[Hit]) -> Iterator[tuple[Hit, HitPlace | None]]:
    """Return the place of each hit; None if no list of its conversation has it.

    Opens each conversation once. Conversations that cannot be opened are skipped; opening them shows the reason.
    """
    lists: dict[str, dict[int, HitPlace]] = {}
    for hit in hits:
        if hit.conversation not in lists:
            try:
                lists[hit.conversation] = _places(store, hit.conversation)
            except InspectorError:
                lists[hit.conversation] = {}
        yield hit, lists[hit.conversation].get(hit.message)


def without_copies(found: Iterable[tuple[Hit, HitPlace | None]]) -> dict[Hit, HitPlace | None]:
    """Return each message once: the hit in its first list if there is one. The order stays."""
    each: dict[tuple[str, int], tuple[Hit, HitPlace | None]] = {}
    for hit, place in found:
        message = hit.conversation, hit.message if place is None else place.message
        if message not in each or message[1] == hit.message:
            each[message] = hit, place
    return dict(each.values())


def _places(store: Store, name: str) -> dict[int, HitPlace]:
    conversation = store.open(name)
    last = conversation.generations[-1].number
    #: The message of each row: itself, or the message that it copies.
    originals: dict[int, int] = {}
    if last > 1:
        compactions = store.compactions(conversation)
        transcript = transcript_of(conversation, compactions)
        lists = message_paths(transcript, compactions).lists
        for generation, indexes in zip(conversation.generations, lists, strict=False):
            for number, index in indexes.items():
                if index < len(generation):
                    originals.setdefault(generation.ids[index], transcript.places[number].message)
    places: dict[int, HitPlace] = {}
    for generation in conversation.generations:
        removed_by = 0 if generation.number == last else generation.number
        for row in generation.ids:
            message = originals.get(row, row)
            first = places.get(message)
            places[message] = HitPlace(first.generation if first else generation.number, removed_by, message)
    return {
        row: places[originals.get(row, row)]
        for generation in conversation.generations
        for row in generation.ids
    }
