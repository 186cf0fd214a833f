"""Token counts kept between runs, in a small SQLite file of the program's own in the user's cache directory."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

#: A cache that uses more than this, in bytes, is emptied when it is opened (a count takes some 30).
LARGEST = 64_000_000
#: Counts kept in memory where there is no file.
_IN_MEMORY = 500_000
# SQLite takes at least 999 parameters in a statement.
_BATCH = 900


def cache_key(encoding: str, text: str) -> bytes:
    """What a count is kept under: a hash of the text, other for every encoding."""
    data = text.encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=16, key=encoding.encode()).digest()


class TokenCache:
    """Counts by key. Safe to use from several threads and programs.

    Where the file cannot be used, counts are kept in memory for this run, and `problem` says why ("" otherwise).
    A file that is no database any more is replaced: it costs some counting.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self._memory: dict[bytes, int] = {}
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

    def get(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """The counts that are known of these keys."""
        with self._lock:
            found = {key: self._memory[key] for key in keys if key in self._memory}
            if self._connection is None:
                return found
            rest = [key for key in keys if key not in found]
            try:
                for start in range(0, len(rest), _BATCH):
                    part = rest[start : start + _BATCH]
                    marks = ",".join("?" * len(part))
                    rows = self._connection.execute(
                        f"SELECT key, tokens FROM counts WHERE key IN ({marks})", part
                    )
                    found.update((key, tokens) for key, tokens in rows if isinstance(tokens, int))
            except sqlite3.Error as error:
                self._give_up(error)
            return found

    def put(self, counts: Mapping[bytes, int]) -> None:
        """Remember counts."""
        with self._lock:
            if self._connection is not None:
                try:
                    with self._connection:
                        self._connection.executemany(
                            "INSERT OR REPLACE INTO counts VALUES (?, ?)", counts.items()
                        )
                    return
                except sqlite3.Error as error:
                    if not _busy(error):
                        self._give_up(error)
            if len(self._memory) + len(counts) > _IN_MEMORY:
                self._memory.clear()
            self._memory.update(counts)

    def close(self) -> None:
        """Close the file; counts are kept in memory from then on."""
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
            if used * _pragma(connection, "page_size") > LARGEST:
                connection.execute("DROP TABLE IF EXISTS counts")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS counts (key BLOB PRIMARY KEY, tokens INTEGER) WITHOUT ROWID"
            )
            connection.execute("SELECT key, tokens FROM counts LIMIT 1").fetchone()
        except sqlite3.Error:
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
        self.problem = f"Token counts are not kept between runs: {self.path} cannot be used ({error})."


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
