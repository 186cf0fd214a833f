"""Which release wrote a database: from the wording of its newest summaries, else from its schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from inspector.core.handoff import read_handoff
from inspector.stores.hermes.rows import message, select
from inspector.stores.hermes.schema import NEWEST_SCHEMA, Schema

_NEWEST = 8
_BODY_LIMIT = 40
#: The schema that each known release writes.
_DOCUMENTED, _V13, _V19 = 6, 11, 22


def detect(connection: sqlite3.Connection, schema: Schema) -> tuple[str, str]:
    """The profile and the sentence that says why. Reads a handful of rows."""
    for identity in _candidates(connection, schema):
        rows = connection.execute(
            f"SELECT {select(schema)} FROM messages WHERE id = ?", (identity,)
        ).fetchall()
        handoff = read_handoff(message(rows[0]).content) if rows else None
        if handoff is not None and handoff.release_hint:
            return handoff.release_hint, (
                f"The newest summary (row {identity}) is worded as {handoff.release_hint} words it."
            )
    return by_schema(schema)


def by_schema(schema: Schema) -> tuple[str, str]:
    """The profile that the columns and the schema version point to."""
    version = schema.version
    said = "The store has no schema version" if version is None else f"The store has schema {version}"
    if schema.in_place:
        profile, why = "hermes-0.19", "sessions can be compacted in place"
    elif version is not None and version <= _DOCUMENTED:
        profile, why = "documented", "which is what the documents describe"
    elif "codex_message_items" in schema.messages or (version or 0) >= _V13:
        profile, why = "hermes-0.13", "and sessions cannot be compacted in place"
    elif version is not None:
        profile, why = "hermes-0.13", "which is nearest to that release"
    else:
        profile, why = "documented", "and no column of a later release"
    if version in (_V13, _V19):
        why = f"which is that of {profile.removeprefix('hermes-')}"
    newer = f", newer than {NEWEST_SCHEMA}" if version is not None and version > NEWEST_SCHEMA else ""
    return profile, f"{said}{newer}, {why}."


def _candidates(connection: sqlite3.Connection, schema: Schema) -> Iterable[int]:
    """Ids of rows that may be the newest summaries, newest first."""
    if "messages_fts" in schema.tables:
        try:
            rows = connection.execute(
                "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
                ('"CONTEXT COMPACTION" OR "CONTEXT SUMMARY"', _NEWEST),
            ).fetchall()
            return [int(row[0]) for row in rows]
        except (sqlite3.DatabaseError, MemoryError):
            pass  # a damaged or foreign full-text index is no reason to know nothing, whatever size it says it has
    if {"parent_session_id", "end_reason", "started_at"} <= schema.sessions:
        rows = connection.execute(
            "SELECT m.id FROM (SELECT c.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id "
            "WHERE p.end_reason = 'compression' ORDER BY c.started_at DESC LIMIT 4) s "
            "JOIN messages m ON m.session_id = s.id "
            "WHERE m.role IN ('user', 'assistant') ORDER BY m.id LIMIT ?",
            (_BODY_LIMIT,),
        ).fetchall()
        return [int(row[0]) for row in reversed(rows)]
    return []
