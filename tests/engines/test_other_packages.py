"""Engines of other packages by entry points: planned, compared, replayed and swept like ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.engines import other_package
from tests.engines.lists import assistant, user
from tests.examples import also
from tests.program import Done, run_each

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ("fixtures/hermes-0.19-in-place.db", "Nightly orders import loses rows")


def run(folder: Path, *commands: list[str]) -> list[Done]:
    """Run commands in a separate process that finds the packages of a folder; return how each ends."""
    path = os.pathsep.join([str(folder), str(ROOT)])
    return run_each({"PYTHONPATH": path, "HOME": str(folder)}, [[*words, "--json"] for words in commands])


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Make a folder with the installed distribution and a list of messages."""
    other_package.install(tmp_path)
    return tmp_path


def write_list(folder: Path) -> str:
    wires = [m for i in range(6) for m in (user(f"q{i}"), assistant("word"))]
    path = folder / "list.json"
    path.write_text(json.dumps(wires))
    return str(path)


#: A window in tokens in which a low threshold compacts the conversation more often than a high threshold.
WINDOWS = {"halves": "12000", "words": "60000", "truncation": "60000"}


def every_command_knows(site: Path, profile: str) -> None:
    """Check compactions, plan, replay and sweep with an engine."""
    named = ["--profile", profile]
    window = ["--context-length", WINDOWS[profile]]
    axes = ["--threshold", "0.2,0.9", "--target-ratio", "0.1,0.3"]
    done = run(
        site,
        ["plan", write_list(site), *named],
        ["compactions", *RECORDED, *named],
        ["replay", *RECORDED, *named, *window],
        ["sweep", *RECORDED, *named, *axes, *window],
    )
    assert not any(one.returncode for one in done), done
    (plan,), compactions, replayed, grid = (json.loads(one.stdout) for one in done)
    assert plan["profile"] == profile
    assert plan["output"]
    if profile == "halves":
        # The engine cannot assemble, so its regions are shown.
        assert [out["source"] for out in plan["output"]] == [0, "summary", 11]
    assert {one["planned"]["profile"] for one in compactions} == {profile}
    assert replayed["settings"]["profile"] == profile
    assert replayed["whatif"]["compactions"]
    assert len(replayed["whatif"]["tokens"]) == len(replayed["steps"])
    counts = [line[0] for line in grid["metrics"]["compactions"]]
    assert counts[0] > counts[1]


@pytest.mark.parametrize("profile", also(*WINDOWS))
def test_every_command_knows_every_engine(site: Path, profile: str) -> None:
    every_command_knows(site, profile)


FAILING = {
    "broken": "The engine broken failed: ZeroDivisionError: no luck.",
    "unloadable": "The engine unloadable of halves-engine cannot be loaded: RuntimeError: not today.",
    "missing": "There is no profile named missing; there are documented, hermes-0.13, hermes-0.15, ",
}


def test_an_engine_that_fails_is_named(site: Path) -> None:
    asked = (["plan", write_list(site)], ["replay", *RECORDED, "--context-length", "30000"])
    done = iter(run(site, *([*words, "--profile", name] for name in FAILING for words in asked)))
    for sentence in FAILING.values():
        for one in (next(done), next(done)):
            assert one.returncode in (1, 2)
            assert sentence in one.stderr
            assert "Traceback" not in one.stderr


@pytest.mark.slow
def test_an_engine_in_a_separate_wheel(tmp_path: Path) -> None:
    project, site = tmp_path / "project", tmp_path / "site"
    project.mkdir()
    other_package.write_project(project)
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    build = [sys.executable, "-m", "build", "--wheel", *isolation, str(project)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = (project / "dist").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps"]
    subprocess.run([*pip, "--target", str(site), str(wheel)], check=True)
    assert not (site / "pyproject.toml").exists()
    for profile in ("halves", "words"):
        every_command_knows(site, profile)
