"""The worker process that reads a part of many files: its results equal those of this process, and it may die."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from inspector.core import processes
from inspector.core.errors import StoreError
from inspector.core.processes import Worker
from inspector.stores import folder_files, listing
from inspector.stores.claude_code.reader import ClaudeCodeReader
from inspector.stores.detect import open_folder
from inspector.stores.readers import digests_of, reader_of
from inspector.stores.sharing import second_reader, sharing
from tests.conftest import ROOT

CLAUDE = ROOT / "fixtures" / "agents" / "claude-code"


def test_the_worker_has_the_results_of_the_reader(tmp_path: Path) -> None:
    with second_reader() as worker:
        paths = sorted(CLAUDE.rglob("*.jsonl"))
        for path in (*paths, tmp_path / "gone.jsonl"):
            worker.call(digests_of, "claude-code", str(path))
        for path in paths:
            assert worker.answers.get().result() == ClaudeCodeReader().digests(path)
        with pytest.raises(StoreError, match="no file at"):
            worker.answers.get().result()
        process = worker.process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.parametrize("after", [0, 2])
def test_files_that_the_worker_leaves_are_read_here(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    whole = open_folder(CLAUDE, keep=False).conversations()
    called: list[str] = []

    class Ending(Worker):
        def call(self, function: Any, *arguments: Any) -> None:
            called.append(arguments[-1])
            if len(called) > after:
                self.process.kill()
            super().call(function, *arguments)

    monkeypatch.setattr(listing, "STARTS_WORKER", 0)
    monkeypatch.setattr(processes, "Worker", Ending)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert open_folder(CLAUDE, keep=False).conversations() == whole


def test_an_error_of_a_reader_is_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = open_folder(CLAUDE, keep=False).conversations()

    class Faulty(Worker):
        def call(self, function: Any, *arguments: Any) -> None:
            super().call(divmod, 1, 0)

    monkeypatch.setattr(listing, "STARTS_WORKER", 0)
    monkeypatch.setattr(processes, "Worker", Faulty)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with sharing():
        assert open_folder(CLAUDE, keep=False).conversations() == whole


def test_without_a_worker_all_files_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        tried.append(1)
        raise BlockingIOError(11, "Resource temporarily unavailable")

    whole = open_folder(CLAUDE, keep=False).conversations()
    tried: list[int] = []
    monkeypatch.setattr(listing, "STARTS_WORKER", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("subprocess.Popen", none)
    assert open_folder(CLAUDE, keep=False).conversations() == whole
    assert tried == [1]


def test_the_worker_has_queued_files_while_no_result_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker must not wait for a thread that waits for the interpreter."""
    with second_reader() as worker:
        paths = sorted(CLAUDE.rglob("*.jsonl"))
        for path in paths:
            worker.call(digests_of, "claude-code", str(path))
        first = worker.answers.get()
        assert first.value == ClaudeCodeReader().digests(paths[0])
        assert worker._calls.empty(), "every call was sent before the first answer came"
        for path in paths[1:]:
            assert worker.answers.get().value == ClaudeCodeReader().digests(path)


def test_the_lists_of_several_agents_share_one_worker() -> None:
    claude, pi = next(CLAUDE.rglob("*.jsonl")), next((CLAUDE.parent / "pi").rglob("*.jsonl"))
    with sharing():
        with second_reader() as first:
            first.call(digests_of, "claude-code", str(claude))
            assert first.answers.get().value == reader_of("claude-code").digests(claude)
        with suppress(StoreError), second_reader() as second:
            assert second is first
            second.call(digests_of, "pi", str(pi))
            # A result that is not taken would be confused with the next result.
            raise StoreError("interrupted")
        with second_reader() as third:
            assert third is not first
            third.call(digests_of, "pi", str(pi))
            assert third.answers.get().value == reader_of("pi").digests(pi)
        process = third.process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_the_stores_of_a_folder_share_one_scan_and_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, begun = [], []
    below = folder_files.find_below

    def counted(top: str, *more: Any) -> None:
        looked.append(top)
        below(top, *more)

    class Counted(Worker):
        def __init__(self) -> None:
            begun.append(self)
            super().__init__()

    monkeypatch.setattr(folder_files, "find_below", counted)
    monkeypatch.setattr(processes, "Worker", Counted)
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0.0)
    monkeypatch.setattr(listing, "STARTS_WORKER", 0)
    monkeypatch.setattr(listing, "USES_WORKER", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    store = open_folder(CLAUDE.parent, keep=False)
    assert len(looked) == 1
    assert len(store.conversations()) == 21
    assert (len(looked), len(begun)) == (2, 1)
