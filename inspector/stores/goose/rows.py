"""Sessions, messages and usage in goose's database, and messages in its earlier files of JSON lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from inspector.stores.databases import read_database, table_columns
from inspector.stores.lines import parsed, read_lines

_MESSAGE = "SELECT id, role, content_json, created_timestamp, metadata_json FROM messages"
_NO_METADATA = _MESSAGE.replace("metadata_json", "NULL")
_LEDGER = "SELECT * FROM usage_ledger WHERE session_id = ? ORDER BY id"


class GooseMessage(NamedTuple):
    """A message: its place (a row of the database, or start and length in a file) and the record."""

    place: tuple[int, int]
    record: dict[str, Any]


class Stored(NamedTuple):
    """A session as it is stored: its row, its messages, its calls, and the number of damaged lines."""

    about: Mapping[str, Any]
    rows: Sequence[GooseMessage]
    ledger: Sequence[Mapping[str, Any]] = ()
    unreadable: int = 0


def session_names(path: Path) -> list[str]:
    """Return the sessions of a database. Raises StoreErrors."""
    query = "SELECT id FROM sessions ORDER BY id"
    return read_database(path, lambda database: [str(name) for (name,) in database.execute(query)])


def stored_session(path: Path, name: str) -> Stored:
    """Return a session of a database, or the session of a file of JSON lines if `name` is "". Raises StoreErrors."""
    if name:
        return read_database(path, lambda database: _stored(database, name))
    about: Mapping[str, Any] = {}
    rows, unreadable = [], 0
    for line in read_lines(path):
        if line.value is None:
            unreadable += 1
        elif "role" in line.value:
            rows.append(GooseMessage((line.start, line.length), line.value))
        else:
            about = about or line.value
    return Stored({**about, "id": path.stem}, rows, unreadable=unreadable)


def fetch_rows(path: Path, places: Sequence[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the messages of a database with these row ids. Raises StoreErrors."""

    def work(database: sqlite3.Connection) -> list[dict[str, Any] | None]:
        query = f"{_message_query(database)} WHERE id = ?"
        rows = (database.execute(query, (row,)).fetchone() for row, _ in places)
        return [None if one is None else _record(one) for one in rows]

    return read_database(path, work)


def _stored(database: sqlite3.Connection, name: str) -> Stored:
    about = _mappings(database, "SELECT * FROM sessions WHERE id = ?", name)
    query = f"{_message_query(database)} WHERE session_id = ?"
    # SQLite would copy the contents to sort them.
    values = sorted(database.execute(query, (name,)), key=_in_time)
    rows = [GooseMessage((int(row[0]), 1), _record(row)) for row in values]
    has_ledger = "is_compaction" in table_columns(database, "usage_ledger")
    return Stored(about[0] if about else {}, rows, _mappings(database, _LEDGER, name) if has_ledger else ())


def _in_time(row: Sequence[Any]) -> tuple[float, int]:
    number, _, _, created, _ = row
    return created if isinstance(created, int | float) else 0, number


def _message_query(database: sqlite3.Connection) -> str:
    return _MESSAGE if "metadata_json" in table_columns(database, "messages") else _NO_METADATA


def _mappings(database: sqlite3.Connection, query: str, name: str) -> list[dict[str, Any]]:
    cursor = database.execute(query, (name,))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _record(row: Sequence[Any]) -> dict[str, Any]:
    _, role, content, created, metadata = row
    return {
        "role": role,
        "created": created,
        "content": parsed(_bytes(content)),
        "metadata": parsed(_bytes(metadata)),
    }


def _bytes(text: object) -> bytes:
    return text.encode("utf-8", errors="replace") if isinstance(text, str) else b""
