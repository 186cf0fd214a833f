"""The content of the database file: tables, rows, columns, full-text indexes."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

#: Ends of the names of the tables that SQLite keeps for a full-text table.
_SHADOWS = ("data", "idx", "content", "docsize", "config")


class TableDescription(Struct, frozen=True):
    """A table: the number of rows (None if unknown), the columns in order, whether it is a full-text table."""

    name: str
    rows: int | None
    columns: tuple[str, ...]
    full_text: bool


class StoreDescription(Struct, frozen=True):
    """The properties of the database file. Sizes are in bytes."""

    journal_mode: str
    page_size: int
    size: int
    tables: tuple[TableDescription, ...]


def describe(connection: sqlite3.Connection) -> StoreDescription:
    """Describe a database through a read-only connection; counting rows reads every table once."""
    from sqlite_utils import Database

    # Plugins of sqlite-utils may run statements of their own on a new connection.
    database = Database(connection, execute_plugins=False)
    tables = []
    full_text = database.table_names(fts5=True)
    shadows = {f"{name}_{part}" for name in full_text for part in _SHADOWS}
    for name in sorted(set(database.table_names()) - shadows):
        table = database.table(name)
        try:
            rows: int | None = table.count
        except sqlite3.DatabaseError:
            rows = None
        columns = tuple(column.name for column in table.columns)
        tables.append(TableDescription(name, rows, columns, name in full_text))
    pages, page_size = (
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    return StoreDescription(database.journal_mode, page_size, pages * page_size, tuple(tables))
