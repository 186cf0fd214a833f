"""The interface of what runs calls, and the worker processes of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol

from inspector.core.errors import InspectorError
from inspector.core.processes import Answer, Worker

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
        self, function: Callable[..., object], calls: Sequence[tuple[Any, ...]], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """Call the function with each tuple of arguments, and yield the outcomes as they arrive.

        `wait` is called a few times a second, and its exception ends the work. When the iterator ends or is closed,
        nothing is left at work. A process that dies costs only the calls that it had.
        """
        ...


class LocalWorkers:
    """Worker processes of this machine, at most `count`."""

    def __init__(self, count: int) -> None:
        self._count = count

    def map(
        self, function: Callable[..., object], calls: Sequence[tuple[Any, ...]], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """As `Workers.map`. If no process can be started, the calls run in this one."""
        waiting = deque((number, _TRIES) for number in range(len(calls)))
        answers: SimpleQueue[Answer] = SimpleQueue()
        busy: dict[Worker, tuple[int, int]] = {}
        idle: list[Worker] = []
        try:
            while waiting or busy:
                while waiting and (worker := self._free(idle, busy, answers)) is not None:
                    number, tries = busy[worker] = waiting.popleft()
                    worker.call(function, *calls[number])
                if not busy:
                    number, _ = waiting.popleft()
                    yield _here(number, function, calls[number])
                    continue
                try:
                    answer = answers.get(timeout=LOOK)
                except Empty:
                    wait()
                    continue
                number, tries = busy.pop(answer.worker)
                if not answer.ended:
                    idle.append(answer.worker)
                    yield Done(number, answer.value, answer.error)
                elif tries > 1:
                    answer.worker.end()
                    # Behind the others: what ends a process once may end it again.
                    waiting.append((number, tries - 1))
                else:
                    answer.worker.end()
                    yield Done(number, error=answer.error)
                wait()
        finally:
            for worker in (*busy, *idle):
                worker.end()

    def _free(
        self, idle: list[Worker], busy: dict[Worker, tuple[int, int]], answers: SimpleQueue[Answer]
    ) -> Worker | None:
        if idle:
            return idle.pop()
        if len(busy) < self._count:
            with suppress(OSError):
                return Worker(answers)
        return None


def _here(number: int, function: Callable[..., object], call: tuple[Any, ...]) -> Done:
    try:
        return Done(number, function(*call))
    except InspectorError as error:
        return Done(number, error=error)
