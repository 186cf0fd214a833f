"""The worker process that reads files for a list, so that two cores read a home on the first run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.core.processes import LocalWorkers

#: Minimum bytes of unread files to start a worker process, and to use a worker process that is already running.
STARTS_WORKER, USES_WORKER = 64_000_000, 4_000_000


def _new_workers() -> LocalWorkers:
    from inspector.core.processes import LocalWorkers

    return LocalWorkers()


_workers: ContextVar[Callable[[], LocalWorkers]] = ContextVar("workers", default=_new_workers)


@contextmanager
def sharing() -> Iterator[None]:
    """Let the lists that are read in this block use one worker process. It ends with the block."""
    with ExitStack() as block:
        token = _workers.set(cache(lambda: block.enter_context(_new_workers())))
        try:
            yield
        finally:
            _workers.reset(token)


def second_reader(size: int) -> LocalWorkers | None:
    """Return the worker for unread files of `size` bytes, None if it does not pay off."""
    if (os.cpu_count() or 1) == 1 or size < USES_WORKER:
        return None
    workers = _workers.get()()
    return workers if size >= (USES_WORKER if workers.started else STARTS_WORKER) else None
