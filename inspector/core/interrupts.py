"""Interrupts from the keyboard (Ctrl-C) that Python would lose.

A signal handler raises its exception at the current line of the program. If this line is in a callback of the garbage
collector or of a weak reference, Python prints the exception and goes on. Imports have such callbacks. So long work
also calls `raise_interrupt`.
"""

from __future__ import annotations

import signal
from types import FrameType

_interrupted = False


def handle_interrupts() -> None:
    """Note interrupts from now on, unless this process ignores them, as in the background of a shell."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle)


def raise_interrupt() -> None:
    """Raise KeyboardInterrupt if an interrupt was lost since the last call."""
    global _interrupted
    interrupted, _interrupted = _interrupted, False
    if interrupted:
        raise KeyboardInterrupt


def _handle(_number: int, _frame: FrameType | None) -> None:
    global _interrupted
    _interrupted = True
    raise KeyboardInterrupt
