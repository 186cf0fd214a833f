"""Discovery on a machine: every agent's folder, and folders of several agents."""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path

import pytest

from inspector.core.errors import (
    NotAStore,
    SeveralConversations,
    StoreBusy,
    StoreMissing,
    UnknownConversation,
)
from inspector.stores import folder_files
from inspector.stores.detect import open_store
from inspector.stores.discovery import open_machine
from inspector.stores.several import SeveralStores
from inspector.stores.signatures import companion_names
from tests.conftest import ROOT
from tests.counting import lines_run
from tests.recipes import recipe
from tests.stores.test_other_agents import as_database, as_folder, codex, opencode, pi, written

HERMES = ROOT / "fixtures" / "hermes-0.13-rotating.db"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HERMES_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def claude(path: Path) -> Path:
    session = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000001")
    session.user("Moor the boat.")
    return Path(session.write(path))


def agents(store: object) -> set[str]:
    assert isinstance(store, SeveralStores)
    return {row.agent for row in store.conversations()}


def test_every_agent_is_found_in_its_place(home: Path) -> None:
    (home / ".hermes").mkdir()
    shutil.copy(HERMES, home / ".hermes" / "state.db")
    claude(home / ".claude" / "projects" / "-home-me" / "a.jsonl")
    written(home / ".codex/sessions/2026/07/12/rollout-1.jsonl", codex().text())
    written(home / ".pi/agent/sessions/x/a.jsonl", pi(3).text())
    (home / ".local/share/opencode").mkdir(parents=True)
    as_database(home / ".local/share/opencode/opencode.db", opencode())
    store = open_machine()
    assert agents(store) == {"hermes", "claude-code", "codex", "pi", "opencode"}
    for row in store.conversations():
        assert store.open(row.id).live is not None


def test_archived_sessions_of_openclaw_are_found(home: Path) -> None:
    """/new and a deletion rename the file of a session."""
    folder = home / ".openclaw/agents/main/sessions"
    names = "a.jsonl", "b.jsonl.reset.2026-03-15T11-57-29.266Z", "c.jsonl.deleted.2026-03-15T12-00-00.000Z"
    for at, name in enumerate(names):
        session = pi(3)
        session.entries[0]["id"] = f"5fd1e58c-0000-4000-8000-00000000000{at}"
        session.entry("custom", customType="openclaw:bootstrap")
        written(folder / name, session.text())
    rows = open_machine().conversations()
    assert sorted(row.id[-1] for row in rows) == ["0", "1", "2"]
    assert {row.agent for row in rows} == {"openclaw"}


def test_archived_sessions_of_codex_are_found(home: Path) -> None:
    written(home / ".codex/archived_sessions/rollout-1.jsonl", codex().text())
    (row,) = open_machine().conversations()
    assert row.agent == "codex"


def test_a_session_that_opencode_migrated_into_its_database_is_listed_once(home: Path) -> None:
    data = home / ".local/share/opencode"
    as_folder(data, opencode())
    as_database(data / "opencode.db", opencode())
    (row,) = open_machine().conversations()
    assert row.agent == "opencode"
    assert open_machine().size() > 0


def test_stores_show_their_size(home: Path) -> None:
    shutil.copy(HERMES, home / "h.db")
    path = claude(home / "one" / "a.jsonl")
    assert open_store(home / "h.db").size() == HERMES.stat().st_size
    assert open_store(home / "one").size() == path.stat().st_size


def test_a_place_of_another_agent_that_comes_later_is_opened(home: Path) -> None:
    claude(home / ".claude" / "projects" / "-home-me" / "a.jsonl")
    store = open_machine()
    assert (agents(store), store.path) == ({"claude-code"}, home / ".claude" / "projects")
    version = store.version()
    assert store.version() == version
    (home / ".hermes").mkdir()
    (home / ".hermes" / "state.db").write_text("no database " * 100)
    assert store.version() != version
    (note,) = store.notes
    assert str(home / ".hermes" / "state.db") in note
    shutil.copy(HERMES, home / ".hermes" / "state.db")
    written(home / ".codex/sessions/2026/07/12/rollout-1.jsonl", codex().text())
    version = store.version()
    assert agents(store) == {"claude-code", "codex", "hermes"}
    assert (store.version(), store.notes, store.path) == (version, (), home)
    # A second place of an agent.
    for count, name in enumerate(("main", "work"), start=1):
        bootstrap = {"type": "custom", "customType": "openclaw:bootstrap", "id": "e1", "parentId": None}
        lines = pi(3).text().replace("00000000", f"0000000{count}").split("\n", 1)
        session = "\n".join([lines[0], json.dumps(bootstrap), lines[1]])
        written(home / ".openclaw/agents" / name / "sessions/a.jsonl", session)
        assert [row.agent for row in store.conversations()].count("openclaw") == count


