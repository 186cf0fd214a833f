"""A guard around an engine of another package. If a call hangs or returns an invalid value, the error is a sentence.
Calls run in separate threads, so that the program can go on if one hangs.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from math import isfinite
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.core.errors import EngineError, InspectorError
from inspector.engines.base import BUDGET_NAMES, Budgets, Output, Plan
from inspector.engines.settings import SETTINGS
from inspector.engines.summary_input import SummaryInput

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

#: Maximum seconds of a call between two messages that it asks for.
PATIENCE = 60.0
_INDEX_METHODS = ("__len__", "tokens", "pruned_tokens", "total", "rough_until")
#: Numbers of a plan: indexes and counts are whole, estimates of tokens need only be finite.
_WHOLE = ("length", "head_end", "tail_start", "prune_before", "summarized_from")
_ESTIMATES = (
    "summary_budget", "head_tokens", "middle_tokens", "tail_tokens", "tokens_before", "tokens_after", "summary_tokens",
)  # fmt: skip


class GuardedEngine:
    """An engine with every method guarded. It has only the methods of the engine.

    Raises EngineErrors that name the engine. Its output is dropped: standard output belongs to the answer.
    """

    def __init__(self, engine: Any, name: str, patience: float | None = None) -> None:
        self._engine = engine
        self.name = name
        self.summary = str(getattr(engine, "summary", ""))
        self._patience = PATIENCE if patience is None else patience
        self._idle: list[_Worker] = []
        self._hung = ""

    def __getattr__(self, method: str) -> Any:
        # Names with two underscores are not methods of the protocol.
        if method.startswith("_"):
            raise AttributeError(method)
        attribute = getattr(self._engine, method)
        if not callable(attribute):
            return attribute

        def guarded(*values: Any, **options: Any) -> Any:
            return self._call(method, attribute, *values, **options)

        return guarded

    def _call(self, method: str, function: Callable[..., Any], *values: Any, **options: Any) -> Any:
        if self._hung:
            raise EngineError(self._hung)
        clock = _Clock()
        if method == "measure" and values:
            values = (clock.ticking(values[0]), *values[1:])
        try:
            with quiet():
                result, problem = self._run(
                    lambda: (result := function(*values, **options), _problem(method, result)), clock
                )
        except TimeoutError:
            self._hung = (
                f"The engine {self.name} did not return from {method} within {self._patience:g} seconds."
            )
            raise EngineError(self._hung) from None
        except InspectorError:
            raise
        except (Exception, SystemExit) as error:  # another package's code may raise anything
            raise EngineError(f"The engine {self.name} failed: {type(error).__name__}: {error}.") from error
        if problem:
            raise EngineError(f"The engine {self.name} failed: {method} returned {problem}.")
        return result

    def _run(self, work: Callable[[], T], clock: _Clock) -> T:
        worker = self._idle.pop() if self._idle else _Worker()
        answer = worker.run(work, clock, self._patience)
        self._idle.append(worker)
        return answer.result()


class _Clock:
    """The last time at which a call asked for a message."""

    def __init__(self) -> None:
        self.at = time.monotonic()

    def ticking(self, messages: Iterable[T]) -> Iterator[T]:
        for message in messages:
            self.at = time.monotonic()
            yield message
            self.at = time.monotonic()


class _Worker:
    """A thread that runs calls one after the other. Python does not wait for it at the end of the program."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        threading.Thread(target=self._work, name="engine", daemon=True).start()

    def run(self, work: Callable[[], T], clock: _Clock, patience: float) -> Future[T]:
        """Return the outcome of a call once it ended. Raises TimeoutError."""
        from concurrent.futures import Future

        answer: Future[T] = Future()
        self._asked.put((work, answer))
        while not answer.done():
            with suppress(TimeoutError):
                answer.exception(max(clock.at + patience - time.monotonic(), 0.0))
            if not answer.done() and time.monotonic() - clock.at >= patience:
                raise TimeoutError
        return answer

    def _work(self) -> None:
        while True:
            work, answer = self._asked.get()
            try:
                answer.set_result(work())
            except BaseException as error:  # noqa: BLE001 (raised again where the call was made)
                answer.set_exception(error)
            # Free the result of a call before the next call.
            del work, answer


_PRINTING = threading.Lock()
_quiet_calls = 0
_redirection: Any = None


@contextmanager
def quiet() -> Iterator[None]:
    """Drop printed text while any call runs. All threads share standard output: the first call replaces it, the last
    call restores it."""
    global _quiet_calls, _redirection
    with _PRINTING:
        _quiet_calls += 1
        if _quiet_calls == 1:
            _redirection = redirect_stdout(io.StringIO())
            _redirection.__enter__()
    try:
        yield
    finally:
        with _PRINTING:
            _quiet_calls -= 1
            if _quiet_calls == 0:
                _redirection.__exit__(None, None, None)


def load(make: Callable[[], Any]) -> Any:
    """Return the result of `make`. Raises TimeoutError, and any exception of another package's code."""
    with quiet():
        return _Worker().run(make, _Clock(), PATIENCE).result()


def _problem(method: str, result: Any) -> str:
    """Return why a returned value is invalid, as the end of a sentence after "returned "; "" if it is valid."""
    match method:
        case "budgets":
            return (
                _not_a(result, Budgets)
                or _numbers(result, (), tuple(BUDGET_NAMES))
                or ("" if result.threshold_tokens > 0 else f"{result.threshold_tokens} as threshold_tokens")
            )
        case "plan":
            return (
                _not_a(result, Plan)
                or _not_a(result.budgets, Budgets)
                or _numbers(result, _WHOLE, _ESTIMATES)
                or next((_described(at) for at in result.pruned if type(at) is not int), "")
            )
        case "fires":
            return "" if result in (None, "agent", "hygiene") else _described(result)
        case "measure":
            lacking = [part for part in _INDEX_METHODS if not hasattr(result, part)]
            if lacking:
                return f"something without {', '.join(lacking)}"
            total = result.total()
            return "" if _is_finite(total) else f"a list whose total is {_described(total)}"
        case "default_threshold":
            low = SETTINGS["threshold"].low
            return "" if result is None or (_is_finite(result) and low <= result <= 1) else _described(result)
        case "prune" | "assemble":
            kind = Mapping if method == "prune" else Output
            return _not_a(result, Sequence) or next(
                (_described(item) for item in result if not isinstance(item, kind)), ""
            )
        case "pruned_wire":
            return "" if result is None or isinstance(result, Mapping) else _described(result)
        case "fallback_raises":
            return _not_a(result, str)
        case "summary_input":
            return _not_a(result, SummaryInput)
    return ""


def _not_a(result: Any, wanted: type) -> str:
    return "" if isinstance(result, wanted) else f"{_described(result)}, not a {wanted.__name__}"


def _numbers(result: Any, integers: Sequence[str], finite: Sequence[str]) -> str:
    for name in (*integers, *finite):
        value = getattr(result, name)
        if not _is_finite(value) or (name in integers and (type(value) is not int or value < 0)):
            return f"{_described(value)} as {name}"
    return ""


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _described(value: Any) -> str:
    return f"{value!r:.60}" if isinstance(value, int | float | str | None) else f"a {type(value).__name__}"
