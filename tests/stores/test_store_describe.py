"""The description of a database file."""

from __future__ import annotations

from pathlib import Path

from inspector.stores.detect import open_store
from inspector.stores.hermes.store import HermesStore
from tests.stores import writer


def test_tables_rows_and_full_text_indexes_are_described(tmp_path: Path) -> None:
    path = writer.simple(tmp_path / "state.db", sessions=3)
    before = writer.snapshot(tmp_path)
    store = open_store(path)
    assert isinstance(store, HermesStore)
    found = store.describe()
    tables = {table.name: table for table in found.tables}
    assert tables["sessions"].rows == 3
    assert {"id", "model", "title"} <= set(tables["sessions"].columns)
    assert tables["messages_fts"].full_text
    assert not tables["messages"].full_text
    assert not any(name.startswith("messages_fts_") and name != "messages_fts_trigram" for name in tables)
    assert found.size == path.stat().st_size
    store.close()
    assert writer.snapshot(tmp_path) == before


def test_an_unknown_table_is_described_too(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    db = writer.create(path)
    db.execute("CREATE TABLE novelty (a, b)")
    db.execute("INSERT INTO novelty VALUES (1, 2)")
    db.commit()
    db.close()
    store = open_store(path)
    assert isinstance(store, HermesStore)
    (novelty,) = [table for table in store.describe().tables if table.name == "novelty"]
    assert (novelty.rows, novelty.columns) == (1, ("a", "b"))
