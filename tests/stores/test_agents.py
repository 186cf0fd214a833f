"""The table of agents: one row per agent, also from other packages. No other place lists agents."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.agents import agents, places_of
from inspector.engines.observed.profiles import observed_of
from inspector.stores.readers import reader_of
from tests.conftest import ROOT
from tests.program import Done, run_each
from tests.stores import other_agent


def run(home: Path, *commands: list[str]) -> list[Done]:
    """Run each command with the other package installed; return how it ends."""
    found = {"HOME": home, "PYTHONPATH": home / "site", "XDG_CACHE_HOME": home / "cache"}
    return run_each({name: str(path) for name, path in found.items()}, commands)


def test_an_agent_of_another_package_answers_every_command(tmp_path: Path) -> None:
    other_agent.install(tmp_path / "site")
    path = str(other_agent.session(tmp_path / ".harbour" / "logs" / "a.log"))
    names = ("compactions", "losses", "facts", "findings", "show", "replay", "measures", "rules")
    stores, listed, *answered, whole, replay = run(
        tmp_path,
        ["stores", "--json"],
        ["conversations", "--json"],
        *([name, path, "--json"] for name in names),
        ["--help"],
        ["replay", "--help"],
    )
    (store,) = json.loads(stores.stdout)
    assert store["agent"] == "harbour"
    (row,) = json.loads(listed.stdout)
    assert (row["agent"], row["compactions"], row["profile"]) == ("harbour", 1, "harbour")
    for name, done in zip(names, answered, strict=True):
        assert done.returncode == 0, (name, done.stderr)
        assert json.loads(done.stdout), name
    (rules,) = json.loads(answered[-1].stdout)
    assert (rules["path"], rules["text"], rules["in_lists"]) == ("QUAY.md", "Never moor at berth 9.", [1])
    assert "Harbour Master" in " ".join(whole.stdout.split())
    assert "harbour" in replay.stdout


WRITTEN = """
from inspector.engines.base import Settings
from inspector.export.config import settings_written
print(*settings_written(Settings(profile="harbour", context_length=100_000)))
"""


def python(site: Path, *words: str, event: object = None) -> str:
    """Run Python with the other package installed; return its output."""
    done = subprocess.run(
        [sys.executable, *words], env={**os.environ, "PYTHONPATH": str(site)}, cwd=ROOT, input=json.dumps(event),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_the_package_of_an_agent_writes_limits_and_answers_hooks(tmp_path: Path) -> None:
    other_agent.install(tmp_path / "site")
    written = python(tmp_path / "site", "-c", WRITTEN)
    assert written.strip() == "harbour.ini compact_at = 50000 ; compacts at 50,000 tokens"
    hook = tmp_path / "site", "-m", "inspector", "hook"
    assert "|harbour|" in python(*hook, "--help")
    assert python(*hook, "harbour", "--print-settings").startswith("before_full")
    kept = python(*hook, "harbour", event={"log": str(other_agent.session(tmp_path / "a.log"))})
    assert "- Never let a ferry wait." in kept


def test_a_package_that_fails_is_named(tmp_path: Path) -> None:
    other_agent.install(tmp_path / "site")
    (tmp_path / "site" / "harbour_agent" / "__init__.py").write_text("raise RuntimeError('not today')\n")
    other_agent.session(tmp_path / "a.log")
    (tmp_path / ".codex" / "sessions").mkdir(parents=True)
    (done,) = run(tmp_path, ["stores"])
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


#: Modules with the name of an agent or of its releases for something else.
OTHER_NAMES = {
    "inspector/caching/policy.py": "providers, and parts of the names of models",
    "inspector/config/models.py": "parts of the names of models",
    "inspector/core/handoff.py": "the releases that wrote a text before a summary",
    "inspector/stores/content_parts.py": "the role of an answer in the Gemini API",
}


def literals() -> Iterator[tuple[str, str]]:
    """Yield each text in code outside the packages of the agents, with its module. Comments are no code."""
    packages = {ROOT / row.package.replace(".", "/") for row in agents()} | {
        ROOT / "inspector/engines/hermes"
    }
    for path in (path for room in ("inspector", "widgets") for path in (ROOT / room).rglob("*.py")):
        module = path.relative_to(ROOT).as_posix()
        if module != "inspector/agents.py" and not {*path.parents} & packages:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield module, node.value


def test_names_of_agents_are_only_in_their_packages() -> None:
    """Code that depends on an agent reads its row, and a list of agents comes from the rows."""
    names = "|".join(re.escape(row.name) for row in agents())
    is_name = re.compile(rf"(?:{names})(?:-\d[\d.]*|-current)?")
    words = {row.name.partition("-")[0] for row in agents() if row.places}
    texts = list(literals())
    assert {module for module, text in texts if is_name.fullmatch(text)} == OTHER_NAMES.keys()
    assert [
        entry for entry in texts if len(words.intersection(re.findall(r"\w+", entry[1].lower()))) > 2
    ] == []


def test_a_place_without_its_variable_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    row = agents()[0]._replace(places=("$BERTH/a", "${BERTH:-~/b}/c"))
    monkeypatch.delenv("BERTH", raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    assert list(map(str, places_of(row))) == ["/home/me/b/c"]
    monkeypatch.setenv("BERTH", "/x")
    assert list(map(str, places_of(row))) == ["/x/a", "/x/c"]
