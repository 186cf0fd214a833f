"""A small SQLite file of the program's own in the user's cache directory: values under keys, kept between runs."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# SQLite takes at least 999 parameters in a statement.
_BATCH = 900


class CacheFile:
    """Integers or bytes under hashes. Safe to use from several threads and programs.

    Where the file cannot be used nothing is kept, and `problem` says why ("" otherwise). A file that is no database any
    more is replaced, and one that uses more than `largest` bytes is emptied when it is opened. Only the user can read
    it: what conversations say is as private as they are.
    """

    def __init__(self, path: Path, table: str, column: str, largest: int, what: str) -> None:
        """`table` and `column` name where the values are; `what` begins the sentence about a problem."""
        self.path = path
        self.problem = ""
        self._table = table
        self._column = column
        self._largest = largest
        self._what = what
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        try:
            self._connection = self._open()
        except sqlite3.Error as error:
            if _damaged(error) and self._remove():
                try:
                    self._connection = self._open()
                except (OSError, sqlite3.Error) as again:
                    self._say(again)
            else:
                self._say(error)
        except OSError as error:
            self._say(error)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The values that are known of these keys, as they lie in the file."""
        found: dict[bytes, Any] = {}
        with self._lock:
            if self._connection is None:
                return found
            try:
                for start in range(0, len(keys), _BATCH):
                    part = keys[start : start + _BATCH]
                    marks = ",".join("?" * len(part))
                    rows = self._connection.execute(
                        f"SELECT key, {self._column} FROM {self._table} WHERE key IN ({marks})", part
                    )
                    found.update(rows)
            except sqlite3.Error as error:
                self._give_up(error)
        return found

    def put(self, values: Mapping[bytes, int | bytes]) -> bool:
        """Remember values; False where they were not kept (another program may be writing)."""
        with self._lock:
            if self._connection is None:
                return False
            try:
                with self._connection:
                    self._connection.executemany(
                        f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)", values.items()
                    )
            except sqlite3.Error as error:
                if not _busy(error):
                    self._give_up(error)
                return False
        return True

    def close(self) -> None:
        """Close the file; nothing is kept from then on."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self.path, timeout=0.5, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            used = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
            if used * _pragma(connection, "page_size") > self._largest:
                connection.execute(f"DROP TABLE IF EXISTS {self._table}")
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {self._table} (key BLOB PRIMARY KEY, {self._column}) WITHOUT ROWID"
            )
            connection.execute(f"SELECT key, {self._column} FROM {self._table} LIMIT 1").fetchone()
            self.path.chmod(0o600)
        except (OSError, sqlite3.Error):
            connection.close()
            raise
        return connection

    def _give_up(self, error: sqlite3.Error) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if _damaged(error):
            self._remove()
        self._say(error)

    def _remove(self) -> bool:
        try:
            for end in ("", "-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
        except OSError:
            return False
        return True

    def _say(self, error: Exception) -> None:
        self.problem = f"{self._what} are not kept between runs: {self.path} cannot be used ({error})."


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _damaged(error: sqlite3.Error) -> bool:
    """Whether the file is no database, rather than busy, full or not ours to write."""
    return isinstance(error, sqlite3.DatabaseError) and _code(error) in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def _busy(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: sqlite3.Error) -> int:
    """The primary result code; the upper bits only say more about it."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
