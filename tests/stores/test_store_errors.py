"""Paths without a store or with an unreadable store: each gives an error message with advice."""

from __future__ import annotations

import gzip
import os
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.core.errors import NotAStore, StoreDamaged, StoreError, StoreMissing
from inspector.stores.detect import open_store
from tests.stores.writer import simple


def directory(folder: Path) -> Path:
    (folder / "x").mkdir()
    return folder / "x"


def empty(folder: Path) -> Path:
    (folder / "x").touch()
    return folder / "x"


def text(folder: Path) -> Path:
    (folder / "x").write_text("SQLite format 2, or so")
    return folder / "x"


def packed(folder: Path) -> Path:
    (folder / "x.gz").write_bytes(gzip.compress(simple(folder / "state.db").read_bytes()))
    return folder / "x.gz"


def header_only(folder: Path) -> Path:
    (folder / "x").write_bytes(simple(folder / "state.db").read_bytes()[:60])
    return folder / "x"


def cut(folder: Path) -> Path:
    (folder / "x").write_bytes(simple(folder / "state.db").read_bytes()[:2000])
    return folder / "x"


def encrypted(folder: Path) -> Path:
    (folder / "x").write_bytes(b"SQLite format 3\0" + os.urandom(4096))
    return folder / "x"


def another_program(folder: Path) -> Path:
    with sqlite3.connect(folder / "x") as db:
        db.execute("CREATE TABLE sessions (id TEXT, name TEXT)")
        db.execute("CREATE TABLE messages (id INTEGER, body TEXT)")
    return folder / "x"


def no_tables(folder: Path) -> Path:
    with sqlite3.connect(folder / "x") as db:
        db.execute("PRAGMA user_version = 3")
        db.execute("CREATE TABLE notes (id)")
    return folder / "x"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "x")
    return folder / "x"


def broken_link(folder: Path) -> Path:
    (folder / "x").symlink_to(folder / "nowhere")
    return folder / "x"


def below_a_file(folder: Path) -> Path:
    return text(folder) / "state.db"


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda folder: folder / "nothing", StoreMissing, "no file"),
        (below_a_file, StoreMissing, "no file"),
        (broken_link, StoreMissing, "no file"),
        (directory, NotAStore, "directory"),
        (empty, NotAStore, "empty"),
        (text, NotAStore, "not a session format this program knows"),
        (packed, NotAStore, "not a session format this program knows"),
        (pipe, NotAStore, "neither a file"),
        (another_program, NotAStore, "messages.role|messages.session_id"),
        (no_tables, NotAStore, "not a session format this program knows"),
        (header_only, StoreDamaged, "cut off"),
        (cut, StoreDamaged, "damaged"),
        (encrypted, StoreError, "damaged|encrypted|SQLite"),
        (lambda folder: Path("bad\0name"), StoreMissing, "cannot be opened"),
    ],
)
def test_a_path_without_a_store_is_an_error(
    tmp_path: Path, make: Callable[[Path], Path], kind: type[StoreError], words: str
) -> None:
    path = make(tmp_path)
    with pytest.raises(kind, match=words) as error:
        open_store(path)
    message = str(error.value)
    assert message.endswith(".")
    assert "Error" not in message
    assert "Traceback" not in message


def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        with pytest.raises(NotAStore, match="neither a file"):
            open_store(Path("s"))


@pytest.mark.parametrize("name", ["a b?c#d%20e.db", "übung – 水.db", "-dash.db", "file:x?mode=rw.db"])
def test_odd_names(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = simple(tmp_path / "state.db").rename(tmp_path / name)
    assert len(open_store(path).conversations()) == 2
    monkeypatch.chdir(tmp_path)
    assert len(open_store(Path(name)).conversations()) == 2
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_closed_store_is_an_error(tmp_path: Path) -> None:
    store = open_store(simple(tmp_path / "state.db"))
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.conversations()


def test_a_left_journal_is_noted(tmp_path: Path) -> None:
    """A process that dies while writing without WAL leaves half-written pages and a journal to undo them."""
    work = tmp_path / "work"
    work.mkdir()
    path = simple(work / "state.db", sessions=1, turns=200)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA cache_size = 2")
    db.execute("BEGIN IMMEDIATE")
    db.execute("UPDATE messages SET content = 'half written' || content")
    for name in ("state.db", "state.db-journal"):
        (tmp_path / name).write_bytes((work / name).read_bytes())
    db.execute("ROLLBACK")
    db.close()
    before = {name: (tmp_path / name).read_bytes() for name in ("state.db", "state.db-journal")}
    store = open_store(tmp_path / "state.db")
    assert 0 < len(store.open("s0").live) <= 800
    assert any("half written" in note for note in store.info.notes)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
