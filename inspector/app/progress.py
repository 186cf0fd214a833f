"""How far long work is, told now and then, and the way in which it learns that nobody wants it any more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from textual.message import Message as TextualMessage

from inspector.app.throttle import give_way
from inspector.core.errors import InspectorError

if TYPE_CHECKING:
    from textual.worker import Worker

#: Work that ends sooner tells nothing, and longer work tells no more often than this, in seconds.
TELL_SECONDS = 0.15


class Left(InspectorError):
    """Work was cancelled while it went on; nobody is told."""


class Progress(TextualMessage):
    """How far some work is; an empty text when it has ended."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__()
        self.kind = kind
        self.text = text


class Listener(Protocol):
    """Who is told."""

    def post_message(self, message: TextualMessage) -> bool:
        """Take a message from any thread."""
        ...


class Pulse:
    """Told what is done so far, it tells the screen; raises Left where the worker was cancelled."""

    def __init__(self, screen: Listener, worker: Worker[None], kind: str, verb: str, total: int) -> None:
        self._screen = screen
        self._worker = worker
        self._kind = kind
        self._verb = verb
        self._total = total
        self._last = time.monotonic()
        self._told = False

    def __call__(self, done: int) -> None:
        """So many of the whole are done; rests while the user is busy. Raises Left."""
        give_way()
        if self._worker.is_cancelled:
            raise Left("cancelled")
        now = time.monotonic()
        if now - self._last >= TELL_SECONDS:
            self._last, self._told = now, True
            text = f"{self._verb} {done:,} of {self._total:,}"
            self._screen.post_message(Progress(self._kind, text))

    def end(self) -> None:
        """The work is over."""
        if self._told:
            self._screen.post_message(Progress(self._kind, ""))
