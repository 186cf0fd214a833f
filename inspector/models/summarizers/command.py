"""Summarizer that runs a command: the prompt goes to its standard input, the summary is its standard output."""

from __future__ import annotations

import codecs
import os
import selectors
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar

from inspector.core.errors import SummarizerFailed, UsageProblem
from inspector.core.text import safe_line
from inspector.models.masking import clean
from inspector.models.summarizers.base import LONGEST, PATIENCE, POLL, OnText, Reply, seconds_words

_CHUNK = 65_536
#: Size in bytes of the end of standard error that is kept.
_ERRORS = 4_000
#: Seconds between asking a command to end and killing it.
_GRACE = 2.0


@dataclass(frozen=True)
class CommandSummarizer:
    """A command line, split as a shell splits it; no shell runs it. `patience` is in seconds."""

    line: str
    patience: float = PATIENCE
    words: tuple[str, ...] = field(init=False)
    kind: ClassVar[str] = "command"
    #: The command chooses the model.
    model: ClassVar[str] = ""

    def __post_init__(self) -> None:
        try:
            words = tuple(shlex.split(self.line))
        except ValueError as error:
            raise UsageProblem(f"The command {self.line!r} cannot be split into words: {error}.") from error
        if not words:
            raise UsageProblem("The command is empty; give one such as 'llm -m MODEL'.")
        object.__setattr__(self, "words", words)

    @property
    def name(self) -> str:
        """Return the command line without its secrets."""
        return self.where

    @property
    def to(self) -> str:
        """Receiver of the prompt."""
        return f"the command `{self.where}` on this machine, which may send it on"

    @property
    def where(self) -> str:
        """Return the command line without its secrets."""
        return safe_line(clean(self.line))

    def write(self, prompt: str, on_text: OnText) -> Reply:
        """Run the command; `on_text` receives its output. Its process group always ends with it."""
        try:
            process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise SummarizerFailed(
                f"The command {safe_line(self.words[0])} cannot be run: {error.strerror}."
            ) from error
        with process:
            try:
                return _Run(process, self, on_text).read(prompt.encode("utf-8", "replace"))
            finally:
                _end_group(process)


class _Run:
    """One run of a command. Its pipes are served in turn, so that neither side blocks the other."""

    def __init__(self, process: subprocess.Popen[bytes], command: CommandSummarizer, on_text: OnText) -> None:
        self.process, self.command, self.on_text = process, command, on_text
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.text: list[str] = []
        self.size = 0
        self.errors = b""

    def read(self, prompt: bytes) -> Reply:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        deadline = time.monotonic() + self.command.patience
        left = memoryview(prompt)
        with selectors.DefaultSelector() as pipes:
            os.set_blocking(self.process.stdin.fileno(), False)
            pipes.register(self.process.stdin, selectors.EVENT_WRITE)
            pipes.register(self.process.stdout, selectors.EVENT_READ)
            pipes.register(self.process.stderr, selectors.EVENT_READ)
            # A child of the command may keep the pipes open after the command ends: read only what is already there.
            while any(key.fileobj is not self.process.stdin for key in pipes.get_map().values()):
                self.on_text("")
                if time.monotonic() > deadline:
                    raise SummarizerFailed(
                        f"{self._named} took longer than {seconds_words(self.command.patience)} and was stopped. "
                        "Set a longer time with --timeout."
                    )
                ended = self.process.poll() is not None
                ready = pipes.select(0 if ended else POLL)
                for key, _ in ready:
                    if key.fileobj is self.process.stdin:
                        left = self._feed(pipes, left)
                    elif not (data := os.read(key.fd, _CHUNK)):
                        pipes.unregister(key.fileobj)
                    elif key.fileobj is self.process.stdout:
                        self._take(data)
                    else:
                        self.errors = (self.errors + data)[-_ERRORS:]
                if ended and not ready:
                    break
        return self._answer(deadline)

    def _feed(self, pipes: selectors.BaseSelector, left: memoryview) -> memoryview:
        stdin = self.process.stdin
        assert stdin is not None
        try:
            left = left[os.write(stdin.fileno(), left[:_CHUNK]) :]
        except BlockingIOError:
            return left
        except OSError:
            # The command stopped reading: only its output counts.
            left = left[len(left) :]
        if not left:
            pipes.unregister(stdin)
            with suppress(OSError):
                stdin.close()
        return left

    def _take(self, data: bytes) -> None:
        try:
            text = self.decoder.decode(data)
        except UnicodeDecodeError as error:
            raise SummarizerFailed(
                f"{self._named} wrote bytes that are not UTF-8 (byte {self.size + error.start:,}: "
                f"0x{error.object[error.start]:02x})."
            ) from error
        self.size += len(data)
        if self.size > LONGEST:
            raise SummarizerFailed(
                f"{self._named} wrote more than {LONGEST:,} bytes, the limit for a summary, and was stopped."
            )
        self.text.append(text)
        self.on_text(text)

    def _answer(self, deadline: float) -> Reply:
        while self.process.poll() is None:
            self.on_text("")
            if time.monotonic() > deadline:
                raise SummarizerFailed(f"{self._named} closed its output but did not end, and was stopped.")
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(POLL)
        code = self.process.returncode
        last_line = safe_line(clean(self.errors.decode("utf-8", "replace").strip().rpartition("\n")[2]))
        if code:
            how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            raise SummarizerFailed(f"{self._named} {how}{f': {last_line}' if last_line else ''}.")
        try:
            self.decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise SummarizerFailed(f"{self._named} ended in the middle of a UTF-8 character.") from error
        text = "".join(self.text).strip()
        if not text:
            raise SummarizerFailed(
                f"{self._named} wrote nothing{f'; it said: {last_line}' if last_line else ''}."
            )
        return Reply(text)

    @property
    def _named(self) -> str:
        return f"The command {safe_line(self.command.words[0])}"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the command and all of its children: ask first, then kill."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
