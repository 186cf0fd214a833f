"""The workers of a Dask cluster (the extra `fleet`)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

from inspector import __version__
from inspector.core.errors import InspectorError, UsageProblem
from inspector.core.processes import (
    BATCHES_AHEAD,
    WAIT_SECONDS,
    Batch,
    Calls,
    Done,
    Outcome,
    Waiting,
    WorkerEnded,
    become_worker,
)

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
        self, answer: Callable[[Calls], list[Outcome]], batches: Iterable[Calls], wait: Callable[[], None]
    ) -> Iterator[Done]:
        """See `Workers.map`. The scheduler never has more batches than its workers need next."""
        waiting = Waiting(batches)
        ready: SimpleQueue[Any] = SimpleQueue()
        asked: dict[Any, Batch] = {}
        try:
            while True:
                while len(asked) < self._room() and (batch := waiting.take()):
                    future = self._client.submit(_answer, __version__, answer, batch.calls, pure=False)
                    asked[future] = batch
                    future.add_done_callback(ready.put)
                if not asked:
                    return
                try:
                    future = ready.get(timeout=WAIT_SECONDS)
                except Empty:
                    wait()
                    continue
                batch = asked.pop(future)
                if future.status == "finished":
                    yield from batch.done(future.result())
                elif len(batch.calls) > 1:
                    waiting.try_again(batch.alone())
                else:
                    yield from batch.failed(
                        WorkerEnded("The worker that read it ended before its work was done.")
                    )
                future.release()
                del future
                wait()
        finally:
            self._client.cancel(list(asked), force=True)
            self._client.close()

    def _room(self) -> int:
        """Return the maximum number of batches at the scheduler. Ask it for the number of workers now and then."""
        if time.monotonic() - self._asked > _ASKED_EVERY:
            self._asked = time.monotonic()
            self._threads = sum(self._client.nthreads().values())
        return BATCHES_AHEAD * max(1, self._threads)


def _answer(version: str, answer: Callable[[Calls], list[Outcome]], calls: Calls) -> list[Outcome]:
    """Answer a batch on a worker."""
    become_worker()
    if version != __version__:
        other = InspectorError(
            f"A worker has version {__version__} of compaction-inspector, and this program has {version}."
        )
        return [(None, other)] * len(calls)
    return answer(calls)
