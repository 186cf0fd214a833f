"""Measures of what compactions kept: how much shorter the list became, tokens of the summary call, surviving facts.

docs/measures.md explains them. Tokens are rough.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from inspector.core.conversations import Compaction
from inspector.core.rough import text_tokens
from inspector.quality.facts.fact import KINDS, ConversationFacts, Fate, Kind, Life
from inspector.quality.losses import is_lost, lives_after

#: The normal quantile of a 95% interval.
_Z = 1.96


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


class Survival(Struct, frozen=True):
    """Shares of the facts by kind that the list after a compaction still has: one for each compaction.

    A share counts the facts that this and earlier compactions summarized. It is None if there was no fact of the kind,
    or if the summary is encrypted. Facts with an unknown fate do not count. Uncertain facts are in no share.
    """

    compactions: tuple[Compaction, ...] = ()
    shares: Mapping[Kind, tuple[Share | None, ...]] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that any compaction summarized."""
        return tuple(kind for kind in KINDS if any(self.shares.get(kind, ())))

    @property
    def last(self) -> Mapping[Kind, Share | None]:
        """The shares after the last compaction; None if they are unknown."""
        if not self.compactions or self.compactions[-1].encrypted:
            return dict.fromkeys(self.shares)
        # A compaction without new facts changes nothing.
        return {kind: next(filter(None, reversed(shares)), None) for kind, shares in self.shares.items()}

    def column_of(self, compaction: int) -> int:
        """Column of a compaction by its number; the column of all compactions where there is none."""
        numbers = [done.index for done in self.compactions]
        return numbers.index(compaction) if compaction in numbers else len(numbers)

    def until(self, count: int) -> Survival:
        """The first `count` compactions only."""
        return Survival(self.compactions[:count], {kind: s[:count] for kind, s in self.shares.items()})


def survival(facts: ConversationFacts, compactions: Sequence[Compaction]) -> Survival:
    """Return which facts the list after each compaction still has."""
    fates: dict[tuple[Kind, int], list[Fate]] = defaultdict(list)
    for done in compactions:
        if done.encrypted:
            continue
        for life in lives_after(facts.lives, done.index):
            if _is_measured(life):
                fates[life.fact.kind, done.index].append(life.fate)
    shares = {name: _kept_share(after) for name, after in fates.items()}
    of_kinds = {kind: tuple(shares.get((kind, done.index)) for done in compactions) for kind in KINDS}
    return Survival(tuple(compactions), of_kinds)


def _is_measured(life: Life) -> bool:
    """Return whether survival counts a fact: not text that the user pasted, and not a fact that was said again, taken
    back or changed later."""
    is_pasted = life.fact.role == "user" and life.fact.pasted
    return not is_pasted and (is_lost(life) or not life.fate.gone)


def _kept_share(fates: Sequence[Fate]) -> Share:
    """Return the share of facts that the list still has. Uncertain facts are counted apart, unknown ones left out."""
    alive = [fate.alive for fate in fates if fate.settled]
    return Share(sum(alive), len(alive), sum(fate.outcome == "uncertain" for fate in fates))


class Measures(Struct, frozen=True):
    """The measures of a conversation, with one entry for each compaction.

    `compression` is the share of the tokens before that the list after no longer has, below 0 if the list became
    longer. `spent` are the tokens that the summary call read and wrote, without the prompt around them; 0 for a
    fallback text. Both are None if they are unknown.
    """

    survival: Survival
    compression: tuple[Share | None, ...]
    spent: tuple[int | None, ...]

    @property
    def compactions(self) -> tuple[Compaction, ...]:
        """The measured compactions, oldest first."""
        return self.survival.compactions


def compression_of(recorded: Compaction) -> Share | None:
    """Return how much shorter a list became: by the sizes that the agent reported if the summary is encrypted."""
    before: int | None = recorded.tokens_before if recorded.before else None
    after: int | None = recorded.tokens_after
    if recorded.encrypted:
        before, after = recorded.tokens_before_reported, recorded.tokens_after_reported
    return Share(before - after, before) if before and after is not None else None


def tokens_spent(recorded: Compaction, middle_tokens: int) -> int | None:
    """Return the tokens of the summary call, which read `middle_tokens`."""
    if not recorded.before or recorded.encrypted:
        return None
    return middle_tokens + text_tokens(len(recorded.summary or "")) if recorded.written else 0
