"""The index of files: only what changed is read again, and what it cannot keep does no harm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inspector.stores import lines, transcripts
from inspector.stores.claude_code import joining
from inspector.stores.claude_code.reader import ClaudeCodeReader
from inspector.stores.detect import open_folder
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


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files that were read to tell which belong together, as in a program that has just started."""
    found: list[str] = []
    scan, holds = joining.scan, joining._holds.__wrapped__

    def counted_scan(path: Path) -> Any:
        found.append(path.name)
        return scan(path)

    def counted_holds(digest: FileDigest, uuid: str) -> bool:
        found.append(Path(digest.path).name)
        return holds(digest, uuid)

    monkeypatch.setattr(joining, "scan", counted_scan)
    monkeypatch.setattr(joining, "_holds", counted_holds)
    joining._read_roles.cache_clear()
    yield found
    joining._read_roles.cache_clear()


def resumed(folder: Path, number: int, of: Any) -> Any:
    """A session that copies another and goes on."""
    made = recipe("claude_lines").Session(f"5e55a000-0000-4000-8000-{number:012}", start=of.at)
    made.lines, made.last = [dict(line) for line in of.lines], of.last
    worked(made, 1, first=number)
    made.write(folder / f"{number}.jsonl")
    return made


def test_what_joins_files_is_remembered(tmp_path: Path, scanned: list[str]) -> None:
    folder = tmp_path / "project"
    first = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000000")
    worked(first, 2)
    first.write(folder / "0.jsonl")
    second = resumed(folder, 1, first)
    written(folder, 2)
    _, rows = listed(folder, FileIndex(tmp_path / "files.db"))
    assert (len(rows), sorted(scanned)) == (2, ["0.jsonl", "1.jsonl"])
    joining._read_roles.cache_clear()
    assert listed(folder, FileIndex(tmp_path / "files.db"))[1] == rows
    assert len(scanned) == 2
    third = resumed(folder, 3, first)
    worked(second, 1, first=7)
    second.write(folder / "1.jsonl")
    assert third.last
    _, rows = listed(folder, FileIndex(tmp_path / "files.db"))
    assert (len(rows), sorted(scanned[2:])) == (3, ["0.jsonl", "1.jsonl", "3.jsonl"])


def test_which_file_holds_a_line_is_remembered(tmp_path: Path, scanned: list[str]) -> None:
    """Also that none does, until there is another file."""
    folder = tmp_path / "project"
    before, late = (recipe("claude_lines").Session(f"5e55a000-0000-4000-8000-{n:012}") for n in (0, 1))
    worked(before, 2)
    written(folder, 2)
    late.at, late.last = before.at, before.lines[-2]["uuid"]
    late.compact("## Goal\nBerths.")
    worked(late, 1, first=2)
    late.write(folder / "1.jsonl")
    assert len(listed(folder, FileIndex(tmp_path / "files.db"))[1]) == 2
    assert len(listed(folder, FileIndex(tmp_path / "files.db"))[1]) == 2
    assert scanned == ["2.jsonl"]
    before.write(folder / "0.jsonl")
    _, rows = listed(folder, FileIndex(tmp_path / "files.db"))
    assert len(rows) == 2
    looked = len(scanned)
    joining._read_roles.cache_clear()
    assert listed(folder, FileIndex(tmp_path / "files.db"))[1] == rows
    assert len(scanned) == looked


def test_the_list_of_many_files_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "_MANY", 3)
    asked: list[str] = []
    get = FileIndex.get

    def counted(self: FileIndex, paths: Iterable[str]) -> dict[str, Kept]:
        wanted = list(paths)
        asked.extend(wanted)
        return get(self, wanted)

    monkeypatch.setattr(FileIndex, "get", counted)
    folder = tmp_path / "project"
    for number in range(3):
        written(folder, number)
    reader, rows = listed(folder, FileIndex(tmp_path / "files.db"))
    assert len(reader.read_files) == len(asked) == 3
    reader, same = listed(folder, FileIndex(tmp_path / "files.db"))
    assert (reader.read_files, len(asked), same) == ([], 3, rows)
    store = TranscriptStore(Counting(), folder, partial(signed, folder), FileIndex(tmp_path / "files.db"))
    row = store.conversations()[0]
    assert len(store.open(row.id).live) == row.messages
    written(folder, 1, rounds=2)
    reader, after = listed(folder, FileIndex(tmp_path / "files.db"))
    assert reader.read_files == ["1.jsonl"]
    assert after == listed(folder, None)[1]
    (folder / "2.jsonl").unlink()
    assert len(listed(folder, FileIndex(tmp_path / "files.db"))[1]) == 2


def test_whose_the_files_of_a_folder_are_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    written(folder, 0)
    (folder / "none.json").write_text("{}\n")
    for _ in range(2):
        assert len(open_folder(folder).conversations()) == 1
    heads: list[str] = []
    look = lines.head_of

    def counted(path: Path) -> bytes:
        heads.append(path.name)
        return look(path)

    monkeypatch.setattr(lines, "head_of", counted)
    assert len(open_folder(folder).conversations()) == 1
    assert heads == []
    # What was nobody's may be somebody's by now.
    (folder / "none.json").write_text("{} {}\n")
    assert len(open_folder(folder).conversations()) == 1
    assert heads == ["none.json"]
    written(folder, 1)
    assert len(open_folder(folder).conversations()) == 2
    assert heads == ["none.json", "1.jsonl", "none.json"]


@pytest.mark.parametrize("odd", [[], {}, "x", 5, [None], ["x"] * 3, {"a": 1}, ["x", [[[], [], [], ""]]]])
def test_an_odd_memory_does_no_harm(tmp_path: Path, odd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "_MANY", 1)
    monkeypatch.setattr(transcripts, "mark_of", lambda value: "x")
    folder = tmp_path / "project"
    first = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000000")
    worked(first, 2)
    first.write(folder / "0.jsonl")
    resumed(folder, 1, first)

    class Odd(FileIndex):
        def recall(self, name: str) -> Any:
            return odd

    assert len(listed(folder, Odd(tmp_path / "files.db"))[1]) == 1


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
