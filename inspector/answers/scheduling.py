"""The scheduler of a question about many conversations, and its progress."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

#: The scheduler of worker processes on this machine.
LOCAL = "local"


def is_local(scheduler: str) -> bool:
    """Return whether a scheduler is this machine."""
    return scheduler == LOCAL or processes_of(scheduler) is not None


def processes_of(scheduler: str) -> int | None:
    """Return the N of "local:N", else None."""
    name, _, number = scheduler.partition(":")
    valid = number.isascii() and number.isdecimal() and len(number) <= 6
    return int(number) if name == LOCAL and valid else None


class Progress(Struct, frozen=True):
    """`done` of `total` conversations are finished; `seconds_left` is an estimate, None if unknown."""

    done: int
    total: int
    seconds_left: float | None

    @property
    def text(self) -> str:
        """The progress as text."""
        if self.seconds_left is None:
            return f"{self.done:,} of {self.total:,}"
        seconds = round(self.seconds_left)
        remaining = f"{seconds} s" if seconds < 90 else f"{seconds / 60:.0f} min"
        return f"{self.done:,} of {self.total:,}, about {remaining} left"


class Scheduling(Struct, frozen=True):
    """The scheduler of a question about many conversations.

    `scheduler` is "local:N" for N processes of this machine, "local" for one on each core, or only this process if
    there is little to do, or the address of a Dask scheduler. `watch` gets the progress. Once `wanted` returns False,
    the work ends.
    """

    scheduler: str = LOCAL
    watch: Callable[[Progress], None] = lambda _: None
    wanted: Callable[[], bool] = lambda: True
