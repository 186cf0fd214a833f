"""Progress and cancellation of long work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from inspector.core.errors import InspectorError

#: Receives the progress of long work: the work in words, the number done, and the total.
OnProgress = Callable[[str, int, int], None]


class Cancelled(InspectorError):
    """The work was cancelled; no message is shown."""


class Watch(Protocol):
    """Progress callbacks for a long function. Every method raises Cancelled once the result is not wanted any more."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report `done` of `total`; `what` names the work in a few words."""
        ...

    def check(self) -> None:
        """Check for cancellation, and let the screen react."""
        ...

    def counting(self, what: str, total: int) -> Callable[[int], None]:
        """Return a callback that takes only the number done."""
        ...

    def some(self, value: Any) -> None:
        """Pass on a part of the result."""
        ...