def test_environment_variables_add_folders(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude(home / "elsewhere" / "projects" / "p" / "a.jsonl")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))
    (row,) = open_machine().conversations()
    assert row.agent == "claude-code"


def test_the_error_for_an_empty_machine_lists_the_searched_folders(home: Path) -> None:
    with pytest.raises(StoreMissing, match=r"\.claude/projects.*Name a file or a folder"):
        open_machine()


def test_a_folder_of_several_agents_is_read_as_one(home: Path) -> None:
    claude(home / "mixed" / "any.jsonl")
    written(home / "mixed/deep/er/other.jsonl", codex().text())
    written(home / "mixed/session.json", opencode().text())
    shutil.copy(HERMES, home / "mixed" / "h.db")
    (home / "mixed" / "notes.json").write_text("[1, 2]")
    (home / "mixed" / "empty.jsonl").write_text("")
    assert agents(open_store(home / "mixed")) == {"claude-code", "codex", "opencode", "hermes"}


def test_a_folder_without_sessions_is_an_error(home: Path) -> None:
    (home / "none").mkdir()
    with pytest.raises(NotAStore, match="holds no sessions"):
        open_store(home / "none")


def test_compressed_sessions_are_named_with_what_to_do(home: Path) -> None:
    folder = home / "packed"
    for name in ("a.jsonl.xz", "deep/b.jsonl.gz", "state.db.zst", "rollout.jsonl.zst", "notes.txt.gz"):
        written(folder / name, "no text")
    with pytest.raises(NotAStore, match="holds no sessions") as caught:
        open_store(folder)
    assert (
        f"a.jsonl.xz, {Path('deep/b.jsonl.gz')}, state.db.zst in {folder} are left out: compressed."
        in str(caught.value)
    )
    assert "Decompress them to read the sessions." in str(caught.value)
    with pytest.raises(NotAStore, match=r"is compressed. Decompress it to read its sessions."):
        open_store(folder / "a.jsonl.xz")
    claude(folder / "c.jsonl")
    assert any("a.jsonl.xz" in note for note in open_store(folder).notes)


def test_a_new_file_appears(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0.0)
    claude(home / "all" / "a.jsonl")
    store = open_store(home / "all")
    before = store.version()
    session = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000002")
    session.user("Another.")
    session.write(home / "all" / "b.jsonl")
    assert store.version() != before
    assert len(store.conversations()) == 2


def test_new_files_of_other_agents_appear(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0.0)
    claude(home / "all" / "a.jsonl")
    store = open_store(home / "all")
    versions = [store.version()]
    assert (agents(store), store.version()) == ({"claude-code"}, versions[0])
    written(home / "all/deep/rollout-1.jsonl", codex().text())
    versions.append(store.version())
    shutil.copy(HERMES, home / "all" / "h.db")
    versions.append(store.version())
    assert agents(store) == {"claude-code", "codex", "hermes"}
    assert all(store.open(row.id).live for row in store.conversations())
    assert not store.notes
    (home / "all" / "notes.json").write_text("[1, 2]\n")
    versions.append(store.version())
    (note,) = store.notes
    assert "notes.json" in note
    assert "is left out: not in a session format" in note
    (home / "all" / "notes.json").unlink()
    (home / "all" / "broken.db").write_bytes(HERMES.read_bytes()[:2000])
    versions.append(store.version())
    assert ["broken.db" in note for note in store.notes] == [True]
    assert len(set(versions)) == len(versions)
    assert store.version() == versions[-1]


def test_an_id_has_priority_over_a_title_of_another_store(tmp_path: Path) -> None:
    """Questions about all conversations name each by its id."""
    made, tides = recipe("claude_lines"), recipe("other_lines")
    session = made.Session("berths")
    session.user("Which berth is free?")
    session.answer(made.text("Berth 4."))
    session.write(tmp_path / "a.jsonl")
    other = tides.PiSession("5fd1e58c-0000-4000-8000-000000000000", 3)
    other.user("berths")
    other.answer({"type": "text", "text": "Which?"})
    (tmp_path / "b.jsonl").write_text(other.text())
    store = open_store(tmp_path)
    rows = store.conversations()
    assert len(rows) == 2
    assert [store.resolve(row.id) for row in rows] == [row.id for row in rows]


def test_a_name_that_fits_several_conversations_of_one_store_is_ambiguous(tmp_path: Path) -> None:
    made, tides = recipe("claude_lines"), recipe("other_lines")
    session = made.Session("first")
    session.user("tides")
    session.write(tmp_path / "first.jsonl")
    for number in range(2):
        other = tides.PiSession(f"5fd1e58c-0000-4000-8000-00000000000{number}", 3)
        other.user(f"Is berth {number} free?")
        (tmp_path / f"{number}.jsonl").write_text(other.text())
    store = open_store(tmp_path)
    with pytest.raises(SeveralConversations, match="2 conversations match 'berth'"):
        store.resolve("berth")
    with pytest.raises(UnknownConversation, match="No conversation matches 'ferry'"):
        store.resolve("ferry")


