"""A store that has one conversation alone, opened."""

from __future__ import annotations

from pathlib import Path

from inspector.core.conversations import Compaction, Conversation
from inspector.stores.base import Store
from inspector.stores.detect import open_store


def opened(path: Path) -> tuple[Store, Conversation, tuple[Compaction, ...]]:
    """The store, its conversation, and what was compacted in it."""
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    return store, conversation, store.compactions(conversation)


def texts(store: Store, conversation: Conversation, number: int = -1) -> list[tuple[str, str]]:
    """Role and text of each message of a list, of the last by default."""
    return [(m.role, m.text) for m in store.messages(conversation.generations[number])]
