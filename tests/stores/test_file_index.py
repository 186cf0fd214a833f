"""The index of files: only what changed is read again, and what it cannot keep does no harm."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from inspector.stores.claude_code.reader import ClaudeCodeReader
from inspector.stores.index import FileIndex, Kept
from inspector.stores.recorded import FileDigest
from inspector.stores.transcripts import TranscriptStore, signatures
from tests.recipes import recipe
from tests.stores.test_claude_code import worked


class Counting(ClaudeCodeReader):
    """Counts the files that were read for the list."""

    def __init__(self) -> None:
        self.read_files: list[str] = []

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        self.read_files.append(path.name)
        return super().digests(path)


def written(folder: Path, number: int, rounds: int = 1) -> Path:
    made = recipe("claude_lines").Session(f"5e55a000-0000-4000-8000-{number:012}")
    worked(made, rounds)
    return Path(made.write(folder / f"{number}.jsonl"))


def signed(folder: Path) -> dict[str, tuple[int, int]]:
    return signatures(sorted(map(str, folder.glob("*.jsonl"))))


def listed(folder: Path, index: FileIndex | None) -> tuple[Counting, Sequence[str]]:
    reader = Counting()
    store = TranscriptStore(reader, folder, partial(signed, folder), index)
    return reader, [f"{row.id} {row.messages} {row.title}" for row in store.conversations()]


def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for number in range(3):
        written(folder, number)
    index = FileIndex(tmp_path / "files.db")
    first, rows = listed(folder, index)
    assert sorted(first.read_files) == ["0.jsonl", "1.jsonl", "2.jsonl"]
    again, same = listed(folder, FileIndex(tmp_path / "files.db"))
    assert again.read_files == []
    assert same == rows
    written(folder, 1, rounds=2)
    written(folder, 3)
    third, after = listed(folder, index)
    assert sorted(third.read_files) == ["1.jsonl", "3.jsonl"]
    assert len(after) == 4
    assert listed(folder, None)[1] == after


def test_digests_come_back_as_they_were(tmp_path: Path) -> None:
    digest = FileDigest(
        "/a/\udcff.jsonl", "s", title="\ud800 \x00", compactions=("a", "b"), window=5, midway=True
    )
    index = FileIndex(tmp_path / "files.db")
    kept = Kept(1, 2, "codex", (digest,))
    index.put({str(tmp_path / "a\udcff"): kept})
    assert index.get([str(tmp_path / "a\udcff"), "b"]) == {str(tmp_path / "a\udcff"): kept}


@pytest.mark.parametrize("data", [b"", b"no database at all" * 100])
def test_a_damaged_index_is_made_anew(tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "project"
    written(folder, 0)
    (tmp_path / "files.db").write_bytes(data)
    reader, rows = listed(folder, FileIndex(tmp_path / "files.db"))
    assert len(rows) == len(reader.read_files) == 1


def test_where_nothing_can_be_kept_it_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    index = FileIndex(tmp_path / "file" / "files.db")
    assert "not kept between runs" in index.problem
    folder = tmp_path / "project"
    written(folder, 0)
    assert len(listed(folder, index)[1]) == 1


def test_the_list_comes_as_far_as_files_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for number in range(3):
        written(folder, number)
    store = TranscriptStore(Counting(), folder, partial(signed, folder))
    rows, done, total = store.so_far()
    assert ([row.title for row in rows], done, total) == (["2", "1", "0"], 0, 3)
    assert {row.folder for row in rows} == {"project"}
    whole = store.conversations()
    assert store.so_far() == (whole, 3, 3)
    written(folder, 1, rounds=2)
    rows, done, total = store.so_far()
    assert (done, total) == (2, 3)
    assert [row.title for row in rows].count("1") == 1
