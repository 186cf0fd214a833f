"""Run the program without a process for each command: in the process of the tests, or many commands in one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from inspector.__main__ import main

ROOT = Path(__file__).resolve().parent.parent


class Done(NamedTuple):
    """Exit code and output of a run."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the program without a terminal and without the user's files."""
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


#: Run the program once for each list of words, and mark the end of each run on both streams.
_EACH = """
import json, sys
from inspector.__main__ import main
for words in json.load(sys.stdin):
    sys.argv[1:] = words
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code or 0
    for stream in (sys.stdout, sys.stderr):
        print(end=f"\\1{code}\\0", file=stream, flush=True)
"""


def run_each(environment: Mapping[str, str], commands: Sequence[Sequence[str]]) -> list[Done]:
    """Run the program with the words of each command, all in one process, with additional environment variables."""
    done = subprocess.run(
        [sys.executable, "-c", _EACH], input=json.dumps(commands), env={**os.environ, **environment}, cwd=ROOT,
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    streams = (stream.split("\0")[:-1] for stream in (done.stdout, done.stderr))
    ended = ((*out.split("\1"), errors.partition("\1")[0]) for out, errors in zip(*streams, strict=True))
    return [Done(int(code), out, errors) for out, code, errors in ended]
