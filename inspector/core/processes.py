"""Worker processes: other processes of this program that call its functions."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import inspector
from inspector.core.errors import InspectorError

#: Batches that a process has at once: one at work, and one that waits for it.
BATCHES_AHEAD = 2
#: Maximum seconds between two calls of `wait`.
WAIT_SECONDS = 0.1
#: Maximum tries of a call. The call is not always the reason why its process ends.
_TRIES = 2
#: Characters of a fault's reason.
_LONGEST = 300
#: The lowest priority that a process can have.
_LOWEST = 19
#: Marks a worker process in its environment.
_WORKER = "COMPACTION_INSPECTOR_WORKER"

#: The arguments of several calls.
Calls = Sequence[tuple[Any, ...]]
#: The value or the error of a call.
Outcome = tuple[Any, InspectorError | None]
#: Answers a batch.
Answerer = Callable[[Calls], list[Outcome]]


class WorkerEnded(InspectorError):
    """A worker process ended before its work was done, or failed."""


class Done(NamedTuple):
    """The outcome of one call: its number, and a value or an error."""

    number: int
    value: Any = None
    error: InspectorError | None = None

    def result(self) -> Any:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


class Batch(NamedTuple):
    """Calls that a process makes together: the number of the first call, the calls, and the number of tries left."""

    first: int
    calls: Calls
    tries: int = _TRIES

    def alone(self) -> Iterator[Batch]:
        """Yield each call as a batch, with one try less."""
        for number, call in enumerate(self.calls, self.first):
            yield Batch(number, (call,), self.tries - 1)

    def done(self, outcomes: Iterable[Outcome]) -> Iterator[Done]:
        """Yield outcomes with the numbers of their calls."""
        for number, outcome in enumerate(outcomes, self.first):
            yield Done(number, *outcome)


def _numbered(batches: Iterable[Calls]) -> Iterator[Batch]:
    """Yield the batches with the numbers of their calls."""
    first = 0
    for calls in batches:
        yield Batch(first, calls)
        first += len(calls)


def outcomes_of(function: Callable[..., object], calls: Calls) -> list[Outcome]:
    """Make calls in this process; their errors are values."""
    outcomes: list[Outcome] = []
    for arguments in calls:
        try:
            outcomes.append((function(*arguments), None))
        except Exception as error:  # noqa: BLE001 (a fault of the program costs one call)
            outcomes.append((None, _failure(error)))
    return outcomes


def _failure(error: Exception) -> InspectorError:
    """Return an error that may be shown: a sentence for a fault of the program."""
    if isinstance(error, InspectorError):
        return error
    reason = f"{type(error).__name__}: {error}".rstrip(": .")[:_LONGEST]
    return WorkerEnded(f"The program failed ({reason}).")


class Workers(ABC):
    """Processes that call functions of modules."""

    def map(self, answer: Answerer, batches: Iterable[Calls], wait: Callable[[], None]) -> Iterator[Done]:
        """Let a process answer each batch, and yield the outcomes of all calls as they arrive.

        `answer` is a function of a module, such as `outcomes_of` with a function. `batches` is read as far as the
        processes need. `wait` is called a few times a second, and its exception ends the work. When the iterator ends
        or is closed, no call is left running. A process that dies costs only its call: the calls of its batch are tried
        again, one by one, and at the end, because a call that killed a process may kill another.
        """
        new, again, running = _numbered(batches), deque[Batch](), 0
        try:
            while True:
                while self.has_room():
                    batch = next(new, None) or (again.popleft() if again else None)
                    if batch is None:
                        break
                    self.send(answer, batch)
                    running += 1
                if not running:
                    return
                try:
                    batch, outcomes = self.receive()
                except Empty:
                    wait()
                    continue
                running -= 1
                if outcomes is not None:
                    yield from batch.done(outcomes)
                elif batch.tries > 1:
                    again.extend(batch.alone())
                else:
                    ended = WorkerEnded("The process that read it ended before its work was done.")
                    yield from batch.done([(None, ended)] * len(batch.calls))
                wait()
        finally:
            self.stop()

    @abstractmethod
    def has_room(self) -> bool:
        """Return whether a process has room for another batch."""

    @abstractmethod
    def send(self, answer: Answerer, batch: Batch) -> None:
        """Send a batch to a process that has room."""

    @abstractmethod
    def receive(self) -> tuple[Batch, list[Outcome] | None]:
        """Return a batch and its outcomes, None if its process has ended. Raises Empty if there is none yet."""

    @abstractmethod
    def stop(self) -> None:
        """End all running calls."""


class LocalWorkers(Workers):
    """Worker processes of this machine, at most `count`; with `low`, of the lowest priority.

    They end with each `map`, but inside a `with` block idle ones stay for the next `map`, and end with the block. If no
    process can be started, this process makes the calls.
    """

    def __init__(self, count: int = 1, low: bool = False) -> None:
        self._answers: SimpleQueue[_Answer] = SimpleQueue()
        self._workers = [_Worker(self._answers, low) for _ in range(count)]
        self._stay = False

    def __enter__(self) -> LocalWorkers:
        self._stay = True
        return self

    def __exit__(self, *error: object) -> None:
        self._stay = False
        self.stop()

    @property
    def started(self) -> bool:
        """Whether a process is running."""
        return any(worker.process is not None for worker in self._workers)

    def each(
        self, function: Callable[..., object], calls: Iterable[tuple[Any, ...]], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """Make calls of a function, each as a batch. See `map`."""
        return self.map(partial(outcomes_of, function), ([call] for call in calls), wait)

    def has_room(self) -> bool:
        return min(map(_Worker.load, self._workers)) < BATCHES_AHEAD

    def send(self, answer: Answerer, batch: Batch) -> None:
        min(self._workers, key=_Worker.load).send(answer, batch)

    def receive(self) -> tuple[Batch, list[Outcome] | None]:
        for worker in self._workers:
            if worker.sent and worker.process is None:
                # No process can be started.
                answer, batch = worker.sent.popleft()
                return batch, answer(batch.calls)
        worker, process, outcomes = self._answers.get(timeout=WAIT_SECONDS)
        if process is not worker.process:
            # The end of a process that was ended here.
            raise Empty
        if outcomes is None:
            sent = worker.end()
            for answer, batch in sent[1:]:
                worker.send(answer, batch)
            if not sent:
                raise Empty
            return sent[0][1], None
        return worker.sent.popleft()[1], outcomes

    def stop(self) -> None:
        for worker in self._workers:
            if worker.sent or not self._stay:
                worker.end()


class _Worker:
    """A process that is started when it gets a batch. Its answers are put into `answers`.

    Batches are sent at once, so that the process never waits for this one.
    """

    def __init__(self, answers: SimpleQueue[_Answer], low: bool) -> None:
        #: The batches that the process has, the running one first.
        self.sent: deque[tuple[Answerer, Batch]] = deque()
        self.process: subprocess.Popen[bytes] | None = None
        self._answers = answers
        self._low = low
        self._calls: SimpleQueue[bytes | None] = SimpleQueue()

    def load(self) -> int:
        """Return the number of batches that the process has."""
        return len(self.sent)

    def send(self, answer: Answerer, batch: Batch) -> None:
        """Let the process answer a batch after the batches before. It stays None if it cannot be started."""
        self.sent.append((answer, batch))
        if self.process is None and self.load() == 1:
            with suppress(OSError):
                self.process, self._calls = _begin(self._low), SimpleQueue()
                for work in (self._write, self._read):
                    Thread(target=work, args=(self.process, self._calls), daemon=True).start()
        if self.process is not None:
            self._calls.put(pickle.dumps((answer, batch.calls), pickle.HIGHEST_PROTOCOL))

    def end(self) -> list[tuple[Answerer, Batch]]:
        """Kill the process, and return the batches that it had. Its pipes stay open for their threads."""
        if self.process is not None:
            self._calls.put(None)
            self.process.kill()
            self.process.wait()
        sent, self.process, self.sent = [*self.sent], None, deque()
        return sent

    def _write(self, process: subprocess.Popen[bytes], calls: SimpleQueue[bytes | None]) -> None:
        assert process.stdin is not None
        while (call := calls.get()) is not None:
            # `_read` notices the end of the process.
            with suppress(OSError, ValueError):
                process.stdin.write(call)
                process.stdin.flush()

    def _read(self, process: subprocess.Popen[bytes], _: object) -> None:
        assert process.stdout is not None
        # Any error means that the process has ended, or that nothing else it writes can be understood.
        with suppress(Exception):
            while True:
                self._answers.put((self, process, pickle.load(process.stdout)))
        self._answers.put((self, process, None))


#: A worker, its process, and the outcomes of its running batch; None if the process has ended.
_Answer = tuple[_Worker, subprocess.Popen[bytes], list[Outcome] | None]


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
    python_path = os.pathsep.join(filter(None, (package_root, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"from {__name__} import work; work({low})"],
        env={**os.environ, "PYTHONPATH": python_path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Its errors must not reach the screen; the caller reports a failure.
        stderr=subprocess.DEVNULL,
        # Signals from the keyboard go only to the parent process.
        start_new_session=True,
    )


def work(low: bool) -> None:
    """Answer batches in a worker process until its input ends."""
    become_worker()
    if low and hasattr(os, "nice"):
        os.nice(_LOWEST)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # A function that prints must not write between two answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    batches: SimpleQueue[tuple[Answerer, Calls]] = SimpleQueue()
    Thread(target=_listen, args=(batches,), daemon=True).start()
    while True:
        answer, calls = batches.get()
        try:
            outcomes = pickle.dumps(answer(calls), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001 (such as a value that cannot be pickled)
            outcomes = pickle.dumps([(None, _failure(error))] * len(calls), pickle.HIGHEST_PROTOCOL)
        answers.write(outcomes)
        answers.flush()


def _listen(batches: SimpleQueue[tuple[Answerer, Calls]]) -> None:
    try:
        while True:
            batches.put(pickle.load(sys.stdin.buffer))
    finally:
        # The parent process has ended, possibly during a call.
        os._exit(0)
