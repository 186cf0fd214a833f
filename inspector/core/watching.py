"""Progress and cancellation of slow work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from inspector.core.errors import InspectorError


class Cancelled(InspectorError):
    """Work was cancelled."""


class Watch(Protocol):
    """Takes the progress of a function. Every method raises Cancelled once the work is cancelled."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report progress; `what` names the work in a few words."""
        ...

    def check(self) -> None:
        """Give way to the user for a moment."""
        ...

    def counting(self, what: str, total: int) -> Callable[[int], None]:
        """The same for a function that reports only a count."""
        ...

    def some(self, value: Any) -> None:
        """Hand over a part of the result."""
        ...
