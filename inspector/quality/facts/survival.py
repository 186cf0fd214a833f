"""Survival of facts by kind."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.quality.facts.fact import KINDS, Fate, Kind


class KindSurvival(Struct, frozen=True):
    """Counts of the facts of one kind: `kept` can be read, `weakened` no longer bind, `lost` are gone or have lost
    their value, `open` are undecided."""

    kind: Kind
    kept: int
    weakened: int
    lost: int
    open: int

    @property
    def of(self) -> int:
        """How many there are: as many with every summary of a compaction, as it took the same facts."""
        return self.kept + self.weakened + self.lost + self.open


def survival_of(fates: Sequence[Fate], kinds: Sequence[Kind]) -> tuple[KindSurvival, ...]:
    """Fates counted by the kinds of their facts."""
    counts = []
    for kind in KINDS:
        those = [fate for fate, one in zip(fates, kinds, strict=True) if one == kind]
        if those:
            kept, lost = sum(fate.alive for fate in those), sum(fate.gone for fate in those)
            weakened = sum(fate.outcome == "weakened" for fate in those)
            counts.append(KindSurvival(kind, kept, weakened, lost, len(those) - kept - lost - weakened))
    return tuple(counts)
