"""The Store over the files of one agent: a transcript, or all of a folder."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from inspector.core.conversations import (
    Compaction,
    Conversation,
    ConversationRow,
    Generation,
    Hit,
    Microcompaction,
    Request,
)
from inspector.core.errors import StoreError, UnknownConversation
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images, text_tokens
from inspector.stores.base import StoreInfo
from inspector.stores.index import FileIndex, Kept, mark_of
from inspector.stores.names import resolve
from inspector.stores.recorded import FileDigest, Reader, Recorded, Source, source_from, source_values
from inspector.stores.second_reader import AHEAD, WORTH, Ended, SecondReader, second_reader

_BATCH = 256
_PIECE = 64
#: So many conversations stay open: what is kept of each are places in files, no bodies.
_KEPT = 8
#: What was read of files is handed to the index so often, in seconds: a run that is broken off loses little.
_KEPT_EVERY = 2.0

#: Of so many files on the whole list is kept between runs, beside what each of them holds.
_MANY = 100

#: What a file looked like when it was read: its size in bytes and its time of change.
Signature = tuple[int, int]


class TranscriptStore:
    """The files of one agent, open for reading. See Store for what every method answers."""

    def __init__(
        self,
        reader: Reader,
        path: Path,
        files: Callable[[], Mapping[str, Signature]],
        index: FileIndex | None = None,
        left_out: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """`path` is what the user named, `files` tells the transcripts that there are now with size and time; `index`
        keeps what they hold between runs; `left_out` are sentences about files that could not be looked for."""
        self.path = path
        self._reader = reader
        self._files = files
        self._index = index
        self._left_out = left_out
        self._lock = threading.RLock()
        #: Held while files are gone through for the list; nothing else waits for that.
        self._reading = threading.RLock()
        self._digests: dict[str, tuple[Signature, tuple[FileDigest, ...]]] = {}
        self._sources: tuple[Mapping[str, Signature], Mapping[str, Source]] = ({}, {})
        self._opened: dict[str, tuple[tuple[Signature, ...], Recorded]] = {}
        self._sizes: dict[str, tuple[Recorded, dict[int, tuple[int, int]]]] = {}
        self._notes: list[str] = []
        self._seen: Mapping[str, Signature] = {}
        self._changes = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be read so far."""
        return (*self._left_out(), *self._notes)

    @property
    def info(self) -> StoreInfo:
        """What this store is; its notes grow as damage is met."""
        agent = self._reader.agent
        reason = f"The files are those of {agent}."
        return StoreInfo(agent, self.path, None, agent, reason, self.notes, limits=self._reader.limits)

    def info_of(self, session: str) -> StoreInfo:
        """The same with the profile of the release that wrote a session last."""
        # The list is on screen without the engines.
        from inspector.engines.registry import profile_of

        agent = self._reader.agent
        # It is known since it was listed.
        source = self._sources[1].get(session) or self._source(session)
        version = source.row.source.removeprefix(agent).strip()
        if not version:
            return self.info
        reason = f"{agent} {version} wrote it last."
        return self.info._replace(profile=profile_of(agent, version), profile_reason=reason)

    def conversations(self) -> tuple[ConversationRow, ...]:
        """Every conversation, the last active first."""
        rows = {source.row.id: source.row for source in self._all().values()}
        return tuple(sorted(rows.values(), key=_newest, reverse=True))

    def so_far(self) -> tuple[tuple[ConversationRow, ...], int, int]:
        """The conversations as far as their files were read, by name and time where they were not, how many files were
        read, and how many there are. Reads nothing itself."""
        rows: dict[str, ConversationRow] = {}
        done, now = 0, self._files()
        for path, signature in now.items():
            known = self._known(path, signature)
            done += known is not None
            if known is None:
                row = _unread(path, signature, self._reader.agent)
                rows.setdefault(row.id, row)
            for source in self._reader.sources(known) if known else ():
                rows[source.row.id] = source.row
        return tuple(sorted(rows.values(), key=_newest, reverse=True)), done, len(now)

    def resolve(self, name: str) -> str:
        """The conversation that a session id, a unique prefix of one, or a title names."""
        return resolve(name, self.conversations())

    def open(self, conversation: str) -> Conversation:
        """The generations of a conversation, as places in its files."""
        return self._recorded(conversation).conversation

    def messages(
        self, generation: Generation, start: int = 0, stop: int | None = None
    ) -> tuple[Message, ...]:
        """The bodies of generation[start:stop]."""
        low, high, _ = slice(start, stop).indices(len(generation))
        read = self._recorded(generation.session).read
        answer: list[Message] = []
        for at in range(low, high, _BATCH):
            answer.extend(read(generation.ids[at : min(at + _BATCH, high)]))
        return tuple(answer)

    def iterate(self, generation: Generation) -> Iterator[Message]:
        """Every body of a generation in order, a batch at a time."""
        read = self._recorded(generation.session).read
        for at in range(0, len(generation), _PIECE):
            yield from read(generation.ids[at : at + _PIECE])

    def system_prompt(self, session: str) -> str:
        """The system prompt of a session; empty where the agent does not record it."""
        return self._recorded(session).prompt

    def compactions(self, conversation: Conversation) -> tuple[Compaction, ...]:
        """Every recorded compaction; its rough tokens are counted over the bodies."""
        recorded = self._recorded(conversation.id)
        generations = recorded.conversation.generations
        answer = []
        for compaction in recorded.compactions:
            before, after = generations[compaction.index - 1], generations[compaction.index]
            answer.append(
                replace(
                    compaction,
                    tokens_before=self._tokens(recorded, before.ids),
                    tokens_after=self._tokens(recorded, after.ids[: compaction.after]),
                )
            )
        return tuple(answer)

    def microcompactions(self, conversation: Conversation) -> tuple[Microcompaction, ...]:
        """Every step that cleared old results without a summary, in order."""
        return self._recorded(conversation.id).microcompactions

    def requests(self, conversation: Conversation) -> tuple[Request, ...]:
        """Every call of the model's API once, in order, with the usage that was reported."""
        return self._recorded(conversation.id).requests

    def stamp(self, conversation: str) -> str:
        """Changes whenever one of the conversation's files does."""
        # Its files are known since they were listed; whether others joined them is seen with the next list.
        return repr(self._signed(self._sources[1].get(conversation) or self._source(conversation)))

    def live_tokens(self, conversation: str, watch: Callable[[int], None] | None = None) -> int:
        """Rough tokens of the list that the agent holds now; and of the system prompt where it is recorded."""
        recorded = self._recorded(conversation)
        return self._tokens(recorded, recorded.conversation.live.ids, watch)

    def count_compactions(self, conversation: str) -> int:
        """How often a conversation was compacted."""
        return len(self._recorded(conversation).compactions)

    def search(self, query: str, conversation: str | None = None, limit: int = 200) -> Iterator[Hit]:
        """Messages that contain every word of `query`, the newest of the last active conversation first."""
        from inspector.stores.hermes.text_search import phrases_of

        phrases = phrases_of(query)
        rows = [self._source(conversation).row] if conversation is not None else self.conversations()
        left = limit
        for row in rows if phrases else ():
            try:
                recorded = self._recorded(row.id)
                for hit in self._hits(recorded, row.id, phrases):
                    yield hit
                    left -= 1
                    if left <= 0:
                        return
            except StoreError as error:
                self._note(str(error))

    def size(self) -> int:
        """The bytes of its files."""
        return sum(size for size, _ in self._files().values())

    def version(self) -> int:
        """A number that changes when a file is written or a new one comes."""
        with self._lock:
            now = self._files()
            if now != self._seen:
                self._seen = now
                self._changes += 1
            return self._changes

    def close(self) -> None:
        """Nothing stays open between two questions."""

    def _hits(self, recorded: Recorded, conversation: str, phrases: tuple[str, ...]) -> Iterator[Hit]:
        from inspector.stores.hermes import text_search

        seen: set[int] = set()
        for generation in reversed(recorded.conversation.generations):
            fresh = [identity for identity in generation.ids if identity not in seen]
            seen.update(fresh)
            for stop in range(len(fresh), 0, -_PIECE):
                bodies = recorded.read(fresh[max(0, stop - _PIECE) : stop])
                for item in text_search.check(reversed(bodies), text_search.Query(phrases, None, "")):
                    yield Hit(conversation, generation.session, item.id, item.role, item.excerpt, item.span)

    def _tokens(
        self, recorded: Recorded, ids: Sequence[int], watch: Callable[[int], None] | None = None
    ) -> int:
        with self._lock:
            kept = self._sizes.get(recorded.conversation.id)
            if kept is None or kept[0] is not recorded:
                kept = self._sizes[recorded.conversation.id] = (recorded, {})
        sizes = kept[1]
        missing = [identity for identity in ids if identity not in sizes]
        for at in range(0, len(missing), _BATCH):
            if watch is not None:
                watch(at)
            for item in recorded.read(missing[at : at + _BATCH]):
                sizes[item.id] = (message_chars(item.wire), message_images(item.wire))
        prompt = text_tokens(len(recorded.prompt))
        return prompt + list_tokens(sum(sizes[i][0] for i in ids), sum(sizes[i][1] for i in ids))

    def _note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.append(sentence)

    def _all(self) -> Mapping[str, Source]:
        """Every conversation's source by each of its session ids."""
        with self._reading:
            now = self._files()
            if self._sources[1] and self._sources[0] == now:
                return self._sources[1]
            first = not self._sources[0]
            found = self._recalled(now) if first else None
            if found is None:
                found = self._reader.sources(self._digests_of(now), self._index)
                if first:
                    self._remember(now, found)
            by_session: dict[str, Source] = {}
            for source in found:
                by_session.update(dict.fromkeys(source.row.sessions, source))
                by_session[source.row.id] = source
            self._sources = (now, by_session)
            return by_session

    def _recalled(self, now: Mapping[str, Signature]) -> Sequence[Source] | None:
        """The conversations as they were when the files last looked like this; None where that is not known."""
        if self._index is None or len(now) < _MANY:
            return None
        kept = self._index.recall(self._name())
        try:
            mark, sources = kept
            return [source_from(values) for values in sources] if mark == mark_of(now) else None
        except (TypeError, ValueError):
            return None

    def _remember(self, now: Mapping[str, Signature], sources: Sequence[Source]) -> None:
        if self._index is not None and len(now) >= _MANY:
            self._index.remember(self._name(), [mark_of(now), [source_values(source) for source in sources]])

    def _name(self) -> str:
        return f"conversations of {self._reader.agent} in {self.path}"

    def _digests_of(self, now: Mapping[str, Signature]) -> list[FileDigest]:
        """What every file holds; only those that changed are read."""
        unknown = [path for path, signature in now.items() if self._known(path, signature) is None]
        if self._index is not None and unknown:
            for path, kept in self._index.get(unknown).items():
                if kept.agent == self._reader.agent:
                    self._digests[path] = ((kept.size, kept.changed), kept.digests)
            unknown = [path for path in unknown if self._known(path, now[path]) is None]
        # The last written are those that people look at first.
        unknown.sort(key=lambda path: now[path][1], reverse=True)
        self._go_through(deque(unknown), now)
        return [digest for path in now for digest in self._digests[path][1]]

    def _go_through(self, paths: deque[str], now: Mapping[str, Signature]) -> None:
        """Read files; another process does a part of it where there is much to read."""
        done: deque[str] = deque()
        if (os.cpu_count() or 1) > 1 and sum(now[path][0] for path in paths) >= WORTH:
            with second_reader(self._reader.agent) as second:
                helping = threading.Thread(target=self._help, args=(second, paths, now, done), daemon=True)
                helping.start()
                self._read_these(paths, now, done)
                helping.join()
        # What the other process left when it ended before its time.
        self._read_these(paths, now, done)

    def _help(
        self, second: SecondReader, paths: deque[str], now: Mapping[str, Signature], done: deque[str]
    ) -> None:
        asked: deque[str] = deque()
        try:
            while True:
                while len(asked) < AHEAD and (path := _next(paths)) is not None:
                    asked.append(path)
                    second.ask(path)
                if not asked:
                    return
                self._read_digests(second.answer, asked[0], now[asked[0]])
                done.append(asked.popleft())
        except Ended:
            paths.extend(asked)

    def _read_these(self, paths: deque[str], now: Mapping[str, Signature], done: deque[str]) -> None:
        handed = time.monotonic()
        while (path := _next(paths)) is not None:
            self._read_digests(partial(self._reader.digests, Path(path)), path, now[path])
            done.append(path)
            if time.monotonic() - handed > _KEPT_EVERY:
                self._keep(done, now)
                handed = time.monotonic()
        self._keep(done, now)

    def _keep(self, done: deque[str], now: Mapping[str, Signature]) -> None:
        """Hand what was read to the index, also what another thread read."""
        fresh: dict[str, Kept] = {}
        while (path := _next(done)) is not None:
            fresh[path] = Kept(*now[path], self._reader.agent, self._digests[path][1])
        if self._index is not None and fresh:
            self._index.put(fresh)

    def _known(self, path: str, signature: Signature) -> tuple[FileDigest, ...] | None:
        kept = self._digests.get(path)
        return kept[1] if kept is not None and kept[0] == signature else None

    def _read_digests(
        self, read: Callable[[], tuple[FileDigest, ...]], path: str, signature: Signature
    ) -> None:
        try:
            found = read()
        except StoreError as error:
            self._note(str(error))
            found = ()
        self._digests[path] = (signature, found)

    def _source(self, conversation: str) -> Source:
        source = self._all().get(conversation)
        if source is None:
            raise UnknownConversation(f"No conversation has the id {conversation!r}.")
        return source

    def _recorded(self, session: str) -> Recorded:
        with self._lock:
            source = self._sources[1].get(session)
            if source is None or self._signed(source) != self._opened.get(source.row.id, ((), None))[0]:
                source = self._source(session)
            now = self._signed(source)
            kept = self._opened.pop(source.row.id, None)
            if kept is None or kept[0] != now:
                kept = (now, self._reader.read(source))
            self._opened[source.row.id] = kept
            while len(self._opened) > _KEPT:
                gone = next(iter(self._opened))
                del self._opened[gone]
                self._sizes.pop(gone, None)
            return kept[1]

    def _signed(self, source: Source) -> tuple[Signature, ...]:
        return tuple(_signature(path) or (0, 0) for path in (*source.files, *source.shared))


