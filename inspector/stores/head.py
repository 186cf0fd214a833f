"""The beginning of a file, which shows readers whether the file is of their agent."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from inspector.core.errors import StoreBusy, StoreError
from inspector.stores import lines
from inspector.stores.databases import read_database, table_columns, table_names


class Head:
    """The beginning of a file, with its complete first line (see `head_of`). It is parsed once."""

    def __init__(self, path: Path, raw: bytes) -> None:
        self.path = path
        self.raw = raw

    @classmethod
    def of(cls, path: Path) -> Head:
        """Read the beginning of a file. Raises StoreErrors, NotAStore for an empty file."""
        return cls(path, lines.head_of(path))

    @property
    def is_sqlite(self) -> bool:
        """Whether the file is a SQLite database."""
        return self.raw.startswith(lines.SQLITE)

    @cached_property
    def mappings(self) -> tuple[Mapping[str, Any], ...]:
        """The JSON mappings in the first lines."""
        return () if self.is_sqlite else tuple(lines.first_mappings(self.raw))

    @property
    def first(self) -> Mapping[str, Any]:
        """The first mapping; empty if there is none."""
        return self.mappings[0] if self.mappings else {}

    @cached_property
    def tables(self) -> frozenset[str] | None:
        """The tables of a SQLite database; None for other files and damaged databases. Raises StoreBusy."""
        return self._read(table_names) if self.is_sqlite else None

    def columns(self, table: str) -> frozenset[str]:
        """Return the columns of a table of a SQLite database; empty if the table is missing. Raises StoreBusy."""
        if self.tables is None or table not in self.tables:
            return frozenset()
        return self._read(lambda database: frozenset(table_columns(database, table))) or frozenset()

    def _read(self, names_in: Callable[[sqlite3.Connection], frozenset[str]]) -> frozenset[str] | None:
        try:
            return read_database(self.path, names_in)
        except StoreBusy:
            raise
        except StoreError:
            return None
