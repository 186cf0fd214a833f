"""The workers of a Dask cluster (the extra `fleet`)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

from inspector import __version__
from inspector.core.errors import InspectorError, UsageProblem
from inspector.core.processes import WorkerEnded, become_worker
from inspector.core.worker import failure
from inspector.fleet.workers import AHEAD, LOOK, Done

#: Seconds to wait for a connection, and for the first worker.
PATIENCE = 20
#: Seconds between two questions for the number of workers.
_ASKED_EVERY = 5.0


class DaskWorkers:
    """The workers behind the scheduler at an address. They read the sessions at the same paths, or from the same URL.

    Raises UsageProblem if Dask is not installed, InspectorError if no scheduler or no worker answers.
    """

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError as error:
            raise UsageProblem(
                "--scheduler ADDRESS needs the extra `fleet`: pip install 'compaction-inspector[fleet]'."
            ) from error
        # Errors are reported here, as sentences.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            client: Any = distributed.Client
            self._client = client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InspectorError(f"No Dask scheduler answers at {address} ({error}).") from error
        self._asked, self._threads = -_ASKED_EVERY, 0
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            self._client.close()
            raise InspectorError(
                f"The scheduler at {address} has no worker. Start one: dask worker {address}"
            ) from error

    def map(
        self, function: Callable[..., object], calls: Iterable[tuple[Any, ...]], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """As `Workers.map`. The scheduler never has more calls than its workers need next."""
        waiting = enumerate(calls)
        more = True
        ready: SimpleQueue[Any] = SimpleQueue()
        numbers: dict[Any, int] = {}
        try:
            while more or numbers:
                while more and len(numbers) < self._room():
                    number, call = next(waiting, (0, None))
                    if call is None:
                        more = False
                        break
                    future = self._client.submit(_call, __version__, function, call, pure=False)
                    numbers[future] = number
                    future.add_done_callback(ready.put)
                if not numbers:
                    return
                try:
                    future = ready.get(timeout=LOOK)
                except Empty:
                    wait()
                    continue
                number = numbers.pop(future)
                yield _done(number, future)
                future.release()
                del future
                wait()
        finally:
            self._client.cancel(list(numbers), force=True)
            self._client.close()

    def _room(self) -> int:
        """Return how many calls may be with the scheduler; the number of workers is asked for now and then."""
        if time.monotonic() - self._asked > _ASKED_EVERY:
            self._asked = time.monotonic()
            self._threads = sum(self._client.nthreads().values())
        return AHEAD * max(1, self._threads)


def _done(number: int, future: Any) -> Done:
    if future.status != "finished":
        return Done(number, error=WorkerEnded("The worker that read it ended before its work was done."))
    value, error = future.result()
    return Done(number, value, error)


def _call(
    version: str, function: Callable[..., object], call: tuple[Any, ...]
) -> tuple[object, InspectorError | None]:
    """Run one call on a worker; its errors are values, as the worker would log them."""
    become_worker()
    if version != __version__:
        return None, InspectorError(
            f"A worker has version {__version__} of compaction-inspector, and this program has {version}."
        )
    try:
        return function(*call), None
    except InspectorError as error:
        return None, error
    except Exception as error:  # noqa: BLE001 (a fault of the program costs one call)
        return None, failure(error)
