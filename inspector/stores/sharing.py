"""The worker process that reads files for a list, so that two cores read a home on the first run.

The lists of several agents share it while they are read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.core.processes import Worker


class _Shared(threading.local):
    """State of a thread: the worker while no list uses it, and the number of blocks of `sharing`."""

    blocks = 0
    worker: Worker | None = None


_shared = _Shared()


@contextmanager
def sharing() -> Iterator[None]:
    """Let the lists that are read in this block use one worker. It ends with the block."""
    _shared.blocks += 1
    try:
        yield
    finally:
        _shared.blocks -= 1
        worker = None if _shared.blocks else _take()
        if worker is not None:
            worker.end()


def is_running() -> bool:
    """Return whether there is a worker that no list uses."""
    return _shared.worker is not None


def _take() -> Worker | None:
    worker, _shared.worker = _shared.worker, None
    return worker


@contextmanager
def second_reader() -> Iterator[Worker]:
    """Yield a worker. It ends with this block, or with the block of `sharing`.

    The block takes the answer to every call, or ends the worker. Raises WorkerEnded if no process can be started.
    """
    from inspector.core.processes import Worker, WorkerEnded

    try:
        worker = _take() or Worker()
    except OSError as error:
        raise WorkerEnded(f"No process can be started ({error}).") from error
    try:
        yield worker
    except BaseException:
        worker.end()
        raise
    if _shared.blocks and worker.process.poll() is None:
        _shared.worker = worker
    else:
        worker.end()
