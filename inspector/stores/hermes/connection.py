"""Read-only connections to one SQLite file, one for each thread, that create no files.

A read-only connection to a database in WAL mode creates missing `-wal` and `-shm` files, and cannot remove them again.
So a database without a write-ahead log is opened as *still* (`immutable=1`), without a lock and without files. This is
correct only while no process writes, so size, time and log are compared before and after each read. If a writer
appeared, the read is repeated with a *live* connection, which reads the log and never blocks the writer.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from inspector.core.errors import NotAStore, StoreBusy, StoreDamaged, StoreError, StoreMissing
from inspector.stores.lines import SQLITE, check_file

T = TypeVar("T")

_BUSY_SECONDS = 2.0
_ATTEMPTS = 5
# SQLite caches 2 MB of pages for each connection, and each thread has a connection. Bodies are read once, in order;
# the index pages fit into a quarter of that, and the system caches the file's pages anyway.
_PAGES = "PRAGMA cache_size = -512"

#: Error codes of a live connection in a folder that the user may not write to.
_NO_SHARED_MEMORY = frozenset(
    {
        "SQLITE_CANTOPEN",
        "SQLITE_CANTOPEN_DIRTYWAL",
        "SQLITE_READONLY",
        "SQLITE_READONLY_CANTINIT",
        "SQLITE_READONLY_CANTLOCK",
        "SQLITE_READONLY_DIRECTORY",
        "SQLITE_READONLY_RECOVERY",
        "SQLITE_READONLY_ROLLBACK",
    }
)


class Signature(NamedTuple):
    """File-system state of a database, read without opening it: the file, its log, its rollback journal."""

    file: tuple[int, int, int]
    log: tuple[int, int]

    @property
    def has_log(self) -> bool:
        """Whether the database has a write-ahead log that is not empty."""
        return self.log[0] > 0


class _Connection(sqlite3.Connection):
    """A connection that weak references can point to, so that the connection of a finished thread closes by itself.

    SQLite frees what a connection holds when it is closed, so `in_use` is held while it reads and while it closes.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.in_use = threading.Lock()
        self.begun = False


class Connections:
    """The connections to one database. Every read is one short transaction, so that no writer waits."""

    def __init__(self, path: Path, shared: bool = False) -> None:
        """Prepare the connections to `path`. Raises a StoreError if the file cannot be a database.

        `shared` uses one connection for all threads, which the caller must lock.
        """
        check_database(path)
        self.path = path
        self.notes: list[str] = []
        self._local: Any = SimpleNamespace() if shared else threading.local()
        self._open: weakref.WeakSet[_Connection] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._wal = _is_wal(path)
        self._epoch = 0
        self._opened = signature(path)
        self._no_live = False
        self._closed = False

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of `work`, called inside one read transaction.

        `work` must take every row it needs (no open cursor may leave it) and may run more than once.
        Raises a StoreError.
        """
        for attempt in range(_ATTEMPTS):
            last = attempt == _ATTEMPTS - 1
            before = signature(self.path)
            connection, still = self._connection(before)
            try:
                answer = self._transaction(connection, work)
            except sqlite3.Error as error:
                if self._closed:
                    raise StoreError(f"{self.path} has been closed.") from error
                changed = signature(self.path) != before
                if not last and (changed or (not still and self._go_still(error))):
                    self._renew()
                    continue
                raise translate(error, self.path) from error
            except UnicodeDecodeError as error:
                # SQLite's message may quote the damaged schema, and Python cannot always decode it.
                damaged = sqlite3.DatabaseError("its schema holds text that cannot be read")
                raise translate(damaged, self.path) from error
            if not still or last or signature(self.path) == before:
                return answer
            self._renew()
        raise StoreBusy(f"{self.path} changes faster than it can be read; try again in a moment.")

    def _transaction(self, connection: _Connection, work: Callable[[sqlite3.Connection], T]) -> T:
        with connection.in_use:
            if self._closed:
                raise StoreError(f"{self.path} has been closed.")
            if not connection.begun:
                # This reads the schema, so it may fail like any read.
                connection.execute(_PAGES)
                connection.begun = True
            connection.execute("BEGIN")
            try:
                return work(connection)
            except MemoryError as error:
                # SQLite trusts the size that a damaged full-text index declares.
                raise sqlite3.DatabaseError("it asks for more memory than there is") from error
            finally:
                connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connections of all threads; a read in progress is interrupted and raises a StoreError."""
        with self._lock:
            self._closed = True
            connections = list(self._open)
            self._open.clear()
        for connection in connections:
            # Its thread may have closed it already, to open another.
            with suppress(sqlite3.ProgrammingError):
                connection.interrupt()
            with connection.in_use:
                connection.close()

    def _connection(self, now: Signature) -> tuple[_Connection, bool]:
        """Return the connection of this thread for the current state of the file, and whether it is still."""
        if self._closed:
            raise StoreError(f"{self.path} has been closed.")
        with self._lock:
            # A replaced file, or a log that appeared or disappeared, needs new connections.
            moved = now.file[0] != self._opened.file[0]
            if moved or (self._wal and now.has_log != self._opened.has_log):
                self._epoch += 1
                self._opened = now
                self._wal = _is_wal(self.path)
            epoch = self._epoch
            still = self._no_live or (self._wal and not now.has_log)
        # A still connection never notices a change of the file by itself.
        state = epoch, still, now if still else None
        current: tuple[_Connection, object] | None = getattr(self._local, "held", None)
        if current and current[1] == state:
            return current[0], still
        if current:
            with self._lock:
                self._open.discard(current[0])
            current[0].close()
        connection = self._connect(still)
        self._local.held = (connection, state)
        with self._lock:
            self._open.add(connection)
        return connection, still

    def _connect(self, still: bool) -> _Connection:
        uri = f"file:{quote(str(self.path.absolute()))}?mode=ro" + ("&immutable=1" if still else "")
        try:
            connection = sqlite3.connect(
                uri,
                uri=True,
                timeout=_BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                factory=_Connection,
            )
        except sqlite3.Error as error:
            raise translate(error, self.path) from error
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        return connection

    def _renew(self) -> None:
        with self._lock:
            self._epoch += 1

    def _go_still(self, error: sqlite3.Error) -> bool:
        """Return whether the database can be read without its log, because SQLite may not use the log."""
        if getattr(error, "sqlite_errorname", "") not in _NO_SHARED_MEMORY or self._no_live:
            return False
        name = self.path.name
        self.notes.append(
            f"The write-ahead log next to {name} cannot be used, because its folder is read-only for this user, so "
            "the newest messages may be missing. Open a copy of the file together with the files next to it."
            if self._wal
            else f"A program ended while it was writing into {name}, and left it half written. Only a program that may "
            "write can repair it. Start Hermes once to do this; until then some messages may be wrong."
        )
        self._no_live = True
        return True


