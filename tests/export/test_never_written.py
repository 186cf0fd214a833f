"""Files that no flag overwrites: files of agents and files with sessions."""

from __future__ import annotations

import ast
import os
import re
import shutil
from pathlib import Path

import pytest

from inspector.agents import agents
from inspector.config.agent_folders import agent_folders, refuse_own_file
from inspector.config.folders import write_text
from inspector.core.errors import OutputProblem
from inspector.export.writing import check_target, write_file
from tests.conftest import ROOT
from tests.program import Run
from tests.recipes import recipe
from tests.stores.writer import snapshot

ID = "5e55a000-0000-4000-8000-000000000001"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a home folder with files of several agents, without environment variables for other places."""
    home = tmp_path / "home"
    project = home / ".claude" / "projects" / "-home-me"
    project.mkdir(parents=True)
    session = recipe("claude_lines").Session(ID)
    session.user("Moor the boat.")
    session.write(project / f"{ID}.jsonl")
    for name in (".claude/settings.json", ".claude/history.jsonl", ".codex/config.toml", ".claude.json"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text("{}\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    for agent in agents():
        for variable in re.findall(r"\$\{?(\w+)", " ".join((*agent.places, *agent.folders))):
            monkeypatch.delenv(variable, raising=False)
    return home


@pytest.mark.parametrize(
    "name",
    [
        f".claude/projects/-home-me/{ID}.jsonl",
        ".claude/projects/-home-me/new.html",
        ".claude/settings.json",
        ".claude/history.jsonl",
        ".claude.json",
        ".codex/config.toml",
        ".hermes/state.db",
        ".local/share/opencode/opencode.db",
        ".pi/agent/sessions/new.html",
        ".qwen/projects/x/chats/a.jsonl",
        ".gemini/tmp/x/chats/a.json",
        ".cline/data/sessions/a.messages.json",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/state/taskHistory.json",
        ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/settings/new.html",
        ".local/share/goose/new.html",
    ],
)
@pytest.mark.parametrize("how", ["itself", "symlink", "symlinked folder", "roundabout"])
def test_agents_folders_are_never_written_to(home: Path, name: str, how: str) -> None:
    target = home / name
    target.parent.mkdir(parents=True, exist_ok=True)
    before = snapshot(home)
    path = target
    if how == "symlink":
        path = home.parent / "link.html"
        path.symlink_to(target)
    elif how == "symlinked folder":
        (home.parent / "linked").symlink_to(target.parent)
        path = home.parent / "linked" / target.name
    elif how == "roundabout":
        path = home / "x" / ".." / name
    if how == "symlinked folder" and name == ".claude.json":
        return
    with pytest.raises(OutputProblem, match=r"own folder\. The program never writes there"):
        write_file(path, "x", [], force=True)
    assert snapshot(home) == before


@pytest.mark.parametrize(
    "folder", [folder for agent in agents() for folder in agent.folders if "$" in folder]
)
def test_folders_in_environment_variables_are_agents_folders(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    match = re.fullmatch(r"\$\{(\w+):-~/?(.*)\}/?(.*)", folder)
    assert match
    variable, usual, below = match.groups()
    monkeypatch.setenv(variable, str(tmp_path / "moved"))
    place = tmp_path / "moved" / below
    place.mkdir(parents=True)
    # The usual place is still an agent's folder, too.
    for inside in (place / "new.html", home / usual / below / "new.html"):
        with pytest.raises(OutputProblem, match="own folder"):
            check_target(inside, [], force=True)
    check_target(tmp_path / "new.html", [], force=True)


def test_an_environment_variable_with_an_unknown_user_is_ignored(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "~nosuchuser/x")
    assert home / ".claude" in list(agent_folders())


def test_sessions_in_any_folder_are_never_written_to(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "backup"
    elsewhere.mkdir()
    shutil.copy(home / f".claude/projects/-home-me/{ID}.jsonl", elsewhere / "a.txt")
    shutil.copy(ROOT / "fixtures" / "hermes-0.13-rotating.db", elsewhere / "b.txt")
    (elsewhere / "empty.jsonl").touch()
    (elsewhere / "c.db-wal").touch()
    before = snapshot(elsewhere)
    for name in before:
        with pytest.raises(OutputProblem, match="never written to"):
            write_file(elsewhere / name, "x", [], force=True)
    assert snapshot(elsewhere) == before


def test_files_of_the_inspected_folder_are_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    for name in ("part/prt_1.json", "workspace.yaml", "checkpoint.md"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
        with pytest.raises(OutputProblem, match="never written to"):
            write_file(tmp_path / name, "x", [tmp_path], force=True)
    # The user may choose a new file, or an older report.
    write_file(tmp_path / "report.html", "one", [tmp_path])
    write_file(tmp_path / "report.html", "two", [tmp_path], force=True)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "two"


@pytest.mark.parametrize("named", [True, False])
def test_a_report_does_not_overwrite_a_session(
    program: Run, home: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    projects = home / ".claude" / "projects"
    session = projects / "-home-me" / f"{ID}.jsonl"
    before = snapshot(home / ".claude")
    words = [str(projects)] if named else []
    done = program("report", *words, ID, "--output", str(session), "--format", "html", "--force")
    assert done.returncode == 1
    assert "never writes there" in done.stderr
    assert snapshot(home / ".claude") == before


def test_the_programs_own_files_stay_out_of_agents_folders(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not write_text(home / ".claude" / "state" / "places.json", "{}")
    assert not (home / ".claude" / "state").exists()
    with pytest.raises(OutputProblem):
        refuse_own_file(home / ".codex" / "attempts.db")
    # In a container an agent's folder may be the home folder itself.
    monkeypatch.setenv("HERMES_HOME", str(home))
    assert write_text(home / ".local/state/compaction-inspector/places.json", "{}")


#: Modules that write files, with the reason.
MAY_WRITE = {
    "inspector/config/folders.py": "the function that everything else calls",
    "inspector/commands/ending.py": "the null device, in place of a closed standard output",
    "inspector/fleet/copies.py": "copies of sessions behind a URL, in the cache; asks for the path first",
    "inspector/export/dataset.py": "data sets of the program's own; asks for the path first",
    "inspector/app/conversation/clipboard.py": "a copy in a new temporary folder, for a pager",
}


#: Modules with a call that `_writes` finds.
_MAY_WRITE = re.compile(r"write_|mkstemp|NamedTemporaryFile|\bopen\(|\b(?:os|shutil)\.")


def test_every_write_goes_through_one_function() -> None:
    writers = set()
    for path in sorted((ROOT / "inspector").rglob("*.py")) + sorted((ROOT / "widgets").rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(code)) if _MAY_WRITE.search(code) else ():
            if isinstance(node, ast.Call) and _writes(node):
                writers.add(path.relative_to(ROOT).as_posix())
    assert writers == MAY_WRITE.keys()


def _writes(call: ast.Call) -> bool:
    """Whether a call creates, changes or renames a file."""
    function = call.func
    if not isinstance(function, ast.Attribute):
        return isinstance(function, ast.Name) and function.id == "open" and _mode(call) != "r"
    owner = function.value.id if isinstance(function.value, ast.Name) else ""
    match function.attr:
        case "write_bytes" | "mkstemp" | "NamedTemporaryFile":
            return True
        case "write_text":
            return True
        case "replace" | "rename" | "link" | "symlink" | "truncate":
            return owner in ("os", "shutil")
        case "copy" | "copyfile" | "copytree" | "move" | "rmtree":
            return owner == "shutil"
        case "open" if owner == "os":
            return any(
                "O_CREAT" in ast.dump(argument) or "O_WRONLY" in ast.dump(argument) for argument in call.args
            )
        case "open":
            return any(mark in _mode(call, 0) for mark in "wax+")
    return False


def _mode(call: ast.Call, position: int = 1) -> str:
    values = [*call.args[position : position + 1], *(k.value for k in call.keywords if k.arg == "mode")]
    return next((str(value.value) for value in values if isinstance(value, ast.Constant)), "r").replace(
        "b", ""
    )


def test_writing_leaves_a_symlink_a_symlink(tmp_path: Path) -> None:
    real = tmp_path / "real.html"
    real.touch()
    os.symlink(real, tmp_path / "link.html")
    write_file(tmp_path / "link.html", "x", [], force=True)
    assert (tmp_path / "link.html").is_symlink()
