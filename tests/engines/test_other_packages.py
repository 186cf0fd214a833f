"""Engines that other packages bring by entry points: planned, compared, replayed and swept like ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.engines import other_package
from tests.engines.lists import assistant, user
from tests.examples import also

ROOT = Path(__file__).resolve().parents[2]
DEMO = ("--demo", "Nightly orders import loses rows")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own that finds what is installed in a folder."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "inspector", *words],
        capture_output=True, text=True, encoding="utf-8", check=False, stdin=subprocess.DEVNULL, env=env,
    )  # fmt: skip


def answer(folder: Path, *words: str) -> Any:
    done = run(folder, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the distribution installed, and a list of messages."""
    other_package.install(tmp_path)
    return tmp_path


def write_list(folder: Path) -> str:
    wires = [m for i in range(6) for m in (user(f"q{i}"), assistant("word"))]
    path = folder / "list.json"
    path.write_text(json.dumps(wires))
    return str(path)


#: A window in which the conversation is compacted at a low threshold and less often at a high one, in tokens.
WINDOWS = {"halves": "12000", "words": "60000", "truncation": "60000"}


def every_command_knows(site: Path, profile: str) -> None:
    """Compactions, plan, replay and sweep under an engine."""
    window = ("--context-length", WINDOWS[profile])
    (plan,) = answer(site, "plan", write_list(site), "--profile", profile)
    assert plan["profile"] == profile
    assert plan["output"]
    compactions = answer(site, "compactions", *DEMO, "--profile", profile)
    assert {one["planned"]["profile"] for one in compactions} == {profile}
    replayed = answer(site, "replay", *DEMO, "--profile", profile, *window)
    assert replayed["settings"]["profile"] == profile
    assert replayed["whatif"]["compactions"]
    assert len(replayed["whatif"]["tokens"]) == len(replayed["steps"])
    axes = ("--threshold", "0.2,0.9", "--target-ratio", "0.1,0.3", *window)
    grid = answer(site, "sweep", *DEMO, "--profile", profile, *axes)
    counts = [line[0] for line in grid["metrics"]["compactions"]]
    assert counts[0] > counts[1]


@pytest.mark.parametrize("profile", also(*WINDOWS))
def test_every_command_knows_every_engine(site: Path, profile: str) -> None:
    every_command_knows(site, profile)


def test_an_engine_that_does_not_assemble_has_its_regions_shown(site: Path) -> None:
    (entry,) = answer(site, "plan", write_list(site), "--profile", "halves")
    assert [out["source"] for out in entry["output"]] == [0, "summary", 11]


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        ("broken", "The engine broken failed: ZeroDivisionError: no luck."),
        ("unloadable", "The engine unloadable of halves-engine cannot be loaded: RuntimeError: not today."),
        (
            "missing",
            "There is no profile called missing; there are documented, hermes-0.13, hermes-0.15, ",
        ),
    ],
)
@pytest.mark.parametrize("command", also("plan", "replay"))
def test_an_engine_that_fails_is_named(site: Path, command: str, profile: str, sentence: str) -> None:
    asked = (write_list(site),) if command == "plan" else (*DEMO, "--context-length", "30000")
    done = run(site, command, *asked, "--profile", profile, "--json")
    assert done.returncode in (1, 2)
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_engine_in_a_wheel_of_its_own(tmp_path: Path) -> None:
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
