"""How long work tells how far it is, and learns that nobody wants it any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from inspector.core.errors import InspectorError


class Cancelled(InspectorError):
    """Work was cancelled while it went on; nobody is told."""


class Watch(Protocol):
    """What a function at work is handed. Every method raises Cancelled once nobody wants the result."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """So many of the whole are done; `what` names the work in a few words."""
        ...

    def check(self) -> None:
        """Give way to the user for a moment."""
        ...

    def counting(self, what: str, total: int) -> Callable[[int], None]:
        """The same for a function that is told only how many are done."""
        ...

    def some(self, value: Any) -> None:
        """Hand over a part of the result."""
        ...
