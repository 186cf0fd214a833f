"""The protocol of summarizers: the recipient of a prompt, and a method that returns its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

#: Called with every piece of text, and with "" between pieces; its exceptions end the work.
OnText = Callable[[str], None]
#: Maximum size of a summary in bytes.
LONGEST = 1_000_000
#: Default time limit of a summarizer in seconds.
PATIENCE = 600.0
#: Interval in seconds between checks for cancellation.
POLL = 0.1


def seconds_words(seconds: float) -> str:
    """Return a time limit in words: 1 second, 0.5 seconds."""
    return f"{seconds:g} {'second' if seconds == 1 else 'seconds'}"


class Reply(Struct, frozen=True):
    """A summarizer's answer.

    `sent` and `received` are the tokens that it reports, None if it reports none. `model` is the model that it
    names, "" if it names none. `note` is a sentence for the user, usually empty.
    """

    text: str
    sent: int | None = None
    received: int | None = None
    model: str = ""
    note: str = ""


class Summarizer(Protocol):
    """Turns a prompt into a summary."""

    @property
    def kind(self) -> str:
        """Return the kind of summarizer."""
        ...

    @property
    def name(self) -> str:
        """Return its name in a table: the model if there is one, else the command."""
        ...

    @property
    def model(self) -> str:
        """Return the requested model; "" if a command decides."""
        ...

    @property
    def to(self) -> str:
        """Return the recipient of a prompt, as shown to the user before sending."""
        ...

    @property
    def where(self) -> str:
        """Return the stored name: the command line or the address, without secrets."""
        ...

    def write(self, prompt: str, on_text: OnText) -> Reply:
        """Return the answer to a prompt. Raise SummarizerFailed, SummarizerCut, and what `on_text` raises."""
        ...
