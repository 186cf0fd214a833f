"""Ctrl-C during a sweep in several processes: it prints finished cells, ends all processes, and shows no traceback."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import also
from tests.readable import readable
from tests.stores.writer import Writer, create, talk

pytestmark = pytest.mark.skipif(
    not hasattr(os, "openpty"), reason="only a terminal shows the progress of a sweep"
)

ROOT = Path(__file__).resolve().parents[2]
SHORT, LONG = 3, 3
#: Enough cells that a long conversation takes longer than the time until the interrupt.
GRID = [
    "--threshold", "0.1:0.9:0.04", "--target-ratio", "0.1:0.8:0.04", "--context-length", "200000", "--profile",
    "hermes-0.13",
]  # fmt: skip
#: Timeout of every wait, in seconds.
TIMEOUT = 60


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a database with a few short conversations, and with long conversations whose sweep takes minutes."""
    path = tmp_path_factory.mktemp("sweep") / "state.db"
    db = create(path, fts=False)
    db.execute("BEGIN")
    for number in range(SHORT + LONG):
        writer = Writer(db, tip=f"s{number}", clock=1.7e9 - 100_000 * number)
        writer.begin(title=f"Talk {number}", system_prompt="You are an agent.")
        long = number >= SHORT
        writer.say(
            {**wire, "content": f"{wire['content']}{' and so on' * 200 * long}"}
            for wire in talk(250 if long else 2)
        )
    db.execute("COMMIT")
    db.close()
    return path


def _handle_interrupts() -> None:
    """Handle interrupts as at a terminal, because a background process of a shell inherits that they are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Sweeping:
    """The command on a terminal. Its output is read until no process has the terminal open."""

    def __init__(self, words: list[str], home: Path) -> None:
        self._master, slave = os.openpty()
        environment = {
            "HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_STATE_HOME": str(home), "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1", "PATH": os.environ.get("PATH", ""),
        }  # fmt: skip
        command = [sys.executable, "-m", "inspector", "sweep", *words]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave,
            start_new_session=True, preexec_fn=_handle_interrupts,
        )  # fmt: skip
        os.close(slave)
        self.output = ""

    def read(self) -> bool:
        """Read the next output; return False if all processes closed the terminal."""
        assert readable(self._master, TIMEOUT), f"no more output after {self.output!r}"
        try:
            found = os.read(self._master, 4096)
        except OSError:
            return False
        self.output += found.decode()
        return bool(found)

    def until(self, text: str) -> None:
        """Wait until the output has a text."""
        while text not in self.output:
            assert self.read(), self.output

    def end(self) -> tuple[int, str]:
        """Wait until all processes have ended; return the exit code and the output."""
        printed, _ = self.process.communicate(timeout=TIMEOUT)
        while self.read():
            pass
        os.close(self._master)
        return self.process.returncode, printed.decode()

    def kill(self) -> None:
        """End the processes that a failed test left."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.mark.parametrize("form", also("--json", "--csv", ""))
def test_finished_cells_are_printed(database: Path, tmp_path: Path, form: str) -> None:
    sweeping = Sweeping([str(database), *GRID, *([form] if form else [])], tmp_path)
    try:
        sweeping.until(f"{SHORT} of {SHORT + LONG}, ")
        # A terminal sends the interrupt to every process of the command.
        os.killpg(sweeping.process.pid, signal.SIGINT)
        code, printed = sweeping.end()
    finally:
        sweeping.kill()
    assert code == 130
    assert "Traceback" not in sweeping.output + printed
    sentence = f"interrupted; the answer covers {SHORT} of {SHORT + LONG} conversations."
    assert sentence in sweeping.output
    if form == "--json":
        document = json.loads(printed)
        assert (document["complete"], document["conversations"]) == (False, SHORT)
        assert document["metrics"]["compactions"][0][0] == 0
    elif form == "--csv":
        table = list(csv.DictReader(io.StringIO(printed)))
        assert len(table) == 21 * 18
        assert all(line["compactions"] == "0.0" for line in table)
    else:
        assert printed.startswith(f"{SHORT} conversations")


@pytest.mark.parametrize("whole", also(True, False))
def test_an_interrupt_before_the_first_cell(database: Path, tmp_path: Path, whole: bool) -> None:
    sweeping = Sweeping([str(database), *GRID, "--json"], tmp_path)
    try:
        sweeping.until(f"0 of {SHORT + LONG}")
        # The processes are starting, and have no handler for interrupts yet.
        if whole:
            os.killpg(sweeping.process.pid, signal.SIGINT)
        else:
            os.kill(sweeping.process.pid, signal.SIGINT)
        code, printed = sweeping.end()
    finally:
        sweeping.kill()
    assert (code, printed) == (130, "")
    assert "interrupted before any conversation was done." in sweeping.output
    assert "Traceback" not in sweeping.output
