"""The terminal of the app: drawn on by standard output, given back however the app ends, ended with by the app."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from threading import Thread, Timer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

    from textual.driver import Driver

#: Signals that end the app.
_ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT") if hasattr(signal, name)
)
#: How long an app that was asked to end may take before it is ended, in seconds.
_PATIENCE = 3.0
#: Modes that are switched off: the mouse, focus events, marks around pasted text, the alternate screen.
_MODES = (1000, 1002, 1003, 1004, 1006, 1015, 2004, 1049)
#: Gives the keyboard back, switches off these modes, and shows the cursor.
_RESTORE = b"\x1b[<u" + b"".join(b"\x1b[?%dl" % mode for mode in _MODES) + b"\x1b[?25h"


class Leaving:
    """Ends the app when a signal asks for it, and gives the terminal back first.

    `leave` is called in the app's event loop. An app that does not end within a few seconds is ended.
    """

    def __init__(self) -> None:
        self.leave: Callable[[], object] = lambda: None
        self.driver: Driver | None = None
        self._signal = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: dict[int, Any] = {}
        self._modes: list[Any] | None = None

    def begin(self) -> None:
        """Take the signals, before the terminal is changed; called in the event loop."""
        self._loop = asyncio.get_running_loop()
        with suppress(ImportError, OSError, ValueError):
            import termios

            self._modes = termios.tcgetattr(sys.__stdin__.fileno()) if sys.__stdin__ is not None else None
        for number in _ENDING:
            if number not in self._before and signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._asked)

    def write(self, text: str) -> None:
        """Write escape sequences to the terminal, between two frames of the app."""
        if self.driver is not None:
            self.driver.write(text)

    def end(self) -> None:
        """End the program with the signal that ended the app, if there was one.

        A closed terminal ends it too: its errors reach the program before its signal does.
        """
        if not self._signal and _is_closed():
            self._signal = _closing_signal()
        for number, before in self._before.items():
            signal.signal(number, before)
        if self._signal:
            with suppress(OSError):
                sys.stdout.flush()
            signal.signal(self._signal, signal.SIG_DFL)
            os.kill(os.getpid(), self._signal)

    def _asked(self, number: int, _: FrameType | None) -> None:
        if self._signal or self._loop is None:
            return
        self._signal = number
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.leave)
        timer = Timer(_PATIENCE, self._force)
        timer.daemon = True
        timer.start()

    def _force(self) -> None:
        with suppress(OSError, ImportError):
            import termios

            if sys.__stdin__ is not None and self._modes is not None:
                termios.tcsetattr(sys.__stdin__.fileno(), termios.TCSANOW, self._modes)
            if sys.__stdout__ is not None:
                os.write(sys.__stdout__.fileno(), _RESTORE)
        os._exit(128 + self._signal)


def drawing_driver(leaving: Leaving) -> type[Driver] | None:
    """Textual's own driver, but it writes to standard output and obeys signals; None if Textual's own is as good.

    Textual writes to standard error: `2>file` would have the whole screen in the file.
    """
    if sys.platform == "win32":
        return None
    from textual.drivers.linux_driver import LinuxDriver

    class OutputDriver(LinuxDriver):
        def __init__(self, *words: Any, **kinds: Any) -> None:
            super().__init__(*words, **kinds)
            leaving.driver = self
            if sys.__stdout__ is not None:
                self._file = sys.__stdout__

        def start_application_mode(self) -> None:
            leaving.begin()
            super().start_application_mode()  # type: ignore[no-untyped-call]

    return OutputDriver


def end_with_terminal() -> None:
    """End the program when the terminal of standard input is closed.

    The signal of a closed terminal may not reach a program that `make` started, and `nohup` ignores it. Textual then
    reads the end of its input forever.
    """
    if sys.__stdin__ is not None and hasattr(select, "poll"):
        threading.excepthook = _unless_closed
        Thread(target=_wait_for_end, name="terminal", daemon=True).start()


def _unless_closed(failure: threading.ExceptHookArgs) -> None:
    """Print the error of a thread, except that a closed terminal cannot be written."""
    if not (isinstance(failure.exc_value, OSError) and _is_closed()):
        threading.__excepthook__(failure)


def _wait_for_end() -> None:
    # Some systems cannot wait for a terminal and answer at once.
    if _is_closed(wait=True):
        os.kill(os.getpid(), _closing_signal())


def _is_closed(wait: bool = False) -> bool:
    """Return whether the terminal of standard input is closed; `wait` until something happens to it."""
    if sys.__stdin__ is None or not hasattr(select, "poll"):
        return False
    waiting = select.poll()
    waiting.register(sys.__stdin__.fileno(), 0)
    return any(event & select.POLLHUP for _, event in waiting.poll(None if wait else 0))


def _closing_signal() -> signal.Signals:
    """Return the signal of a closed terminal, or SIGTERM where it is ignored (`nohup`)."""
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    return signal.SIGTERM if ignored else signal.SIGHUP
