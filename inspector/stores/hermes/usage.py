"""Recorded usage of the calls that wrote summaries (from 0.19 on), and compactions by the provider."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from inspector.core.conversations import Session, Usage
from inspector.stores.hermes.schema import Schema
from inspector.stores.hermes.sessions import USAGE

_TABLE, _TASK = "session_model_usage", "compression"
#: Models with server-side compaction by OpenAI (`compression.codex_responses_native`).
_COMPACTED_BY_SERVER = ("gpt-5.6", "gpt-6-astra")


def summary_usage(db: sqlite3.Connection, schema: Schema, sessions: Iterable[Session]) -> dict[str, Usage]:
    """Return the usage of the summarizing calls of each session, if the model of the session wrote the summary.

    Calls of another model are left out, because requests are priced with the model of the session.
    """
    if _TABLE not in schema.tables:
        return {}
    usages = {}
    for session in sessions:
        rows = db.execute(
            f"SELECT {', '.join(USAGE)} FROM {_TABLE} WHERE session_id = ? AND task = ? AND model = ?",
            (session.id, _TASK, session.model),
        ).fetchall()
        if len(rows) == 1 and all(isinstance(value, int) for value in rows[0]) and any(rows[0][:4]):
            usages[session.id] = Usage(*rows[0])
    return usages


def server_notes(db: sqlite3.Connection, schema: Schema, sessions: Iterable[Session]) -> Iterator[str]:
    """Yield a note for each session that the provider compacted: its checkpoints are items of answers."""
    if "codex_reasoning_items" not in schema.messages:
        return
    for session in sessions:
        if not any(name in session.model.lower() for name in _COMPACTED_BY_SERVER):
            continue
        rows = db.execute(
            'SELECT id FROM messages WHERE session_id = ? AND (codex_reasoning_items LIKE \'%"type": "compaction"%\' '
            'OR codex_reasoning_items LIKE \'%"type":"compaction"%\') ORDER BY id',
            (session.id,),
        ).fetchall()
        if rows:
            times = "once" if len(rows) == 1 else f"{len(rows):,} times"
            yield (
                f"The provider compacted session {session.id} {times}, last before row {rows[-1][0]}: of the messages "
                "before it, only those of the user and summaries are sent. The list here has all of them."
            )
