"""Where opencode keeps a session: an export, its folder of JSON files, or its database. Each is read as an export is.

The forms are those of opencode's source and of exports of 1.16 to 1.18: `storage/session/<project>/<name>.json`
with `storage/message/<session>/*.json` and `storage/part/<message>/*.json` (in the oldest under
`project/<folder>/storage/session`, as `info`, `message` and `part/<session>`), later `opencode.db` with the tables
session, message and part, whose `data` are the same documents without their ids.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from inspector.stores.lines import cannot_read, mapping

Document = dict[str, Any]
SQLITE = b"SQLite format 3\0"
#: Columns of the table session, where there are such, and what the same is called in an export.
_COLUMNS = {
    "parent_id": "parentID",
    "project_id": "projectID",
    "directory": "directory",
    "title": "title",
    "version": "version",
    "revert": "revert",
}
_TABLES = frozenset({"session", "message", "part"})
T = TypeVar("T")


def is_database(path: Path) -> bool:
    """Whether a SQLite database is opencode's: it has its tables. Raises StoreErrors."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    return {row[0] for row in _read(path, lambda database: _rows(database, query))} >= _TABLES


def session_names(path: Path) -> list[str]:
    """The sessions that a file holds. Raises StoreErrors."""
    if not _is_sqlite(path):
        return [""]
    query = "SELECT id FROM session ORDER BY id"
    return [str(row[0]) for row in _read(path, lambda database: _rows(database, query))]


def read_document(path: Path, session: str) -> Document | None:
    """A session as `opencode export` writes it; None where it is none. Raises StoreErrors."""
    if _is_sqlite(path):
        return _read(path, lambda database: _from_database(database, session))
    document = _json(path)
    if document is None or "messages" in document:
        return document
    return _from_folder(path, document)


def _from_folder(path: Path, info: Document) -> Document:
    # opencode itself takes ids from the names of files: what stands in them may be older.
    storage = next((folder for folder in path.parents if (folder / "message").is_dir()), path.parent)
    messages = []
    for file in _files(storage / "message" / path.stem):
        message = _json(file)
        if message is None:
            continue
        # Before there were projects, the parts lay in a folder of their session.
        listed = _files(storage / "part" / file.stem) or _files(storage / "part" / path.stem / file.stem)
        parts = [_named(part, found) for found in listed if (part := _json(found)) is not None]
        messages.append({"info": _named(message, file), "parts": parts})
    return {"info": _named(info, path), "messages": messages}


def _named(document: Document, file: Path) -> Document:
    return {**document, "id": file.stem}


def _from_database(database: sqlite3.Connection, session: str) -> Document:
    columns = {row[1] for row in _rows(database, "PRAGMA table_info(session)")}
    info: Document = {"id": session}
    wanted = [column for column in (*_COLUMNS, "time_created", "time_updated") if column in columns]
    for row in _rows(database, f"SELECT {', '.join(['id', *wanted])} FROM session WHERE id = ?", (session,)):
        told = dict(zip(wanted, row[1:], strict=True))
        info |= {_COLUMNS[column]: value for column, value in told.items() if column in _COLUMNS}
        info["revert"] = _loaded(told.get("revert"))
        info["time"] = {"created": told.get("time_created"), "updated": told.get("time_updated")}
    parts: dict[str, list[Document]] = {}
    query = "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id"
    for message, name, data in _rows(database, query, (session,)):
        parts.setdefault(str(message), []).append({**_loaded(data), "id": name})
    query = "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    messages = []
    for name, created, data in _rows(database, query, (session,)):
        told = {"time": {"created": created}, **_loaded(data), "id": name, "sessionID": session}
        messages.append({"info": told, "parts": parts.get(str(name), [])})
    return {"info": info, "messages": messages}


def _loaded(data: object) -> Document:
    raw = data.encode("utf-8", errors="replace") if isinstance(data, str) else data
    return (mapping(raw) if isinstance(raw, bytes) else None) or {}


def _rows(database: sqlite3.Connection, query: str, values: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    return database.execute(query, values).fetchall()


def _read(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    from inspector.stores.hermes.connection import Connections

    connections = Connections(path)
    try:
        return connections.read(work)
    finally:
        connections.close()


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise cannot_read(path, error) from error


def _json(path: Path) -> Document | None:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _files(folder: Path) -> list[Path]:
    """The JSON files of a folder by name, which is the order of time: opencode's ids ascend."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except OSError:
        return []
