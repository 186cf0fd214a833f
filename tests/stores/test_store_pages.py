"""Number of pages of the file that each connection caches."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from inspector.stores.hermes.connection import Connections


def test_a_connection_caches_half_a_megabyte_of_pages(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    made = sqlite3.connect(path)
    with made:
        made.execute("CREATE TABLE t (x)")
    made.close()
    connections = Connections(path)
    for _ in range(2):
        assert connections.read(lambda db: db.execute("PRAGMA cache_size").fetchall()) == [(-512,)]
    connections.close()
