"""The process that the lists of several agents share while they are read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess


class _Shared(threading.local):
    """State of a thread: the process while no list uses it, and the number of blocks of `sharing`."""

    blocks = 0
    process: subprocess.Popen[bytes] | None = None


_shared = _Shared()


@contextmanager
def sharing() -> Iterator[None]:
    """Let the lists that are read in this block use one process; it is gone when the block ends."""
    _shared.blocks += 1
    try:
        yield
    finally:
        _shared.blocks -= 1
        process = None if _shared.blocks else take()
        if process is not None:
            from inspector.core.processes import end

            end(process)


def is_running() -> bool:
    """Return whether a process is there that no list uses."""
    return _shared.process is not None


def take() -> subprocess.Popen[bytes] | None:
    """Take the process that is there; None if none is."""
    process, _shared.process = _shared.process, None
    return process


def give_back(process: subprocess.Popen[bytes]) -> bool:
    """Leave a process for the next list. Return whether one may come."""
    if _shared.blocks:
        _shared.process = process
    return bool(_shared.blocks)
