"""The cache of the program: private, shared by programs, rebuilt if damaged, in memory if its file cannot be used."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config import cache as cache_module
from inspector.config.cache import _OPENED, Cache, CacheEntry, cache_problems, default_cache, hashed, stamp_of
from inspector.models.kept import KeptAttempts
from tests.examples import also
from tests.program import Run

KEYS = [bytes([number]) * 16 for number in range(8)]
SESSIONS = "fixtures/agents/claude-code"


def entries(*values: Any) -> dict[bytes, CacheEntry]:
    return {key: CacheEntry(b"", value) for key, value in zip(KEYS, values, strict=False)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write a file with values."""
    path = tmp_path / "cache" / "cache.db"
    with closing(Cache(path)) as cache:
        cache.put("kind", entries(*KEYS))
        assert cache.problem == ""
    return path


@given(st.dictionaries(st.binary(min_size=16, max_size=16), st.integers(0, 2**40) | st.binary(), max_size=20))
def test_stored_values_are_read(
    tmp_path_factory: pytest.TempPathFactory, values: dict[bytes, int | bytes]
) -> None:
    path = tmp_path_factory.mktemp("cache") / "cache.db"
    stored = {key: CacheEntry(b"stamp", value) for key, value in values.items()}
    with closing(Cache(path)) as cache:
        cache.put("kind", stored)
        assert cache.get("kind", [*values, b"unknown"]) == stored
        assert cache.get("other kind", list(values)) == {}
    with closing(Cache(path)) as cache:
        assert cache.get("kind", list(values)) == stored


def test_many_keys_at_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.db")
    stored = {hashed(str(number)): CacheEntry(b"", number) for number in range(5_000)}
    cache.put("kind", stored)
    assert cache.get("kind", list(stored)) == stored


def test_a_stamp_changes_with_its_inputs_and_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stamp_of("a", "b") == stamp_of("a", "b")
    stamps = {stamp_of(), stamp_of("a"), stamp_of("a", "b"), stamp_of("\ud800")}
    monkeypatch.setattr(cache_module, "program_stamp", lambda: "another program")
    assert len({*stamps, stamp_of("a")}) == 5


def test_values_of_a_block_are_stored_at_its_end(path: Path) -> None:
    more = entries(b"more")
    with closing(Cache(path)) as cache, closing(Cache(path)) as other:
        with suppress(KeyboardInterrupt), cache.together():
            cache.put("kind", more)
            assert cache.get("kind", KEYS[:2]) == {**entries(*KEYS[:2]), **more}
            assert other.get("kind", KEYS[:1]) == entries(KEYS[0])
            raise KeyboardInterrupt
        assert other.get("kind", KEYS[:1]) == more


