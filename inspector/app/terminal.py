"""The terminal of the app: it draws on that of standard output, wherever standard error goes, and ends with it."""

from __future__ import annotations

import os
import select
import signal
import sys
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.driver import Driver


def drawing_driver() -> type[Driver] | None:
    """Textual's own driver, but that it writes to standard output; None where Textual's own does so already.

    Textual writes to standard error: `2>file` would have the whole screen in the file.
    """
    if sys.platform == "win32":
        return None
    from textual.drivers.linux_driver import LinuxDriver

    class OutputDriver(LinuxDriver):
        def __init__(self, *words: Any, **kinds: Any) -> None:
            super().__init__(*words, **kinds)
            if sys.__stdout__ is not None:
                self._file = sys.__stdout__

    return OutputDriver


def end_with_terminal() -> None:
    """Have the program end when the terminal of standard input is closed, as the signal does that tells it so. Where
    `make` or another program began the app that signal may not reach it, under `nohup` it is ignored, and Textual reads
    the end of its input for ever."""
    if sys.__stdin__ is not None and hasattr(select, "poll"):
        Thread(target=_wait_for_end, args=(sys.__stdin__.fileno(),), name="terminal", daemon=True).start()


def _wait_for_end(terminal: int) -> None:
    waiting = select.poll()
    waiting.register(terminal, 0)
    # Some systems cannot wait for a terminal and answer at once that they do not.
    if any(event & select.POLLHUP for _, event in waiting.poll()):
        ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        os.kill(os.getpid(), signal.SIGTERM if ignored else signal.SIGHUP)
