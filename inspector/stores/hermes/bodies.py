"""Reading the bodies of rows by id: a range where ids are dense, lookups where they are not."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from inspector.core.messages import Message
from inspector.stores.hermes.rows import message, select
from inspector.stores.hermes.schema import Schema
from inspector.stores.hermes.sessions import damage

_CHUNK = 256


def read_bodies(
    db: sqlite3.Connection, schema: Schema, ids: Sequence[int]
) -> tuple[dict[int, Message], sqlite3.Error | None]:
    """The messages of those ids that can be read, and the damage that was met if there was some."""
    found: dict[int, Message] = {}
    first: sqlite3.Error | None = None
    for at in range(0, len(ids), _CHUNK):
        some = ids[at : at + _CHUNK]
        try:
            _read(db, schema, some, found)
        except sqlite3.DatabaseError as error:
            if not damage(error):
                raise
            first = first or error
            # One bad page must not take its neighbours with it.
            for identity in some:
                try:
                    _read(db, schema, [identity], found)
                except sqlite3.DatabaseError as single:
                    if not damage(single):
                        raise
    return found, first


def _read(db: sqlite3.Connection, schema: Schema, ids: Sequence[int], found: dict[int, Message]) -> None:
    if ids[-1] - ids[0] == len(ids) - 1:
        where, parameters = "id BETWEEN ? AND ?", [ids[0], ids[-1]]
    else:
        where, parameters = f"id IN ({','.join('?' * len(ids))})", list(ids)
    for row in db.execute(f"SELECT {select(schema)} FROM messages WHERE {where}", parameters).fetchall():
        found[row[0]] = message(row)
