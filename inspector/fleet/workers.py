"""The interface of processes that make calls, and the worker processes of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol

from inspector.core.errors import InspectorError
from inspector.core.processes import Answer, Worker
from inspector.core.worker import failure

#: Batches that a process has at once: one at work, and one that waits for it.
BATCHES_AHEAD = 2
#: Maximum seconds between two calls of `wait`.
WAIT_SECONDS = 0.1
#: Maximum tries of a call. The call is not always the reason why its process ends.
_TRIES = 2

#: The arguments of several calls.
Calls = Sequence[tuple[Any, ...]]
#: The value or the error of a call.
Outcome = tuple[Any, InspectorError | None]


class Done(NamedTuple):
    """The outcome of one call: its number, and a value or an error."""

    number: int
    value: Any = None
    error: InspectorError | None = None


class Workers(Protocol):
    """Processes that call functions of modules."""

    def map(
        self, answer: Callable[[Calls], list[Outcome]], batches: Iterable[Calls], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """Let a process answer each batch, and yield the outcomes of all calls as they arrive.

        `answer` is a function of a module, such as `outcomes_of` with a function. `batches` is read as far as the
        processes need. `wait` is called a few times a second, and its exception ends the work. When the iterator ends
        or is closed, no call is left running. A process that dies costs only its call: the calls of its batch are tried
        again, one by one.
        """
        ...


class Batch(NamedTuple):
    """Calls that a process makes together: the number of the first call, the calls, and the number of tries left."""

    first: int
    calls: Calls
    tries: int = _TRIES

    def alone(self) -> Iterator[Batch]:
        """Yield each call as a batch, with one try less."""
        for number, call in enumerate(self.calls, self.first):
            yield Batch(number, (call,), self.tries - 1)

    def done(self, outcomes: Sequence[Outcome]) -> Iterator[Done]:
        """Yield outcomes with the numbers of their calls."""
        for number, outcome in enumerate(outcomes, self.first):
            yield Done(number, *outcome)

    def failed(self, error: InspectorError) -> Iterator[Done]:
        """Yield the error as the outcome of every call."""
        return self.done([(None, error)] * len(self.calls))


class Waiting:
    """The batches that wait for a process: new ones, then calls that are tried again."""

    def __init__(self, batches: Iterable[Calls]) -> None:
        self._new = _numbered(batches)
        self._again: deque[Batch] = deque()
        self._next: Batch | None = None

    def take(self) -> Batch | None:
        """Return the next batch; None if no batch waits."""
        batch, self._next = self._next, None
        return batch or next(self._new, None) or (self._again.popleft() if self._again else None)

    def put_back(self, batch: Batch) -> None:
        """Make a batch that was taken the next one again."""
        self._next = batch

    def try_again(self, batches: Iterable[Batch]) -> None:
        """Add batches at the end, because a call that killed a process may kill another."""
        self._again.extend(batches)


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
            outcomes.append((None, failure(error)))
    return outcomes


class LocalWorkers:
    """Worker processes of this machine, at most `count`."""

    def __init__(self, count: int) -> None:
        self._count = count

    def map(
        self, answer: Callable[[Calls], list[Outcome]], batches: Iterable[Calls], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """See `Workers.map`. If no process can be started, this process makes the calls."""
        waiting = Waiting(batches)
        answers: SimpleQueue[Answer] = SimpleQueue()
        #: The batches of each worker, the running batch first.
        workers: dict[Worker, deque[Batch]] = {}
        try:
            while True:
                while batch := waiting.take():
                    worker = self._free(workers, answers)
                    if worker is None:
                        waiting.put_back(batch)
                        break
                    workers[worker].append(batch)
                    worker.call(answer, batch.calls)
                if not any(workers.values()):
                    batch = waiting.take()
                    if batch is None:
                        return
                    # No process can be started.
                    yield from batch.done(answer(batch.calls))
                    continue
                try:
                    received = answers.get(timeout=WAIT_SECONDS)
                except Empty:
                    wait()
                    continue
                if received.worker not in workers:
                    # An answer to another batch of a process that ended.
                    continue
                batch = workers[received.worker].popleft()
                if received.ended:
                    received.worker.end()
                    waiting.try_again(workers.pop(received.worker))
                if received.ended and batch.tries > 1:
                    waiting.try_again(batch.alone())
                elif received.error is not None:
                    yield from batch.failed(received.error)
                else:
                    yield from batch.done(received.value)
                wait()
        finally:
            for worker in workers:
                worker.end()

    def _free(self, workers: dict[Worker, deque[Batch]], answers: SimpleQueue[Answer]) -> Worker | None:
        """Return the worker that takes the next batch: an idle or a new one, else one with a single batch."""
        least = min(workers, key=lambda worker: len(workers[worker]), default=None)
        if (least is None or workers[least]) and len(workers) < self._count:
            with suppress(OSError):
                worker = Worker(answers)
                workers[worker] = deque()
                return worker
        return least if least is not None and len(workers[least]) < BATCHES_AHEAD else None
