"""A question about many sessions, answered by one process, two processes, and two workers of a Dask cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.context import ROOT, Context, fresh_environment
from tests.benchmarks.figures import Figure

#: Measurements of each way. The cores may be shared, so the best counts.
_RUNS = 3
#: Minimum speed-up of two processes.
_SPEED_UP = 1.8
_PORT = 18_786


def measure(context: Context) -> list[Figure]:
    """Measure `losses` over the whole database, without kept results."""
    sessions = f"{context.shape.conversations:,} sessions"
    one, alone = _best(context.database, "local:1")
    two, parent = _best(context.database, "local:2")
    figures = [
        Figure(f"losses of {sessions}, 1 process", one, "s", note=f"{alone:.0f} MB"),
        Figure(
            f"losses of {sessions}, 2 processes", two, "s", note=f"{parent:.0f} MB for the command itself"
        ),
        Figure(
            "2 processes: time relative to 1 process",
            two / one,
            "",
            1 / _SPEED_UP,
            f"speed-up {one / two:.2f}",
        ),
    ]
    if find_spec("distributed") is None:
        return figures
    address = f"tcp://127.0.0.1:{_PORT}"
    for killed in (False, True):
        with _cluster() as (scheduler, workers):
            kill = workers[0] if killed else None
            # One run, because the workers keep their results for a second run.
            taken, own = _best(context.database, address, 1, kill)
            memory = _peak(scheduler.pid)
        name = "2 Dask workers, one killed" if killed else "2 Dask workers"
        note = f"{own:.0f} MB for the command, {memory:.0f} MB for the scheduler"
        figures.append(Figure(f"losses of {sessions}, {name}", taken, "s", note=note))
    return figures


def _best(
    database: Path, scheduler: str, runs: int = _RUNS, killed: subprocess.Popen[bytes] | None = None
) -> tuple[float, float]:
    """Return the shortest time in seconds, and the largest memory in MB."""
    taken, memory = [], []
    for _ in range(runs):
        with fresh_environment() as (environment, _):
            seconds, peak = _run(database, scheduler, environment, killed)
        taken.append(seconds)
        memory.append(peak)
    return min(taken), max(memory)


def _run(
    database: Path, scheduler: str, environment: Mapping[str, str], killed: subprocess.Popen[bytes] | None
) -> tuple[float, float]:
    command = [sys.executable, "-m", "inspector", "losses", str(database), "--json", "--scheduler", scheduler]
    began, peak = time.monotonic(), 0.0
    process = subprocess.Popen(command, env=dict(environment), cwd=ROOT, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        peak = max(peak, _peak(process.pid))
        if killed is not None and time.monotonic() - began > 5:
            killed.send_signal(signal.SIGKILL)
            killed = None
        time.sleep(0.05)
    if process.returncode:
        sys.exit(f"losses --scheduler {scheduler} failed")
    return time.monotonic() - began, peak


def _peak(process: int) -> float:
    """Return the largest memory that a process had, in MB."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


@contextmanager
def _cluster() -> Iterator[tuple[subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]]:
    with fresh_environment() as (environment, folder):
        # Each worker has a separate cache, as on another machine.
        def begin(number: int, *words: str) -> subprocess.Popen[bytes]:
            own = {**environment, "XDG_CACHE_HOME": str(folder / f"cache {number}")}
            command = [str(Path(sys.executable).with_name("dask")), *words]
            return subprocess.Popen(
                command, env=own, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )

        address = f"tcp://127.0.0.1:{_PORT}"
        scheduler = begin(0, "scheduler", "--port", str(_PORT), "--dashboard-address", ":0")
        local = ("--local-directory", os.fspath(folder), "--nthreads", "1", "--no-nanny", "--no-dashboard")
        workers = [begin(number, "worker", address, *local) for number in (1, 2)]
        try:
            time.sleep(4)
            yield scheduler, workers
        finally:
            for process in (*workers, scheduler):
                process.kill()
                process.wait()
