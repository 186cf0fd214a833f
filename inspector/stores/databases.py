"""Short reads of agents' SQLite databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def read_database(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    """Return the result of `work` on a read-only connection. It may run more than once. Raises StoreErrors."""
    from inspector.stores.hermes.connection import Connections

    with closing(Connections(path)) as connections:
        return connections.read(work)


def table_names(database: sqlite3.Connection) -> frozenset[str]:
    """Return the names of the tables."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    return frozenset(str(row[0]) for row in database.execute(query).fetchall())


def table_columns(database: sqlite3.Connection, table: str) -> list[str]:
    """Return the names of a table's columns in order; none if the table is missing."""
    rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
    return [str(row[0]) for row in rows]
