"""A second process that writes: it is never blocked, and its changes are visible at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from inspector.core.errors import StoreBusy, StoreMissing
from inspector.stores.hermes.connection import Connections
from inspector.stores.hermes.store import HermesStore
from tests.stores.writer import Writer, create, simple, talk

# Writes a row for every input line without waiting for a lock, and replies after the commit.
WRITER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
for line in sys.stdin:
    command, _, text = line.strip().partition(" ")
    if command == "add":
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s0', 'user', ?, 2e9)", (text,))
        db.execute("COMMIT")
    elif command == "checkpoint":
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    elif command == "archive":
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE messages SET active = 0, compacted = 1 WHERE session_id = 's0' AND active = 1")
        db.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s0', 'user', "
                   "'[CONTEXT COMPACTION] Earlier turns were compacted:' || char(10) || 'body', 2e9)")
        db.execute("COMMIT")
    elif command == "lock":
        db.execute("BEGIN EXCLUSIVE")
    elif command == "unlock":
        db.execute("ROLLBACK")
    print("done", flush=True)
"""


class Other:
    """The other process."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, command: str) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n", "the writer was blocked"

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture(params=["wal", "delete"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return simple(tmp_path / "state.db", sessions=1, journal=request.param)


@pytest.fixture
def other(path: Path) -> Iterator[Other]:
    process = Other(path)
    yield process
    process.end()


def test_new_rows_are_visible_and_the_writer_never_waits(path: Path, other: Other) -> None:
    store = HermesStore(path)
    version = store.version()
    assert store.version() == version
    live = store.open("s0").live
    reading = store.iterate(live)
    next(reading)
    finding = store.search("answer")
    next(finding)
    for number in range(5):
        other.do(f"add hello {number}")
        assert store.version() > version
        version = store.version()
        assert store.version() == version
        fresh = store.open("s0").live
        assert len(fresh) == 21 + number
        assert store.messages(fresh, -1)[0].content == f"hello {number}"
        assert [hit.message for hit in store.search(f'"hello {number}"')] == [fresh.ids[-1]]
    assert len(list(reading)) == 19
    assert list(finding)
    other.do("checkpoint")
    assert len(store.open("s0").live) == 25
    other.do("add after the checkpoint")
    assert len(store.open("s0").live) == 26


def test_a_writer_that_ends_and_one_that_begins(path: Path) -> None:
    store = HermesStore(path)
    assert len(store.open("s0").live) == 20
    for number in range(3):
        process = Other(path)
        process.do(f"add from process {number}")
        assert len(store.open("s0").live) == 21 + number
        process.end()
        assert len(store.open("s0").live) == 21 + number
    version = store.version()
    assert store.version() == version


def test_a_compaction_while_it_is_open(path: Path, other: Other) -> None:
    store = HermesStore(path)
    before = store.open("s0")
    other.do("archive")
    after = store.open("s0")
    assert [len(item) for item in after.generations] == [20, 1]
    assert after.generations[0].ids == before.live.ids
    assert store.messages(before.live) == store.messages(after.generations[0])


def test_every_thread_sees_it(path: Path, other: Other) -> None:
    store = HermesStore(path)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: len(store.open("s0").live), range(8))) == {20}
        other.do("add one")
        assert set(pool.map(lambda _: len(store.open("s0").live), range(8))) == {21}
        version = store.version()
        assert set(pool.map(lambda _: store.version(), range(8))) == {version}
        store.close()


def test_an_exclusive_lock_is_an_error_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.stores.hermes.connection._BUSY_SECONDS", 0.01)
    path = simple(tmp_path / "state.db", sessions=1, journal="delete")
    other = Other(path)
    store = HermesStore(path)
    other.do("lock")
    with pytest.raises(StoreBusy, match="locked"):
        store.open("s0")
    other.do("unlock")
    assert len(store.open("s0").live) == 20
    other.end()


def test_a_note_about_a_lock_goes_with_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.stores.hermes.connection._BUSY_SECONDS", 0.01)
    path = simple(tmp_path / "state.db", sessions=1, journal="delete")
    other = Other(path)
    store = HermesStore(path)
    profile = HermesStore(path).settled().profile
    other.do("lock")
    store.settled()
    assert ["locked" in note for note in store.notes] == [True]
    other.do("unlock")
    assert store.settled().profile == profile
    assert store.notes == ()
    other.end()


def test_a_replaced_database_is_read(tmp_path: Path) -> None:
    path = simple(tmp_path / "state.db", sessions=1, turns=5, journal="wal")
    store = HermesStore(path)
    assert len(store.open("s0").live) == 20
    version = store.version()
    simple(tmp_path / "new.db", sessions=3, turns=2, journal="wal").replace(path)
    assert store.version() > version
    assert len(store.conversations()) == 3
    assert len(store.open("s0").live) == 8
    path.unlink()
    with pytest.raises(StoreMissing):
        store.conversations()


def test_a_checkpoint_during_a_read_is_noticed(tmp_path: Path) -> None:
    """Without a log the file is read without locks; a write during the read makes it read again."""
    path = simple(tmp_path / "state.db", sessions=1, journal="wal")
    seen: list[int] = []

    def work(db: sqlite3.Connection) -> Any:
        count = db.execute("SELECT count(*) FROM messages").fetchall()[0][0]
        if not seen:
            with sqlite3.connect(path) as outside:
                outside.execute("INSERT INTO messages (session_id, role, timestamp) VALUES ('s0', 'user', 1)")
            outside.close()
        seen.append(count)
        return count

    assert Connections(path).read(work) == 21
    assert seen == [20, 21]


def test_a_conversation_that_grows_keeps_its_earlier_rows(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, journal="wal"))
    writer.begin()
    writer.say(talk(3))
    store = HermesStore(path)
    earlier = store.open("s0").live
    writer.say(talk(3, 3))
    later = store.open("s0").live
    assert list(later.ids)[: len(earlier)] == list(earlier.ids)
    assert later.roles.startswith(earlier.roles)
    writer.db.close()
