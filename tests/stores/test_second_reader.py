"""The process that goes through a part of many files: it answers what this one would, and its end is no harm."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.core.errors import StoreError
from inspector.stores import transcripts
from inspector.stores.claude_code.reader import ClaudeCodeReader
from inspector.stores.detect import open_folder
from inspector.stores.second_reader import Ended, SecondReader, second_reader
from tests.conftest import ROOT

CLAUDE = ROOT / "fixtures" / "agents" / "claude-code"


def test_it_answers_what_the_reader_does(tmp_path: Path) -> None:
    with second_reader("claude-code") as second:
        for path in sorted(CLAUDE.rglob("*.jsonl")):
            assert second.digests(path) == ClaudeCodeReader().digests(path)
        with pytest.raises(StoreError, match="no file at"):
            second.digests(tmp_path / "gone.jsonl")
        process = second._process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.parametrize("after", [0, 2])
def test_what_it_leaves_is_read_here(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    whole = open_folder(CLAUDE, keep=False).conversations()
    asked = []

    class Ending(SecondReader):
        def digests(self, path: Path) -> tuple[transcripts.FileDigest, ...]:
            asked.append(path)
            if len(asked) > after:
                raise Ended
            return ClaudeCodeReader().digests(path)

    @contextmanager
    def ending(agent: str) -> Iterator[SecondReader]:
        with second_reader(agent) as second:
            yield Ending(second._process)

    monkeypatch.setattr(transcripts, "WORTH", 0)
    monkeypatch.setattr(transcripts, "second_reader", ending)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert open_folder(CLAUDE, keep=False).conversations() == whole
    assert len(asked) <= after + 1
