"""Sessions of opencode in an export, a folder of JSON files or a database. Each is read like an export.

These forms are in opencode's source and in exports of 1.16 to 1.18. Folders have
`storage/session/<project>/<name>.json` with `storage/message/<session>/*.json` and `storage/part/<message>/*.json`. The
oldest have `info`, `message` and `part/<session>` under `project/<folder>/storage/session`. Later there is
`opencode.db` with the tables session, message and part, whose `data` are the same documents without ids. opencode 2
has another form (`session_messages.py`) in the tables session_v2 and session_message. A database may have both forms,
because opencode 2 imports the sessions of opencode 1; the newer form is read.
"""

from __future__ import annotations

import sqlite3
from codecs import BOM_UTF8
from collections.abc import Set
from pathlib import Path
from typing import Any, TypeVar

from inspector.stores.databases import read_database, table_columns, table_names
from inspector.stores.lines import SQLITE, cannot_read, mapping, read_file
from inspector.stores.opencode.session_messages import as_entries, is_newer, session_info
from inspector.stores.values import count_at

Document = dict[str, Any]
#: Columns of the table session, if present, and their names in an export.
_COLUMNS = {
    "parent_id": "parentID",
    "project_id": "projectID",
    "directory": "directory",
    "title": "title",
    "version": "version",
    "revert": "revert",
    "fork_session_id": "forked",
}
_EXPORT_LINE = b"Exporting session"
_TABLES = frozenset({"session", "message", "part"})
_NEWER_TABLES = frozenset({"session_v2", "session_message"})
#: Types of rows that belong to the conversation; opencode 1 also wrote other rows to session_message.
_IN_CONVERSATION = "type IN ('user', 'assistant', 'compaction')"
T = TypeVar("T")


def is_database(tables: Set[str]) -> bool:
    """Return whether a SQLite database with these tables is opencode's."""
    return tables >= _TABLES or tables >= _NEWER_TABLES


def session_names(path: Path) -> list[str]:
    """Return the ids of a database's sessions; [""] for other files. Raises StoreErrors."""
    return read_database(path, _session_names) if _is_sqlite(path) else [""]


def _session_names(database: sqlite3.Connection) -> list[str]:
    tables = table_names(database)
    listed = [f"SELECT id FROM {table}" for table in ("session", "session_v2") if table in tables]
    return [str(row[0]) for row in _rows(database, f"{' UNION '.join(listed)} ORDER BY id")]


def read_document(path: Path, session: str) -> Document | None:
    """Return a session as `opencode export` writes it; None if the file has none. An empty mapping is in the place of
    a message or part that cannot be read. Raises StoreErrors."""
    if _is_sqlite(path):
        return read_database(path, lambda database: _from_database(database, session))
    document = _json(path)
    if document is not None and is_newer(document.get("messages")):
        info = document.get("info")
        new_info = session_info(info) if isinstance(info, dict) else {}
        return {"info": new_info, "messages": as_entries(document["messages"])}
    if document is None or "messages" in document:
        return document
    return _from_folder(path, document)


def _from_folder(path: Path, info: Document) -> Document:
    # Take ids from the names of files, as opencode does: ids in their content may be older.
    storage = next((folder for folder in path.parents if (folder / "message").is_dir()), path.parent)
    messages = []
    for file in _files(storage / "message" / path.stem):
        # Before opencode had projects, the parts were in a folder of their session.
        listed = _files(storage / "part" / file.stem) or _files(storage / "part" / path.stem / file.stem)
        parts = [_with_id(_json(part_file), part_file) for part_file in listed]
        messages.append({"info": _with_id(_json(file), file), "parts": parts})
    return {"info": _with_id(info, path), "messages": messages}


def _with_id(document: Document | None, file: Path) -> Document:
    return {**document, "id": file.stem} if document else {}


def _from_database(database: sqlite3.Connection, session: str) -> Document:
    tables = table_names(database)
    if "session_message" in tables and _newer(database, tables, session):
        return _from_newer_tables(database, tables, session)
    return _from_tables(database, session)


def _newer(database: sqlite3.Connection, tables: Set[str], session: str) -> bool:
    """Return whether the tables of opencode 2 have the newest messages of a session."""
    query = f"SELECT max(time_created) FROM session_message WHERE session_id = ? AND {_IN_CONVERSATION}"
    ((last,),) = _rows(database, query, (session,))
    if not tables >= _TABLES:
        return True
    ((other,),) = _rows(database, "SELECT max(time_created) FROM message WHERE session_id = ?", (session,))
    return last is not None and (other is None or bool(last >= other))


