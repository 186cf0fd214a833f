"""The list of the conversations of one agent. A file is read once, and again only if it changed."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from inspector.core.conversations import ConversationRow
from inspector.core.errors import StoreBusy, StoreError
from inspector.stores.index import FileDigest, FileIndex, mark_of_files
from inspector.stores.lines import ends_within_record, no_record
from inspector.stores.recorded import Reader, Source
from inspector.stores.sharing import second_reader
from inspector.stores.signatures import Signature, signatures, title_files

if TYPE_CHECKING:
    from inspector.core.processes import LocalWorkers

#: Seconds between two writes of digests to the index, so that an interrupted run loses little.
_STORED_SECONDS = 2.0
#: Minimum number of files for which the whole list is stored between runs, in addition to the digest of each file.
MANY = 100
#: Number of files that the worker process reads at once.
_BATCH = 4


class ListedConversations:
    """A list of conversations, the last active first, with their files. It does not change.

    `without_row` are the files without a conversation.
    """

    def __init__(self, sources: Sequence[Source], without_row: Sequence[str]) -> None:
        self.sources = sources
        self.without_row = without_row
        self.rows = tuple(source.row for source in sources)

    @classmethod
    def of(cls, sources: Iterable[Source], files: Iterable[str]) -> ListedConversations:
        """Return the list. If several sources have the same id, the last source is used."""
        by_id = {source.row.id: source for source in sources}
        ordered = sorted(by_id.values(), key=lambda source: _last_active(source.row), reverse=True)
        used = {path for source in ordered for path in (*source.files, *source.shared)}
        return cls(ordered, [path for path in files if path not in used])

    def source(self, session: str) -> Source | None:
        """Return the source of the conversation with a session."""
        return self._sources.get(session)

    @cached_property
    def _sources(self) -> dict[str, Source]:
        by_session = {session: source for source in self.sources for session in source.row.sessions}
        # A session of one row may also have its own row. Then its own row is used.
        return by_session | {source.row.id: source for source in self.sources}


class Listing:
    """Reads the files of one agent and keeps the current list of its conversations (a `ListedConversations`)."""

    def __init__(
        self,
        agent: str,
        reader: Callable[[], Reader],
        name: str,
        files: Callable[[], Mapping[str, Signature]],
        index: FileIndex | None,
    ) -> None:
        """Create the listing. `name` is the key under which the list is stored between runs. TranscriptStore describes
        the other arguments."""
        self._agent = agent
        self._reader = reader
        self._name = name
        self._files = files
        self._index = index
        #: The lock that is held while files are read.
        self._reading = threading.RLock()
        self._digests: dict[str, tuple[Signature, tuple[FileDigest, ...]]] = {}
        #: Files that could not be read. Nothing about them is stored, so another run tries them again.
        self._unreadable: dict[str, StoreError] = {}
        self._listed: tuple[Mapping[str, Signature], ListedConversations] | None = None
        #: The list that an earlier run stored; None if it was not looked up, does not exist or is no longer needed.
        self._before: ListedConversations | None = None
        #: Whether the list of an earlier run was looked up in the index.
        self._recalled = False
        #: Whether `at_once` had no complete list to return.
        self._in_hurry = False
        #: Sources of conversations that were opened before all files were read, by session.
        self._early: dict[str, Source] = {}
        #: Rows of each file alone, with the digests that they were made of.
        self._rows_by_file: dict[str, tuple[tuple[FileDigest, ...], Sequence[ConversationRow]]] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about files that could not be read."""
        return tuple(map(str, [*self._unreadable.values()]))

    def rows(self) -> tuple[ConversationRow, ...]:
        """Return every conversation, the last active first. Read the files that are new or changed."""
        return self._all().rows

    def at_once(self) -> tuple[tuple[ConversationRow, ...], bool] | None:
        """Return the conversations that are known without reading a file, and whether they are complete and current.

        Return None if there are fewer than `MANY` files. The conversations come from an earlier run. If no run stored
        them, each file is a conversation with the name and time of the file.
        """
        now = self._files()
        if len(now) < MANY:
            return None
        with self._reading:
            if self._listed is None and self._recall(now) and self._before is not None:
                self._listed, self._before = (self._with_titles(now), self._before), None
        if self._listed is not None:
            return self._listed[1].rows, self._listed[0] == self._with_titles(now)
        self._in_hurry = True
        return self.so_far()[0], False

    def so_far(self) -> tuple[tuple[ConversationRow, ...], int, int]:
        """Return the known conversations, the number of files that were read, and the number of all files.

        An unread file appears as in an earlier run, else with its name and time. This method reads no file.
        """
        now = self._files()
        rows: dict[str, ConversationRow] = {}
        listed: set[str] = set()
        before = self._before
        if before is not None:
            listed.update(before.without_row)
            for source in before.sources:
                if all(path in now for path in source.files):
                    rows[source.row.id] = source.row
                    listed.update(source.files, source.shared)
        done = 0
        for path, signature in now.items():
            digests = self._current_digests(path, signature)
            done += digests is not None
            if path in listed:
                # The earlier run joined the files of a conversation. They are joined again when all files are read.
                continue
            if digests is None:
                row = _unread(path, signature, self._agent)
                rows.setdefault(row.id, row)
            for row in self._rows_of(path, digests) if digests else ():
                rows[row.id] = row
        return tuple(sorted(rows.values(), key=_last_active, reverse=True)), done, len(now)

    def _rows_of(self, path: str, digests: tuple[FileDigest, ...]) -> Sequence[ConversationRow]:
        """Return the conversations of one file, as if it were the only file."""
        kept = self._rows_by_file.get(path)
        if kept is None or kept[0] is not digests:
            kept = self._rows_by_file[path] = (
                digests,
                [source.row for source in self._reader().sources(digests)],
            )
        return kept[1]

    def state(self) -> Mapping[str, Signature]:
        """Return the present files, and the files with titles of their sessions."""
        return self._with_titles(self._files())

    def _with_titles(self, now: Mapping[str, Signature]) -> Mapping[str, Signature]:
        """Return files and the files with titles of their sessions."""
        titles = title_files(self._agent, now)
        return {**now, **signatures(titles)} if titles else now

    @property
    def in_hurry(self) -> bool:
        """Whether the list is still incomplete: `at_once` had no complete list, and not all files were read since."""
        return self._in_hurry and self._listed is None

    def known_source(self, session: str) -> Source | None:
        """Return the source of a conversation from the last list, else from earlier calls of `early_source`."""
        return self._early.get(session) if self._listed is None else self._listed[1].source(session)

    def early_source(self, session: str) -> Source | None:
        """Return the source of a conversation before all files are read; None if it is not found.

        It comes from the list of an earlier run, else from a file that has the session's name.
        """
        if session not in self._early and (source := self._find_early(session)) is not None:
            self._early |= {session: source, source.row.id: source}
        return self._early.get(session)

    def _find_early(self, session: str) -> Source | None:
        """Find the source for `early_source`. Read at most the files with the session's name."""
        now, before = self._files(), self._before
        source = before.source(session) if before is not None else None
        if source is not None and all(path in now for path in (*source.files, *source.shared)):
            return source
        for path, signature in now.items():
            if _stem(path) == session and self._current_digests(path, signature) is None:
                self._read_file(path, signature)
            for digest in self._current_digests(path, signature) or ():
                if session in (digest.row.id, "" if digest.part else _stem(path)):
                    (source,) = self._reader().sources((digest,))
                    return source
        return None

    def of_file(self, name: str) -> str | None:
        """Return the id of the conversation in the file with this name (without extension); None if there is none."""
        for source in self._all().sources:
            if not source.part and any(_stem(path) == name for path in source.files):
                return source.row.id
        return None

    def source(self, session: str) -> Source | None:
        """Return the source of a conversation. While `in_hurry`, `early_source` is tried first."""
        if self.in_hurry and (early := self.early_source(session)) is not None:
            return early
        return self._all().source(session)

    # The list.

    def _all(self) -> ListedConversations:
        """Return the current list. Read the files that are new or changed."""
        with self._reading:
            now = self._files()
            self.locked()
            with_titles = self._with_titles(now)
            if self._listed is not None and self._listed[0] == with_titles:
                return self._listed[1]
            self._unreadable = {path: error for path, error in self._unreadable.items() if path in now}
            if self._listed is None and self._recall(now) and self._before is not None:
                listed = self._before
            else:
                sources = self._reader().sources(self._digests_of(now), self._index)
                listed = ListedConversations.of(sources, now)
                if self._listed is None:
                    self._remember(now, listed)
            self._listed, self._before = (with_titles, listed), None
            self._early, self._rows_by_file = {}, {}
            return listed

    def _recall(self, now: Mapping[str, Signature]) -> bool:
        """Look up the list of an earlier run, once. Return whether sizes and times of the files are unchanged."""
        if self._index is None or len(now) < MANY or self._recalled:
            return False
        self._recalled = True
        try:
            mark, stored, without_row = self._index.recall(self._name)
            self._before = ListedConversations(msgspec.convert(stored, list[Source]), without_row)
        except (TypeError, ValueError):
            return False
        return bool(mark == mark_of_files(self._with_titles(now)))

    def _remember(self, now: Mapping[str, Signature], listed: ListedConversations) -> None:
        """Store the list for the next run, if it has many files and every file was read."""
        if self._index is not None and len(now) >= MANY and not self._unreadable:
            mark = mark_of_files(self._with_titles(now))
            sources = msgspec.to_builtins(listed.sources)
            self._index.remember(self._name, [mark, sources, listed.without_row])

    # Reading.

    def _digests_of(self, now: Mapping[str, Signature]) -> list[FileDigest]:
        """Return the digests of every file; only changed files are read."""
        unknown = [path for path, signature in now.items() if self._current_digests(path, signature) is None]
        if self._index is not None and unknown:
            for path, digests in self._index.get(self._agent, {path: now[path] for path in unknown}).items():
                self._digests[path] = (now[path], digests)
            unknown = [path for path in unknown if self._current_digests(path, now[path]) is None]
        # Read the newest files first, because people look at them first.
        unknown.sort(key=lambda path: now[path][1], reverse=True)
        self._read_all(deque(unknown), now)
        return [digest for path in now for digest in self._digests[path][1]]

    def _read_all(self, paths: deque[str], now: Mapping[str, Signature]) -> None:
        """Read files. If they are large, a worker process reads some files."""
        done: deque[str] = deque()
        workers = second_reader(sum(now[path][0] for path in paths))
        if workers is not None:
            arguments = (workers, paths, now, done)
            with_worker = threading.Thread(target=self._read_with_worker, args=arguments, daemon=True)
            with_worker.start()
            try:
                self._read_files(paths, now, done)
            except BaseException:
                paths.clear()
                raise
            finally:
                with_worker.join()
        # Read the files that the worker left.
        self._read_files(paths, now, done)

    def _read_with_worker(
        self, workers: LocalWorkers, paths: deque[str], now: Mapping[str, Signature], done: deque[str]
    ) -> None:
        """Let a worker process read files from the front of `paths`, and add each to `done`."""
        from inspector.core.processes import WorkerEnded, outcomes_of
        from inspector.stores.readers import digests_of

        requested: list[str] = []

        def batches() -> Iterator[list[tuple[str, str]]]:
            while batch := [path for _ in range(_BATCH) if (path := _next(paths)) is not None]:
                requested.extend(batch)
                yield [(self._agent, path) for path in batch]

        for outcome in workers.map(partial(outcomes_of, digests_of), batches(), lambda: None):
            path = requested[outcome.number]
            if isinstance(outcome.error, WorkerEnded):
                # The caller reads it too. If the file ended the worker, its error appears there.
                paths.append(path)
            else:
                self._read_digests(outcome.result, path, now[path])
                done.append(path)

    def _read_files(self, paths: deque[str], now: Mapping[str, Signature], done: deque[str]) -> None:
        """Read files from the front of `paths`, and store their digests from time to time."""
        stored_at = time.monotonic()
        while (path := _next(paths)) is not None:
            self._read_file(path, now[path])
            done.append(path)
            if time.monotonic() - stored_at > _STORED_SECONDS:
                self._store_digests(done)
                stored_at = time.monotonic()
        self._store_digests(done)

    def _store_digests(self, done: deque[str]) -> None:
        """Store the digests of the files in `done` in the index, and empty `done`, which the worker fills too."""
        fresh: dict[str, tuple[Signature, tuple[FileDigest, ...]]] = {}
        while (path := _next(done)) is not None:
            if path not in self._unreadable:
                fresh[path] = self._digests[path]
        if self._index is not None and fresh:
            self._index.put(self._agent, fresh)

    def _current_digests(self, path: str, signature: Signature) -> tuple[FileDigest, ...] | None:
        """Return the digests of a file; None if it was not read, or changed since."""
        kept = self._digests.get(path)
        return kept[1] if kept is not None and kept[0] == signature else None

    def locked(self) -> tuple[str, ...]:
        """Return the listed files that are locked, after another try to read each: the end of a lock need not change a
        file. While the list is read, no file is tried."""
        paths = [path for path, error in self._unreadable.items() if isinstance(error, StoreBusy)]
        if paths and self._reading.acquire(blocking=False):
            try:
                for path in paths:
                    signature = self._digests[path][0]
                    self._read_file(path, signature)
                    if path not in self._unreadable and self._listed is not None:
                        # The next list has this file.
                        self._listed = ({}, self._listed[1])
            finally:
                self._reading.release()
        return tuple(path for path in paths if path in self._unreadable)

    def _read_file(self, path: str, signature: Signature) -> None:
        """Read the digests of a file in this process."""
        self._read_digests(partial(self._reader().digests, Path(path)), path, signature)

    def _read_digests(
        self, read: Callable[[], tuple[FileDigest, ...]], path: str, signature: Signature
    ) -> None:
        """Call `read` and keep the digests of a file. A file without a complete record is unreadable."""
        try:
            digests = read()
            if not digests and ends_within_record(Path(path)):
                raise no_record(Path(path))
            self._unreadable.pop(path, None)
        except StoreError as error:
            self._unreadable[path] = error
            digests = ()
        self._digests[path] = (signature, digests)


def _next(waiting: deque[str]) -> str | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None


def _last_active(row: ConversationRow) -> tuple[float, str]:
    """Return the key that sorts rows by their last activity."""
    return row.last_active, row.id


def _stem(path: str) -> str:
    """Return the name of a file without folder and extension."""
    return os.path.basename(path).rpartition(".")[0]


def _unread(path: str, signature: Signature, agent: str) -> ConversationRow:
    """Return a row for an unread file, with the file's name, folder and time."""
    name, changed = _stem(path), signature[1] / 1e9
    folder = os.path.basename(os.path.dirname(path))
    return ConversationRow(
        name, name, name, "", agent, (name,), 0, None, changed, changed, agent=agent, folder=folder
    )
