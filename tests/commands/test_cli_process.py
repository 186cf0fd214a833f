"""The commands as processes: streams, readers that stop, closed streams, arguments as people type them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from tests.examples import also
from tests.program import Run

ROOT = Path(__file__).resolve().parents[2]
ROTATING = "Move checkout to orders-v2"
#: A database with one short conversation.
SMALL = "fixtures/agents/goose/sessions/sessions.db"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Make an environment in which the user has only the bundled database of 0.13."""
    home = tmp_path / "hermes"
    home.mkdir()
    shutil.copy(ROOT / "fixtures" / "hermes-0.13-rotating.db", home / "state.db")
    return {
        "HOME": str(tmp_path),
        "HERMES_HOME": str(home),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PYTHONUTF8": "1",
        "PATH": os.environ.get("PATH", ""),
    }


def run(
    words: list[str], environment: dict[str, str], stdout: int | IO[Any]
) -> subprocess.CompletedProcess[str]:
    """Run the command in a separate process, without a terminal."""
    command = [sys.executable, "-c", "from inspector.commands.cli import main; main()", *words]
    return subprocess.run(
        command, cwd=ROOT, env={**environment, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, stdout=stdout,
        stderr=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.fixture
def inside(environment: dict[str, str], program: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, for tests of its output only."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return program


def test_notes_go_to_standard_error_and_only_json_to_standard_output(inside: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("compression: {threshold: 80, enabled: false}\n", encoding="utf-8")
    for words in (
        ["show", ROTATING, "--no-exact"],
        ["compactions", ROTATING],
        ["plan", str(ROOT / "fixtures" / "fastapi-example.json")],
    ):
        done = inside(*words, "--config", str(config), "--json")
        assert done.returncode == 0
        json.loads(done.stdout)
        assert "compression.threshold is 80" in done.stderr
        assert "compression.enabled is off" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        *also(
            [SMALL],
            ["conversations", "--demo"],
            ["sweep", "--demo", ROTATING, "--threshold", "0.3,0.5", "--target-ratio", "0.2,0.4", "--csv"],
            ["--help"],
            ["--version"],
            ["conversations", "--demo", "--json"],
            ["show", "--demo", ROTATING, "--no-exact"],
        ),
    ],
    ids=" ".join,
)
def test_a_reader_that_stops_is_no_failure(words: list[str], environment: dict[str, str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = run(words, environment, stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    "words", also(["conversations", SMALL, "--json"], ["conversations", "--demo"], ["--help"])
)
def test_a_full_disk_is_an_error_message(words: list[str], environment: dict[str, str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(words, environment, stdout=full)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "compaction-inspector: The answer could not be written: No space left on device."
    ]


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the stream")
@pytest.mark.parametrize("words", also(["conversations", SMALL], ["--demo"], ["--help"]))
def test_a_closed_standard_output_raises_nothing(words: list[str], environment: dict[str, str]) -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "inspector", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_without_a_path_every_command_reads_the_users_sessions(
    inside: Run,
) -> None:
    for words in (
        ["conversations"],
        ["show", ROTATING, "--no-exact"],
        ["compactions", ROTATING],
        ["diff", ROTATING],
        ["breakpoints", ROTATING],
        ["replay", ROTATING],
        ["findings"],
        ["findings", ROTATING],
        ["sweep", ROTATING, "--threshold", "0.3,0.5", "--target-ratio", "0.2,0.4"],
        ["store"],
        ["search", "orders"],
        ["search", "orders", "checkout"],
    ):
        done = inside(*words, "--json")
        assert done.returncode == 0, (words, done.stderr)
        assert json.loads(done.stdout), words


def test_the_app_takes_a_conversation_without_a_path(inside: Run) -> None:
    done = inside(ROTATING)
    assert done.returncode == 0
    assert done.stdout.count(ROTATING) == 2
    assert done.stdout.rstrip().endswith("In a terminal the same command opens the app.")


def test_demo_may_be_before_the_command(inside: Run) -> None:
    first = inside("--demo", "conversations", "--json")
    assert first.returncode == 0
    assert first.stdout == inside("conversations", "--demo", "--json").stdout


def test_an_argument_that_is_a_file_is_the_path(
    inside: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "fixtures" / "hermes-0.19-in-place.db", tmp_path / "other")
    monkeypatch.chdir(tmp_path)
    found = json.loads(inside("search", "other", "orders", "--json").stdout)
    assert "Nightly orders import loses rows" in {hit["title"] for hit in found}
    assert ROTATING not in {hit["title"] for hit in found}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["show"], 2, "Name a conversation"),
        (["show", "--demo"], 2, "Name a conversation"),
        (["show", "./there.db"], 1, "There is no file"),
        (["show", "--demo", "a", "b"], 2, "in quotes"),
        (["show", "a", "b", "c"], 2, "in quotes"),
        (["a", "b", "c"], 2, "in quotes"),
        (["search"], 2, "Give the words"),
        (["search", "there.db"], 2, "Give the words"),
        (["search", "--demo", " "], 2, "Give the words"),
        (["search", "/no/such.db", "word"], 1, "no file at /no/such.db"),
        (["sweep", "no-such.db"], 1, "no file at no-such.db"),
        (["nothing-of-that-name"], 1, "nothing-of-that-name"),
        (["store", "a", "b"], 2, "unexpected extra argument"),
        (["diff", "--demo", ROTATING, "--from", "x"], 2, "'x' is not a whole number"),
        (["breakpoints", "--demo", ROTATING, "--ttl", "2h"], 2, "'2h' is not one of"),
        (["show", "--demo", ROTATING, "--context-length", "5"], 2, "must lie between"),
        (["show", "--demo", ROTATING, "--protect-last-n", "0"], 2, "must lie between"),
        (["show", "--demo", "202603"], 1, "Give more of the id"),
        (["findings", "--demo", "--severity", "fatal"], 2, "'fatal' is not one of"),
    ],
)
def test_a_wrong_argument_is_an_error_message(words: list[str], code: int, message: str, inside: Run) -> None:
    done = inside(*words, *(["--json"] if words[0] != "nothing-of-that-name" and len(words) < 3 else []))
    assert message in done.stderr
    assert (done.returncode, done.stdout) == (code, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["losess"], "losses"),
        (["findigns", SMALL], "findings"),
        (["losess", "--json"], "losses"),
        (["cost", SMALL], ""),
        (["losses", "--jsn"], ""),
        ([ROTATING[:-1] + "9"], ""),
    ],
)
def test_a_typo_in_a_command_gets_a_suggestion(
    words: list[str], meant: str, environment: dict[str, str]
) -> None:
    done = run(words, environment, subprocess.PIPE)
    assert done.returncode
    suggestions = [line for line in done.stderr.splitlines() if "Did you mean the command" in line]
    assert suggestions == ([f"compaction-inspector: Did you mean the command {meant}?"] if meant else [])
