"""The interface of what runs calls, and the worker processes of this machine."""

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
AHEAD = 2
#: Seconds between two calls of `wait`.
LOOK = 0.1
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
        or is closed, nothing is left at work. A process that dies costs only its call: the calls of its batch are tried
        again, one by one.
        """
        ...


class Batch(NamedTuple):
    """Calls that a process makes together; the first has a number. `tries` is how often they are tried."""

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


def numbered(batches: Iterable[Calls]) -> Iterator[Batch]:
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
        fresh = numbered(batches)
        again: deque[Batch] = deque()
        answers: SimpleQueue[Answer] = SimpleQueue()
        workers: dict[Worker, deque[Batch]] = {}
        batch: Batch | None = None
        try:
            while True:
                while batch := batch or next(fresh, None) or (again.popleft() if again else None):
                    worker = self._free(workers, answers)
                    if worker is None:
                        break
                    workers[worker].append(batch)
                    worker.call(answer, batch.calls)
                    batch = None
                if not any(workers.values()):
                    if batch is None:
                        return
                    yield from batch.done(answer(batch.calls))
                    batch = None
                    continue
                try:
                    came = answers.get(timeout=LOOK)
                except Empty:
                    wait()
                    continue
                if came.worker not in workers:
                    # The answers to the other batches of a process that ended.
                    continue
                asked = workers[came.worker].popleft()
                if came.ended:
                    came.worker.end()
                    again.extend(workers.pop(came.worker))
                if came.ended and asked.tries > 1:
                    # Last, because a conversation that killed a process may kill another.
                    again.extend(asked.alone())
                elif came.error is not None:
                    yield from asked.failed(came.error)
                else:
                    yield from asked.done(came.value)
                wait()
        finally:
            for worker in workers:
                worker.end()

    def _free(self, workers: dict[Worker, deque[Batch]], answers: SimpleQueue[Answer]) -> Worker | None:
        """Return the worker that takes the next batch: an idle or a new one, then one with a single batch."""
        least = min(workers, key=lambda worker: len(workers[worker]), default=None)
        if (least is None or workers[least]) and len(workers) < self._count:
            with suppress(OSError):
                worker = Worker(answers)
                workers[worker] = deque()
                return worker
        return least if least is not None and len(workers[least]) < AHEAD else None
