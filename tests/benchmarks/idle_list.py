"""The idle app on its list, and the commands about a conversation with more than a hundred compactions. Cold runs start
with an empty cache, warm runs with the cache of the run before."""

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
#: Minimum time that the idle app is measured, and maximum time until it is at rest, in seconds.
IDLE_SECONDS, MAX_SECONDS = 60.0, 600.0
#: The app is at rest if it takes at most this share of a core for at least this many seconds.
_REST_SHARE, _REST_SECONDS = 0.02, 3.0
#: Commands about the conversation, with the target of a cold run in seconds.
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
#: Target of a warm run in seconds.
_WARM = 3
#: Seconds between two samples of a process.
_SAMPLE_INTERVAL = 0.01
_TICK = os.sysconf("SC_CLK_TCK")


def measure(context: Context) -> list[Figure]:
    """Measure processor time, memory and duration."""
    shape = Shape(min(110_000, context.shape.messages), 200, context.shape.release, compactions=COMPACTIONS)
    database = ensure(context.database.parent, shape)
    with fresh_environment() as (environment, _):
        figures = [*_idle(database, environment, "cold"), *_idle(database, environment, "warm")]
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


def _idle(database: Path, environment: Mapping[str, str], temperature: str) -> list[Figure]:
    """Measure the app on its list: processor time of its processes in a minute, peak memory, and when it is at rest."""
    with Terminal([sys.executable, "-m", "inspector", str(database)], environment, ROOT) as terminal:
        terminal.until_seen("conversation")
        began = time.perf_counter()
        taken = [(0.0, _seconds(terminal.pid))]
        most = 0.0
        while (at := time.perf_counter() - began) < IDLE_SECONDS or (
            _at_rest(taken) is None and at < MAX_SECONDS
        ):
            terminal.quiet(0.2, 0.5)
            taken.append((at, _seconds(terminal.pid)))
            most = max(most, _megabytes(terminal.pid))
        held = _megabytes(terminal.pid)
    spent = max(seconds for at, seconds in taken if at <= IDLE_SECONDS)
    rest = _at_rest(taken)
    note = f"not at rest after {MAX_SECONDS:.0f} s" if rest is None else f"at rest after {rest:.0f} s"
    note += f" ({taken[-1][1]:.0f} s of processor time)"
    name = f"the idle list, {temperature}"
    return [
        Figure(f"{name}: processor time of a minute", spent, "s", 5 if temperature == "warm" else None, note),
        Figure(f"{name}: memory of all its processes", most, "MB", 150, f"{held:.0f} MB at the end"),
    ]


def _at_rest(taken: Sequence[tuple[float, float]]) -> float | None:
    """Return when the app came to rest, None if it did not."""
    end, total = taken[-1]
    for at, spent in taken:
        if total - spent <= _REST_SHARE * max(end - at, 0.0) and end - at >= _REST_SECONDS:
            return at
    return None


def _tree(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _status(int(entry.name))):
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    processes, waiting = [], [pid]
    while waiting:
        process = waiting.pop()
        processes.append(process)
        waiting += parents.get(process, ())
    return processes


def _status(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; empty for an ended process."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return []


def _seconds(pid: int) -> float:
    """Return the processor time of a process and its children, including ended children."""
    statuses = [_status(process) for process in _tree(pid)]
    return sum(sum(map(int, fields[11:15])) for fields in statuses if fields) / _TICK


def _megabytes(pid: int) -> float:
    """Return the memory of a process and its children; shared memory counts once."""
    total = 0
    for process in _tree(pid):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1_000


def _peak(pid: int) -> float:
    """Return the peak memory of a process in MB; 0 for an ended process."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1_024 / 1e6


class _Run(NamedTuple):
    """Cost of a command: seconds, seconds of processor time, peak memory in MB, and size of its output in bytes."""

    seconds: float
    processor: float
    megabytes: float
    size: int

    @property
    def note(self) -> str:
        """Processor time, memory and size of the output, as a text."""
        took = f"{self.processor:.1f} s of processor time, {self.megabytes:.0f} MB at most"
        return f"{took}; {self.size / 1e6:.1f} MB of output"


def _command(database: Path, words: Sequence[str], environment: Mapping[str, str]) -> _Run:
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
            # The system's peak of a process (rusage) starts with that of its parent, so sample it.
            most = max(most, _peak(process.pid))
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            time.sleep(_SAMPLE_INTERVAL)
        took = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, program)
        return _Run(took, used.ru_utime + used.ru_stime, most, answer.seek(0, os.SEEK_END))
