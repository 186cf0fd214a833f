"""Cache files of the program: private, rebuilt if damaged, ignored if unusable."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from inspector.answers import kept_results
from inspector.config import database
from inspector.config.database import CacheFile, cache_problems
from inspector.models.kept import KeptAttempts
from inspector.stores import index
from tests.examples import also
from tests.program import Run

KEYS = [bytes([number]) * 16 for number in range(8)]
SESSIONS = "fixtures/agents/claude-code"


def opened(path: Path) -> CacheFile:
    return CacheFile(path, "results", "result", 1_000_000, "Results")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write a file with values."""
    path = tmp_path / "cache" / "values.db"
    with closing(opened(path)) as cache:
        cache.put({key: key for key in KEYS})
        assert cache.problem == ""
    return path


def test_values_of_a_block_are_stored_at_its_end(path: Path) -> None:
    more = b"more"
    with closing(opened(path)) as cache, closing(opened(path)) as other:
        with suppress(KeyboardInterrupt), cache.together():
            cache.put({KEYS[0]: more})
            assert cache.get(KEYS[:2]) == {KEYS[0]: more, KEYS[1]: KEYS[1]}
            assert other.get(KEYS[:1]) == {KEYS[0]: KEYS[0]}
            raise KeyboardInterrupt
        assert other.get(KEYS[:1]) == {KEYS[0]: more}


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.skipif(os.name != "posix", reason="has no such permissions")
def test_every_file_is_private(path: Path, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with closing(opened(path)) as cache:
            cache.put({KEYS[0]: b"more"})
            assert len(list(path.parent.iterdir())) == 3
            assert modes(path.parent) == {0o600}
        attempts = KeptAttempts(tmp_path / "own" / "attempts.db")
        attempts.all()
        with attempts._open():
            assert len(list(attempts.path.parent.iterdir())) == 3
            assert modes(attempts.path.parent) == {0o600}
        attempts.close()
    finally:
        os.umask(before)


def test_files_of_an_earlier_version_become_private(path: Path) -> None:
    path.chmod(0o644)
    with closing(opened(path)):
        assert modes(path.parent) == {0o600}


def rename_table(path: Path) -> None:
    _replace(path, b"TABLE results", b"TABLE rbsults")


def break_text(path: Path) -> None:
    _replace(path, b"result", b"res\x97lt")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def scribble(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 100)


def _replace(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    path.write_bytes(data.replace(old, new[: len(old)].ljust(len(old))))


@pytest.mark.parametrize("damage", [rename_table, break_text, cut, scribble])
def test_a_damaged_file_is_replaced_with_a_note(path: Path, damage: Callable[[Path], None]) -> None:
    damage(path)
    with closing(opened(path)) as cache:
        cache.get(KEYS)
        if cache.problem:
            assert f"the file {path} was damaged" in cache.problem
            assert cache.problem in cache_problems()
    with closing(opened(path)) as cache:
        assert cache.put({KEYS[0]: b"again"})
        assert cache.get(KEYS[:1]) == {KEYS[0]: b"again"}
        assert cache.problem == ""
    assert cache_problems() == ()


def test_a_file_of_a_newer_version_is_unchanged(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with closing(opened(path)) as cache:
        assert cache.get(KEYS) == {}
        assert "a newer version of the program created it" in cache.problem
    assert path.read_bytes() == before


def test_a_full_disk_ends_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(opened(path)) as cache:
        assert cache._database is not None
        cache._database.execute("PRAGMA max_page_count = 1")
        assert not cache.put({KEYS[0]: b"x" * 500_000})
        assert "database or disk is full" in cache.problem
    monkeypatch.setattr(database, "prepare_private", _no_space)
    with closing(opened(path)) as cache:
        assert cache.get(KEYS) == {}
        assert "No space left on device" in cache.problem
    assert path.exists()


def _no_space(_: Path) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("words", also(("losses",), ("conversations",), ("findings",)))
def test_commands_go_on_with_damaged_files(
    program: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert program(*words, SESSIONS).returncode == 0
    caches = tmp_path / "compaction-inspector"
    kept = tmp_path / "kept"
    shutil.copytree(caches, kept)
    chance = random.Random(words[0])
    for _ in range(12):
        _close_own_files()
        shutil.rmtree(caches)
        shutil.copytree(kept, caches)
        for path in caches.glob("*.db"):
            data = bytearray(path.read_bytes())
            data[chance.randrange(4096)] ^= chance.randrange(1, 256)
            path.write_bytes(data)
        done = program(*words, SESSIONS)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    for path in caches.glob("*.db"):
        path.unlink()
        path.mkdir()
    _close_own_files()
    assert program(*words, SESSIONS).returncode == 0


def _close_own_files() -> None:
    """Close the open files that runs in this process share, so that the next run opens them."""
    for opened_once in (index._OPENED, kept_results._OPENED):
        if opened_once._held is not None:
            opened_once._held[1].close()
            opened_once._held = None
