"""Run programs in a pseudo-terminal and read their output."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.readable import readable

WIDTH, HEIGHT = 160, 48
_ASKS_SYNC, _HAS_SYNC = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
_FRAME_END = b"\x1b[?2026l"
_CONTROLS = re.compile(
    r"\x1b(?:\[[0-9;?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|P[^\x1b]*\x1b\\|.)"
)


class TimedOut(Exception):
    """The expected output did not appear in time; the message has the actual output."""


class Terminal:
    """A program in a pseudo-terminal of 160 × 48 with synchronized output, which marks the end of each frame."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self.started = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
            # Python's -m searches this folder first, so it runs the package of this checkout.
            os.chdir(folder)
            os.execvpe(command[0], list(command), dict(environment))
        self._raw = b""
        #: Everything drawn so far, without colours and cursor movements.
        self.seen = ""
        #: Time of the end and text of each frame.
        self.frames: list[tuple[float, str]] = []

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def press(self, keys: str) -> float:
        """Write keys; return the time."""
        now = time.perf_counter()
        os.write(self._fd, keys.encode())
        return now

    def until(self, found: Callable[[str], object], seconds: float = 60.0, since: int = 0) -> float:
        """Return the time of the first frame, from frame `since` on, whose text satisfies `found`."""
        end = time.perf_counter() + seconds
        at = since
        while True:
            while at < len(self.frames):
                when, text = self.frames[at]
                if found(text):
                    return when
                at += 1
            if not self._read(end - time.perf_counter()):
                raise TimedOut(
                    f"no such frame within {seconds:g} s; the end of the output:\n{self.seen[-2_000:]}"
                )

    def until_seen(self, text: str, seconds: float = 60.0) -> float:
        """Return the time when `text` was drawn, in one piece."""
        end = time.perf_counter() + seconds
        while text not in self.seen:
            if not self._read(end - time.perf_counter()):
                raise TimedOut(f"{text!r} was not drawn within {seconds:g} s:\n{self.seen[-2_000:]}")
        return time.perf_counter()

    def quiet(self, seconds: float = 0.5, at_most: float = 120.0) -> float:
        """Wait until there is no output for so many seconds; return the time of the last byte (0.0: no output)."""
        end = time.perf_counter() + at_most
        last = 0.0
        while time.perf_counter() < end and self._read(seconds):
            last = time.perf_counter()
        return last

    def peak_megabytes(self) -> float:
        """Return the peak memory of the program in MB (VmHWM)."""
        return status_megabytes(self.pid, "VmHWM")

    def close(self) -> None:
        """End the program."""
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(self.pid, signal_number)
            except ProcessLookupError:
                break
            end = time.perf_counter() + 3.0
            while time.perf_counter() < end:
                self._read(0.02)
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    os.close(self._fd)
                    return
        os.close(self._fd)

    def _read(self, seconds: float) -> bool:
        if seconds <= 0 or not readable(self._fd, seconds):
            return False
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            return False
        if not data:
            return False
        now = time.perf_counter()
        if _ASKS_SYNC in data:
            os.write(self._fd, _HAS_SYNC)
        self._raw += data
        *frames, self._raw = self._raw.split(_FRAME_END)
        for frame in frames:
            self.frames.append((now, plain(frame)))
            self.seen += self.frames[-1][1]
        if not self.frames:
            # Until the program knows that the terminal supports marks, it draws without them.
            self.seen, self._raw = self.seen + plain(self._raw), b""
        return True


def plain(data: bytes) -> str:
    """Return the text of the output, without escape sequences."""
    return _CONTROLS.sub("", data.decode("utf-8", "replace"))


def status_megabytes(pid: int, name: str) -> float:
    """Return a value of /proc/PID/status in MB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1_000
    return float("nan")
