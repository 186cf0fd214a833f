"""The interface of a reader of one agent's files, and its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

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
from inspector.stores.index import FileDigest, FileIndex

#: Returns the messages with these ids, in this order.
Bodies = Callable[[Sequence[int]], list[Message]]


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

    def sources(self, digests: Sequence[FileDigest], memory: FileIndex | None = None) -> tuple[Source, ...]:
        """Return the conversations in these files; `memory` stores results between runs. Raises StoreErrors."""
        ...

    def read(self, source: Source) -> Recorded:
        """Read a conversation. Raises StoreErrors."""
        ...
