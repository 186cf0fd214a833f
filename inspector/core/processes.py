"""Worker processes: other processes of this program that call its functions."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import inspector
from inspector.core.errors import InspectorError

#: Marks a worker process in its environment.
_WORKER = "COMPACTION_INSPECTOR_WORKER"


class WorkerEnded(InspectorError):
    """A worker process ended before its work was done, or failed."""


class Answer(NamedTuple):
    """The answer of a worker to one call: a value, or an error. `ended`: the worker takes no more calls."""

    worker: Worker
    value: Any = None
    error: InspectorError | None = None
    ended: bool = False

    def result(self) -> Any:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


class Worker:
    """A process that calls functions of modules, one after the other, until `end` or the end of this process.

    Functions, arguments and values are pickled. Each answer is put into `answers`, which several workers may share.
    Calls are sent at once, so that the process never waits for this one. `low` gives the process the lowest priority.
    Raises OSError if no process can be started.
    """

    def __init__(self, answers: SimpleQueue[Answer] | None = None, low: bool = False) -> None:
        self.answers: SimpleQueue[Answer] = SimpleQueue() if answers is None else answers
        self.process = _begin(low)
        self._calls: SimpleQueue[bytes | None] = SimpleQueue()
        self._sent: SimpleQueue[bool] = SimpleQueue()
        for work in (self._send, self._receive):
            Thread(target=work, daemon=True).start()

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function of a module in the process, after the calls before."""
        self._calls.put(pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL))

    def end(self) -> None:
        """Kill the process. Its pipes stay open for their threads."""
        self._calls.put(None)
        self.process.kill()
        self.process.wait()

    def _send(self) -> None:
        calls = self.process.stdin
        assert calls is not None
        while (asked := self._calls.get()) is not None:
            # If the process has ended, there is no answer to read.
            with suppress(OSError, ValueError):
                calls.write(asked)
                calls.flush()
            self._sent.put(True)
        self._sent.put(False)

    def _receive(self) -> None:
        while self._sent.get():
            self.answers.put(self._answer())

    def _answer(self) -> Answer:
        answers = self.process.stdout
        assert answers is not None
        try:
            value, error = pickle.load(answers)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            ended = WorkerEnded("A worker process ended before its work was done.")
            return Answer(self, error=ended, ended=True)
        return Answer(self, value, error)


def in_worker() -> bool:
    """Return whether this process is a worker. A worker starts no other workers."""
    return _WORKER in os.environ


def become_worker() -> None:
    """Mark this process and its child processes as workers."""
    os.environ[_WORKER] = "1"


def _begin(low: bool) -> subprocess.Popen[bytes]:
    """Start a worker process, from any current folder.

    Unlike multiprocessing, it does not run the main script again.
    """
    package_root = str(Path(inspector.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "inspector.core.worker", *(["low"] if low else [])],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, (package_root, os.environ.get("PYTHONPATH")))),
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Its errors must not reach the screen; the caller reports a failure.
        stderr=subprocess.DEVNULL,
        # Signals from the keyboard go only to the parent process.
        start_new_session=True,
    )
