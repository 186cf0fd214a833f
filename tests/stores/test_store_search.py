"""Searching finds the same messages with full-text tables, without them, and with broken tables."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.stores.hermes.store import HermesStore
from tests.stores.writer import create, insert, session, talk

TEXTS = [
    "The retry limit is 72",
    "retry later, the LIMIT is near",
    "unlimited retries",
    "数据库连接超时",
    "データベース",
    'say "hello" AND OR NOT NEAR(x) * ^ : - ( )',
    "path/to/file_name.py:12",
    "Straße and café",
    "emoji 🙂 here",
    "column:content {x} [y]",
]


def make(path: Path, schema: int = 22, fts: bool = True) -> HermesStore:
    db = create(path, schema, fts=fts)
    session(db, "s0")
    session(db, "s1")
    for number, text in enumerate(TEXTS):
        insert(db, f"s{number % 2}", {"role": "user", "content": text}, float(number))
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "terminal", "arguments": '{"command": "pytest -q"}'},
    }
    insert(db, "s0", {"role": "assistant", "content": None, "tool_calls": [call]}, 50.0)
    insert(db, "s0", {"role": "user", "content": [{"type": "text", "text": "in a part"}]}, 51.0)
    db.close()
    return HermesStore(path)


@pytest.fixture(params=["trigram", "words", "none"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> HermesStore:
    return make(tmp_path / "state.db", 22 if request.param == "trigram" else 9, request.param != "none")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("retry limit", [2, 1]),
        ('"retry limit"', [1]),
        ("LIMIT retry 72", [1]),
        ("数据库", [4]),
        ("超时", [4]),
        ("タベ", [5]),
        ("file_name.py", [7]),
        ("🙂", [9]),
        ("café", [8]),
        ("pytest", [11]),
        ("in a part", [12]),
        ("part", [12]),
        ("etr", [3, 2, 1]),
        ("tr", [8, 3, 2, 1]),
        ("tr lim", [3, 2, 1]),
        ("nothing at all", []),
        ("", []),
        ("   ", []),
        ('"', []),
        ('"hello" AND', [6]),
        ("NEAR(x)", [6]),
        ("content {x}", [10]),
        ("content: {x}", []),
    ],
)
def test_what_is_found(store: HermesStore, query: str, expected: list[int]) -> None:
    assert [hit.message for hit in store.search(query)] == expected
    assert not store.info.notes


def test_excerpts_show_the_match_in_one_line(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db")
    session(db, "s0")
    insert(db, "s0", {"role": "user", "content": "a\nb " * 100 + "the NEEDLE\there" + " tail" * 100}, 1.0)
    db.close()
    (hit,) = HermesStore(tmp_path / "state.db").search("needle")
    assert hit.excerpt[slice(*hit.span)] == "NEEDLE"
    assert "the NEEDLE here" in hit.excerpt
    assert len(hit.excerpt) < 140
    assert (hit.excerpt[0], hit.excerpt[-1]) == ("…", "…")
    assert (hit.conversation, hit.session, hit.role) == ("s0", "s0", "user")


def test_limits_and_one_conversation(store: HermesStore) -> None:
    everything = [hit.message for hit in store.search("a", limit=100)]
    assert everything == sorted(everything, reverse=True)
    assert [hit.message for hit in store.search("a", limit=2)] == everything[:2]
    assert {hit.session for hit in store.search("a", "s1")} == {"s1"}
    assert [hit.message for hit in store.search("retry", "s1")] == [2]


def test_more_hits_than_a_batch(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db")
    session(db, "s0")
    for number in range(600):
        insert(db, "s0", {"role": "user", "content": f"word {number}"}, 1.0)
    db.close()
    store = HermesStore(tmp_path / "state.db")
    assert [hit.message for hit in store.search("word", limit=1000)] == list(range(600, 0, -1))
    assert [hit.message for hit in itertools.islice(store.search("wo"), 3)] == [600, 599, 598]


@pytest.mark.parametrize("damage", ["not an index", "nonsense", "dropped parts"])
def test_an_index_that_cannot_be_used(tmp_path: Path, damage: str) -> None:
    make(tmp_path / "state.db").close()
    with sqlite3.connect(tmp_path / "state.db") as db:
        for name in ("messages_fts", "messages_fts_trigram"):
            if damage == "not an index":
                db.execute(f"DROP TABLE {name}")
                db.execute(f"CREATE TABLE {name} (content TEXT)")
            elif damage == "dropped parts":
                db.execute("PRAGMA writable_schema = on")
                db.execute(f"DELETE FROM sqlite_master WHERE name = '{name}_data'")
            else:
                db.execute(f"UPDATE {name}_data SET block = randomblob(60)")
    db.close()
    store = HermesStore(tmp_path / "state.db")
    assert store.info.profile == "hermes-0.19"
    assert [hit.message for hit in store.search("retry limit")] == [2, 1]
    assert any("full-text" in note for note in store.info.notes)


def test_rows_that_are_missing_in_the_index_are_found(tmp_path: Path) -> None:
    """A release without FTS5 drops the triggers and continues to write."""
    make(tmp_path / "state.db").close()
    with sqlite3.connect(tmp_path / "state.db") as db:
        for name in ("messages_fts", "messages_fts_trigram"):
            db.execute(f"DROP TRIGGER {name}_insert")
        insert(db, "s0", {"role": "user", "content": "the retry limit again"}, 60.0)
    db.close()
    assert [hit.message for hit in HermesStore(tmp_path / "state.db").search("retry limit")] == [13, 2, 1]


def test_rows_that_newer_releases_leave_out_of_the_index(tmp_path: Path) -> None:
    make(tmp_path / "state.db").close()
    with sqlite3.connect(tmp_path / "state.db") as db:
        (sql,) = db.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'messages_fts_trigram_insert'"
        ).fetchone()
        db.execute("DROP TRIGGER messages_fts_trigram_insert")
        db.execute(sql.replace("BEGIN", "WHEN new.role <> 'tool' BEGIN"))
        for number in range(300):
            for role in ("tool", "assistant"):
                insert(db, "s0", {"role": role, "content": f"the foghorn {number}"}, 60.0)
    db.close()
    store = HermesStore(tmp_path / "state.db")
    assert [hit.message for hit in store.search("oghor", limit=1000)] == list(range(612, 12, -1))
    assert [hit.message for hit in store.search("retry limit")] == [2, 1]
    assert {hit.session for hit in store.search("oghor", "s0")} == {"s0"}
    assert not list(store.search("oghor", "s1"))


@given(
    st.text(max_size=12)
    | st.lists(st.sampled_from([*'"*^():-', "AND", "a", "re", "limit", "\0", "水"])).map(" ".join)
)
def test_any_query_is_answered(tmp_path_factory: pytest.TempPathFactory, query: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any_query.db"
    store = HermesStore(path) if path.exists() else make(path)
    for hit in store.search(query):
        assert 0 <= hit.span[0] <= hit.span[1] <= len(hit.excerpt)
    assert not store.info.notes
    store.close()


def test_an_abandoned_search_ends(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db", fts=False)
    session(db, "s0")
    for wire in talk(50):
        insert(db, "s0", wire, 1.0)
    db.close()
    found = HermesStore(tmp_path / "state.db").search("answer")
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert list(found) == []
