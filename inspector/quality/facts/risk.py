"""Facts at risk: facts that the next compaction would remove, and counts of the losses of a whole run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from inspector.quality.facts.fact import KEPT, Fact, Life, OfFact, Saying


class AtRisk(OfFact, frozen=True):
    """A fact that would leave the list. `places` are the indexes of the messages in the live list that have it."""

    fact: Fact
    places: tuple[int, ...]

    @property
    def once(self) -> bool:
        """Whether a single message of the list has it."""
        return len(self.places) == 1

    @property
    def saying(self) -> Saying:
        """Its first saying, with its first index in the live list."""
        return replace(self.fact.first, index=self.places[0])

    @property
    def times(self) -> int:
        """Number of messages in the list that say it."""
        return len(self.places)


class RiskIndex:
    """Facts of the live list by index. Made once per list; a plan is then a filter over them.

    `entries` have the order of the list of facts at risk.
    """

    def __init__(self, entries: Iterable[AtRisk]) -> None:
        self.entries = tuple(entries)
        self._bounds = tuple((entry.places[0], entry.places[-1]) for entry in self.entries)

    @classmethod
    def of(
        cls, facts: Iterable[Fact], indexes: Mapping[int, int], in_summary: Mapping[str, int] | None = None
    ) -> RiskIndex:
        """Return the index of facts. `indexes` maps steps of the conversation to indexes in the live list, `in_summary`
        the keys of facts that a summary repeats to its index."""
        repeated = in_summary or {}
        placed = (
            (
                fact,
                sorted(
                    {indexes[saying.step] for saying in fact.sayings if saying.step in indexes}
                    | ({repeated[fact.key]} if fact.key in repeated else set())
                ),
            )
            for fact in facts
        )
        entries = [AtRisk(fact, tuple(places)) for fact, places in placed if places]
        # Stable: within each half the order is that of the facts, best rank first.
        return cls(sorted(entries, key=lambda entry: not entry.once))

    def __len__(self) -> int:
        return len(self.entries)

    def at_risk(
        self, head_end: int, tail_start: int, length: int | None = None, kept: Collection[int] = ()
    ) -> tuple[AtRisk, ...]:
        """Return the facts that leave verbatim context when [head_end:tail_start] without `kept` is summarized.

        Facts that the list has once are first, then the order is by rank. A fact that another message repeats is not at
        risk. With `length`, only the first `length` messages of the list count."""
        if length is not None:
            leaving = self._until(length, head_end, tail_start)
        else:
            leaving = tuple(
                entry
                for entry, (first, last) in zip(self.entries, self._bounds, strict=True)
                if head_end <= first and last < tail_start
            )
        if not kept:
            return leaving
        return tuple(entry for entry in leaving if not any(place in kept for place in entry.places))

    def _until(self, length: int, head_end: int, tail_start: int) -> tuple[AtRisk, ...]:
        """Return the facts that leave the list of the first `length` messages."""
        leaving = []
        for entry in self.entries:
            if head_end <= entry.places[0] < tail_start:
                places = entry.places[: bisect_left(entry.places, length)]
                if places[-1] < tail_start:
                    leaving.append(entry if len(places) == len(entry.places) else AtRisk(entry.fact, places))
        return tuple(sorted(leaving, key=lambda entry: not entry.once))

    def count(self, head_end: int, tail_start: int) -> int:
        """Return the number of facts at risk."""
        return sum(head_end <= first and last < tail_start for first, last in self._bounds)


def in_summary(lives: Iterable[Life], compaction: int, index: int | None) -> dict[str, int]:
    """Return the keys of the facts that the summary of a compaction repeats, each with the index of this summary.

    Plain statements and facts that a later statement replaces are left out. An index of None is an unknown place:
    nothing is returned.
    """
    if index is None:
        return {}
    return {
        life.fact.key: index
        for life in lives
        for fate in life.fates
        if life.fact.kind != "statement"
        and life.contradicted is None
        and fate.compaction == compaction
        and fate.where == "summary"
        and fate.outcome in KEPT
    }


class Gone(Struct, frozen=True):
    """Number of facts that no message has word for word any more, and number of constraints among them."""

    facts: int
    constraints: int


class FactSteps:
    """The facts of a conversation by the steps at which they were said, for runs that take messages out of the list.

    A fact is gone once every message that says it has left the list. A tool result whose text was pruned stays. Made
    once; each run is then counted by bisection. With `until`, only sayings before that step count.
    """

    def __init__(self, facts: Iterable[Fact], until: int | None = None) -> None:
        said = []
        for fact in facts:
            steps = sorted({saying.step for saying in fact.sayings if until is None or saying.step < until})
            if steps:
                said.append((fact.kind, tuple(steps)))
        self._all = _Bounds(steps for _, steps in said)
        self._constraints = _Bounds(steps for kind, steps in said if kind == "constraint")

    def __len__(self) -> int:
        return len(self._all.steps)

    @property
    def constraints(self) -> int:
        """Number of constraints among the facts."""
        return len(self._constraints.steps)

    def gone(self, left: Collection[int]) -> Gone:
        """Count the facts that are gone after the messages at the steps in `left` leave the list."""
        if not left:
            return Gone(0, 0)
        low, high = min(left), max(left) + 1
        if high - low == len(left):
            return Gone(self._all.within(low, high), self._constraints.within(low, high))
        return Gone(self._all.inside(left), self._constraints.inside(left))


class _Bounds:
    """Steps of each fact, by its first and by its last."""

    __slots__ = ("firsts", "lasts", "steps")

    def __init__(self, steps: Iterable[tuple[int, ...]]) -> None:
        self.steps = sorted(steps)
        self.firsts = [said[0] for said in self.steps]
        self.lasts = sorted(said[-1] for said in self.steps)

    def within(self, low: int, high: int) -> int:
        """Return the number of facts said in steps [low:high] alone."""
        before = bisect_left(self.firsts, low)
        # Few facts start before `low`, the end of a head, so each is checked for later sayings.
        return bisect_left(self.lasts, high) - sum(steps[-1] < high for steps in self.steps[:before])

    def inside(self, left: Collection[int]) -> int:
        """Return the number of facts said in the steps of `left` alone."""
        return sum(all(step in left for step in steps) for steps in self.steps)
