"""What every summarizer is: to whom a prompt goes, and a way to have it answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

#: Told every piece of text as it comes, and between pieces an empty one; what it raises ends the work.
OnText = Callable[[str], None]
#: No summary is longer, in bytes.
LONGEST = 1_000_000
#: A summarizer is waited for that long unless another time is given, in seconds.
PATIENCE = 600.0
#: So often it is asked whether the work is still wanted, in seconds.
POLL = 0.1


@dataclass(frozen=True, slots=True)
class Reply:
    """What a summarizer wrote. `sent` and `received` are tokens as it reports them, None where it reports none; `model`
    is the one that it says has answered ("": it does not say). `note` is a sentence to be told; mostly empty."""

    text: str
    sent: int | None = None
    received: int | None = None
    model: str = ""
    note: str = ""


class Summarizer(Protocol):
    """Something that turns a prompt into a summary."""

    @property
    def kind(self) -> str:
        """command or endpoint."""
        ...

    @property
    def name(self) -> str:
        """What it is called in a table: the model where one is named, else the command."""
        ...

    @property
    def model(self) -> str:
        """The model that is asked for; "" where a command decides."""
        ...

    @property
    def to(self) -> str:
        """To whom a prompt goes, as the user is told before."""
        ...

    @property
    def where(self) -> str:
        """What it is kept under: the command line or the address, without secrets."""
        ...

    def write(self, prompt: str, on_text: OnText) -> Reply:
        """The answer to a prompt. Raises SummarizerFailed and SummarizerCut, and what `on_text` raises."""
        ...
