"""The index of files: only changed files are read again, and an unusable index does no harm."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inspector.config import cache
from inspector.config.cache import Cache
from inspector.core.conversations import ConversationRow
from inspector.core.errors import StoreBusy, StoreDamaged
from inspector.stores import folder_files, lines, listing
from inspector.stores.claude_code import joining
from inspector.stores.claude_code.reader import ClaudeCodeReader
from inspector.stores.detect import open_folder, open_store
from inspector.stores.folder_files import FolderFiles
from inspector.stores.index import FileDigest, FileIndex, _path_key, _stamp
from inspector.stores.several import SeveralStores
from inspector.stores.signatures import Signature, signatures
from inspector.stores.transcripts import TranscriptStore
from tests.conftest import ROOT
from tests.recipes import recipe
from tests.stores.agent_sessions import WRITERS
from tests.stores.test_claude_code import worked
from tests.stores.test_other_agents import codex


class Counting(ClaudeCodeReader):
    """A store that counts the files read for the list."""

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


def index_at(folder: Path) -> FileIndex:
    """Return the index of another run."""
    return FileIndex(Cache(folder / "cache.db"))


def listed(folder: Path, index: FileIndex | None) -> tuple[Counting, Sequence[str]]:
    reader = Counting()
    store = TranscriptStore("claude-code", lambda: reader, folder, partial(signed, folder), index)
    return reader, [f"{row.id} {row.messages} {row.title}" for row in store.conversations()]


def test_only_changed_files_are_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for number in range(3):
        written(folder, number)
    index = index_at(tmp_path)
    first, rows = listed(folder, index)
    assert sorted(first.read_files) == ["0.jsonl", "1.jsonl", "2.jsonl"]
    again, same = listed(folder, index_at(tmp_path))
    assert again.read_files == []
    assert same == rows
    written(folder, 1, rounds=2)
    written(folder, 3)
    third, after = listed(folder, index)
    assert sorted(third.read_files) == ["1.jsonl", "3.jsonl"]
    assert len(after) == 4
    assert listed(folder, None)[1] == after


def test_another_release_reads_every_file_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "project"
    written(folder, 0)
    listed(folder, index_at(tmp_path))
    monkeypatch.setattr(cache, "program_stamp", lambda: "another release")
    _stamp.cache_clear()
    again, _ = listed(folder, index_at(tmp_path))
    _stamp.cache_clear()
    assert again.read_files == ["0.jsonl"]


def test_a_title_in_a_file_next_to_the_session_is_read_again(tmp_path: Path) -> None:
    session = WRITERS["kimi"](tmp_path / "kimi")

    def titles() -> list[str]:
        store = open_folder(tmp_path / "kimi")
        return [row.title for row in store.conversations()]

    assert titles() != ["Renamed"]
    session.with_name("state.json").write_text('{"custom_title": "Renamed"}')
    assert titles() == ["Renamed"]


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return the files read to group sessions, as in a program that has just started."""
    found: list[str] = []
    scan, holds = joining.scan, joining.holds_line.__wrapped__

    def counted_scan(path: Path) -> Any:
        found.append(path.name)
        return scan(path)

    def counted_holds(digest: FileDigest, uuid: str) -> bool:
        found.append(Path(digest.path).name)
        return holds(digest, uuid)

    monkeypatch.setattr(joining, "scan", counted_scan)
    monkeypatch.setattr(joining, "holds_line", counted_holds)
    joining.read_roles.cache_clear()
    yield found
    joining.read_roles.cache_clear()


def resumed(folder: Path, number: int, of: Any) -> Any:
    """Make a session that copies another session and continues."""
    made = recipe("claude_lines").Session(f"5e55a000-0000-4000-8000-{number:012}", start=of.at)
    made.lines, made.last = [dict(line) for line in of.lines], of.last
    worked(made, 1, first=number)
    made.write(folder / f"{number}.jsonl")
    return made


