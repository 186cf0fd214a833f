"""What became of a fact in the list after a compaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from inspector.core.text import safe_title
from inspector.quality.facts.ground import REGIONS, Ground
from inspector.quality.facts.scan import folded
from inspector.quality.facts.values import Fact, Fate, Outcome, Span, Value, Where

#: So much of a fact's words must stand beside its value, for a value that other things can have too.
NEAR = 0.3
#: With so much of them it is the same wording.
SAME = 0.9
#: A fact without exact values is told in other words by so much of its words, and still mentioned by so much.
RETOLD = 0.6
MENTIONED = 0.5
#: So much of its values must be there.
ENOUGH = 2 / 3
_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class _Hit:
    passage: int
    share: float
    values: frozenset[int]


def fate(fact: Fact, ground: Ground, compaction: int, said: Collection[tuple[str, str]] = ()) -> Fate:
    """What the list after `compaction` still has of a fact.

    `said` are the numbers (with units) that anybody said: where the summary gives another one for the same thing, the
    summary changed it. A fact whose text is in the list is verbatim, whatever its values are.
    """
    quoted = ground.quoting(folded(fact.text))
    if quoted is not None:
        return _found(fact, ground, compaction, "verbatim", *quoted)
    if fact.values:
        return _by_values(fact, ground, compaction, said)
    return _by_words(fact, ground, compaction)


def _found(
    fact: Fact, ground: Ground, compaction: int, outcome: Outcome, part: int, span: Span, changed: str = ""
) -> Fate:
    place = ground.parts[part]
    shown = place.text[max(0, span[0] - 40) : max(span[1], span[0] + _EXCERPT - 40)]
    return Fate(
        compaction,
        outcome,
        place.where,
        place.index,
        (span[0] + place.offset, span[1] + place.offset),
        safe_title(shown, _EXCERPT),
        changed,
    )


def _at(
    fact: Fact, ground: Ground, compaction: int, outcome: Outcome, passage: int, changed: str = ""
) -> Fate:
    place = ground.passages[passage]
    return _found(fact, ground, compaction, outcome, place.part, place.span, changed)


def _share(things: frozenset[str], ground: Ground, passage: int) -> float:
    return len(things & ground.words[passage]) / len(things) if things else 0.0


def _by_values(fact: Fact, ground: Ground, compaction: int, said: Collection[tuple[str, str]]) -> Fate:
    things = frozenset(fact.things)
    hits = _hits(fact, ground, things)
    alone = fact.kind in ("value", "link") and all(value.distinctive for value in fact.values)
    best: tuple[tuple[float, ...], _Hit] | None = None
    for hit in hits:
        whole = len(hit.values) / len(fact.values)
        order = (whole, hit.share, -REGIONS.index(ground.where(hit.passage)), -hit.passage)
        if best is None or order > best[0]:
            best = (order, hit)
    together = frozenset[int]().union(*(hit.values for hit in hits))
    if best is not None and len(together) / len(fact.values) >= ENOUGH - 1e-9:
        whole = len(together) == len(fact.values)
        same = whole and (alone or best[1].share >= SAME)
        return _at(fact, ground, compaction, "verbatim" if same else "paraphrased", best[1].passage)
    mentioned = _mentioned(fact, ground, things, said)
    if best is not None:
        return _at(fact, ground, compaction, "value lost", best[1].passage)
    if mentioned is not None:
        return _at(fact, ground, compaction, "value lost", mentioned[0], mentioned[1])
    return Fate(compaction, "lost")


def _hits(fact: Fact, ground: Ground, things: frozenset[str]) -> list[_Hit]:
    """The passages that have values of the fact, where they are this fact's values."""
    places: dict[int, set[int]] = {}
    for number, value in enumerate(fact.values):
        for passage in _having(value, ground):
            places.setdefault(passage, set()).add(number)
    hits = []
    for passage, numbers in places.items():
        share = _share(things, ground, passage)
        shared = len(things & ground.words[passage])
        free = fact.kind in ("value", "link")
        own = {n for n in numbers if fact.values[n].distinctive and (free or share >= NEAR or not things)}
        tool = ground.role(passage) == "tool"
        near = share >= (RETOLD if tool else NEAR) and shared >= min(len(things), 3 if tool else 2)
        # Several of its values together are no chance, whatever the words around them are.
        near = near or (shared > 0 and len(numbers) > 1 and len(numbers) >= ENOUGH * len(fact.values))
        if near or (own and len(numbers) > 1):
            own = numbers
        if own:
            hits.append(_Hit(passage, share, frozenset(own)))
    return hits


def _having(value: Value, ground: Ground) -> Sequence[int]:
    return ground.naming(value.canon) if value.distinctive else ground.counting(value)


def _mentioned(
    fact: Fact, ground: Ground, things: frozenset[str], said: Collection[tuple[str, str]]
) -> tuple[int, str] | None:
    """The passage that speaks of the thing without its value, and the value that it gives instead, if nobody did."""
    if not things:
        return None
    forms = {value.form for value in fact.values}
    best: tuple[tuple[float, int], int, str] | None = None
    for passage, shared in ground.about(fact.things).items():
        share = shared / len(things)
        where: Where = ground.where(passage)
        if (
            share < MENTIONED
            or ground.role(passage) == "tool"
            or (shared < 2 and (len(things) > 1 or where != "summary"))
        ):
            continue
        others = [v for v in ground.values(passage) if v.form in forms]
        changed = ""
        if others:
            # Another value: somebody else's fact, or this one changed on the way.
            strange = [v for v in others if not v.distinctive and (v.canon, v.unit) not in said]
            if (
                where != "summary"
                or not strange
                or len(strange) != len(others)
                or share < RETOLD
                or shared < 2
            ):
                continue
            changed = strange[0].text
        order = (share, -passage)
        if best is None or order > best[0]:
            best = (order, passage, changed)
    return None if best is None else best[1:]


def _by_words(fact: Fact, ground: Ground, compaction: int) -> Fate:
    things = frozenset(fact.things)
    if not things:
        return Fate(compaction, "lost")
    best: tuple[tuple[float, int], int] | None = None
    for passage, shared in ground.about(fact.things).items():
        if ground.role(passage) == "tool" or shared < min(2, len(things)):
            continue
        order = (shared / len(things), -passage)
        if best is None or order > best[0]:
            best = (order, passage)
    if best is None or best[0][0] < MENTIONED:
        return Fate(compaction, "lost")
    passage = best[1]
    kept = best[0][0] >= RETOLD and _denies(fact.text, ground) == _denies(
        ground.passages[passage].text, ground
    )
    return _at(fact, ground, compaction, "paraphrased" if kept else "value lost", passage)


def _denies(text: str, ground: Ground) -> bool:
    """Whether a text has a word that turns its sense round."""
    return any(language.negations.search(text) is not None for language in ground.rules.languages)
