"""The generator's databases open and have the expected content."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from inspector.stores.detect import open_folder, open_store
from tests.benchmarks.generator import COMMON, LAST_WORDS, LONG, LONGEST, Release, Shape, build, ensure
from tests.benchmarks.homes import TITLE, build_home


@pytest.mark.parametrize("release", ["0.13", "0.19"])
def test_a_database_has_the_requested_sizes(tmp_path: Path, release: Release) -> None:
    shape = Shape(messages=4_000, conversations=20, release=release)
    path = ensure(tmp_path, shape)
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM messages").fetchone() == (4_000,)
    for table in ("messages_fts", "messages_fts_trigram"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (4_000,)
    db.close()
    store = open_store(path)
    rows = store.conversations()
    assert len(rows) == 20
    assert store.info.profile == f"hermes-{release}"
    assert [row.title for row in rows[:2]] == [LONG, LONGEST]
    longest = store.open(store.resolve(LONGEST))
    assert (len(store.open(store.resolve(LONG)).live), len(longest.live)) == (shape.long, shape.longest)
    assert store.messages(longest.live, len(longest.live) - 1)[0].text == LAST_WORDS
    assert any(store.search(COMMON, limit=1))
    store.close()


@pytest.mark.parametrize("release", ["0.13", "0.19"])
def test_compactions_are_recovered(tmp_path: Path, release: Release) -> None:
    store = open_store(ensure(tmp_path, Shape(messages=6_000, conversations=12, release=release)))
    conversations = [
        (len(row.sessions) > 1, store.compactions(store.open(row.id)))
        for row in store.conversations()
        if store.count_compactions(row.id)
    ]
    assert any(rotates for rotates, _ in conversations)
    assert any(not rotates for rotates, _ in conversations) == (release == "0.19")
    for step in (step for _, steps in conversations for step in steps):
        assert step.exact
        assert step.head_end == 3
        assert 24 <= step.before - step.tail_start <= 26
        assert step.summary
    store.close()


def test_the_same_seed_makes_the_same_database(tmp_path: Path) -> None:
    shape = Shape(messages=600, conversations=4)
    build(tmp_path / "one.db", shape)
    build(tmp_path / "two.db", shape)
    build(tmp_path / "three.db", Shape(messages=600, conversations=4, seed=2))
    one, two, three = ((tmp_path / f"{name}.db").read_bytes() for name in ("one", "two", "three"))
    assert one == two
    assert one != three


def test_the_longest_conversation_has_the_requested_compactions(tmp_path: Path) -> None:
    shape = Shape(messages=12_000, conversations=6, compactions=15)
    store = open_store(ensure(tmp_path, shape))
    steps = store.compactions(store.open(store.resolve(LONGEST)))
    assert [step.index for step in steps] == list(range(1, 16))
    assert all(step.exact and step.summary for step in steps)
    assert shape.name != Shape(messages=12_000, conversations=6).name
    store.close()


def test_a_home_has_the_requested_files_and_sizes(tmp_path: Path) -> None:
    home = build_home(tmp_path, 20, 3_000_000, large=400_000)
    files = list(home.rglob("*.jsonl"))
    assert len(files) == 20
    assert 2_000_000 < sum(file.stat().st_size for file in files) < 4_500_000
    store = open_folder(home, keep=False)
    rows = store.conversations()
    assert len(rows) == 20
    assert rows[0].title == TITLE
    largest = store.open(rows[0].id)
    roles = [message.role for message in store.messages(largest.live)]
    assert roles.count("assistant") >= roles.count("tool") > 20
    assert len(store.requests(largest)) > 20
