"""A small SQLite file of the program in the user's cache directory: values by key, stored between runs."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from inspector.config.agent_folders import refuse_own_file
from inspector.core.errors import OutputProblem

# SQLite allows at least 999 parameters in a statement.
_BATCH = 900
#: The version of the files, which SQLite stores as their `user_version`.
_VERSION = 1
#: The columns of every table, as SQLite stores them. Keys are hashes, and as good as SQLite's additional row ids.
_COLUMNS = "(key BLOB PRIMARY KEY, {}) WITHOUT ROWID"
#: Size in bytes of the start of a database file that contains the names of its tables.
_SCHEMA = 65_536
#: Suffixes of the files of a database: the file itself, and two that SQLite adds.
_FILES = ("", "-wal", "-shm")


def prepare_private(path: Path) -> None:
    """Create the folder and the file of a database, readable by this user only.

    SQLite gives its additional files the same permissions. Raise OSErrors, or OutputProblem for a path in an agent's
    folder.
    """
    target = refuse_own_file(path)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(target, os.O_CREAT | os.O_RDWR, 0o600))
    for end in _FILES:
        with suppress(FileNotFoundError):
            os.chmod(f"{target}{end}", 0o600)


class _Newer(Exception):
    """A newer version of the program created the file."""


#: Sentences about the open files, by path.
_problems: dict[Path, str] = {}


def cache_problems() -> tuple[str, ...]:
    """Return sentences about files that are damaged or cannot be used."""
    return tuple(_problems.values())


class CacheFile:
    """Integers or bytes by hash. Safe to use from several threads and programs.

    If the file cannot be used, nothing is stored; a damaged file is replaced by an empty one. In both cases `problem`
    is a sentence ("" otherwise). A file of more than `largest` bytes is emptied when it is opened. Only the user can
    read the file, because it is as private as the conversations.
    """

    def __init__(self, path: Path, table: str, column: str, largest: int, what: str) -> None:
        """Use `column` of `table`; `what` is the subject of the sentence about a problem."""
        self.path = path
        self.problem = ""
        self._table = table
        self._column = column
        self._largest = largest
        self._what = what
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        #: The number of blocks of `together`, and the values that are not stored yet.
        self._together = 0
        self._waiting: dict[bytes, int | bytes] = {}
        try:
            try:
                self._database = self._open()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                if not self._is_damaged(error):
                    raise
                self._rebuilt(error)
                self._database = self._open()
        except (OSError, OutputProblem, sqlite3.Error, UnicodeDecodeError, _Newer) as error:
            self._say(error)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """Return the values of these keys, in the file's form."""
        with self._lock:
            values: dict[bytes, Any] = {key: self._waiting[key] for key in keys if key in self._waiting}
            if self._database is None:
                return values
            keys = [key for key in keys if key not in values]
            query = f"SELECT key, {self._column} FROM {self._table} WHERE key IN "
            try:
                for start in range(0, len(keys), _BATCH):
                    part = keys[start : start + _BATCH]
                    values.update(self._database.execute(f"{query}({','.join('?' * len(part))})", part))
            except (sqlite3.Error, UnicodeDecodeError) as error:
                self._give_up(error)
        return values

    def put(self, values: Mapping[bytes, int | bytes]) -> bool:
        """Store values; return False if they were not stored (another program may be writing)."""
        with self._lock:
            self._waiting.update(values)
            if self._together and len(self._waiting) < _BATCH:
                return True
            return self._write()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Store the values of a block at its end, so that programs that write at once seldom meet."""
        with self._lock:
            self._together += 1
        try:
            yield
        finally:
            with self._lock:
                self._together -= 1
                self._write()

    def _write(self) -> bool:
        values, self._waiting = self._waiting, {}
        if self._database is None:
            return False
        insert = f"INSERT OR REPLACE INTO {self._table} (key, {self._column}) VALUES (?, ?)"
        try:
            with self._database:
                self._database.executemany(insert, values.items())
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if _code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                self._give_up(error)
            return False
        return True

    def close(self) -> None:
        """Close the file; later values are not stored."""
        with self._lock:
            self._close()
            _problems.pop(self.path, None)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> sqlite3.Connection:
        prepare_private(self.path)
        connection = sqlite3.connect(self.path, timeout=0.5, check_same_thread=False)
        try:
            with suppress(sqlite3.OperationalError):
                # SQLite does not wait if another program switches at the same moment; one switch is enough.
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            # A cache of 0.5 MB instead of SQLite's 2 MB: each key is read once.
            connection.execute("PRAGMA cache_size = -512")
            version = _pragma(connection, "user_version")
            if version > _VERSION:
                raise _Newer("a newer version of the program created it")
            if version < _VERSION:
                columns = _COLUMNS.format(self._column)
                connection.execute(f"CREATE TABLE IF NOT EXISTS {self._table} {columns}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
            used = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
            if used * _pragma(connection, "page_size") > self._largest:
                with connection:
                    connection.execute(f"DELETE FROM {self._table}")
            connection.execute(f"SELECT key, {self._column} FROM {self._table} LIMIT 1").fetchone()
        except (OSError, sqlite3.Error, UnicodeDecodeError, _Newer):
            connection.close()
            raise
        return connection

    def _give_up(self, error: Exception) -> None:
        self._close()
        if self._is_damaged(error):
            self._rebuilt(error)
        else:
            self._say(error)

    def _is_damaged(self, error: Exception) -> bool:
        """Return whether the file is damaged, and not busy, full, forbidden, or another program's.

        SQLite reports a damaged table name as an error in the statement.
        """
        code = _code(error)
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return True
        # An error about undecodable text has no code.
        if code in (0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH):
            with suppress(OSError), self.path.open("rb") as file:
                return _COLUMNS.partition("{")[0].encode() in file.read(_SCHEMA)
        return False

    def _rebuilt(self, error: Exception) -> None:
        with suppress(OSError):
            for end in _FILES:
                Path(f"{self.path}{end}").unlink(missing_ok=True)
        self._tell(
            f"{self._what} are computed again: the file {self.path} was damaged ({error}) and was replaced."
        )

    def _say(self, error: Exception) -> None:
        self._tell(f"{self._what} are not stored between runs: {self.path} cannot be used ({error}).")

    def _tell(self, sentence: str) -> None:
        self.problem = _problems[self.path] = sentence


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _code(error: Exception) -> int:
    """Return the primary result code, without the bits of the extended code."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
