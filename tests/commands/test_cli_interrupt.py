"""Ctrl-C behind a sweep in several processes: what is done is printed, nobody is left at work, no traceback."""

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
    not hasattr(os, "openpty"), reason="how far a sweep is, only a terminal is told"
)

ROOT = Path(__file__).resolve().parents[2]
SHORT, LONG = 3, 3
#: So many cells that nobody is done with a long conversation before the interrupt comes.
GRID = [
    "--threshold", "0.1:0.9:0.04", "--target-ratio", "0.1:0.8:0.04", "--context-length", "200000", "--profile",
    "hermes-0.13",
]  # fmt: skip
#: The longest that anything may take, in seconds.
PATIENCE = 60


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of a few short conversations, and of others so long that their sweep takes minutes."""
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


def _mind_interrupts() -> None:
    """As at a terminal: what runs in the background of a shell is told to ignore them, and hands that down."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Sweeping:
    """The command on a terminal that is read to its end: until no process holds it any more."""

    def __init__(self, words: list[str], home: Path) -> None:
        self._master, slave = os.openpty()
        environment = {
            "HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_STATE_HOME": str(home), "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1", "PATH": os.environ.get("PATH", ""),
        }  # fmt: skip
        command = [sys.executable, "-m", "inspector", "sweep", *words]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave,
            start_new_session=True, preexec_fn=_mind_interrupts,
        )  # fmt: skip
        os.close(slave)
        self.told = ""

    def read(self) -> bool:
        """Read what is told next; false where nobody is there any more to tell something."""
        assert readable(self._master, PATIENCE), f"nothing is told any more, behind {self.told!r}"
        try:
            found = os.read(self._master, 4096)
        except OSError:
            return False
        self.told += found.decode()
        return bool(found)

    def until(self, text: str) -> None:
        """Wait until it tells something."""
        while text not in self.told:
            assert self.read(), self.told

    def end(self) -> tuple[int, str]:
        """Wait until all its processes have ended; the exit code and what was printed."""
        printed, _ = self.process.communicate(timeout=PATIENCE)
        while self.read():
            pass
        os.close(self._master)
        return self.process.returncode, printed.decode()

    def kill(self) -> None:
        """End whatever a test that failed left."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.mark.parametrize("form", also("--json", "--csv", ""))
def test_what_is_done_is_kept(database: Path, tmp_path: Path, form: str) -> None:
    sweeping = Sweeping([str(database), *GRID, *([form] if form else [])], tmp_path)
    try:
        sweeping.until(f"{SHORT} of {SHORT + LONG}, ")
        # A terminal sends it to every process of the command.
        os.killpg(sweeping.process.pid, signal.SIGINT)
        code, printed = sweeping.end()
    finally:
        sweeping.kill()
    assert code == 130
    assert "Traceback" not in sweeping.told + printed
    sentence = f"interrupted; the answer covers {SHORT} of {SHORT + LONG} conversations."
    assert sentence in sweeping.told
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
def test_before_anything_is_done(database: Path, tmp_path: Path, whole: bool) -> None:
    sweeping = Sweeping([str(database), *GRID, "--json"], tmp_path)
    try:
        sweeping.until(f"0 of {SHORT + LONG}")
        # Its processes are being begun: they know nothing yet of who decides what an interrupt means.
        if whole:
            os.killpg(sweeping.process.pid, signal.SIGINT)
        else:
            os.kill(sweeping.process.pid, signal.SIGINT)
        code, printed = sweeping.end()
    finally:
        sweeping.kill()
    assert (code, printed) == (130, "")
    assert "interrupted before any conversation was done." in sweeping.told
    assert "Traceback" not in sweeping.told
