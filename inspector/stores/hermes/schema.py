"""The columns and tables of a database. Releases add columns and remove some, so each column may be missing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from math import isfinite
from typing import NamedTuple

from inspector.core.times import calendar_time
from inspector.stores.databases import table_columns

#: The newest schema that this reader was written against.
NEWEST_SCHEMA = 31

_NEEDED: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id"}),
    "messages": frozenset({"id", "session_id", "role"}),
}
_PROMPT_KEYS = ("hash", "prompt_hash", "system_prompt_hash", "key", "id", "sha256", "digest")
_PROMPT_TEXTS = ("content", "text", "prompt", "system_prompt", "body", "value")


class Schema(NamedTuple):
    """The tables and columns of one database.

    `prompts` is (column of sessions, table, key column, text column) if system prompts are in a separate table.
    `marker` is a column that marks summary rows.
    """

    version: int | None
    sessions: frozenset[str]
    messages: frozenset[str]
    tables: frozenset[str]
    indexes: frozenset[str]
    prompts: tuple[str, str, str, str] | None = None
    marker: str | None = None

    @property
    def in_place(self) -> bool:
        """Whether a session can have archived lists."""
        return {"active", "compacted"} <= self.messages

    def column(self, table: str, name: str, default: str = "NULL") -> str:
        """Return the SQL that reads a column, or the default if this schema lacks it."""
        has = self.sessions if table == "sessions" else self.messages
        return quoted(name) if name in has else default

    def missing(self) -> str | None:
        """Return the first missing table or column that is required; None for a session database."""
        for table, columns in _NEEDED.items():
            if table not in self.tables:
                return f"table {table}"
            lacking = columns - (self.sessions if table == "sessions" else self.messages)
            if lacking:
                return f"column {table}.{min(lacking)}"
        return None


def quoted(name: str) -> str:
    """Return a name in the notation of SQL."""
    return '"' + name.replace('"', '""') + '"'


def read_schema(connection: sqlite3.Connection) -> Schema:
    """Return the schema of an open database. Raises sqlite3.Error."""
    tables: set[str] = set()
    indexes: set[str] = set()
    for kind, name in connection.execute("SELECT type, name FROM sqlite_master").fetchall():
        (indexes if kind == "index" else tables).add(str(name))
    sessions, messages = table_columns(connection, "sessions"), table_columns(connection, "messages")
    version = None
    if "version" in table_columns(connection, "schema_version"):
        rows = connection.execute("SELECT max(version) FROM schema_version").fetchall()
        version = rows[0][0] if rows and isinstance(rows[0][0], int) else None
    return Schema(
        version=version,
        sessions=frozenset(sessions),
        messages=frozenset(messages),
        tables=frozenset(tables),
        indexes=frozenset(indexes),
        prompts=_prompt_table(connection, sessions, tables),
        marker=next((name for name in messages if "compressed_summary" in name), None),
    )


def _prompt_table(
    connection: sqlite3.Connection, sessions: list[str], tables: set[str]
) -> tuple[str, str, str, str] | None:
    references = [name for name in sessions if "prompt" in name and name != "system_prompt"]
    for table in sorted(name for name in tables if "system_prompt" in name or name == "prompts"):
        columns = table_columns(connection, table)
        for reference in references:
            key = next((name for name in (reference, *_PROMPT_KEYS) if name in columns), None)
            text = next((name for name in _PROMPT_TEXTS if name in columns and name != key), None)
            if key and text:
                return reference, table, key, text
    return None


def system_prompt(connection: sqlite3.Connection, schema: Schema, session: str) -> str:
    """Return the system prompt of a session; "" if it has none."""
    if "system_prompt" in schema.sessions:
        rows = connection.execute("SELECT system_prompt FROM sessions WHERE id = ?", (session,)).fetchall()
        if rows and rows[0][0]:
            return as_text(rows[0][0])
    if schema.prompts:
        reference, table, key, text = (quoted(name) for name in schema.prompts)
        rows = connection.execute(
            f"SELECT p.{text} FROM sessions s JOIN {table} p ON p.{key} = s.{reference} WHERE s.id = ?",
            (session,),
        ).fetchall()
        if rows and rows[0][0]:
            return as_text(rows[0][0])
    return ""


def as_text(value: object) -> str:
    """Return a column's value as text, for any type that SQLite stored."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def as_number(value: object) -> float | None:
    """Return a column's value as a number; None if it is not a number."""
    if isinstance(value, (int, float)):
        return float(value) if isfinite(value) else None
    if isinstance(value, str):
        try:
            return as_number(float(value))
        except ValueError:
            return None
    return None


def as_time(value: object) -> float:
    """Return a column's value as seconds since the epoch; 0.0 for anything that is not a time."""
    return calendar_time(as_number(value) or 0.0)


def as_count(value: object) -> int:
    """Return a column's value as a count; 0 if it is not a number."""
    if type(value) is int:
        return max(value, 0)
    number = as_number(value)
    return int(number) if number is not None and number > 0 else 0
