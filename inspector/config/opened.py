"""A file of the program's own that every part of it shares, opened once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Generic, Protocol, TypeVar


class _Closes(Protocol):
    def close(self) -> None: ...


_File = TypeVar("_File", bound=_Closes)


class OpenedOnce(Generic[_File]):
    """Result of `open` by path, shared between callers. Safe to use from several threads.

    When the user's folder changes, as between tests, earlier results are closed.
    """

    def __init__(self, open: Callable[[Path], _File]) -> None:
        self._open = open
        self._lock = RLock()
        self._held: tuple[Path, _File] | None = None

    def at(self, path: Path) -> _File:
        """The file at a path, opened where it is not yet."""
        with self._lock:
            if self._held is None or self._held[0] != path:
                if self._held is not None:
                    self._held[1].close()
                self._held = (path, self._open(path))
            return self._held[1]
