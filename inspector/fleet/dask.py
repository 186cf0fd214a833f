"""The workers of a Dask cluster (the extra `fleet`)."""

from __future__ import annotations

import logging
import time
from queue import SimpleQueue
from typing import Any

from inspector import __version__
from inspector.core.errors import InspectorError, UsageProblem
from inspector.core.processes import (
    BATCHES_AHEAD,
    WAIT_SECONDS,
    Answerer,
    Batch,
    Calls,
    Outcome,
    Workers,
    become_worker,
)

#: Seconds to wait for a connection, and for the first worker.
PATIENCE = 20
#: Seconds between two questions for the number of workers.
_ASKED_EVERY = 5.0


class DaskWorkers(Workers):
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
        self._sent: dict[Any, Batch] = {}
        self._ready: SimpleQueue[Any] = SimpleQueue()
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            self._client.close()
            raise InspectorError(
                f"The scheduler at {address} has no worker. Start one: dask worker {address}"
            ) from error

    def has_room(self) -> bool:
        """Return whether the scheduler should have another batch: it never has more than its workers need next."""
        if time.monotonic() - self._asked > _ASKED_EVERY:
            # Workers come and go.
            self._asked = time.monotonic()
            self._threads = sum(self._client.nthreads().values())
        return len(self._sent) < BATCHES_AHEAD * max(1, self._threads)

    def send(self, answer: Answerer, batch: Batch) -> None:
        future = self._client.submit(_answer, __version__, answer, batch.calls, pure=False)
        self._sent[future] = batch
        future.add_done_callback(self._ready.put)

    def receive(self) -> tuple[Batch, list[Outcome] | None]:
        future = self._ready.get(timeout=WAIT_SECONDS)
        outcomes = future.result() if future.status == "finished" else None
        future.release()
        return self._sent.pop(future), outcomes

    def stop(self) -> None:
        self._client.cancel(list(self._sent), force=True)
        self._client.close()


def _answer(version: str, answer: Answerer, calls: Calls) -> list[Outcome]:
    """Answer a batch on a worker."""
    become_worker()
    if version != __version__:
        other = InspectorError(
            f"A worker has version {__version__} of compaction-inspector, and this program has {version}."
        )
        return [(None, other)] * len(calls)
    return answer(calls)
