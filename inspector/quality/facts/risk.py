"""At risk now: which facts the next compaction would take out of the list, for a plan that changes with every knob."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inspector.quality.facts.values import Fact


@dataclass(frozen=True, slots=True)
class AtRisk:
    """A fact that would leave the list. `places` are the indexes in the live list where it stands now."""

    fact: Fact
    places: tuple[int, ...]

    @property
    def once(self) -> bool:
        """Whether it stands there a single time."""
        return len(self.places) == 1


class RiskIndex:
    """The facts of the live list by where they stand. Made once per list; a plan is then a filter over them."""

    def __init__(self, facts: Iterable[Fact], places: Mapping[int, int]) -> None:
        """`places` leads from a step of the conversation to the message's index in the live list."""
        found = []
        for fact in facts:
            at = tuple(sorted({places[s.step] for s in fact.sayings if s.step in places}))
            if at:
                found.append(AtRisk(fact, at))
        # Stable: within each half the order is that of the facts, best rank first.
        self.entries = tuple(sorted(found, key=lambda entry: not entry.once))
        self._bounds = tuple((entry.places[0], entry.places[-1]) for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def at_risk(self, head_end: int, tail_start: int) -> tuple[AtRisk, ...]:
        """What leaves verbatim context when [head_end:tail_start] is summarized: first what stands there once, then
        by rank. What also stands in the head or tail stays."""
        return tuple(
            entry
            for entry, (first, last) in zip(self.entries, self._bounds, strict=True)
            if head_end <= first and last < tail_start
        )

    def count(self, head_end: int, tail_start: int) -> int:
        """How many facts that is."""
        return sum(head_end <= first and last < tail_start for first, last in self._bounds)
