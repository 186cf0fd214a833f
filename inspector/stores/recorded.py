"""The interface of a reader of one agent's files, and its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

from inspector.core.conversations import (
    Compaction,
    Conversation,
    ConversationRow,
    FailedCompaction,
    Microcompaction,
    Request,
)
from inspector.core.messages import Message
from inspector.stores.head import Head

#: Returns the messages with these ids, in this order.
Bodies = Callable[[Sequence[int]], list[Message]]


class FileDigest(NamedTuple):
    """Summary of a file for the list of conversations.

    `messages` counts the messages of its last list; `compactions` are the names of its compactions. `first` and `last`
    name its first and last line; `before` is the parent of its first line, in another file. `midway`: the file begins
    with a compaction of the list in that file. `copied`: it has lines of another session. `parent` is the session that
    started this sub-agent. `part` names a sub-agent whose messages are in the file of the main
    conversation. `stream`: the file is the agent's output for a program, not its transcript. `largest` is the size of
    the largest request in tokens, `max_tokens` the last recorded output limit.
    """

    path: str
    session: str
    part: str = ""
    title: str = ""
    model: str = ""
    folder: str = ""
    version: str = ""
    messages: int = 0
    compactions: tuple[str, ...] = ()
    started_at: float = 0.0
    last_active: float = 0.0
    first: str = ""
    last: str = ""
    before: str = ""
    midway: bool = False
    copied: bool = False
    parent: str = ""
    largest: int = 0
    provider: str = ""
    window: int | None = None
    max_tokens: int | None = None
    stream: bool = False
    title_with_secrets: str = ""


class Source(Struct, frozen=True, array_like=True):
    """A conversation in the list and its files, oldest first.

    `shared` are the files of the conversation that it branched from. `part` names a sub-agent whose messages are in the
    files of the main conversation."""

    row: ConversationRow
    files: tuple[str, ...]
    shared: tuple[str, ...] = ()
    part: str = ""


class Recorded(Struct, frozen=True):
    """A conversation as recorded in its files. Rough tokens of compactions are 0, and are computed later. `prompt` is
    the system prompt, or ""."""

    conversation: Conversation
    compactions: tuple[Compaction, ...]
    microcompactions: tuple[Microcompaction, ...]
    requests: tuple[Request, ...]
    bodies: Bodies
    prompt: str = ""
    failures: tuple[FailedCompaction, ...] = ()


class Memory(Protocol):
    """Stored results about files: JSON values by name."""

    def recall(self, name: str) -> Any:
        """Return the value of a name, or None."""
        ...

    def remember(self, name: str, value: Any) -> None:
        """Store a value under a name."""
        ...


class Reader(Protocol):
    """Reads the files of one agent."""

    @property
    def agent(self) -> str:
        """Name of the agent, as in its row in `inspector/agents.py`."""
        ...

    @property
    def limits(self) -> tuple[str, ...]:
        """Sentences about data that the agent's files lack."""
        ...

    def recognises(self, head: Head) -> bool:
        """Return whether a file with this beginning is a session of the agent."""
        ...

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return a digest for each conversation in a file; empty if it holds no message. Raises StoreErrors."""
        ...

    def sources(self, digests: Sequence[FileDigest], memory: Memory | None = None) -> tuple[Source, ...]:
        """Return the conversations in these files; `memory` stores results between runs. Raises StoreErrors."""
        ...

    def read(self, source: Source) -> Recorded:
        """Read a conversation. Raises StoreErrors."""
        ...
