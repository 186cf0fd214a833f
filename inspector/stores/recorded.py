"""Interface of a reader of one agent's files, and the values that it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

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

#: Bodies by id, in the order asked for.
Bodies = Callable[[Sequence[int]], list[Message]]


class FileDigest(NamedTuple):
    """Summary of a file for the list of conversations.

    `messages` counts the messages of its last list; `compactions` are the names of its compactions. `first` and `last`
    name its first and last line; `before` is the parent of its first line, in another file. `midway`: the file begins
    with a compaction of the list in that file; `copied`: it begins with lines of another session. `parent` is the
    session that started this sub-agent; `part` names a sub-agent whose messages are mixed with the main conversation.
    `largest` is the number of tokens of the largest request, `max_tokens` the last recorded limit of an answer.
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


_COMPACTIONS = FileDigest._fields.index("compactions")
_SESSIONS = ConversationRow._fields.index("sessions")


def digest_from(values: Sequence[Any]) -> FileDigest:
    """The digest whose fields JSON gave back in order. Raises ValueError, TypeError for other values."""
    if len(values) != len(FileDigest._fields):
        raise ValueError("a digest has other fields")
    # By place, as a home has thousands.
    make: Callable[..., FileDigest] = FileDigest
    return make(*values[:_COMPACTIONS], tuple(values[_COMPACTIONS]), *values[_COMPACTIONS + 1 :])


@dataclass(frozen=True, slots=True)
class Source:
    """A conversation in the list and its files, oldest first.

    `shared` are the files of the conversation that this conversation branched from; `part` names a sub-agent whose
    messages are mixed with others in the files."""

    row: ConversationRow
    files: tuple[str, ...]
    shared: tuple[str, ...] = ()
    part: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A conversation as recorded in its files. The compactions' rough tokens are 0: they are computed from the bodies.
    `prompt` is the system prompt if the files hold it."""

    conversation: Conversation
    compactions: tuple[Compaction, ...]
    microcompactions: tuple[Microcompaction, ...]
    requests: tuple[Request, ...]
    read: Bodies = field(compare=False)
    prompt: str = ""
    failures: tuple[FailedCompaction, ...] = ()


def row_from(values: list[Any]) -> ConversationRow:
    """The row whose fields JSON gave back in order, which it takes over. Raises TypeError, LookupError for other
    values."""
    values[_SESSIONS] = tuple(values[_SESSIONS])
    return ConversationRow._make(values)


class Memory(Protocol):
    """Results about files, kept between runs: JSON values by name."""

    def recall(self, name: str) -> Any:
        """The value under a name; None where there is none."""
        ...

    def remember(self, name: str, value: Any) -> None:
        """Store a value; it replaces the previous value."""
        ...


class Reader(Protocol):
    """Reads the files of one agent. Pure but for reading: the same files always give the same answers."""

    @property
    def agent(self) -> str:
        """The agent's name, as `--profile` takes it too."""
        ...

    @property
    def limits(self) -> tuple[str, ...]:
        """Sentences about data that the agent's files lack."""
        ...

    def recognises(self, head: Head) -> bool:
        """Whether a file that begins like this is one of the agent's."""
        ...

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return a digest for each conversation in a file; empty if it holds no message. Raises StoreErrors."""
        ...

    def sources(self, digests: Sequence[FileDigest], memory: Memory | None = None) -> tuple[Source, ...]:
        """The conversations that files hold together; `memory` keeps what files were read for. Raises StoreErrors."""
        ...

    def read(self, source: Source) -> Recorded:
        """A conversation. Raises StoreErrors."""
        ...