def _from_newer_tables(database: sqlite3.Connection, tables: Set[str], session: str) -> Document:
    info = _info(database, "session_v2" if "session_v2" in tables else "session", session)
    query = (
        "SELECT id, type, time_created, seq, data FROM session_message WHERE session_id = ? ORDER BY seq, id"
    )
    messages: list[Document] = []
    for name, kind, created, seq, data in _rows(database, query, (session,)):
        content = _json_mapping(data)
        if not content:
            messages.append({})
            continue
        message = {"time": {"created": created}, **content, "id": name, "type": kind}
        if info["forked"] and str(name).endswith(f"_{seq}"):
            # The message is a copy. Its call and its compaction count in the forked session.
            message.pop("tokens", None)
            if kind == "compaction" and message.get("summary"):
                messages = []
                message |= {
                    "type": "synthetic",
                    "text": f"{message['summary']}\n\n{message.get('recent') or ''}",
                }
        messages.append(message)
    return {"info": info, "messages": as_entries(messages)}


def _info(database: sqlite3.Connection, table: str, session: str) -> Document:
    columns = table_columns(database, table)
    info: Document = {"id": session, "forked": None}
    wanted = [column for column in (*_COLUMNS, "time_created", "time_updated") if column in columns]
    for row in _rows(database, f"SELECT {', '.join(['id', *wanted])} FROM {table} WHERE id = ?", (session,)):
        row_values = dict(zip(wanted, row[1:], strict=True))
        info |= {_COLUMNS[column]: value for column, value in row_values.items() if column in _COLUMNS}
        info["revert"] = _json_mapping(row_values.get("revert"))
        info["time"] = {"created": row_values.get("time_created"), "updated": row_values.get("time_updated")}
    return info


def _from_tables(database: sqlite3.Connection, session: str) -> Document:
    info = _info(database, "session", session)
    parts: dict[str, list[Document]] = {}
    query = "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id"
    for message, name, data in _rows(database, query, (session,)):
        content = _json_mapping(data)
        parts.setdefault(str(message), []).append({**content, "id": name} if content else {})
    query = "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    rows = _rows(database, query, (session,))
    # A fork copies messages of another session with their times, and gives them new ids.
    began = count_at(info, "time", "created") or 0
    copies = {name for name, created, _ in rows if isinstance(created, int) and created < began}
    if copies:
        last = max(created for name, created, _ in rows if name in copies)
        info["forked"] = _first_session_with(database, last, session)
    messages = []
    for name, created, data in rows:
        message_info = _json_mapping(data)
        if message_info:
            message_info = {"time": {"created": created}, **message_info, "id": name, "sessionID": session}
            message_info["copied"] = info["forked"] is not None and name in copies
        messages.append({"info": message_info, "parts": parts.get(str(name), [])})
    return {"info": info, "messages": messages}


def _first_session_with(database: sqlite3.Connection, created: int, fork: str) -> str | None:
    """Return the session that first had a message of this time; None if only the fork has one."""
    query = (
        "SELECT session.id FROM message JOIN session ON session.id = session_id WHERE message.time_created = ? "
        "AND session.id != ? AND session.time_created <= message.time_created ORDER BY session.time_created LIMIT 1"
    )
    rows = _rows(database, query, (created, fork))
    return str(rows[0][0]) if rows else None


def _json_mapping(data: object) -> Document:
    return (mapping(data) if isinstance(data, bytes | str) else None) or {}


def _rows(
    database: sqlite3.Connection, query: str, values: tuple[str | int, ...] = ()
) -> list[tuple[Any, ...]]:
    return database.execute(query, values).fetchall()


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise cannot_read(path, error) from error


def _json(path: Path) -> Document | None:
    return mapping(without_export_line(read_file(path)))


def without_export_line(raw: bytes) -> bytes:
    """Return the document in an export. Some releases print a line before it."""
    raw = raw.removeprefix(BOM_UTF8).lstrip()
    return raw[raw.find(b"{") :] if raw.startswith(_EXPORT_LINE) else raw


def _files(folder: Path) -> list[Path]:
    """Return the JSON files of a folder by name, none if there is no folder. This is the order of time, because
    opencode's ids ascend. Raises StoreErrors."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise cannot_read(folder, error) from error
