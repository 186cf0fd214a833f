"""Survival by kind of fact, per compaction and over compactions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.quality.facts.fact import KINDS, ConversationFacts, Fate, Kind, Life
from inspector.quality.measures.measure import Evidence, Measure, Place, Share

_ROLES = ("user", "assistant", "tool")


def survival_measures(facts: ConversationFacts, compactions: Sequence[int]) -> tuple[Measure, ...]:
    """For each compaction and kind: which facts that it summarized can still be read, the lost ones of the best rank
    first; and of all facts that any compaction up to it summarized."""
    return tuple(_measure(facts, compaction, kind) for compaction in compactions for kind in KINDS)


def _measure(facts: ConversationFacts, compaction: int, kind: Kind) -> Measure:
    now = [life for life in facts.lives if life.compaction == compaction and life.fact.kind == kind]
    ever = _latest(life for life in facts.lives if life.compaction <= compaction and life.fact.kind == kind)
    evidence = sorted((_evidence(life, life.fate) for life in now), key=lambda entry: entry.known)
    parts = []
    for role in _ROLES:
        those = [life.fate for life in now if life.fact.role == role and life.fate.settled]
        if those:
            parts.append((role, _share(those)))
    fates = [fate for life in ever if (fate := life.fate_at(compaction)) is not None]
    return Measure(
        f"survival-{kind}",
        compaction,
        _share([life.fate for life in now]),
        _share(fates),
        tuple(parts),
        (),
        tuple(evidence),
    )


def _share(fates: Sequence[Fate]) -> Share:
    """How many can still be read, of those whose fate can be told."""
    told = [fate for fate in fates if fate.settled]
    return Share(sum(fate.alive for fate in told), len(told))


def _latest(lives: Iterable[Life]) -> list[Life]:
    """One life a fact: a fact that was summarized again counts once."""
    found: dict[str, Life] = {}
    for life in lives:
        found[life.fact.key] = life
    return list(found.values())


def _evidence(life: Life, fate: Fate) -> Evidence:
    found = None if fate.index is None else Place(fate.compaction + 1, fate.index)
    return Evidence(
        life.fact.text,
        fate.alive,
        Place(life.saying.generation, life.saying.index),
        found,
        fate.where,
        fate.outcome,
        life.fact.role,
    )
