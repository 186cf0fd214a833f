"""Nothing is ever written, neither into the database nor next to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.stores.detect import open_store
from inspector.stores.hermes.store import HermesStore
from tests.stores.writer import Writer, create, simple, snapshot, talk


def use_everything(path: Path) -> None:
    store: Any = open_store(path)
    assert store.info.kind == "hermes"
    store.version()
    for row in store.conversations():
        conversation = store.open(row.id)
        for generation in conversation.generations:
            assert len(list(store.iterate(generation))) == len(generation)
            store.messages(generation, 1, 3)
        store.compactions(conversation)
        store.count_compactions(row.id)
        store.live_tokens(row.id)
        store.system_prompt(row.id)
        store.resolve(row.id[:4])
        list(store.search("question", row.id))
    list(store.search("answer 3"))
    list(store.search("水"))
    store.version()
    store.close()


def compacted(path: Path, journal: str) -> Path:
    writer = Writer(create(path, journal=journal))
    writer.begin()
    writer.say(talk(6))
    writer.compact(3, 20, "one")
    writer.say(talk(2, 7))
    return writer.end()


@pytest.mark.parametrize("journal", ["delete", "truncate", "persist", "wal"])
def test_no_byte_changes_and_no_file_appears(tmp_path: Path, journal: str) -> None:
    path = compacted(tmp_path / "state.db", journal)
    before = snapshot(tmp_path)
    use_everything(path)
    assert snapshot(tmp_path) == before


def test_times_of_the_file_are_unchanged(tmp_path: Path) -> None:
    path = compacted(tmp_path / "state.db", "wal")
    before = path.stat()
    use_everything(path)
    after = path.stat()
    assert (before.st_mtime_ns, before.st_ino, before.st_mode) == (
        after.st_mtime_ns,
        after.st_ino,
        after.st_mode,
    )


def test_a_left_log_is_read_and_kept(tmp_path: Path) -> None:
    path = unfinished(tmp_path)
    before = snapshot(tmp_path)
    store = HermesStore(path)
    assert len(store.open("s0").live) == 20 + 4
    store.close()
    after = snapshot(tmp_path)
    assert {name: after[name] for name in ("state.db", "state.db-wal")} == before
    # SQLite needs the index of the log to read it.
    assert set(after) <= {"state.db", "state.db-wal", "state.db-shm"}


def unfinished(folder: Path) -> Path:
    """Make a database whose last four messages are only in its log, as after a crash."""
    work = folder / "work"
    work.mkdir()
    path = simple(work / "state.db", sessions=1, journal="wal")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA wal_autocheckpoint = 0")
    writer = Writer(db, tip="s0", clock=1.8e9)
    writer.say(talk(1, 90))
    for name in ("state.db", "state.db-wal"):
        shutil.copyfile(work / name, folder / name)
    db.close()
    shutil.rmtree(work)
    return folder / "state.db"


def test_the_intact_part_of_a_truncated_log_is_read(tmp_path: Path) -> None:
    path = unfinished(tmp_path)
    log = tmp_path / "state.db-wal"
    whole = log.read_bytes()
    for size in (0, 16, 32, 100, len(whole) // 2, len(whole) - 1):
        log.write_bytes(whole[:size])
        store = HermesStore(path)
        assert 20 <= len(store.open("s0").live) <= 24
        store.close()
        (tmp_path / "state.db-shm").unlink(missing_ok=True)


def test_a_log_of_another_database_is_not_mixed_in(tmp_path: Path) -> None:
    path = unfinished(tmp_path)
    (tmp_path / "state.db-wal").write_bytes(os.urandom(40_000))
    store = HermesStore(path)
    assert len(store.open("s0").live) == 20


# Import everything first, because the interpreter may be in a private folder.
AS_NOBODY = """
import os, sys, encodings.idna, linecache, traceback
from pathlib import Path
from inspector.core.errors import InspectorError
from inspector.stores.detect import open_store
import inspector.stores.hermes, inspector.stores.hermes.generations, inspector.config.settings
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    store = open_store(Path(sys.argv[1]))
    print(len(store.open("s0").live), store.info.notes)
except InspectorError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Make a folder that every user can read, outside of pytest's private folders."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "folder")
        folder.mkdir()
        Path(name).chmod(0o711)
        yield folder


def as_nobody(path: Path) -> str:
    """Return the output for a user without rights, in a separate process."""
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_folder_without_the_right_to_write(open_folder: Path) -> None:
    folder = open_folder
    path = unfinished(folder)
    before = snapshot(folder)
    folder.chmod(0o555)
    try:
        output = as_nobody(path)
    finally:
        folder.chmod(0o755)
    assert snapshot(folder) == before
    # SQLite cannot make the index of the log there, so a note names the messages that are only in the log.
    assert output.startswith(("20 ", "24 "))
    assert "newest messages may be missing" in output or output.startswith("24 ")


def test_a_file_without_the_right_to_read(open_folder: Path) -> None:
    path = simple(open_folder / "state.db")
    path.chmod(0o000)
    try:
        output = as_nobody(path)
    finally:
        path.chmod(0o644)
    assert output.startswith("StoreBusy ")
    assert "permission" in output
