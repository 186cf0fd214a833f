"""What is found on a machine: every agent's own place, and folders of several agents."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inspector.core.errors import NotAStore, StoreMissing
from inspector.stores import folder_files
from inspector.stores.detect import open_store
from inspector.stores.discovery import open_machine
from inspector.stores.several import SeveralStores
from tests.conftest import ROOT
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


def test_a_session_that_opencode_took_into_its_database_is_one(home: Path) -> None:
    data = home / ".local/share/opencode"
    as_folder(data, opencode())
    as_database(data / "opencode.db", opencode())
    (row,) = open_machine().conversations()
    assert row.agent == "opencode"
    assert open_machine().size() > 0


def test_stores_tell_their_size(home: Path) -> None:
    shutil.copy(HERMES, home / "h.db")
    path = claude(home / "one" / "a.jsonl")
    assert open_store(home / "h.db").size() == HERMES.stat().st_size
    assert open_store(home / "one").size() == path.stat().st_size


def test_variables_say_where_else(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude(home / "elsewhere" / "projects" / "p" / "a.jsonl")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))
    (row,) = open_machine().conversations()
    assert row.agent == "claude-code"


def test_where_nothing_is_found_it_says_where_it_looked(home: Path) -> None:
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


def test_a_folder_of_nothing_says_so(home: Path) -> None:
    (home / "none").mkdir()
    with pytest.raises(NotAStore, match="holds no sessions"):
        open_store(home / "none")


def test_a_file_that_comes_later_is_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_files, "_SHARED_SECONDS", 0.0)
    claude(home / "all" / "a.jsonl")
    store = open_store(home / "all")
    before = store.version()
    session = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000002")
    session.user("Another.")
    session.write(home / "all" / "b.jsonl")
    assert store.version() != before
    assert len(store.conversations()) == 2


def test_an_id_is_meant_before_a_title_of_another_store(tmp_path: Path) -> None:
    """Whoever asks for all conversations names each by its id."""
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