def test_links_between_files_are_remembered(tmp_path: Path, scanned: list[str]) -> None:
    folder = tmp_path / "project"
    first = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000000")
    worked(first, 2)
    first.write(folder / "0.jsonl")
    second = resumed(folder, 1, first)
    written(folder, 2)
    _, rows = listed(folder, index_at(tmp_path))
    assert (len(rows), sorted(scanned)) == (2, ["0.jsonl", "1.jsonl"])
    joining.read_roles.cache_clear()
    assert listed(folder, index_at(tmp_path))[1] == rows
    assert len(scanned) == 2
    third = resumed(folder, 3, first)
    worked(second, 1, first=7)
    second.write(folder / "1.jsonl")
    assert third.last
    _, rows = listed(folder, index_at(tmp_path))
    assert (len(rows), sorted(scanned[2:])) == (3, ["0.jsonl", "1.jsonl", "3.jsonl"])


def test_which_file_holds_a_line_is_remembered(tmp_path: Path, scanned: list[str]) -> None:
    """Also remember that no file has it, until there is another file."""
    folder = tmp_path / "project"
    before, late = (recipe("claude_lines").Session(f"5e55a000-0000-4000-8000-{n:012}") for n in (0, 1))
    worked(before, 2)
    written(folder, 2)
    late.at, late.last = before.at, before.lines[-2]["uuid"]
    late.compact("## Goal\nBerths.")
    worked(late, 1, first=2)
    late.write(folder / "1.jsonl")
    assert len(listed(folder, index_at(tmp_path))[1]) == 2
    assert len(listed(folder, index_at(tmp_path))[1]) == 2
    assert scanned == ["2.jsonl"]
    before.write(folder / "0.jsonl")
    _, rows = listed(folder, index_at(tmp_path))
    assert len(rows) == 2
    looked = len(scanned)
    joining.read_roles.cache_clear()
    assert listed(folder, index_at(tmp_path))[1] == rows
    assert len(scanned) == looked


