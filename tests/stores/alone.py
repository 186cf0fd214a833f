"""Open a store with only one conversation."""

from __future__ import annotations

from pathlib import Path

from inspector.core.conversations import Compaction, Conversation
from inspector.stores.base import Store
from inspector.stores.detect import open_store


def opened(path: Path) -> tuple[Store, Conversation, tuple[Compaction, ...]]:
    """Return the store, its conversation, and its compactions."""
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    return store, conversation, store.compactions(conversation)


def texts(store: Store, conversation: Conversation, number: int = -1) -> list[tuple[str, str]]:
    """Return role and text of each message of a list, by default the last list."""
    return [(m.role, m.text) for m in store.messages(conversation.generations[number])]
