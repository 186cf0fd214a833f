"""A file of the program that all of its parts share, opened once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Generic, Protocol, TypeVar


class _Closes(Protocol):
    def close(self) -> None: ...


_File = TypeVar("_File", bound=_Closes)


class OpenedOnce(Generic[_File]):
    """The result of `open` for a path, shared by all callers. Safe to use from several threads.

    When the path changes, as it does from test to test, the previous file is closed.
    """

    def __init__(self, open: Callable[[Path], _File]) -> None:
        self._open = open
        self._lock = RLock()
        self._held: tuple[Path, _File] | None = None

    @property
    def held(self) -> _File | None:
        """The open file, None if none was opened."""
        held = self._held
        return None if held is None else held[1]

    def at(self, path: Path) -> _File:
        """Return the file at a path, and open it if necessary."""
        with self._lock:
            if self._held is None or self._held[0] != path:
                if self._held is not None:
                    self._held[1].close()
                self._held = (path, self._open(path))
            return self._held[1]
