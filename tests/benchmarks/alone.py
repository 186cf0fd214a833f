"""The app left alone on its list, and the commands about a conversation that was compacted more than a hundred times:
cold, with nothing kept, and warm, as the run before left it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from tests.benchmarks.context import ROOT, Context, fresh_environment
from tests.benchmarks.figures import Figure
from tests.benchmarks.generator import LONGEST, Shape, ensure
from tests.benchmarks.terminal import Terminal

COMPACTIONS = 119
#: The app is left alone for so long, in seconds; then, cold, until it comes to rest, so that all is known when it is
#: started again.
MINUTE, MOST = 60.0, 600.0
#: It is idle when it takes no more than this of a core, in a span of so many seconds.
_IDLE, _SPAN = 0.02, 3.0
#: Words of the commands about the conversation, and how long each may take cold, in seconds.
COMMANDS = (
    (("compactions",), 5),
    (("facts",), 60),
    (("losses",), 60),
    (("findings",), 60),
    (("measures",), 60),
    (("diff", "--lineage"), 60),
    (("replay",), 60),
    (("report",), 60),
)
_WARM = 3
#: A process is looked at so often, in seconds.
_GLANCE = 0.01
_TICK = os.sysconf("SC_CLK_TCK")


def measure(context: Context) -> list[Figure]:
    """What it costs, in processor time, memory and waiting."""
    shape = Shape(min(110_000, context.shape.messages), 200, context.shape.release, compactions=COMPACTIONS)
    database = ensure(context.database.parent, shape)
    with fresh_environment() as (environment, _):
        figures = [*_alone(database, environment, "cold"), *_alone(database, environment, "warm")]
    for words, most in COMMANDS:
        with fresh_environment() as (environment, _):
            cold = _command(database, words, environment)
            warm = _command(database, words, environment)
        name = f"{' '.join(words)} of {shape.longest:,} messages, {COMPACTIONS} compactions"
        figures += [
            Figure(f"{name}, cold", cold.seconds, "s", most, cold.note),
            Figure(f"{name}, warm", warm.seconds, "s", _WARM, warm.note),
        ]
    return figures


def _alone(database: Path, environment: Mapping[str, str], how: str) -> list[Figure]:
    """The app on its list: processor time of all its processes in the first minute, the most memory, when it came to
    rest."""
    with Terminal([sys.executable, "-m", "inspector", str(database)], environment, ROOT) as terminal:
        terminal.until_seen("conversation")
        began = time.perf_counter()
        taken = [(0.0, _seconds(terminal.pid))]
        most = 0.0
        while (at := time.perf_counter() - began) < MINUTE or (_at_rest(taken) is None and at < MOST):
            terminal.quiet(0.2, 0.5)
            taken.append((at, _seconds(terminal.pid)))
            most = max(most, _megabytes(terminal.pid))
        held = _megabytes(terminal.pid)
    spent = max(seconds for at, seconds in taken if at <= MINUTE)
    rest = _at_rest(taken)
    note = f"not at rest after {MOST:.0f} s" if rest is None else f"at rest after {rest:.0f} s"
    note += f", which took {taken[-1][1]:.0f} s of a processor"
    name = f"the list left alone, {how}"
    return [
        Figure(f"{name}: processor time of a minute", spent, "s", 5 if how == "warm" else None, note),
        Figure(f"{name}: memory, its processes together", most, "MB", 150, f"{held:.0f} MB at the end"),
    ]


def _at_rest(taken: Sequence[tuple[float, float]]) -> float | None:
    """The moment from which on it took next to nothing to the end; None where there is none."""
    end, total = taken[-1]
    for at, spent in taken:
        if total - spent <= _IDLE * max(end - at, 0.0) and end - at >= _SPAN:
            return at
    return None


def _tree(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _status(int(entry.name))):
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += parents.get(one, ())
    return found


def _status(pid: int) -> list[str]:
    """The fields of /proc/PID/stat behind the name; empty for a process that has ended."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return []


def _seconds(pid: int) -> float:
    """Processor time of a process and its children, those that have ended included."""
    fields = [_status(one) for one in _tree(pid)]
    return sum(sum(map(int, one[11:15])) for one in fields if one) / _TICK


def _megabytes(pid: int) -> float:
    """Memory of a process and its children; what they share counts once."""
    total = 0
    for one in _tree(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="utf-8").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1_000


def _peak(pid: int) -> float:
    """The most memory in MB that a process ever had; 0 of one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1_024 / 1e6


class _Ran(NamedTuple):
    """What a command took: seconds, seconds of a processor, the most memory in MB, and its answer in octets."""

    seconds: float
    processor: float
    megabytes: float
    size: int

    @property
    def note(self) -> str:
        """What stands beside the seconds."""
        took = f"{self.processor:.1f} s of a processor, {self.megabytes:.0f} MB at most"
        return f"{took}; {self.size / 1e6:.1f} MB of output"


def _command(database: Path, words: Sequence[str], environment: Mapping[str, str]) -> _Ran:
    """Run a command about the longest conversation."""
    command, *options = words
    form = ["--output", "-"] if command == "report" else ["--json"]
    program = [sys.executable, "-m", "inspector", command, str(database), LONGEST, *options, *form]
    began = time.perf_counter()
    with TemporaryFile() as answer:
        process = subprocess.Popen(
            program, env=dict(environment), cwd=ROOT, stdout=answer, stderr=subprocess.DEVNULL
        )
        most = 0.0
        while True:
            # What the system counts of a process begins with what its parent had.
            most = max(most, _peak(process.pid))
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            time.sleep(_GLANCE)
        took = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, program)
        return _Ran(took, used.ru_utime + used.ru_stime, most, answer.seek(0, os.SEEK_END))