def test_programs_that_make_a_file_at_the_same_moment_share_it(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    begin = threading.Barrier(2)
    caches: list[Cache] = []

    def work() -> None:
        begin.wait()
        caches.append(Cache(path))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [cache.problem for cache in caches] == ["", ""]
    caches[0].put("kind", entries(7))
    assert caches[1].get("kind", KEYS) == entries(7)


def test_threads_share_a_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.db")
    keys = [[hashed(f"{thread} {n}") for n in range(200)] for thread in range(4)]

    def work(mine: list[bytes]) -> None:
        for key in mine:
            cache.put("kind", {key: CacheEntry(b"", key)})
            cache.get("kind", [key])

    threads = [threading.Thread(target=work, args=(mine,)) for mine in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    every = [key for mine in keys for key in mine]
    assert cache.get("kind", every) == {key: CacheEntry(b"", key) for key in every}
    assert cache.problem == ""


def test_while_another_program_writes_values_wait(path: Path) -> None:
    with closing(Cache(path)) as cache, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        cache.put("kind", entries(b"first"))
        assert cache.get("kind", KEYS[:2]) == {**entries(*KEYS[:2]), **entries(b"first")}
        other.execute("ROLLBACK")
        cache.put("another kind", entries(b"second"))
        assert cache.problem == ""
    with closing(Cache(path)) as cache:
        assert cache.get("kind", KEYS[:1]) == entries(b"first")
        assert cache.get("another kind", KEYS) == entries(b"second")


def test_a_cache_that_grew_too_large_is_emptied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cache.db"
    many = {hashed(str(number)): CacheEntry(b"", number) for number in range(5_000)}
    with closing(Cache(path)) as full:
        full.put("kind", many)
    monkeypatch.setattr(cache_module, "LARGEST", 50_000)
    with closing(Cache(path)) as emptied:
        assert emptied.get("kind", list(many)) == {}
        emptied.put("kind", entries(7))
    with closing(Cache(path)) as cache:
        assert cache.get("kind", KEYS) == entries(7)


def test_a_new_cache_replaces_the_files_of_earlier_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "compaction-inspector"
    folder.mkdir()
    for name in ("results.db", "results.db-wal", "files.db", "tokens.sqlite", "models.json", "mine.txt"):
        (folder / name).write_text("")
    default_cache()
    assert {path.name for path in folder.iterdir()} == {
        "cache.db",
        "cache.db-wal",
        "cache.db-shm",
        "mine.txt",
    }


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.skipif(os.name != "posix", reason="has no such permissions")
def test_every_file_is_private(path: Path, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with closing(Cache(path)) as cache:
            cache.put("kind", entries(b"more"))
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
    with closing(Cache(path)):
        assert modes(path.parent) == {0o600}


def rename_table(path: Path) -> None:
    _replace(path, b"TABLE entries", b"TABLE rntries")


def break_text(path: Path) -> None:
    _replace(path, b"entries", b"ent\x97ies")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def scribble(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 100)


def overwrite_header(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5_000)


def overwrite_pages(path: Path) -> None:
    with closing(Cache(path)) as cache:
        cache.put("kind", {hashed(str(number)): CacheEntry(b"", number) for number in range(3_000)})
    data = path.read_bytes()
    path.write_bytes(data[:8_192] + b"\xff" * (len(data) - 8_192))


def change_columns(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE entries RENAME COLUMN stamp TO mark")


def _replace(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    path.write_bytes(data.replace(old, new[: len(old)].ljust(len(old))))


@pytest.mark.parametrize(
    "damage",
    [rename_table, break_text, cut, scribble, overwrite_header, overwrite_pages, change_columns],
)
def test_a_damaged_file_is_replaced_with_a_note(path: Path, damage: Callable[[Path], None]) -> None:
    damage(path)
    with closing(Cache(path)) as cache:
        cache.get("kind", [*KEYS, *(hashed(str(number)) for number in range(3_000))])
        if cache.problem:
            assert f"the file {path} was damaged" in cache.problem
        cache.put("kind", entries(b"again"))
        assert cache.get("kind", KEYS[:1]) == entries(b"again")
    with closing(Cache(path)) as cache:
        assert cache.get("kind", KEYS[:1]) == entries(b"again")
        assert cache.problem == ""


def test_a_problem_is_noted_until_the_cache_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "compaction-inspector").mkdir()
    scribble(tmp_path / "compaction-inspector" / "cache.db")
    assert "was damaged" in default_cache().problem
    assert cache_problems() == (default_cache().problem,)
    default_cache().close()
    assert cache_problems() == ()


def test_a_full_disk_ends_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Cache(path)) as cache:
        cache._database.execute("PRAGMA max_page_count = 1")
        cache.put("kind", entries(b"x" * 500_000))
        assert "database or disk is full" in cache.problem
        cache.put("kind", entries(b"in memory"))
        assert cache.get("kind", KEYS) == entries(b"in memory")
    monkeypatch.setattr(cache_module, "prepare_private", _no_space)
    with closing(Cache(path)) as cache:
        assert cache.get("kind", KEYS) == {}
        assert cache.problem.startswith("Results are not stored between runs: ")
        assert "No space left on device" in cache.problem
    assert path.exists()


def _no_space(_: Path) -> None:
    raise OSError(28, "No space left on device")


def test_without_a_file_values_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = Cache(tmp_path / "file" / "cache.db")
    cache.put("kind", entries(7))
    assert cache.get("kind", KEYS) == entries(7)
    assert cache.problem.startswith("Results are not stored between runs: ")
    monkeypatch.setattr(cache_module, "_PAGES_IN_MEMORY", 4)
    cache = Cache(tmp_path / "file" / "cache.db")
    cache.put("kind", entries(b"x" * 100_000))
    cache.put("kind", entries(7))
    assert cache.get("kind", KEYS) == entries(7)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes read-only files")
def test_a_read_only_file_is_unchanged(path: Path) -> None:
    path.chmod(0o400)
    path.parent.chmod(0o500)
    before = path.read_bytes()
    cache = Cache(path)
    cache.put("kind", entries(7))
    assert cache.get("kind", KEYS[:1]) == entries(7)
    assert path.read_bytes() == before


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
    """Close the open file that runs in this process share, so that the next run opens it."""
    if _OPENED._held is not None:
        _OPENED._held[1].close()
        _OPENED._held = None
