"""Attempts, stored between runs in the program's own SQLite database in the user's data directory."""

from __future__ import annotations

import errno
import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from msgspec.structs import asdict

from inspector.config.folders import prepare_private
from inspector.config.opened import OpenedOnce
from inspector.core.errors import OutputProblem
from inspector.models.attempt import Ask, Attempt, AttemptPlace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations

    from inspector.models.summarizers.base import Summarizer

_COLUMNS = {
    "id": int, "store": str, "root": str, "compaction": int, "step": int, "at": float, "state": str, "kind": str,
    "location": str, "model": str, "prompt_name": str, "prompt": str, "budget": int, "settings": str, "summary": str,
    "sent": int, "received": int, "reported": int, "seconds": float, "cost": float, "prices": str, "life": int,
    "title": str, "agent": str, "problem": str,
}  # fmt: skip
#: The columns whose values are fields of an attempt without a conversion.
_UNCONVERTED = tuple(
    name for name in Attempt.__struct_fields__ if name in _COLUMNS.keys() - {"settings", "reported"}
)


class JudgingAnswer(NamedTuple):
    """A stored answer about one piece of a compaction, as it came.

    `writer` is the model that answered, or the command line or address if the model is unknown.
    """

    compaction: int
    writer: str
    answer: str


class KeptAttempts:
    """The database of attempts. Safe to use from several threads and programs. Only the user can read it.

    Every method raises OutputProblem if the file cannot be used: an attempt costs money, so it must be stored. Answers
    about facts are also read from a file that cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = RLock()
        self._database: Database | None = None
        self._copy: Database | None = None
        self._reader: sqlite3.Connection | None = None

    def begin(
        self,
        ask: Ask,
        kind: str,
        where: str,
        model: str,
        *,
        life: int | None = None,
        title: str = "",
        agent: str = "",
    ) -> Attempt:
        """Store a new attempt before anything is sent."""
        row = {
            **asdict(ask.place),
            "at": time.time(),
            "state": "unfinished",
            "kind": kind,
            "location": where,
            "model": model,
            "prompt_name": ask.prompt_name,
            "prompt": _storable(ask.prompt),
            "budget": ask.budget,
            "settings": json.dumps(dict(ask.settings)),
            "summary": "",
            "life": life,
            "title": _storable(title),
            "agent": agent,
            "problem": "",
        }
        with self._open() as database:
            database.table("attempts").insert(row)
            identity = database.execute("SELECT last_insert_rowid()").fetchone()[0]
            return _attempt(database.table("attempts").get(identity))

    def change(self, identity: int, **values: Any) -> Attempt:
        """Update columns of an attempt by name; the column of `where` is `location`."""
        changed = {
            name: _storable(value) if isinstance(value, str) else value for name, value in values.items()
        }
        with self._open() as database:
            if not database.table("attempts").count_where("id = ?", [identity]):
                raise OutputProblem(f"The attempt {identity} was deleted while it was being made.")
            database.table("attempts").update(identity, changed)
            return _attempt(database.table("attempts").get(identity))

    def all(self) -> tuple[Attempt, ...]:
        """Return every attempt, oldest first, without the prompts."""
        return self._where("1 = 1", [])

    def of(self, store: str, root: str) -> tuple[Attempt, ...]:
        """Return the attempts of a conversation, oldest first, without the prompts."""
        return self._where("store = ? AND root = ?", [store, root])

    def get(self, identity: int) -> Attempt | None:
        """Return an attempt with its prompt, None if there is none."""
        return next(iter(self._where("id = ?", [identity], "*")), None)

    def delete(self, identities: Sequence[int]) -> int:
        """Delete attempts with their prompts and summaries. Return how many existed."""
        deleted = 0
        with self._open() as database:
            for identity in identities:
                deleted += int(database.table("attempts").count_where("id = ?", [identity]))
                database.table("attempts").delete_where("id = ?", [identity])
        with self._lock, suppress(sqlite3.Error):
            # Deleted text also stays in the write-ahead log until a checkpoint.
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return deleted

    def answer(self, key: str, place: AttemptPlace | None = None) -> str | None:
        """Return the stored answer of a judge, or a stored summary for `score`; None if there is none.

        It is stored for `place` too, which may be in a copy of the file that the question was first asked about.
        """
        if not self.path.exists():
            return None
        with self._open() as database:
            row = next(iter(database.table("answers").rows_where("key = ?", [key])), None)
            if row is None:
                return None
            named = None if place is None else asdict(place)
            if named is not None and any(
                row[name] != named[name] for name in ("store", "root", "compaction")
            ):
                named = {name: named[name] for name in ("store", "root", "compaction")}
                copied = {**row, **named, "key": " ".join((key, *map(str, named.values())))}
                database.table("answers").insert(copied, pk="key", ignore=True)
            return str(row["answer"])

    def answers_of(self, store: str, root: str, subject: str = "") -> tuple[JudgingAnswer, ...]:
        """Return the stored answers about a conversation, the newest first. `subject` is as in keep_answer."""
        if not self.path.exists():
            return ()
        with self._open(only_reads=True) as database:
            rows = database.table("answers").rows_where(
                "store = ? AND root = ? AND subject = ?",
                [store, root, subject],
                order_by="at desc",
                select="compaction, location, model, answer",
            )
            return tuple(
                JudgingAnswer(row["compaction"], row["model"] or row["location"] or "", row["answer"])
                for row in rows
            )

    def fact_answer_stamps(self) -> dict[str, str]:
        """Return, for each root with stored answers about facts, a text that changes with them."""
        if not self.path.exists():
            return {}
        query = "SELECT root, count(*), max(at) FROM answers WHERE subject != '' GROUP BY root"
        try:
            # Every list asks this before its first frame, so it needs neither sqlite-utils nor a migration.
            with self._lock:
                self._reader = self._reader or self._reading()
                rows = self._reader.execute(query).fetchall()
        except sqlite3.Error:
            with self._open(only_reads=True) as database:
                rows = database.execute(query).fetchall()
        return {root: f"{count} {newest}" for root, count, newest in rows}

    def _reading(self) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path.absolute()))}?mode=ro"
        return sqlite3.connect(address, uri=True, timeout=10, check_same_thread=False)

    def check_writable(self) -> None:
        """Raise OutputProblem if no answer can be stored. An answer that costs money must be."""
        with self._open() as database:
            # SQLite takes the lock to write, although no row changes.
            database.execute("UPDATE answers SET answer = answer WHERE 0")

    def keep_answer(
        self, key: str, place: AttemptPlace, summarizer: Summarizer, answer: str, subject: str = ""
    ) -> None:
        """Store the answer of a judge, or a summary for `score`, under a key.

        `subject` names the summary of an answer about facts of the rules; it is "" for other answers.
        """
        row = {
            "key": key, "store": place.store, "root": place.root, "compaction": place.compaction, "at": time.time(),
            "kind": summarizer.kind, "location": summarizer.where, "model": summarizer.model,
            "answer": _storable(answer), "subject": subject,
        }  # fmt: skip
        with self._open() as database:
            database.table("answers").insert(row, pk="key", replace=True)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            for database in (self._database, self._copy, self._reader):
                if database is not None:
                    database.close()
            self._database = self._copy = self._reader = None

    def _where(self, condition: str, values: Sequence[Any], columns: str = "") -> tuple[Attempt, ...]:
        if not self.path.exists():
            return ()
        # A list does not need the prompts, which are by far the largest column.
        columns = columns or ", ".join(name for name in _COLUMNS if name != "prompt")
        with self._open() as database:
            rows = database.table("attempts").rows_where(condition, values, order_by="id", select=columns)
            return tuple(map(_attempt, rows))

    @contextmanager
    def _open(self, only_reads: bool = False) -> Iterator[Database]:
        with self._lock:
            try:
                database = self._usable(only_reads)
                with database.atomic():
                    yield database
            except (OSError, sqlite3.Error) as error:
                raise OutputProblem(
                    f"The attempts and judgements in {self.path} cannot be used ({error}). Free some space, allow "
                    "access, or move the file away: the program then creates a new file."
                ) from error

    def _usable(self, only_reads: bool) -> Database:
        """Return the database, or a copy of a file that cannot be written if `only_reads` is true."""
        if self._database is None:
            try:
                self._database = self._connected()
            except (OSError, sqlite3.Error) as error:
                if not only_reads or not _is_unwritable(error):
                    raise
                self._copy = self._copy or self._copied()
                return self._copy
        return self._database

    def _copied(self) -> Database:
        """Return a copy in memory of a file that cannot be written."""
        from sqlite_utils import Database

        wal = Path(f"{self.path}-wal")
        # Without changes that wait in a write-ahead log, no lock and no other file is needed.
        still = "" if wal.exists() and wal.stat().st_size else "&immutable=1"
        address = f"file:{quote(str(self.path.absolute()))}?mode=ro{still}"
        copy = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            with closing(sqlite3.connect(address, uri=True)) as source:
                source.backup(copy)
            database = Database(copy, execute_plugins=False)
            _migrations().apply(database)
            copy.commit()
        except sqlite3.Error:
            copy.close()
            raise
        return database

    def _connected(self) -> Database:
        from sqlite_utils import Database

        prepare_private(self.path)
        connection = sqlite3.connect(self.path, timeout=10, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # Deleted prompts and summaries are overwritten in the file; they are as private as conversations.
            connection.execute("PRAGMA secure_delete = ON")
            database = Database(connection, execute_plugins=False)
            migrations = _migrations()
            if migrations.pending(database):
                connection.execute("BEGIN IMMEDIATE")
                migrations.apply(database)
                connection.commit()
        except (OSError, sqlite3.Error):
            connection.close()
            raise
        return database


def _is_unwritable(error: Exception) -> bool:
    """Return whether a file or its folder may only be read."""
    if isinstance(error, OSError):
        return error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def _migrations() -> Migrations:
    from sqlite_utils.migrations import Migrations

    migrations = Migrations("attempts")

    @migrations()
    def attempts(database: Database) -> None:
        database.table("attempts").create(
            _COLUMNS, pk="id", not_null={"store", "root", "compaction", "at", "state"}, if_not_exists=True
        )
        database.table("attempts").create_index(["store", "root"], if_not_exists=True)

    @migrations()
    def answers(database: Database) -> None:
        columns = dict.fromkeys(("key", "store", "root", "kind", "location", "model", "answer"), str)
        database.table("answers").create(
            {**columns, "compaction": int, "at": float}, pk="key", not_null={"answer"}, if_not_exists=True
        )
        database.table("answers").create_index(["store", "root"], if_not_exists=True)

    @migrations()
    def subjects(database: Database) -> None:
        database.table("answers").add_column("subject", str, not_null_default="")

    @migrations()
    def index_of_subjects(database: Database) -> None:
        # Every question asks for the answers about facts, so it must not read all answers.
        database.table("answers").create_index(["subject", "root", "at"], if_not_exists=True)

    return migrations


def _attempt(row: Mapping[str, Any]) -> Attempt:
    place = AttemptPlace(row["store"], row["root"], row["compaction"], row["step"])
    plain = {name: row[name] for name in _UNCONVERTED if row.get(name) is not None}
    return Attempt(
        place=place, where=row["location"] or "", settings=_settings(row["settings"]),
        reported=bool(row["reported"]), **plain,
    )  # fmt: skip


def _settings(text: str | None) -> Mapping[str, Any]:
    try:
        settings = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _storable(text: str) -> str:
    """Return the text without lone surrogates, which no database can store."""
    return text.encode("utf-8", "replace").decode()


_OPENED = OpenedOnce(KeptAttempts)


def default_attempts() -> KeptAttempts:
    """Return the database in the user's data directory."""
    from inspector.config.folders import data_dir

    return _OPENED.at(data_dir() / "attempts.db")
