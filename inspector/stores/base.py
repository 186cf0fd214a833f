"""Interface of every store. A store only ever reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

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

#: Number of messages read at once, of a range and of a whole list. Callers of a whole list may pause between two
#: pieces, and a large piece delays a frame.
BATCH, PIECE = 256, 64


class StoreInfo(NamedTuple):
    """Description of a store.

    `kind` is the agent that writes it ("hermes"). `schema` is None if it has no version. Its wording and columns
    indicate the `profile`; `open_profiles` are the candidates if several remain. `notes` are about unreadable data,
    and `limits` about data that the agent never records.
    """

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

    Every method raises a StoreError with a sentence for the user where the database cannot be read. A store is a
    subclass. This class answers the questions about data that an agent does not record. `path` is a file or a folder.
    """

    path: Path

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about data that could not be read."""
        ...

    @property
    def left_out(self) -> tuple[str, ...]:
        """Those of the notes that are about sessions that an answer about all sessions lacks."""
        return ()

    @property
    def info(self) -> StoreInfo:
        """Description of this store; this may read sessions."""
        ...

    def settled(self) -> StoreInfo:
        """Describe the store as surely as possible; reads some lists if its signs leave several profiles open."""
        return self.info

    def info_of(self, session: str) -> StoreInfo:
        """Describe the store that holds a session, with the release that wrote the session if that is recorded."""
        return self.settled()

    def threshold(self, session: str, window: int) -> tuple[float, str] | None:
        """Return the threshold that the settings of the agent give now, as a share of a window in tokens, and its
        source; None if they give none."""
        return None

    def owner(self, session: str) -> Store:
        """Return the single store that holds a session; a store that is one returns itself."""
        return self

    def files_of(self, conversation: str) -> tuple[str, ...]:
        """Return the paths of the files that a conversation is read from; empty if it is the store's own file."""
        return ()

    def conversations(self) -> tuple[ConversationRow, ...]:
        """Return every conversation, the last active first. Reads no message."""
        ...

    def at_once(self) -> tuple[tuple[ConversationRow, ...], bool] | None:
        """Return the conversations that are known without reading a file, and whether they are complete and current.
        Return None if reading all files is as fast."""
        return None

    def so_far(self) -> tuple[tuple[ConversationRow, ...], int, int]:
        """Return the conversations read so far, the number of read files, and the number of files. A store that
        reads its list at once counts as one file."""
        return self.conversations(), 1, 1

    def resolve(self, name: str) -> str:
        """Return the conversation of a session id, of a unique prefix of an id, or of a title. Raises
        UnknownConversation if none or several match.
        """
        ...

    def open(self, conversation: str) -> Conversation:
        """Return the generations of a conversation as indexes. Bodies are read only to find where generations begin."""
        ...

    def messages(
        self, generation: Generation, start: int = 0, stop: int | None = None
    ) -> tuple[Message, ...]:
        """Return the bodies of generation[start:stop]."""
        ...

    def iterate(self, generation: Generation) -> Iterator[Message]:
        """Yield each body of a generation in order, with at most one batch in memory."""
        ...

    def system_prompt(self, session: str) -> str:
        """Return the system prompt of a session; empty if the store has none."""
        ...

    def compactions(self, conversation: Conversation) -> tuple[Compaction, ...]:
        """Return every recorded compaction, found by matching the lists before and after it."""
        ...

    def unsized_compactions(self, conversation: Conversation) -> tuple[Compaction, ...]:
        """Return the recorded compactions, without rough tokens if the store can skip counting them."""
        return self.compactions(conversation)

    def microcompactions(self, conversation: Conversation) -> tuple[Microcompaction, ...]:
        """Return every recorded step that cleared old results without a summary, in order."""
        return ()

    def failures(self, conversation: Conversation) -> tuple[FailedCompaction, ...]:
        """Return every recorded failed compaction, in order."""
        return ()

    def requests(self, conversation: Conversation) -> tuple[Request, ...]:
        """Return every API call once, in order, with its reported usage; empty if the store has no usage of calls."""
        return ()

    def sent(self, conversation: Conversation) -> tuple[SentRequest, ...]:
        """Return the requests as they were sent, in order, as far as they are recorded."""
        return ()

    def live_tokens(self, conversation: str, watch: Callable[[int], None] | None = None) -> int:
        """Return the rough tokens of the live list, including the system prompt. Reads this list once.

        `watch` is called at intervals with the number of messages read; an error that it raises stops the reading.
        """
        ...

    def count_compactions(self, conversation: str) -> int:
        """Return the number of compactions of a conversation, without recovering boundaries."""
        ...

    def stamp(self, conversation: str) -> str:
        """Return a text that changes whenever the conversation changes. Reads no message."""
        ...

    def search(self, query: str, conversation: str | None = None, limit: int = 200) -> Iterator[Hit]:
        """Return the messages that contain the words of `query`, newest first."""
        ...

    def size(self) -> int:
        """Return the size of its files in bytes."""
        ...

    def version(self) -> int:
        """Return a number that changes whenever another process has committed to the database."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class SingleStore(Store):
    """The store of one agent. A subclass has `_bodies_of` and `_state`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        #: Sentences about data that could not be read, each once, in order.
        self._notes: dict[str, None] = {}
        self._seen: object = None
        self._changes = 0

    def messages(
        self, generation: Generation, start: int = 0, stop: int | None = None
    ) -> tuple[Message, ...]:
        low, high, _ = slice(start, stop).indices(len(generation))
        return tuple(self._pieces(generation, low, high, BATCH))

    def iterate(self, generation: Generation) -> Iterator[Message]:
        return self._pieces(generation, 0, len(generation), PIECE)

    def _pieces(self, generation: Generation, low: int, high: int, size: int) -> Iterator[Message]:
        read = self._bodies_of(generation)
        for at in range(low, high, size):
            yield from read(at, min(at + size, high))

    def _bodies_of(self, generation: Generation) -> Callable[[int, int], Iterable[Message]]:
        """Return a function that reads the bodies of generation[start:stop]."""
        raise NotImplementedError

    def version(self) -> int:
        """Return a number that changes whenever the data changes. Safe from any thread."""
        with self._lock:
            now = self._state()
            if now != self._seen:
                self._seen = now
                self._changes += 1
            return self._changes

    def _state(self) -> object:
        """Return a value that changes whenever the data changes."""
        raise NotImplementedError

    def _note(self, sentence: str) -> None:
        self._notes.setdefault(sentence)