def _next(waiting: deque[str]) -> str | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None


def _newest(row: ConversationRow) -> tuple[float, str]:
    return row.last_active, row.id


def _unread(path: str, signature: Signature, agent: str) -> ConversationRow:
    """What the list shows of a file before it was read."""
    changed = signature[1] / 1e9
    folder, name = os.path.split(path)
    name = name.rpartition(".")[0]
    return ConversationRow(
        name,
        name,
        name,
        "",
        agent,
        (name,),
        0,
        None,
        changed,
        changed,
        agent=agent,
        folder=os.path.basename(folder),
    )


def signatures(paths: Sequence[str]) -> dict[str, Signature]:
    """What files look like now; those that are gone are left out."""
    signed = {path: _signature(path) for path in paths}
    return {path: signature for path, signature in signed.items() if signature is not None}


def _signature(path: str) -> Signature | None:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return with_log(path, (stat.st_size, stat.st_mtime_ns))


def with_log(path: str, signature: Signature) -> Signature:
    """What a file looks like, of a database with the log beside it: what is written stands there first."""
    if not path.endswith(".db"):
        return signature
    try:
        log = os.stat(f"{path}-wal")
    except OSError:
        return signature
    return signature[0] + log.st_size, max(signature[1], log.st_mtime_ns)