def signature(path: Path) -> Signature:
    """Return the current signature of the database. Raises StoreMissing if the file no longer exists."""
    try:
        stat = os.stat(path)
    except FileNotFoundError:
        raise StoreMissing(f"There is no file at {path} any more.") from None
    except OSError as error:
        raise StoreBusy(f"{path} cannot be read: {error.strerror or error}.") from error
    try:
        log = os.stat(f"{path}-wal")
    except OSError:
        return Signature((stat.st_ino, stat.st_size, stat.st_mtime_ns), (0, 0))
    return Signature((stat.st_ino, stat.st_size, stat.st_mtime_ns), (log.st_size, log.st_mtime_ns))


def check_database(path: Path) -> None:
    """Raise a StoreError with the reason if `path` cannot be a SQLite database. Opens no database."""
    check_file(path)
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except PermissionError:
        raise StoreBusy(f"You have no permission to read {path}; ask its owner, or open a copy.") from None
    except OSError as error:
        raise StoreBusy(f"{path} cannot be read: {error.strerror or error}.") from error
    if not head.startswith(SQLITE):
        raise NotAStore(f"{path} is not a SQLite database (it does not start like one).")
    if len(head) < 100:
        raise StoreDamaged(f"{path} is a SQLite database cut off in its header; restore it from a backup.")


def _is_wal(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(20)[18:20] == b"\x02\x02"
    except OSError:
        return False


def translate(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the StoreError for an error of SQLite."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusy(
            f"{path} is locked by another process. Wait until the agent has finished writing, then try again."
        )
    if name == "SQLITE_NOTADB":
        return NotAStore(f"{path} is not a SQLite database, or it is encrypted.")
    if name.startswith("SQLITE_READONLY"):
        return StoreBusy(
            f"A program ended while it wrote {path}, and this user has no permission to repair the file. "
            "Start the agent once, or open a copy of the file and of the files next to it."
        )
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return StoreBusy(f"{path} cannot be opened. Check that you may read it and the folder it is in.")
    if name.startswith("SQLITE_IOERR"):
        return StoreDamaged(
            f"{path} could not be read from the disk ({error}). Check the disk, or open a copy."
        )
    if name.startswith("SQLITE_CORRUPT") or isinstance(error, sqlite3.DatabaseError):
        return StoreDamaged(
            f"{path} is damaged ({error}). What cannot be read is left out; "
            f'`sqlite3 {path.name} ".recover"` may bring back more into a new file.'
        )
    return StoreError(f"{path} cannot be read: {error}.")
