"""The table of agents: one row each, from outside too, and nobody else lists them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.agents import agents, places_of
from inspector.engines.observed.profiles import observed_of
from inspector.stores.readers import reader_of
from tests.conftest import ROOT
from tests.stores import other_agent


def run(home: Path, *words: str) -> str:
    """The program's output where the other package is installed."""
    env = {
        **os.environ,
        "HOME": str(home),
        "PYTHONPATH": str(home / "site"),
        "XDG_CACHE_HOME": str(home / "cache"),
    }
    command = [sys.executable, "-m", "inspector", *words]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    other_agent.install(folder / "site")
    other_agent.session(folder / ".harbour" / "logs" / "a.log")
    return folder


def test_an_agent_of_another_package_is_found_on_the_machine(home: Path) -> None:
    (store,) = json.loads(run(home, "stores", "--json"))
    assert store["agent"] == "harbour"
    (row,) = json.loads(run(home, "conversations", "--json"))
    assert (row["agent"], row["compactions"], row["profile"]) == ("harbour", 1, "harbour")


@pytest.mark.parametrize(
    "command", ["compactions", "losses", "facts", "findings", "show", "replay", "measures"]
)
def test_every_command_answers_of_it(home: Path, command: str) -> None:
    path = str(home / ".harbour" / "logs" / "a.log")
    assert json.loads(run(home, command, path, "--json"))


def test_help_names_it(home: Path) -> None:
    assert "Harbour Master" in " ".join(run(home, "--help").split())
    assert "harbour" in run(home, "replay", "--help")


def test_a_package_that_fails_is_named(home: Path, tmp_path: Path) -> None:
    other_agent.install(tmp_path / "site")
    (tmp_path / "site" / "harbour_agent" / "__init__.py").write_text("raise RuntimeError('not today')\n")
    other_agent.session(tmp_path / "a.log")
    (tmp_path / ".codex" / "sessions").mkdir(parents=True)
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "stores"],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "agent harbour" in done.stderr
    assert "not today" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("agent", agents(), ids=lambda agent: agent.name)
def test_a_row_leads_to_its_reader_its_rules_and_its_page(agent: object) -> None:
    (row,) = [row for row in agents() if row is agent]
    assert reader_of(row.name).agent == row.name
    page = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    assert row.title in page
    if not row.databases and row.places:
        assert observed_of(row.name, "") is not None


def test_names_of_agents_are_in_their_packages_alone() -> None:
    """What depends on an agent asks its row."""
    names = "|".join(re.escape(row.name) for row in agents())
    asks = re.compile(rf"""(agent|kind|owner)\)? *(==|!=|in|not in) *[({{]?["'](?:{names})["']""")
    packages = [ROOT / row.package.replace(".", "/") for row in agents()]
    for room in ("inspector", "widgets"):
        for path in (ROOT / room).rglob("*.py"):
            if path.relative_to(ROOT) != Path("inspector/agents.py") and not {*path.parents} & {*packages}:
                assert not asks.search(path.read_text(encoding="utf-8")), path


def test_a_place_without_its_variable_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    row = agents()[0]._replace(places=("$BERTH/a", "${BERTH:-~/b}/c"))
    monkeypatch.delenv("BERTH", raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    assert list(map(str, places_of(row))) == ["/home/me/b/c"]
    monkeypatch.setenv("BERTH", "/x")
    assert list(map(str, places_of(row))) == ["/x/a", "/x/c"]
