"""The conversations of a store."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.answers.answers import Answers
from inspector.answers.resolving import resolve
from inspector.answers.store_losses import LOSSES
from inspector.core.conversations import Conversation
from inspector.engines.base import Settings
from inspector.stores.several import info_of


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation, its settings in force, the path of its store, and the numbers of lost facts and of facts with an
    unknown fate (None while they are unread)."""

    conversation: Conversation
    settings: Settings
    store: str
    lost: int | None = None
    unknown: int | None = None


def list_conversations(answers: Answers) -> list[ListedConversation]:
    """Every conversation, opened for its generations and compactions; losses as far as they are known from earlier.
    Raises StoreErrors."""
    store = answers.store
    listed = []
    for row in store.conversations():
        settings = resolve(store, row, answers.flags, answers.config).settings
        losses = LOSSES.of(store, row.id).known()
        listed.append(
            ListedConversation(
                store.open(row.id),
                settings,
                str(info_of(store, row.id).path),
                None if losses is None else losses.total,
                None if losses is None else losses.unknown,
            )
        )
    return listed
