"""Any content of a message is read: NUL, lone surrogates, invalid UTF-8, megabyte lines."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.stores.hermes.store import HermesStore
from tests.stores.writer import create, insert, session

CONTENTS: list[tuple[Any, Any]] = [
    ("a\0b", "a\0b"),
    ("\0json:\"\\ud800\"", "\ud800"),
    ("\x1b[31mred\x9b2J", "\x1b[31mred\x9b2J"),
    ("[/foo] [bold]", "[/foo] [bold]"),
    ("‮evil⁦", "‮evil⁦"),
    ("x" * 1_000_000, "x" * 1_000_000),
    (None, None),
    ("", ""),
    (b"\xff\xfe bytes", "\ufffd\ufffd bytes"),
    (b"\x00\x01", "\0\x01"),
    (12, "12"),
    (1.5, "1.5"),
    ("\0json:", "\0json:"),
    ("\0json:null", None),
    ("\0json:[null, 3, \"x\", {\"text\": 5}, []]", [None, 3, "x", {"text": 5}, []]),
    ("\0json:{\"_multimodal\": true}", {"_multimodal": True}),
]  # fmt: skip


@pytest.fixture
def db(tmp_path: Path) -> sqlite3.Connection:
    db = create(tmp_path / "state.db")
    session(db, "s0")
    return db


def path_of(db: sqlite3.Connection) -> Path:
    return Path(db.execute("PRAGMA database_list").fetchone()[2])


def read_all(path: Path) -> list[Any]:
    store = HermesStore(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    found = list(store.iterate(conversation.live))
    store.compactions(conversation)
    store.live_tokens(row.id)
    for item in found:
        assert isinstance(item.text, str)
        assert isinstance(item.tool_calls, tuple)
    for query in ("x", "水水", '"a b"', "nothing here"):
        for hit in store.search(query):
            assert 0 <= hit.span[0] <= hit.span[1] <= len(hit.excerpt)
            assert "\n" not in hit.excerpt
    store.close()
    return found


def test_contents(db: sqlite3.Connection) -> None:
    for stored, _ in CONTENTS:
        insert(db, "s0", {"role": "user", "content": ""}, 1.0, content=stored)
    found = read_all(path_of(db))
    assert [item.content for item in found] == [expected for _, expected in CONTENTS]


def test_text_that_is_no_utf8(db: sqlite3.Connection) -> None:
    for raw in (b"\xed\xa0\x80 lone", b"caf\xe9", b"\xf0\x9f\x98", b"[CONTEXT COMPACTION]\n\xff"):
        insert(db, "s0", {"role": "user", "content": ""}, 1.0)
        db.execute("UPDATE messages SET content = CAST(? AS TEXT) WHERE id = last_insert_rowid()", (raw,))
    db.execute("UPDATE sessions SET title = CAST(x'ff41' AS TEXT), model = CAST(x'fe' AS TEXT)")
    db.execute("UPDATE messages SET role = CAST(x'ff' AS TEXT) WHERE id = 2")
    found = read_all(path_of(db))
    assert [item.text for item in found] == [
        "\ufffd\ufffd\ufffd lone", "caf\ufffd", "\ufffd", "[CONTEXT COMPACTION]\n\ufffd"
    ]  # fmt: skip
    assert found[1].role == "\ufffd"
    assert HermesStore(path_of(db)).conversations()[0].title == "\ufffdA"


def test_columns_of_the_wrong_type(db: sqlite3.Connection) -> None:
    for values in (
        {"timestamp": "yesterday"},
        {"timestamp": float("inf")},
        {"role": 7, "tool_call_id": 3.5},
        {"tool_calls": b"\x01", "role": "assistant"},
        {"tool_calls": "5", "role": "assistant", "reasoning": 7},
        {"tool_calls": '{"a": [1]}', "role": "assistant", "codex_message_items": "1e999"},
        {
            "tool_calls": '[1, null, {"function": 3}, {"id": {}, "function": {"arguments": {"a": 1}}}]',
            "role": "tool",
        },
        {"active": None if False else "x", "compacted": "y"},
    ):
        insert(db, "s0", {"role": "user", "content": "x"}, 1.0, **values)
    db.execute(
        "UPDATE sessions SET started_at = 'then', ended_at = x'00', message_count = 'many', model_config = '[]'"
    )
    found = read_all(path_of(db))
    assert len(found) == 8
    assert [item.timestamp for item in found[:2]] == [0.0, 0.0]
    assert HermesStore(path_of(db)).conversations()[0].messages == 0


def test_a_title_that_looks_like_sql_names_a_conversation(db: sqlite3.Connection) -> None:
    title = "x'; DROP TABLE sessions; --"
    db.execute("UPDATE sessions SET title = ?", (title,))
    assert HermesStore(path_of(db)).resolve(title) == "s0"


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "tool", "x"]), st.binary(max_size=60)), max_size=8
    )
)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, bytes]]) -> None:
    db = create(tmp_path_factory.mktemp("any") / "state.db", fts=False)
    session(db, "s0")
    for role, raw in rows:
        insert(db, "s0", {"role": role, "content": ""}, 1.0)
        db.execute("UPDATE messages SET content = CAST(? AS TEXT), tool_calls = CAST(? AS TEXT)", (raw, raw))
    assert len(read_all(path_of(db))) == len(rows)
    db.close()
