"""Survival of facts by kind, for each compaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.quality.facts.fact import KINDS, ConversationFacts, Fate, Kind, Life
from inspector.quality.losses import is_lost, lives_after
from inspector.quality.measures.measure import Measure, Measured, MeasuredPlace, Share

_ROLES = ("user", "assistant", "tool")


def survival_measures(facts: ConversationFacts, compactions: Sequence[int]) -> tuple[Measure, ...]:
    """Measure by compaction and kind which facts of this and earlier compactions the list after still has.

    Lost facts come first in the evidence (see is_measured).
    """
    return tuple(_measure(facts, compaction, kind) for compaction in compactions for kind in KINDS)


def _measure(facts: ConversationFacts, compaction: int, kind: Kind) -> Measure:
    lives = lives_after((life for life in facts.lives if life.fact.kind == kind), compaction)
    now = [life for life in lives if is_measured(life)]
    evidence = sorted((_evidence(life, life.fate) for life in now), key=lambda entry: entry.is_kept)
    parts = []
    for role in _ROLES:
        share = kept_share(life.fate for life in now if life.fact.role == role)
        if share.of or share.uncertain:
            parts.append((role, share))
    share = kept_share(life.fate for life in now)
    return Measure(f"survival-{kind}", compaction, share, tuple(parts), (), tuple(evidence))


def is_measured(life: Life) -> bool:
    """Return whether survival counts a fact: not text that the user pasted, and not a fact that was said again, taken
    back or changed later."""
    is_pasted = life.fact.role == "user" and life.fact.pasted
    return not is_pasted and (is_lost(life) or not life.fate.gone)


def kept_share(fates: Iterable[Fate]) -> Share:
    """Return the share of facts that the list still has. Uncertain facts are counted apart, unknown ones left out."""
    listed = list(fates)
    alive = [fate.alive for fate in listed if fate.settled]
    return Share(sum(alive), len(alive), sum(fate.outcome == "uncertain" for fate in listed))


def _evidence(life: Life, fate: Fate) -> Measured:
    place = None if fate.index is None else MeasuredPlace(fate.compaction + 1, fate.index)
    return Measured(
        life.fact.text,
        fate.alive,
        MeasuredPlace(life.saying.generation, life.saying.index),
        place,
        fate.where,
        fate.outcome,
        life.fact.role,
        fate.decided_by,
    )
