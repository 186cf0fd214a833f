"""The interface of what runs calls, and the worker processes of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol

from inspector.core.errors import InspectorError
from inspector.core.processes import Answer, Worker

#: Calls that a process has at once: one at work, and others that wait for it.
AHEAD = 3
#: Seconds between two calls of `wait`.
LOOK = 0.1
#: How often a call is tried. A process that ends during a call may have been ended by something else.
_TRIES = 2


class Done(NamedTuple):
    """The outcome of one call: its number, and a value or an error."""

    number: int
    value: Any = None
    error: InspectorError | None = None


class Workers(Protocol):
    """Processes that call functions of modules."""

    def map(
        self, function: Callable[..., object], calls: Iterable[tuple[Any, ...]], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """Call the function with each tuple of arguments, and yield the outcomes as they arrive.

        `calls` is read as far as the processes need. `wait` is called a few times a second, and its exception ends the
        work. When the iterator ends or is closed, nothing is left at work. A process that dies costs only its call.
        """
        ...


class _Call(NamedTuple):
    number: int
    arguments: tuple[Any, ...]
    tries: int = _TRIES


class LocalWorkers:
    """Worker processes of this machine, at most `count`."""

    def __init__(self, count: int) -> None:
        self._count = count

    def map(
        self, function: Callable[..., object], calls: Iterable[tuple[Any, ...]], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """As `Workers.map`. If no process can be started, the calls run in this one."""
        fresh = (_Call(number, arguments) for number, arguments in enumerate(calls))
        again: deque[_Call] = deque()
        answers: SimpleQueue[Answer] = SimpleQueue()
        workers: dict[Worker, deque[_Call]] = {}
        more = True
        try:
            while True:
                while more and (worker := self._free(workers, answers)) is not None:
                    call = next(fresh, None)
                    if call is None:
                        more = bool(again)
                        call = again.popleft() if again else None
                    if call is not None:
                        workers[worker].append(call)
                        worker.call(function, *call.arguments)
                if not any(workers.values()):
                    call = next(fresh, None) if more else None
                    if call is None:
                        return
                    yield _here(function, call)
                    continue
                try:
                    answer = answers.get(timeout=LOOK)
                except Empty:
                    wait()
                    continue
                if answer.worker not in workers:
                    # The answers to the other calls of a process that ended.
                    continue
                call = workers[answer.worker].popleft()
                if not answer.ended:
                    yield Done(call.number, answer.value, answer.error)
                else:
                    answer.worker.end()
                    again.extend(workers.pop(answer.worker))
                    # Behind the others: what ends a process once may end it again.
                    if call.tries > 1:
                        again.append(call._replace(tries=call.tries - 1))
                    else:
                        yield Done(call.number, error=answer.error)
                    more = more or bool(again)
                wait()
        finally:
            for worker in workers:
                worker.end()

    def _free(self, workers: dict[Worker, deque[_Call]], answers: SimpleQueue[Answer]) -> Worker | None:
        """Return the worker that takes the next call: an idle or a new one, then one with a single call."""
        least = min(workers, key=lambda worker: len(workers[worker]), default=None)
        if (least is None or workers[least]) and len(workers) < self._count:
            with suppress(OSError):
                worker = Worker(answers)
                workers[worker] = deque()
                return worker
        return least if least is not None and len(workers[least]) < AHEAD else None


def _here(function: Callable[..., object], call: _Call) -> Done:
    try:
        return Done(call.number, function(*call.arguments))
    except InspectorError as error:
        return Done(call.number, error=error)
