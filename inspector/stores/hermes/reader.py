"""Hermes' databases, each a separate store."""

from __future__ import annotations

from pathlib import Path

from inspector.stores.base import Store
from inspector.stores.head import Head

_TABLES = frozenset({"sessions", "messages"})


class HermesReader:
    """Recognises and opens a state.db."""

    agent = "hermes"

    def recognises(self, head: Head) -> bool:
        """Return whether the file is a database of Hermes, or is too damaged to be recognised."""
        if not head.is_sqlite:
            return False
        # The schema names the table of its version on the first page.
        if b"schema_version" in head.raw:
            return True
        return head.tables is None or head.tables >= _TABLES

    def open(self, path: Path) -> Store:
        """Return the store of a database. Raises StoreErrors."""
        from inspector.stores.hermes.store import HermesStore

        return HermesStore(path)


READER = HermesReader