def test_a_temporary_read_error_does_not_separate_files_forever(
    tmp_path: Path, scanned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    first = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000000")
    worked(first, 2)
    first.write(folder / "0.jsonl")
    resumed(folder, 1, first)
    scan = joining.scan

    def busy(path: Path) -> Any:
        if path.name == "0.jsonl":
            raise StoreBusy("it is locked")
        return scan(path)

    with monkeypatch.context() as failing:
        failing.setattr(joining, "scan", busy)
        assert listed(folder, index_at(tmp_path))[1]
    _, rows = listed(folder, index_at(tmp_path))
    assert rows == listed(folder, index_at(tmp_path / "other"))[1]
    assert scanned == ["1.jsonl", "0.jsonl", "1.jsonl"]


def test_the_list_of_many_files_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MANY", 3)
    asked: list[str] = []
    get = FileIndex.get

    def counted(self: FileIndex, agent: str, files: Mapping[str, Signature]) -> Any:
        asked.extend(files)
        return get(self, agent, files)

    monkeypatch.setattr(FileIndex, "get", counted)
    folder = tmp_path / "project"
    for number in range(3):
        written(folder, number)
    reader, rows = listed(folder, index_at(tmp_path))
    assert len(reader.read_files) == len(asked) == 3
    reader, same = listed(folder, index_at(tmp_path))
    assert (reader.read_files, len(asked), same) == ([], 3, rows)
    store = TranscriptStore("claude-code", Counting, folder, partial(signed, folder), index_at(tmp_path))
    row = store.conversations()[0]
    assert len(store.open(row.id).live) == row.messages
    written(folder, 1, rounds=2)
    reader, after = listed(folder, index_at(tmp_path))
    assert reader.read_files == ["1.jsonl"]
    assert after == listed(folder, None)[1]
    (folder / "2.jsonl").unlink()
    assert len(listed(folder, index_at(tmp_path))[1]) == 2


def many(folder: Path, index: Path) -> TranscriptStore:
    """Open the store as another run."""
    return TranscriptStore("claude-code", Counting, folder, partial(signed, folder), index_at(index))


def test_the_remembered_list_of_many_files_is_there_before_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MANY", 3)
    folder, index = tmp_path / "project", tmp_path
    for number in range(4):
        written(folder, number)
    rows, whole = many(folder, index).at_once() or ((), True)
    assert ({row.title for row in rows}, whole) == ({"0", "1", "2", "3"}, False)
    known = many(folder, index).conversations()
    store = many(folder, index)
    assert store.at_once() == (known, True)
    assert store.conversations() == known
    # A changed file has its old row, a new file only its name, and a deleted file no row.
    written(folder, 1, rounds=2)
    written(folder, 4)
    (folder / "2.jsonl").unlink()
    store = many(folder, index)
    rows, whole = store.at_once() or ((), True)
    kept = {row.id: row for row in known if not row.id.endswith("2")}
    assert not whole
    assert {row.id: row for row in rows if row.title != "4"} == kept
    assert [row.messages for row in rows if row.title == "4"] == [0]
    after = store.conversations()
    assert after == listed_plainly(folder)
    assert (len(after), store.at_once()) == (4, (after, True))
    assert many(folder, index).at_once() == (after, True)


def listed_plainly(folder: Path) -> Sequence[Any]:
    return TranscriptStore("claude-code", Counting, folder, partial(signed, folder)).conversations()


def test_a_list_of_few_files_is_read_first(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    written(folder, 0)
    assert many(folder, tmp_path).at_once() is None


def test_copies_of_a_session_are_not_listed_while_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MANY", 2)
    folder, index = tmp_path / "project", tmp_path
    path = written(folder, 0)
    (folder / "copy.jsonl").write_bytes(path.read_bytes())
    (row,) = many(folder, index).conversations()
    written(folder, 1)
    rows, _ = many(folder, index).at_once() or ((), True)
    assert {found.title for found in rows} == {row.title, "1"}


def test_files_are_read_if_only_their_rows_are_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MANY", 2)
    folder, index = tmp_path / "project", tmp_path
    for number in range(2):
        written(folder, number)
    rows = many(folder, index).conversations()
    recall = FileIndex.recall
    monkeypatch.setattr(
        FileIndex, "recall", lambda self, name: None if name.startswith("files of") else recall(self, name)
    )
    store = many(folder, index)
    assert store.at_once() == (rows, True)
    assert [len(store.open(row.id).live) for row in rows] == [row.messages for row in rows]


@pytest.mark.parametrize("known_before", [False, True])
def test_a_conversation_is_opened_while_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known_before: bool
) -> None:
    """Opening one conversation does not wait for two thousand files."""
    monkeypatch.setattr(listing, "MANY", 3)
    folder, index = tmp_path / "project", tmp_path
    for number in range(3):
        written(folder, number)
    if known_before:
        many(folder, index).conversations()
        written(folder, 1, rounds=2)
    reached, go_on = threading.Event(), threading.Event()

    class Slow(Counting):
        def sources(self, digests: Sequence[FileDigest], memory: Any = None) -> Any:
            if memory is not None:
                reached.set()
                assert go_on.wait(60)
            return super().sources(digests, memory)

    store = TranscriptStore("claude-code", Slow, folder, partial(signed, folder), index_at(index))
    rows, whole = store.at_once() or ((), True)
    assert not whole
    reading = threading.Thread(target=store.conversations)
    reading.start()
    assert reached.wait(60)
    row = next(row for row in rows if (row.id if known_before else row.title).endswith("1"))
    conversation = store.open(store.resolve(row.id))
    assert len(store.messages(conversation.live)) == (8 if known_before else 4)
    assert store.info_of(conversation.id).kind == "claude-code"
    assert store.stamp(conversation.id)
    go_on.set()
    reading.join()
    assert store.open(conversation.id) == conversation
    assert {found.id for found in store.conversations()} >= {conversation.id}


def test_stores_are_one_before_files_are_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MANY", 2)
    folder, index = tmp_path / "project", tmp_path
    database = ROOT / "fixtures" / "hermes-0.13-rotating.db"
    for number in range(2):
        written(folder, number)
    store = SeveralStores([many(folder, index), open_store(database)], tmp_path)
    rows, whole = store.at_once() or ((), True)
    assert ({row.agent for row in rows}, whole) == ({"claude-code", "hermes"}, False)
    named = next(row for row in rows if row.title == "1")
    early = store.resolve(named.id)
    assert len(store.open(early).live) == 4
    known = store.conversations()
    assert early in {row.id for row in known}
    assert store.resolve(named.id) == early
    assert SeveralStores([many(folder, index), open_store(database)], tmp_path).at_once() == (known, True)
    assert SeveralStores([open_store(database)], tmp_path).at_once() is None


def test_the_agents_of_files_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    # An unknown file may have an agent by now.
    (folder / "none.json").write_text("{} {}\n")
    assert len(open_folder(folder).conversations()) == 1
    assert heads == ["none.json"]
    written(folder, 1)
    assert len(open_folder(folder).conversations()) == 2
    assert heads == ["none.json", "1.jsonl"]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_file_replaced_by_another_agents_session_belongs_to_that_agent(
    tmp_path: Path, restarted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0)
    monkeypatch.setattr(folder_files, "_UNUSED_SECONDS", 0)
    files = FolderFiles(tmp_path / "project", index_at(tmp_path))
    path = tmp_path / "project" / "0.jsonl"
    written(path.parent, 0)
    assert list(files.of("claude-code")) == [str(path)]
    if restarted:
        files = FolderFiles(path.parent, index_at(tmp_path))
    # A program rewrites the file: first it is empty.
    path.write_text("")
    if not restarted:
        assert list(files.of("claude-code")) == [str(path)]
    path.write_text(codex().text())
    assert list(files.of("codex")) == [str(path)]
    assert files.of("claude-code") == {}


@pytest.mark.parametrize("many", [1, 100])
def test_a_file_that_could_not_be_read_is_tried_again(
    tmp_path: Path, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MANY", many)
    written(tmp_path, 0)
    index = index_at(tmp_path)

    class Failing(Counting):
        def digests(self, path: Path) -> tuple[FileDigest, ...]:
            raise StoreDamaged("The file is damaged.")

    for _ in range(2):
        store = TranscriptStore("claude-code", Failing, tmp_path, partial(signed, tmp_path), index)
        assert store.conversations() == ()
        assert store.notes == ("The file is damaged.",)
    assert len(listed(tmp_path, index)[1]) == 1


def test_a_locked_database_is_noted_and_read_later(tmp_path: Path) -> None:
    path = WRITERS["goose"](tmp_path / "home")
    written(tmp_path, 0)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    store = open_store(tmp_path)
    assert [row.agent for row in store.conversations()] == ["claude-code"]
    assert ["is locked" in note for note in store.notes] == [True]
    writer.execute("ROLLBACK")
    writer.close()
    store = open_store(tmp_path)
    assert {row.agent for row in store.conversations()} == {"claude-code", "goose"}
    assert store.notes == ()


@pytest.mark.parametrize("of_folder", [True, False])
def test_a_note_about_a_lock_goes_with_the_lock(
    tmp_path: Path, of_folder: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.stores.hermes.connection._BUSY_SECONDS", 0.01)
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0)
    path = WRITERS["goose"](tmp_path / "home")
    written(tmp_path, 0)
    writer = sqlite3.connect(path, isolation_level=None)
    store = open_store(tmp_path if of_folder else path)
    whole = store.conversations()
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("UPDATE sessions SET name = 'Renamed'")
    path.touch()
    assert len(store.conversations()) < len(whole)
    assert ["is locked" in note for note in store.notes] == [True]
    before = store.version()
    assert store.version() == before
    writer.execute("ROLLBACK")
    writer.close()
    assert store.version() != before
    assert {row.id for row in store.conversations()} == {row.id for row in whole}
    assert store.notes == ()


def test_a_note_about_a_locked_database_of_a_folder_goes_with_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.stores.hermes.connection._BUSY_SECONDS", 0.01)
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0)
    path = tmp_path / "state.db"
    path.write_bytes((ROOT / "fixtures" / "hermes-0.13-rotating.db").read_bytes())
    written(tmp_path, 0)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    store = open_store(tmp_path)
    assert {row.agent for row in store.conversations()} == {"claude-code"}
    before = store.version()
    assert ["is locked" in note for note in store.notes] == [True]
    writer.execute("ROLLBACK")
    writer.close()
    assert store.version() != before
    assert {row.agent for row in store.conversations()} == {"claude-code", "hermes"}
    assert store.notes == ()


@pytest.mark.parametrize("odd", [[], {}, "x", 5, [None], ["x"] * 3, {"a": 1}, ["x", [[[], [], [], ""]]]])
def test_a_wrong_remembered_value_does_no_harm(
    tmp_path: Path, odd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MANY", 1)
    monkeypatch.setattr(listing, "mark_of_files", lambda value: "x")
    folder = tmp_path / "project"
    first = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000000")
    worked(first, 2)
    first.write(folder / "0.jsonl")
    resumed(folder, 1, first)

    class Odd(FileIndex):
        def recall(self, name: str) -> Any:
            return odd

    assert len(listed(folder, Odd(Cache(tmp_path / "cache.db")))[1]) == 1


def test_stored_digests_are_read_unchanged(tmp_path: Path) -> None:
    row = ConversationRow("s", "s", "\ud800 \x00", "m", "", ("s",), 3, 2, 1.0, 2.0, window=5)
    digest = FileDigest("/a/\udcff.jsonl", row, compactions=("a", "b"), midway=True)
    index, path = index_at(tmp_path), str(tmp_path / "a\udcff")
    index.put("codex", {path: ((1, 2), (digest,))})
    assert index.get("codex", {path: (1, 2), "b": (1, 2)}) == {path: (digest,)}
    assert index.get("codex", {path: (1, 3)}) == index.get("pi", {path: (1, 2)}) == {}


@pytest.mark.parametrize("value", [b"no JSON", b"[1]", 7])
def test_a_malformed_value_affects_no_other_file(tmp_path: Path, value: Any) -> None:
    cache = Cache(tmp_path / "cache.db")
    index, row = FileIndex(cache), ConversationRow("s", "s", "", "", "", ("s",), 3, 2, 1.0, 2.0)
    digests = {name: ((1, 2), (FileDigest(name, row),)) for name in ("a", "b")}
    index.put("codex", digests)
    (key, entry), *_ = cache.get("files", [_path_key("a")]).items()
    cache.put("files", {key: entry._replace(value=value)})
    assert index.get("codex", dict.fromkeys(digests, (1, 2))) == {"b": digests["b"][1]}


def test_the_list_shows_the_files_read_so_far(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for number in range(3):
        written(folder, number)
    store = TranscriptStore("claude-code", Counting, folder, partial(signed, folder))
    rows, done, total = store.so_far()
    assert ([row.title for row in rows], done, total) == (["2", "1", "0"], 0, 3)
    assert {row.folder for row in rows} == {"project"}
    whole = store.conversations()
    assert store.so_far() == (whole, 3, 3)
    written(folder, 1, rounds=2)
    rows, done, total = store.so_far()
    assert (done, total) == (2, 3)
    assert [row.title for row in rows].count("1") == 1


def test_the_index_is_used_from_another_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    written(folder, 0)
    monkeypatch.chdir(tmp_path)
    (row,) = open_folder(Path("project")).conversations()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for path in (folder, Path("../project")):
        store = open_folder(path)
        conversation = store.open(row.id)
        assert conversation.live is not None
        assert store.messages(conversation.live)
