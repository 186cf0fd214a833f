"""Interface of every store. A store only ever reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from inspector.core.conversations import (
    Compaction,
    Conversation,
    ConversationRow,
    FailedCompaction,
    Generation,
    Hit,
    Microcompaction,
    Request,
    SentRequest,
)
from inspector.core.messages import Message


class StoreInfo(NamedTuple):
    """Description of a store: its kind, which is the agent that writes it ("hermes"), schema version (None where it has
    none), the profile that its wording and columns point to with the reason, sentences about what could not be read.
    `open_profiles` are all that the signs leave open, where they are several; `limits` are sentences about what the
    agent never records."""

    kind: str
    path: Path
    schema: int | None
    profile: str
    profile_reason: str
    notes: tuple[str, ...] = ()
    open_profiles: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


class Store(Protocol):
    """A session database, open for reading. Safe to use from several threads (a connection each).

    Every method raises a StoreError with a sentence for the user where the database cannot be read.
    """

    @property
    def path(self) -> Path:
        """Path of the store: a file or a folder."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about data that could not be read."""
        ...

    @property
    def info(self) -> StoreInfo:
        """Description of this store; this may read sessions."""
        ...

    def conversations(self) -> tuple[ConversationRow, ...]:
        """Every conversation, the last active first. Reads no message."""
        ...

    def resolve(self, name: str) -> str:
        """The conversation that a session id, a unique prefix of one, or a title names.

        Raises UnknownConversation where none or several do.
        """
        ...

    def open(self, conversation: str) -> Conversation:
        """The generations of a conversation as indexes; no body is read beyond what finds their limits."""
        ...

    def messages(
        self, generation: Generation, start: int = 0, stop: int | None = None
    ) -> tuple[Message, ...]:
        """The bodies of generation[start:stop]."""
        ...

    def iterate(self, generation: Generation) -> Iterator[Message]:
        """Yield each body of a generation in order, with at most one batch in memory."""
        ...

    def system_prompt(self, session: str) -> str:
        """The system prompt of a session; empty where the store has none."""
        ...

    def compactions(self, conversation: Conversation) -> tuple[Compaction, ...]:
        """Every recorded compaction, found by matching the lists before and after it."""
        ...

    def microcompactions(self, conversation: Conversation) -> tuple[Microcompaction, ...]:
        """Every recorded step that cleared old results without a summary, in order."""
        ...

    def requests(self, conversation: Conversation) -> tuple[Request, ...]:
        """Every API call once, in order, with its reported usage; nothing where the store keeps no usage a call."""
        ...

    def live_tokens(self, conversation: str, watch: Callable[[int], None] | None = None) -> int:
        """Rough tokens of the list that the agent holds now, system prompt included; reads that list once.

        `watch` is called at intervals with the number of messages read; an error that it raises stops the reading.
        """
        ...

    def count_compactions(self, conversation: str) -> int:
        """How often a conversation was compacted, without recovering the boundaries."""
        ...

    def search(self, query: str, conversation: str | None = None, limit: int = 200) -> Iterator[Hit]:
        """Messages that contain the words of `query`, newest first."""
        ...

    def size(self) -> int:
        """The bytes of its files."""
        ...

    def version(self) -> int:
        """A number that changes whenever another process has committed to the database."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


@runtime_checkable
class Stamping(Protocol):
    """A store that can detect whether a conversation changed since an earlier run."""

    def stamp(self, conversation: str) -> str:
        """A text that is another one as soon as the conversation is another; costs no reading of its messages."""
        ...


@runtime_checkable
class Gradual(Protocol):
    """A store whose list takes a while to read."""

    def at_once(self) -> tuple[tuple[ConversationRow, ...], bool] | None:
        """Return the conversations that are known without reading a file, and whether they are complete and current;
        None if reading all of them is as quick."""
        ...

    def so_far(self) -> tuple[tuple[ConversationRow, ...], int, int]:
        """The conversations as far as they are read, how many files were read, and how many there are."""
        ...


@runtime_checkable
class RecordsFailures(Protocol):
    """A store whose agent records attempts to compact that failed."""

    def failures(self, conversation: Conversation) -> tuple[FailedCompaction, ...]:
        """Every attempt to compact that failed, in order."""
        ...


def failures_of(store: Store, conversation: Conversation) -> tuple[FailedCompaction, ...]:
    """The attempts to compact a conversation that failed, as far as they are recorded. Raises StoreErrors."""
    return store.failures(conversation) if isinstance(store, RecordsFailures) else ()


@runtime_checkable
class ListsUnsized(Protocol):
    """A store that knows its compactions without reading a message."""

    def unsized_compactions(self, conversation: Conversation) -> tuple[Compaction, ...]:
        """The recorded compactions without rough tokens, oldest first."""
        ...


def unsized_compactions_of(store: Store, conversation: Conversation) -> tuple[Compaction, ...]:
    """The recorded compactions; without rough tokens where the store can leave them out. Raises StoreErrors."""
    if isinstance(store, ListsUnsized):
        return store.unsized_compactions(conversation)
    return store.compactions(conversation)


@runtime_checkable
class RecordsSent(Protocol):
    """A store whose agent records its requests as it sent them."""

    def sent(self, conversation: Conversation) -> tuple[SentRequest, ...]:
        """The recorded requests, in order."""
        ...


def sent_of(store: Store, conversation: Conversation) -> tuple[SentRequest, ...]:
    """The requests of a conversation as they were sent, as far as they are recorded. Raises StoreErrors."""
    return store.sent(conversation) if isinstance(store, RecordsSent) else ()


def stamp_of(store: Store, conversation: str) -> str:
    """The store's own stamp of a conversation, or what its row of the list says: when it was active last, and how many
    messages it has. Raises UnknownConversation and StoreErrors."""
    if isinstance(store, Stamping):
        return store.stamp(conversation)
    return next((repr(row) for row in store.conversations() if conversation in row.sessions), "")
