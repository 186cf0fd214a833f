"""Values of measures. Tokens are rough; indexes are those of the list before or after a compaction."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from inspector.core.conversations import Compaction
from inspector.quality.facts.fact import Where

#: The normal quantile of a 95% interval.
_Z = 1.96


class Definition(Struct, frozen=True):
    """The definition of a measure. `counts` is its ratio in words, `practice` the practice of the field behind it."""

    id: str
    title: str
    counts: str
    practice: str
    unit: Literal["share", "tokens"] = "share"


class Share(Struct, frozen=True):
    """A share: `count` of `of`, with the 95% interval of Wilson. `uncertain` things are in neither number.

    Adding shares adds all numbers.
    """

    count: int
    of: int
    uncertain: int = 0

    @property
    def value(self) -> float | None:
        """The share from 0 to 1; None if `of` is 0."""
        return self.count / self.of if self.of else None

    @classmethod
    def counted(cls, values: Iterable[bool]) -> Share:
        """Return the share of true values."""
        hits = list(values)
        return cls(sum(hits), len(hits))

    def __add__(self, other: Share) -> Share:
        return Share(self.count + other.count, self.of + other.of, self.uncertain + other.uncertain)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of the share, from 0 to 1."""
        if not self.of:
            return 0.0, 1.0
        share, n = self.count / self.of, self.of
        middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def differs(self, other: Share) -> bool:
        """Return whether the intervals do not overlap."""
        (low, high), (other_low, other_high) = self.interval, other.interval
        return high < other_low or other_high < low


class MeasuredPlace(Struct, frozen=True):
    """The place of a message: its generation, from 1, and its index in that list, from 0."""

    generation: int
    index: int


class Measured(Struct, frozen=True):
    """One measured thing: whether the list after has it (`is_kept`), its `source`, and its `survivor` in that list.

    `text` is not yet safe for the screen. `note` says how the list has it, or what is missing.
    `decided_by` is as in Fate.
    """

    text: str
    is_kept: bool
    source: MeasuredPlace | None = None
    survivor: MeasuredPlace | None = None
    where: Where | None = None
    note: str = ""
    role: str = ""
    decided_by: str = ""


class Measure(Struct, frozen=True):
    """A measure of one compaction.

    `share` is None if the measure counts tokens or has nothing to measure. Survival counts everything that this and
    earlier compactions summarized. `parts` divide `share`; `numbers` are tokens by name.
    """

    id: str
    compaction: int
    share: Share | None = None
    parts: tuple[tuple[str, Share], ...] = ()
    numbers: tuple[tuple[str, int], ...] = ()
    evidence: tuple[Measured, ...] = ()


class MeasuredCompaction(Struct, frozen=True):
    """A compaction: `middle_tokens` were read by the summary model, `summary_tokens` were written by it."""

    recorded: Compaction
    middle_tokens: int = 0
    summary_tokens: int = 0


def total(shares: Iterable[Share | None]) -> Share | None:
    """Return the sum of the shares, or None without any."""
    measured = [share for share in shares if share is not None]
    return sum(measured, Share(0, 0)) if measured else None
