"""Watch sent data: Python's audit events of connections and started processes in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_SENDS = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "subprocess.Popen", "os.exec",
          "os.posix_spawn", "os.fork", "os.system", "urllib.Request")  # fmt: skip
_watchers: list[list[tuple[str, str]]] = []


def _hook(name: str, arguments: tuple[Any, ...]) -> None:
    if name in _SENDS:
        for seen in _watchers:
            seen.append((name, repr(arguments[:2])))


@cache
def _begin() -> None:
    """Add the hook permanently, because Python cannot remove it. It does nothing while nothing is watched."""
    sys.addaudithook(_hook)


@contextmanager
def watched() -> Iterator[list[tuple[str, str]]]:
    """Return the connections and processes of the block, as (event, details)."""
    _begin()
    seen: list[tuple[str, str]] = []
    _watchers.append(seen)
    try:
        yield seen
    finally:
        _watchers.remove(seen)
