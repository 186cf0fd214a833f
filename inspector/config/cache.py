"""The cache: values by kind and key in one SQLite file of the user's cache directory, stored between runs."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import inspector
from inspector.config.folders import DATABASE_FILES, cache_dir, prepare_private
from inspector.config.opened import OpenedOnce
from inspector.core.errors import OutputProblem

#: Maximum bytes of the file. A larger one is emptied when it is opened.
LARGEST = 384_000_000
#: Maximum pages of the database in memory that replaces a file that cannot be used (64 MB).
_PAGES_IN_MEMORY = 16_000
#: SQLite allows at least 999 parameters in a statement.
_BATCH = 900
#: Another layout gets another name of the file, and this name joins the earlier ones.
_NAME, _EARLIER = "cache.db", ("results.db", "files.db", "tokens.sqlite", "models.json")
_TABLE = "entries (kind TEXT, key BLOB, stamp BLOB, value, PRIMARY KEY (kind, key)) WITHOUT ROWID"
_FAILURES = (OSError, OutputProblem, sqlite3.Error, UnicodeDecodeError)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
#: Codes of a damaged file. SQLite reports a damaged name of a table as an error in the statement.
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)
#: Folders of the program on which no stored value depends.
_ONLY_SHOWN = ("app", "commands", "__pycache__")


class CacheEntry(NamedTuple):
    """A stored value, bytes or an integer. It is current if its stamp is that of the present inputs (`stamp_of`)."""

    stamp: bytes
    value: Any


class Cache:
    """Entries by kind and key. Safe to use from several threads and programs.

    A damaged file is replaced by an empty one. If the file cannot be used, the entries of this run stay in memory. In
    both cases `problem` is a sentence ("" otherwise). Only the user can read the file, because it is as private as the
    conversations.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self._lock = threading.Lock()
        #: The number of blocks of `together`, and the entries that are not written yet.
        self._together = 0
        self._waiting: dict[tuple[str, bytes], CacheEntry] = {}
        try:
            self._database = _open(path)
        except _FAILURES as error:
            self._database = self._other_database(error)

    def get(self, kind: str, keys: Collection[bytes]) -> dict[bytes, CacheEntry]:
        """Return the entries of these keys, current or not."""
        with self._lock:
            entries = {key: entry for key in keys if (entry := self._waiting.get((kind, key))) is not None}
            wanted = [key for key in keys if key not in entries]
            try:
                for start in range(0, len(wanted), _BATCH):
                    part = wanted[start : start + _BATCH]
                    marks = ",".join("?" * len(part))
                    query = f"SELECT key, stamp, value FROM entries WHERE kind = ? AND key IN ({marks})"
                    entries |= {
                        key: CacheEntry(*row) for key, *row in self._database.execute(query, (kind, *part))
                    }
            except _FAILURES as error:
                self._give_up(error)
        return entries

    def put(self, kind: str, entries: Mapping[bytes, CacheEntry]) -> None:
        """Store entries. If another program is writing now, they are written with later ones."""
        with self._lock:
            self._waiting.update({(kind, key): entry for key, entry in entries.items()})
            if not self._together or len(self._waiting) >= _BATCH:
                self._write()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write the entries of a block at its end, so that programs that write at once seldom meet."""
        with self._lock:
            self._together += 1
        try:
            yield
        finally:
            with self._lock:
                self._together -= 1
                self._write()

    def close(self) -> None:
        """Close the file. Later entries stay in memory."""
        with self._lock:
            self._database.close()
            self._database, self.problem = _in_memory(), ""

    def _write(self) -> None:
        entries = [(*name, *entry) for name, entry in self._waiting.items()]
        try:
            with self._database:
                self._database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", entries)
        except _FAILURES as error:
            if _code(error) in _BUSY and len(entries) < _BATCH:
                return
            if _code(error) not in _BUSY:
                self._give_up(error)
        self._waiting = {}

    def _give_up(self, error: Exception) -> None:
        self._database.close()
        self._database = self._other_database(error)

    def _other_database(self, error: Exception) -> sqlite3.Connection:
        """Return an empty database: a new file instead of a damaged one, else a database in memory."""
        if _code(error) in _DAMAGED or isinstance(error, UnicodeDecodeError):
            self.problem = (
                f"Results are computed again: the file {self.path} was damaged ({error}) and was replaced."
            )
            try:
                for end in DATABASE_FILES:
                    Path(f"{self.path}{end}").unlink(missing_ok=True)
                return _open(self.path)
            except _FAILURES as again:
                error = again
        self.problem = f"Results are not stored between runs: {self.path} cannot be used ({error})."
        return _in_memory()


def _open(path: Path) -> sqlite3.Connection:
    prepare_private(path)
    database = sqlite3.connect(path, timeout=0.5, check_same_thread=False)
    try:
        with suppress(sqlite3.OperationalError):
            # SQLite does not wait if another program switches at the same moment; one switch is enough.
            database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")
        # A cache of 0.5 MB instead of SQLite's 2 MB: each key is read once.
        database.execute("PRAGMA cache_size = -512")
        database.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
        pages, unused, size = (
            database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - unused) * size > LARGEST:
            with database:
                database.execute("DELETE FROM entries")
        database.execute("SELECT kind, key, stamp, value FROM entries LIMIT 1").fetchone()
    except _FAILURES:
        database.close()
        raise
    return database


def _in_memory() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.execute(f"PRAGMA max_page_count = {_PAGES_IN_MEMORY}")
    database.execute(f"CREATE TABLE {_TABLE}")
    return database


def _code(error: Exception) -> int:
    """Return the primary result code, without the bits of the extended code; 0 if it has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def hashed(*texts: str) -> bytes:
    """Return a hash of texts, for keys and stamps."""
    joined = "\x00".join(texts).encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).digest()


def stamp_of(*inputs: str) -> bytes:
    """Return a stamp that changes with the inputs of a value, and with the program."""
    return hashed(program_stamp(), *inputs)


@cache
def program_stamp() -> str:
    """Return a text with the version of the program and the change times of its modules and rules."""
    parts = [inspector.__version__]
    for folder, folders, names in os.walk(os.path.dirname(inspector.__file__)):
        folders[:] = sorted(name for name in folders if name not in _ONLY_SHOWN)
        for name in sorted(names):
            status = os.stat(os.path.join(folder, name))
            parts.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return hashed(*parts).hex()


def _opened(path: Path) -> Cache:
    """Open the cache. With a new one, the files of earlier versions are removed."""
    if not path.exists():
        with suppress(OSError):
            for name in _EARLIER:
                for end in DATABASE_FILES:
                    path.with_name(f"{name}{end}").unlink(missing_ok=True)
    return Cache(path)


_OPENED = OpenedOnce(_opened)


def default_cache() -> Cache:
    """Return the cache in the user's cache directory, opened once."""
    return _OPENED.at(cache_dir() / _NAME)


def cache_problems() -> tuple[str, ...]:
    """Return the sentence about a cache that is damaged or cannot be used."""
    held = _OPENED.held
    return (held.problem,) if held is not None and held.problem else ()
