"""The program run within the tests' own process: what a process of its own does, without the time that one takes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from inspector.__main__ import main

ROOT = Path(__file__).resolve().parent.parent


class Done(NamedTuple):
    """How a run ended."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the program in the checkout with these words, without a terminal and with nothing of the user's."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "HERMES_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(ROOT)

    def run(*words: str) -> Done:
        monkeypatch.setattr("sys.argv", ["compaction-inspector", *words])
        with Path(os.devnull).open() as nothing:
            monkeypatch.setattr("sys.stdin", nothing)
            with pytest.raises(SystemExit) as ended:
                main()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return Done(code or 0, *capfd.readouterr())

    return run
