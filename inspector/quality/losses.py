"""What nobody can read any more after the last compaction, counted at the compaction that took it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspector.quality.facts.fact import Fate, Kind, Life

#: The kinds that count as a loss, the gravest first. A link is a name that still stands in what used it.
KINDS_LOST: tuple[Kind, ...] = ("constraint", "preference", "decision", "value")
#: So many lost facts of a compaction are told with it.
TOLD = 8


@dataclass(frozen=True, slots=True)
class LostFacts:
    """What a compaction lost: how many facts of each kind of KINDS_LOST that has any, how many it weakened, and of how
    many of them rules cannot tell (`uncertain`, no loss); `worst` are the first of what is lost and weakened, as they
    were after it."""

    compaction: int
    lost: Mapping[Kind, int]
    weakened: int
    uncertain: int
    worst: tuple[Life, ...]

    @property
    def total(self) -> int:
        """Lost facts of all kinds."""
        return sum(self.lost.values())


def is_lost(life: Life) -> bool:
    """Whether nobody can read a fact any more: it is gone after the compaction that the life is seen after, and was not
    said again, taken back or changed later. The one test of a loss, for every answer."""
    return bool(life.fates) and life.fate.gone and life.back is None and life.contradicted is None


def lives_after(lives: Iterable[Life], compaction: int) -> tuple[Life, ...]:
    """Every fact that this compaction or an earlier one took, once, as it is after this compaction."""
    last = {life.fact.key: life for life in lives if life.compaction <= compaction}
    return tuple(life.seen(compaction) for life in last.values() if life.fate_at(compaction) is not None)


def grave(lost: Mapping[Kind, int], weakened: int) -> tuple[int, ...]:
    """What losses are ordered by: constraints first, kind by kind, then what is weakened."""
    return (*(lost.get(kind, 0) for kind in KINDS_LOST), weakened)


def losses_of(lives: Iterable[Life]) -> tuple[LostFacts, ...]:
    """Every compaction that lost or weakened something for good, oldest first.

    A fact counts once, at the first compaction after which it was gone (or weakened). One that stands in the list
    today, that was said again, or that was taken back, is no loss; neither is one of which it cannot be told.
    """
    by_fact: dict[str, list[Life]] = defaultdict(list)
    for life in lives:
        if life.fact.kind in KINDS_LOST:
            by_fact[life.fact.key].append(life)
    gone: dict[int, list[Life]] = defaultdict(list)
    weak: dict[int, list[Life]] = defaultdict(list)
    unsure: Counter[int] = Counter()
    for same in by_fact.values():
        # The life that begins last has the same fates as the others from there on.
        life = max(same, key=lambda one: one.compaction)
        today = life.fates[-1] if life.fates else None
        if today is None or life.back is not None or life.contradicted is not None:
            continue
        if is_lost(life.seen(today.compaction)):
            gone[_since(same, life, lambda fate: fate.gone)].append(life)
        elif today.outcome == "weakened":
            weak[_since(same, life, lambda fate: fate.outcome == "weakened")].append(life)
        elif today.outcome == "uncertain":
            unsure[_since(same, life, lambda fate: fate.outcome == "uncertain")] += 1
    return tuple(
        _lost_facts(number, gone.get(number, ()), weak.get(number, ()), unsure[number])
        for number in sorted({*gone, *weak})
    )


def untold(lives: Iterable[Life]) -> int:
    """Facts of which nobody can tell whether the list of today has them: a summary that cannot be read took them."""
    last: dict[str, Life] = {}
    for life in lives:
        if life.fact.kind in KINDS_LOST:
            known = last.get(life.fact.key)
            last[life.fact.key] = life if known is None or known.compaction < life.compaction else known
    return sum(
        life.fates[-1].outcome == "unknown" and life.back is None and life.contradicted is None
        for life in last.values()
        if life.fates
    )


def _since(same: Sequence[Life], last: Life, alike: Callable[[Fate], bool]) -> int:
    """The compaction from which on a fact has had such a fate without a break."""
    first = min(same, key=lambda one: one.compaction)
    since = last.fates[-1].compaction
    for fate in reversed(first.fates):
        if not alike(fate):
            break
        since = fate.compaction
    return since


def _lost_facts(number: int, gone: Sequence[Life], weak: Sequence[Life], uncertain: int) -> LostFacts:
    counts: dict[Kind, int] = {}
    for kind in KINDS_LOST:
        count = sum(life.fact.kind == kind for life in gone)
        if count:
            counts[kind] = count
    weakened = {id(life) for life in weak}
    worst = sorted(
        (*gone, *weak),
        key=lambda life: (
            KINDS_LOST.index(life.fact.kind),
            id(life) in weakened,
            -life.fact.rank,
            life.fact.key,
        ),
    )
    return LostFacts(number, counts, len(weak), uncertain, tuple(life.seen(number) for life in worst[:TOLD]))
