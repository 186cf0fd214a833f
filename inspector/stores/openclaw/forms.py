"""OpenClaw's store of pi's entries: a table of its database, long ones compressed by zstd."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspector.stores.compressed import decompressed
from inspector.stores.databases import read_database, table_names
from inspector.stores.entries import Fetch
from inspector.stores.lines import Line, mapping
from inspector.stores.values import mapping_at, text_at

_EVENT = "SELECT seq, event_json, event_zstd FROM transcript_events WHERE session_id = ?"
_RUNS = "trajectory_runtime_events"


def session_names(path: Path) -> list[str]:
    """Return the sessions in a database. Raises StoreErrors."""
    query = "SELECT DISTINCT session_id FROM transcript_events ORDER BY session_id"
    return read_database(path, lambda database: [str(name) for (name,) in database.execute(query)])


def read_events(path: Path, session: str) -> Iterator[Line]:
    """Yield the entries of a session; the place of each is its number. Raises StoreErrors."""
    rows = read_database(
        path, lambda database: database.execute(f"{_EVENT} ORDER BY seq", (session,)).fetchall()
    )
    for seq, text, packed in rows:
        # SQLite keeps any value in a column of numbers.
        yield Line(seq, 1, _entry(text, packed)) if isinstance(seq, int) else Line(0, 0, None)


def read_prompt(path: Path, session: str) -> str:
    """Return the system prompt of a session's newest run; "" if it is not recorded. Raises StoreErrors."""
    query = (
        f"SELECT event_json FROM {_RUNS} WHERE session_id = ? AND event_json LIKE ? ORDER BY seq DESC LIMIT 1"
    )

    def work(database: sqlite3.Connection) -> str:
        # Earlier releases lack the table.
        if _RUNS not in table_names(database):
            return ""
        row = database.execute(query, (session, '%"type":"context.compiled"%')).fetchone()
        event = mapping(row[0]) if row and isinstance(row[0], str) else None
        return text_at(mapping_at(event or {}, "data"), "systemPrompt")

    return read_database(path, work)


def fetch_of(session: str) -> Fetch:
    """Return a function that reads entries of a session by number."""

    def fetch(path: Path, places: Sequence[tuple[int, int]]) -> list[dict[str, Any] | None]:
        def work(database: sqlite3.Connection) -> list[dict[str, Any] | None]:
            query = f"{_EVENT} AND seq = ?"
            rows = (database.execute(query, (session, seq)).fetchone() for seq, _ in places)
            return [None if row is None else _entry(row[1], row[2]) for row in rows]

        return read_database(path, work)

    return fetch


def _entry(text: object, packed: object) -> dict[str, Any] | None:
    if isinstance(packed, bytes) and not text:
        return mapping(decompressed(packed))
    return mapping(text) if isinstance(text, str) else None
