"""The worker process that reads a part of many files: the list is that of this process alone, and it may die."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from inspector.core import processes
from inspector.stores import folder_files, listing, sharing
from inspector.stores.detect import open_folder
from tests.conftest import ROOT, bundled_conversations

CLAUDE = ROOT / "fixtures" / "agents" / "claude-code"


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Let a worker read small files too; return the processes that are started."""
    found: list[subprocess.Popen[bytes]] = []
    begin = processes._begin

    def counted(low: bool) -> subprocess.Popen[bytes]:
        found.append(begin(low))
        return found[-1]

    monkeypatch.setattr(sharing, "STARTS_WORKER", 0)
    monkeypatch.setattr(sharing, "USES_WORKER", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(processes, "_begin", counted)
    return found


def test_the_list_is_the_same_with_a_worker(
    begun: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_folder(CLAUDE, keep=False)
    # The worker reads every file.
    read_here = listing.Listing._read_files
    here: list[str] = []

    def after_the_worker(self: Any, paths: Any, now: Any, done: Any) -> None:
        if here:
            read_here(self, paths, now, done)
        here.append("called")

    with monkeypatch.context() as patch:
        patch.setattr(listing.Listing, "_read_files", after_the_worker)
        rows = store.conversations()
    assert rows == _alone(monkeypatch)
    assert len(begun) == 1
    assert begun[0].returncode is not None


def _alone(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    return open_folder(CLAUDE, keep=False).conversations()


def die(_: bool) -> subprocess.Popen[bytes]:
    """Start a process that ends at once."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", ""], stdin=pipe, stdout=pipe)


def refuse(_: bool) -> subprocess.Popen[bytes]:
    """Start no process."""
    raise BlockingIOError(11, "Resource temporarily unavailable")


@pytest.mark.parametrize("begin", [die, refuse])
@pytest.mark.usefixtures("begun")
def test_files_that_the_worker_leaves_are_read_here(
    begin: Callable[[bool], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_begin", begin)
    with_worker = open_folder(CLAUDE, keep=False).conversations()
    assert with_worker == _alone(monkeypatch)


@pytest.mark.usefixtures("begun")
def test_a_fault_of_a_reader_is_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(listing.Listing, "_read_file", fails)
    monkeypatch.setattr("inspector.stores.readers.digests_of", divmod)
    with pytest.raises(ZeroDivisionError):
        open_folder(CLAUDE, keep=False).conversations()


def test_the_stores_of_a_folder_share_one_scan_and_one_process(
    begun: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    below = folder_files.find_below

    def counted(top: str, *more: Any) -> None:
        looked.append(top)
        below(top, *more)

    monkeypatch.setattr(folder_files, "find_below", counted)
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0.0)
    store = open_folder(CLAUDE.parent, keep=False)
    assert len(looked) == 1
    assert len(store.conversations()) == bundled_conversations()
    assert (len(looked), len(begun)) == (2, 1)
    assert begun[0].returncode is not None
