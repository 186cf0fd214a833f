"""Notes on the database of the plug-in context engine LCM, which is next to the state.db (`lcm.db`).

LCM keeps every message and a tree of summaries. The list with its summaries is in state.db; `lcm.db` adds the number of
messages that each summary covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inspector.core.errors import StoreError
from inspector.stores.databases import read_database
from inspector.stores.lines import parsed
from inspector.stores.values import listed

NAME = "lcm.db"


def notes(path: Path, sessions: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence about the summaries that LCM keeps for some sessions of the database `path`."""
    beside = path.with_name(NAME)
    if not beside.is_file():
        return ()
    marks = ",".join("?" * len(sessions))
    query = f"SELECT source_type, source_ids FROM summary_nodes WHERE session_id IN ({marks})"
    try:
        rows = read_database(beside, lambda db: db.execute(query, tuple(sessions)).fetchall())
    except StoreError as error:
        return (f"The database of the engine LCM cannot be read: {error}",)
    if not rows:
        return ()
    covered = sum(_length(ids) for kind, ids in rows if kind == "messages")
    return (
        f"The context engine LCM compacted this conversation: {NAME} has {len(rows):,} summaries of {covered:,} "
        "messages, and the agent can expand them again. A plan of Hermes' own engine differs.",
    )


def _length(ids: object) -> int:
    return len(listed(parsed(ids) if isinstance(ids, bytes | str) else None))
