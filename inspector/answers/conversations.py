"""The conversations of a store."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.answers.answers import Answers
from inspector.answers.resolving import info_for, resolve
from inspector.core.conversations import Conversation
from inspector.engines.base import Settings


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation, the settings in force for it, and the path of its store."""

    conversation: Conversation
    settings: Settings
    store: str


def list_conversations(answers: Answers) -> list[ListedConversation]:
    """Every conversation, opened for its generations and compactions. Raises StoreErrors."""
    store = answers.store
    return [
        ListedConversation(
            store.open(row.id),
            resolve(store, row, answers.flags, answers.config).settings,
            str(info_for(store, row.id).path),
        )
        for row in store.conversations()
    ]
