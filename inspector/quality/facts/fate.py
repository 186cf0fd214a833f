"""What became of a fact in the list after a compaction."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from inspector.core.scan.words import folded, is_word, tokens
from inspector.core.text import safe_title
from inspector.quality.facts.fact import Fact, Fate, Outcome, Span, Value, Where
from inspector.quality.facts.passage_index import REGIONS, PassageIndex
from inspector.quality.facts.sentences import clauses

#: So much of a fact's words must stand beside its value, for a value that other things can have too.
NEAR = 0.3
#: A fact without exact values is told in other words by so much of its words, and still mentioned by so much.
RETOLD = 0.6
MENTIONED = 0.5
#: So much of its values must be there.
ENOUGH = 2 / 3
#: A part of a fact's text is the fact from so many characters on.
SHORTEST = 24
#: Fewer words than these are too few to know a fact again by.
FEW = 4
_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class _Hit:
    passage: int
    share: float
    values: frozenset[int]


def fate(
    fact: Fact, after: PassageIndex, compaction: int, numbers_said: Collection[tuple[str, str]] = ()
) -> Fate:
    """What the list after `compaction` still has of a fact.

    `numbers_said` are the numbers (with units) that anybody said: where the summary gives another one for the same
    thing, the summary changed it. A fact whose text is in the list is verbatim, whatever its values are.
    """
    for text in _wordings(fact):
        quoted = after.quoting(text)
        if quoted is not None:
            return _found(fact, after, compaction, "verbatim", *quoted)
    if fact.values:
        return _by_values(fact, after, compaction, numbers_said)
    return _by_words(fact, after, compaction)


def _found(
    fact: Fact,
    after: PassageIndex,
    compaction: int,
    outcome: Outcome,
    part: int,
    span: Span,
    changed: str = "",
) -> Fate:
    place = after.parts[part]
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
    fact: Fact, after: PassageIndex, compaction: int, outcome: Outcome, passage: int, changed: str = ""
) -> Fate:
    place = after.passages[passage]
    return _found(fact, after, compaction, outcome, place.part, place.span, changed)


def _wordings(fact: Fact) -> Iterator[str]:
    """The fact's text, and the text without its first or last clause where every value and most of it is left."""
    whole = folded(fact.text)
    yield whole
    if len(whole) < SHORTEST:
        return
    spans = clauses(fact.text, 0, len(fact.text))
    for part in (fact.text[spans[1][0] :], fact.text[: spans[-2][1]]) if len(spans) > 1 else ():
        text = folded(part)
        if (
            len(text) >= SHORTEST
            and len(text) >= len(whole) / 2
            and all(v.text.lower() in text for v in fact.values)
        ):
            yield text


def _by_values(
    fact: Fact, after: PassageIndex, compaction: int, numbers_said: Collection[tuple[str, str]]
) -> Fate:
    things = frozenset(fact.things)
    hits = _hits(fact, after, things)
    alone = fact.kind in ("value", "link") and all(value.distinctive for value in fact.values)
    best: tuple[tuple[float, ...], _Hit] | None = None
    for hit in hits:
        whole = len(hit.values) / len(fact.values)
        order = (whole, hit.share, -REGIONS.index(after.where(hit.passage)), -hit.passage)
        if best is None or order > best[0]:
            best = (order, hit)
    together = frozenset[int]().union(*(hit.values for hit in hits))
    if best is not None and len(together) / len(fact.values) >= ENOUGH - 1e-9:
        if _turned(fact, after, best[1].passage):
            return _at(fact, after, compaction, "value lost", best[1].passage)
        whole = alone and len(best[1].values) == len(fact.values)
        return _at(fact, after, compaction, "verbatim" if whole else "paraphrased", best[1].passage)
    mentioned = _mentioned(fact, after, things, numbers_said)
    if best is not None:
        return _at(fact, after, compaction, "value lost", best[1].passage)
    if mentioned is not None:
        return _at(fact, after, compaction, "value lost", mentioned[0], mentioned[1])
    return Fate(compaction, "lost")


