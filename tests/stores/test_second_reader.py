"""The process that goes through a part of many files: it answers what this one would, and its end is no harm."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.core.errors import StoreError
from inspector.stores import folder_files, listing
from inspector.stores import second_reader as second_reader_module
from inspector.stores.claude_code.reader import ClaudeCodeReader
from inspector.stores.detect import open_folder
from inspector.stores.readers import reader_of
from inspector.stores.recorded import FileDigest
from inspector.stores.second_reader import Ended, SecondReader, second_reader
from inspector.stores.sharing import sharing
from tests.conftest import ROOT

CLAUDE = ROOT / "fixtures" / "agents" / "claude-code"


def test_it_answers_what_the_reader_does(tmp_path: Path) -> None:
    with second_reader("claude-code") as second:
        paths = sorted(CLAUDE.rglob("*.jsonl"))
        for path in paths:
            second.ask(str(path))
        second.ask(str(tmp_path / "gone.jsonl"))
        for path in paths:
            assert second.answer() == ClaudeCodeReader().digests(path)
        with pytest.raises(StoreError, match="no file at"):
            second.answer()
        process = second.process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.parametrize("after", [0, 2])
def test_what_it_leaves_is_read_here(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    whole = open_folder(CLAUDE, keep=False).conversations()
    waiting: list[str] = []
    answered = []

    class Ending(SecondReader):
        def ask(self, path: str) -> None:
            waiting.append(path)

        def answer(self) -> tuple[FileDigest, ...]:
            if len(answered) == after:
                raise Ended
            answered.append(waiting.pop(0))
            return ClaudeCodeReader().digests(Path(answered[-1]))

    @contextmanager
    def ending(agent: str) -> Iterator[SecondReader]:
        with second_reader(agent) as second:
            yield Ending(second.process, agent)

    monkeypatch.setattr(listing, "WORTH", 0)
    monkeypatch.setattr("inspector.stores.second_reader.second_reader", ending)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert open_folder(CLAUDE, keep=False).conversations() == whole
    assert len(answered) <= after


def test_where_no_process_can_begin_all_is_read_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        tried.append(1)
        raise BlockingIOError(11, "Resource temporarily unavailable")

    whole = open_folder(CLAUDE, keep=False).conversations()
    tried: list[int] = []
    monkeypatch.setattr(listing, "WORTH", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("subprocess.Popen", none)
    assert open_folder(CLAUDE, keep=False).conversations() == whole
    assert tried == [1]


def test_it_has_files_waiting_while_nobody_takes_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not to wait for a thread that waits for the interpreter."""
    waiting = [0]
    most = []

    class Watched(SecondReader):
        def ask(self, path: str) -> None:
            waiting[0] += 1
            super().ask(path)

        def answer(self) -> tuple[FileDigest, ...]:
            most.append(waiting[0])
            waiting[0] -= 1
            return super().answer()

    @contextmanager
    def watched(agent: str) -> Iterator[SecondReader]:
        with second_reader(agent) as second:
            yield Watched(second.process, agent)

    monkeypatch.setattr(listing, "WORTH", 0)
    monkeypatch.setattr("inspector.stores.second_reader.second_reader", watched)
    # All are for the other process.
    monkeypatch.setattr(listing.Listing, "_read_these", lambda *_: None)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    store = open_folder(CLAUDE, keep=False)
    files = len(list(CLAUDE.rglob("*.jsonl")))
    assert len(store.conversations()) == 7
    assert most == list(range(files, 0, -1))


def test_the_lists_of_several_agents_share_one_process() -> None:
    claude, pi = next(CLAUDE.rglob("*.jsonl")), next((CLAUDE.parent / "pi").rglob("*.jsonl"))
    with sharing():
        with second_reader("claude-code") as first:
            first.ask(str(claude))
            assert first.answer() == reader_of("claude-code").digests(claude)
        with second_reader("pi") as second:
            second.ask(str(pi))
            assert second.answer() == reader_of("pi").digests(pi)
            assert second.process is first.process
            # An answer that nobody took would be taken for the next one.
            second.ask(str(pi))
        with second_reader("pi") as third:
            assert third.process is not first.process
        process = third.process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_the_stores_of_a_folder_share_one_look_and_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, begun = [], []
    below, begin = folder_files.find_below, second_reader_module.begin

    def counted(top: str, *more: Any) -> None:
        looked.append(top)
        below(top, *more)

    def counting(*words: str) -> Any:
        begun.append(words)
        return begin(*words)

    monkeypatch.setattr(folder_files, "find_below", counted)
    monkeypatch.setattr(second_reader_module, "begin", counting)
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0.0)
    monkeypatch.setattr(listing, "WORTH", 0)
    monkeypatch.setattr(listing, "WORTH_SHARING", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    store = open_folder(CLAUDE.parent, keep=False)
    assert len(looked) == 1
    assert len(store.conversations()) == 21
    assert (len(looked), len(begun)) == (2, 1)
