"""The values of measures. Tokens are rough; indexes are places in the list before or after a compaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from inspector.core.conversations import Compaction
from inspector.core.messages import Message

#: The region of the list after a compaction in which something was found.
Where = Literal["summary", "head", "tail"]


@dataclass(frozen=True, slots=True)
class Definition:
    """What a measure is. `counts` says what is divided by what, `practice` which practice of the field it follows."""

    id: str
    title: str
    counts: str
    practice: str
    unit: Literal["share", "yes or no", "tokens"] = "share"


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`. Adding shares adds both."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.count / self.of if self.of else None

    def __add__(self, other: Share) -> Share:
        return Share(self.count + other.count, self.of + other.of)


@dataclass(frozen=True, slots=True)
class Place:
    """A message: the generation from 1 and its index in that list."""

    generation: int
    index: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was measured: whether it is known after the compaction, where it was said, where it is found.

    `text` is as it was said and not yet safe for the screen. `note` says how it is known, or what is missing.
    """

    text: str
    known: bool
    said: Place | None = None
    found: Place | None = None
    where: Where | None = None
    note: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of one compaction.

    `share` is None where the measure counts tokens or there was nothing to measure. `so_far` is the same over
    everything that this compaction and those before it summarized: how much of it is known after this one. Over the
    compactions of a conversation it is the curve. `parts` divide `share`; `numbers` are tokens by name.
    """

    id: str
    compaction: int
    share: Share | None = None
    so_far: Share | None = None
    parts: tuple[tuple[str, Share], ...] = ()
    numbers: tuple[tuple[str, int], ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredCompaction:
    """A compaction with both its lists: `before` whole, `after` as the compaction left it. `opened_before` and
    `opened_after` are the (index, name) of the files that these lists opened, the latter with all that was said until
    the next compaction.

    `middle_tokens` is what the summary model had to read, `summary_tokens` what it wrote.
    """

    recorded: Compaction
    before: Sequence[Message]
    after: Sequence[Message]
    middle_tokens: int = 0
    summary_tokens: int = 0
    opened_before: Sequence[tuple[int, str]] = ()
    opened_after: Sequence[tuple[int, str]] = ()

    @property
    def middle(self) -> range:
        """The indexes of the list before that were summarized."""
        return range(self.recorded.head_end, self.recorded.tail_start)

    def region(self, index: int) -> Where:
        """The region of a message of the list after."""
        if index == self.recorded.summary_at:
            return "summary"
        return "head" if index < self.recorded.head_after else "tail"

    def place(self, index: int) -> Place:
        """A message of the list before."""
        return Place(self.recorded.index, index)

    def place_after(self, index: int) -> Place:
        """A message of the list after."""
        return Place(self.recorded.index + 1, index)


def total(shares: Iterable[Share | None]) -> Share | None:
    """The shares together; None where there is none."""
    found = [share for share in shares if share is not None]
    return sum(found, Share(0, 0)) if found else None