def _hits(fact: Fact, after: PassageIndex, things: frozenset[str]) -> list[_Hit]:
    """The passages that have values of the fact, where they are this fact's values."""
    places: dict[int, set[int]] = {}
    for number, value in enumerate(fact.values):
        for passage in _having(value, after):
            places.setdefault(passage, set()).add(number)
    hits = []
    for passage, numbers in places.items():
        share = after.share(things, passage)
        shared = len(things & after.words[passage])
        free = fact.kind in ("value", "link")
        own = {n for n in numbers if fact.values[n].distinctive and (free or share >= NEAR or not things)}
        tool = after.role(passage) == "tool"
        near = share >= (RETOLD if tool else NEAR) and shared >= min(len(things), 3 if tool else 2)
        # Several of its values together are no chance, whatever the words around them are.
        near = near or (shared > 0 and len(numbers) > 1 and len(numbers) >= ENOUGH * len(fact.values))
        if near or (own and len(numbers) > 1):
            own = numbers
        if own:
            hits.append(_Hit(passage, share, frozenset(own)))
    return hits


def _having(value: Value, after: PassageIndex) -> Sequence[int]:
    return after.naming(value.canon) if value.distinctive else after.counting(value)


def _mentioned(
    fact: Fact, after: PassageIndex, things: frozenset[str], numbers_said: Collection[tuple[str, str]]
) -> tuple[int, str] | None:
    """The passage that speaks of the thing without its value, and the value that it gives instead, if nobody did."""
    if not things:
        return None
    forms = {value.form for value in fact.values}
    # A name is missing: what is left of the fact must be most of its words, not two that any line may have.
    named = any(value.distinctive for value in fact.values)
    enough = max(2, math.ceil(RETOLD * len(things))) if named else 2
    best: tuple[tuple[float, int], int, str] | None = None
    for passage, shared in after.about(things).items():
        where: Where = after.where(passage)
        if shared < enough and (len(things) > 1 or where != "summary"):
            continue
        share = after.share(things, passage)
        if share < MENTIONED or after.role(passage) == "tool":
            continue
        others = [v for v in after.values(passage) if v.form in forms]
        changed = ""
        if others:
            # Another value: somebody else's fact, or this one changed on the way.
            strange = [v for v in others if not v.distinctive and (v.canon, v.unit) not in numbers_said]
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


def _by_words(fact: Fact, after: PassageIndex, compaction: int) -> Fate:
    """The fate of a fact without exact values: how much of its words one passage has."""
    things = frozenset(fact.things)
    if not things:
        return Fate(compaction, "lost")
    wording = _words(fact.text) if len(things) < FEW else frozenset()
    best: tuple[tuple[float, int], int] | None = None
    for passage, shared in after.about(things).items():
        if after.role(passage) == "tool" or shared < min(2, len(things)):
            continue
        share = after.share(things, passage)
        if wording:
            # Of so few words that speak of anything, the small ones between them must be there too.
            share = min(share, len(wording & _words(after.passages[passage].text)) / len(wording))
        if best is None or (share, -passage) > best[0]:
            best = ((share, -passage), passage)
    if best is None or best[0][0] < MENTIONED:
        return Fate(compaction, "lost")
    passage = best[1]
    retold = best[0][0] >= RETOLD and not _turned(fact, after, passage)
    return _at(fact, after, compaction, "paraphrased" if retold else "value lost", passage)


def _words(text: str) -> frozenset[str]:
    return frozenset(token for token in tokens(text.lower()) if is_word(token))


def _turned(fact: Fact, after: PassageIndex, passage: int) -> bool:
    """Whether a passage allows what the fact denies. Bounds are left out: "never more than 40" is "at most 40"."""
    if any(value.form in ("number", "quantity", "percent", "ratio", "time") for value in fact.values):
        return False
    return _denies(_cue(fact), after) and not _denies(after.passages[passage].text, after)


def _cue(fact: Fact) -> str:
    """The words that gave the fact away."""
    start = fact.first.span[0]
    return fact.text[max(0, fact.cue[0] - start) : max(0, fact.cue[1] - start)]


def _denies(text: str, after: PassageIndex) -> bool:
    """Whether a text has a word that turns its sense round."""
    return any(language.negations.search(text) is not None for language in after.rules.languages)
