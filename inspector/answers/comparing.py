"""Compare two folders of sessions: kept facts, repeated work, and costs of their compactions."""

from __future__ import annotations

import math
from collections import Counter

from msgspec import Struct, field

from inspector.answers.answers import Answers, about
from inspector.answers.fact_results import read_events
from inspector.answers.losses import facts_of
from inspector.answers.requests import bills_of, requests_of
from inspector.core.errors import InspectorError
from inspector.quality.facts.fact import KINDS, Kind

#: The normal quantile of a 95% interval.
_Z = 1.96


class Proportion(Struct, frozen=True):
    """A count of a total, with the 95% interval of Wilson (0 to 1)."""

    count: int
    of: int

    @property
    def share(self) -> float | None:
        """Return the share, or None if the total is 0."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95% confidence interval of the share."""
        if not self.of:
            return 0.0, 1.0
        share, n = self.count / self.of, self.of
        middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def differs(self, other: Proportion) -> bool:
        """Whether the intervals do not overlap."""
        (low, high), (other_low, other_high) = self.interval, other.interval
        return high < other_low or other_high < low


class Side(Struct, frozen=True):
    """One folder of sessions.

    `kept` has by kind the share of summarized facts that the list after the compaction still has. Facts with an
    uncertain or unknown fate are not in it; `open` counts them. `aftermath` counts events by kind. `cost` is of
    `priced` compactions, in US dollars. `unread` are sentences about conversations that could not be read.
    """

    label: str
    conversations: int = 0
    compactions: int = 0
    kept: dict[Kind, Proportion] = field(default_factory=dict)
    open: int = 0
    aftermath: dict[str, int] = field(default_factory=dict)
    hurt: Proportion = field(default_factory=lambda: Proportion(0, 0))
    cost: float = 0.0
    priced: int = 0
    unread: tuple[str, ...] = ()

    @property
    def all_kept(self) -> Proportion:
        """Return the share of kept facts of all kinds."""
        return Proportion(
            sum(one.count for one in self.kept.values()), sum(one.of for one in self.kept.values())
        )


class Comparison(Struct, frozen=True):
    """Two sides. `differs`: the names of the shares whose intervals do not overlap."""

    one: Side
    other: Side

    @property
    def differs(self) -> tuple[str, ...]:
        """Names of the shares that differ beyond chance: kinds of facts, "facts", "followed by repeated work"."""
        shares: list[tuple[str, Proportion, Proportion]] = [
            (kind, self.one.kept[kind], self.other.kept[kind])
            for kind in KINDS
            if kind in self.one.kept and kind in self.other.kept
        ]
        shares.append(("facts", self.one.all_kept, self.other.all_kept))
        shares.append(("followed by repeated work", self.one.hurt, self.other.hurt))
        return tuple(name for name, mine, theirs in shares if mine.differs(theirs))


def side_of(answers: Answers, label: str) -> Side:
    """Everything about one folder. A conversation that cannot be read is named. Raises StoreErrors of the store."""
    counts: Counter[tuple[Kind, bool]] = Counter()
    aftermath: Counter[str] = Counter()
    conversations = compactions = hurt = undecided = priced = 0
    cost = 0.0
    unread: list[str] = list(answers.store.notes)
    for row in answers.store.conversations():
        conversations += 1
        try:
            inspection, resolved = answers.opened(row.id)
            recorded = inspection.compactions()
            facts = facts_of(inspection)
            events = read_events(answers, row.id)[1]
            bills = bills_of(inspection, requests_of(inspection, resolved)) if recorded else {}
        except InspectorError as error:
            unread.append(about(row, str(error)))
            continue
        compactions += len(recorded)
        for life in facts.lives:
            fate = life.fates[0] if life.fates else None
            if fate is None or not fate.settled:
                undecided += 1
            else:
                counts[life.kind, fate.alive] += 1
        aftermath.update(event.kind for event in events)
        hurt += len({event.compaction for event in events})
        priced += len(bills)
        cost += sum(found.cost.amount for found, _ in bills.values())
    by_kind = {
        kind: Proportion(counts[kind, True], counts[kind, True] + counts[kind, False])
        for kind in KINDS
        if counts[kind, True] + counts[kind, False]
    }
    hurt_share = Proportion(hurt, compactions)
    return Side(
        label,
        conversations,
        compactions,
        by_kind,
        undecided,
        dict(aftermath),
        hurt_share,
        cost,
        priced,
        tuple(unread),
    )


def compare(one: Answers, other: Answers, labels: tuple[str, str]) -> Comparison:
    """Compare two stores. Raises StoreErrors."""
    return Comparison(side_of(one, labels[0]), side_of(other, labels[1]))