def test_a_name_that_fits_several_of_one_store_and_one_of_another_is_ambiguous(tmp_path: Path) -> None:
    made, tides = recipe("claude_lines"), recipe("other_lines")
    for name, title in (("first", "Is the berth of the ferry free?"), ("second", "tides")):
        session = made.Session(name)
        session.user(title)
        session.write(tmp_path / f"{name}.jsonl")
    for number, title in enumerate(
        ("Is berth 0 free?", "Is berth 1 free?", "tides of the berths", "tides of 5")
    ):
        other = tides.PiSession(f"5fd1e58c-0000-4000-8000-00000000000{number}", 3)
        other.user(title)
        (tmp_path / f"{number}.jsonl").write_text(other.text())
    store = open_store(tmp_path)
    with pytest.raises(SeveralConversations, match=r"in several stores match 'berth': first, \.\.\."):
        store.resolve("berth")
    # A full title has priority over a part of other titles.
    assert store.resolve("tides") == "second"


def closed_to(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    """Make the system refuse access to these paths, as for files of other users (root is never refused)."""
    refused = {str(path) for path in paths}
    scan, opened, looked = os.scandir, io.open, os.stat

    def refuse(path: object) -> None:
        if isinstance(path, str | Path) and not refused.isdisjoint(map(str, (path, *Path(path).parents))):
            raise PermissionError(13, "Permission denied", str(path))

    def scandir(path: str) -> object:
        refuse(path)
        return scan(path)

    def stat(path: object, **how: object) -> object:
        if isinstance(path, str | Path):
            refuse(Path(path).parent)
        return looked(path, **how)  # type: ignore[call-overload]

    def open_file(path: object, *how: object, **more: object) -> object:
        refuse(path)
        return opened(path, *how, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(io, "open", open_file)


def test_unreadable_files_are_named_and_the_rest_is_listed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude(home / "all" / "mine" / "a.jsonl")
    unreadable = [
        *(claude(home / "all" / "mine" / f"b{number}.jsonl") for number in range(5)),
        claude(home / "all" / "theirs" / "c.jsonl").parent,
    ]
    closed_to(monkeypatch, *unreadable)
    store = open_store(home / "all")
    assert len(store.conversations()) == 1
    (note,) = store.notes
    named = ", ".join(f"mine/b{number}.jsonl" for number in range(5))
    assert note == f"{named} and 1 more in {home / 'all'} are left out: this user may not read them."


def test_an_unreadable_folder_is_an_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude(home / ".claude" / "projects" / "p" / "a.jsonl")
    closed_to(monkeypatch, home / ".claude")
    for path in (home / ".claude" / "projects", home / ".claude" / "projects" / "p" / "a.jsonl"):
        with pytest.raises(StoreBusy, match="cannot be read by this user"):
            open_store(path)
    with pytest.raises(StoreMissing, match=r"projects cannot be read by this user"):
        open_machine()
    with pytest.raises(NotAStore, match=r"\.claude is left out: this user may not read it"):
        open_store(home / ".claude")


def test_a_folder_is_searched_for_pieces_of_sessions_only_if_it_has_such_a_name() -> None:
    names = [f"{number}.jsonl" for number in range(1_000)]
    assert lines_run(companion_names, names) < 100
    assert companion_names([*names, "context.jsonl", "wire.jsonl", "events"]) == {"wire.jsonl"}


def test_links_and_pipes_are_no_harm(home: Path) -> None:
    """A link may be broken or circular, and reading a pipe would wait for a writer."""
    folder = home / "all" / "p"
    path = claude(folder / "m.jsonl")
    (folder / "a.jsonl").symlink_to(folder / "a.jsonl")
    (folder / "b.jsonl").symlink_to(folder / "nowhere.jsonl")
    (folder / "round").symlink_to(home / "all")
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "c.jsonl")
    (home / "all" / "linked.jsonl").symlink_to(path)
    (row,) = open_store(home / "all").conversations()
    assert row.agent == "claude-code"
    assert open_store(home / "all").notes == ()


def test_folders_may_be_nested_very_deeply(home: Path) -> None:
    where = os.open(home, os.O_RDONLY)

    def go(name: str) -> None:
        nonlocal where
        there = os.open(name, os.O_RDONLY, dir_fd=where)
        os.close(where)
        where = there

    for _ in range(1_200):
        os.mkdir("d", dir_fd=where)
        go("d")
    claude(home / "a.jsonl")
    assert len(open_store(home).conversations()) == 1
    # Cleaning up descends recursively.
    for _ in range(1_200):
        go("..")
        os.rmdir("d", dir_fd=where)
    os.close(where)
