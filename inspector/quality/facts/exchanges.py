"""Notice that two things of a statement have changed places in a passage: words, values, directions, bounds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from inspector.core.patterns import late_pattern
from inspector.core.scan.words import UNSPACED
from inspector.quality.facts.fact import Value
from inspector.quality.facts.meaning import JOINS, Meaning, Word, meaning_of
from inspector.quality.facts.rules import excludes, load_stemmer
from inspector.quality.facts.values import comparable

#: A word of a fact and its match in a passage.
Pair = tuple[Word, Word]
#: Minimum share of a fact's words, with small words, that a sentence needs for a comparison of places.
_MIN_TRADED = 0.8
#: Two steps in their order.
_STEPS = (
    late_pattern(
        r"\bfirst\b(?P<one>[^,.;]{3,80}?)(?:[,;]? (?:and )?then|[,;] after(?:wards| that))\b(?P<two>[^.;]{3,80})",
        re.IGNORECASE,
    ),
    late_pattern(
        r"(?P<one>[^,.;]{3,100})\bfirst\b[,;]? (?:and |but )?(?:then|only then|as soon as|once|after(?:wards| that)?)\b"
        r"(?P<two>[^.;]{3,100})",
        re.IGNORECASE,
    ),
    late_pattern(r"(?P<one>[^,.;]{3,100})\bbefore\b(?P<two>[^,.;]{3,100})", re.IGNORECASE),
    late_pattern(r"(?P<two>[^,.;]{3,100})\b(?:only )?(?:after|once)\b(?P<one>[^,.;]{3,100})", re.IGNORECASE),
)  # fmt: skip
_MARK = ","
#: Words between two nouns that a summary may write as a compound, in the reverse order.
_COMPOUND = frozenset({"of", "for", "to", "in", "from", "on", "at", "by", "the", "a", "an", "all", "our"})
#: Words that link others. They stand anywhere.
_LINKS = frozenset({"is", "are", "was", "were", "be", "been", "it", "that"})
#: The user's and a summary's words for the user and the agent.
_SPEAKERS = {"i": "user", "we": "user", "you": "agent"}
_ACTORS = {"user": "user", "assistant": "agent", "agent": "agent", "claude": "agent"}
_POSSESSIVE = late_pattern(r"['’]s\b")
_WORD_OR_MARK = late_pattern(rf"[{UNSPACED}]|[^\W{UNSPACED}]+(?:['’-]\w+)*|[,;:.!?，。；：！？]+")
#: The words before and after a word, and its position.
Neighbours = tuple[str, str, int]
_BOUNDS = {
    "least": late_pattern(
        r"\b(?:at least|no (?:less|fewer) than|minimum|min\.?|or more)\b|[至最]少|不少于", re.IGNORECASE
    ),
    "most": late_pattern(
        r"\b(?:at most|no more than|maximum|max\.?|up to|or less|or fewer)\b|[至最]多|不超[过過]",
        re.IGNORECASE,
    ),
}
_SIDE = late_pattern(
    r"(?:(?P<above>\b(?:over|above|more than|longer than|older than)\b|[>≥]=?)|"
    r"\b(?:under|below|less than|fewer than|younger than)\b|[<≤]=?)\s{0,2}[€$£]?(?P<number>\d[\d.]*)",
    re.IGNORECASE,
)
_NUMBER_BEHIND = late_pattern(r"[^,.;，。；\d]{0,12}(?P<number>\d[\d.]*)")
_NUMBER_BEFORE = late_pattern(r"(?P<number>\d[\d.]*)[^,.;，。；\d]{0,12}\Z")

_EXTREME = late_pattern(r"\b(?P<extreme>most|least) (?P<of>[a-z]{4,})", re.IGNORECASE)


def exchanged(
    fact: Meaning,
    text: Meaning,
    pairs: Sequence[Pair],
    valued: Sequence[tuple[Value, Value | None]],
    whole: str,
) -> bool:
    """Return whether two things of a fact have changed places: "rename A to B", "rename B to A".

    `valued` are the values of the fact, each with its match, and `whole` is the fact with its conditions."""
    return (
        _mate_moved(pairs)
        or _in_place_of_another(text, pairs)
        or _values_exchanged(fact, text, pairs, valued)
        or _traded_places(whole, text.text)
        or _actors_exchanged(whole, text.text)
        or _bounds_differ(whole, text.text)
        or _extremes_differ(whole, text.text)
        or _steps_differ(whole, text.text)
    )


def _values_exchanged(
    fact: Meaning, text: Meaning, pairs: Sequence[Pair], valued: Sequence[tuple[Value, Value | None]]
) -> bool:
    """Return whether a value of the fact is in another clause than its words, and another value in its place."""
    clause_of = dict(zip(map(id, text.values), text.clauses, strict=True))
    home_of = {value.span: clause for value, clause in zip(fact.values, fact.clauses, strict=True)}
    for value, other in valued:
        own = home_of.get(value.span)
        places = Counter(there.clause for mine, there in pairs if own is None or mine.clause == own)
        # A value outside the main clause belongs to an exception or a condition.
        if other is None or own is None or not places:
            continue
        (home, most), moved = places.most_common(1)[0], clause_of[id(other)]
        rivals = [
            one
            for one in text.values
            if clause_of[id(one)] == home and one is not other and comparable(value, one)
        ]
        # A clause with more of the fact's words is its own clause.
        told = Counter(there.clause for _, there in pairs)
        if moved != home and rivals and most > places[moved] and told[home] >= told[moved]:
            return True
    return False


def _in_place_of_another(text: Meaning, pairs: Sequence[Pair]) -> bool:
    """Return whether a word of the fact is in another clause, and one that excludes it is in its place."""
    taken = {id(other) for _, other in pairs}
    for word, there in pairs:
        rest = Counter(other.clause for one, other in pairs if one is not word)
        home = rest.most_common(1)[0][0] if rest else there.clause
        if rest[home] > rest[there.clause] and any(
            id(other) not in taken and other.clause == home and excludes(word.stem, other.stem)
            for other in text.words
        ):
            return True
    return False


def _mate_moved(pairs: Sequence[Pair]) -> bool:
    """Return whether a word has moved from one of two excluding words to the other: "json for A", "yaml for A"."""
    for one, here in pairs:
        for other, there in pairs:
            if (
                one.clause != other.clause
                and here.clause != there.clause
                and excludes(one.stem, other.stem)
                and any(
                    mate is not one and mate.clause == one.clause and place.clause == there.clause
                    for mate, place in pairs
                )
            ):
                return True
    return False


def _traded_places(fact: str, text: str) -> bool:
    """Return whether a sentence has the words of a fact, but two of them in each other's place: "X is off unless Y
    turns it on", "X is on unless Y turns it off". A list in another order is the same."""
    mine, theirs = _sequence(fact), _sequence(text)
    shared = Counter(mine) & Counter(theirs)
    if shared.total() < _MIN_TRADED * len(mine):
        return False
    here, there = _neighbours(fact), _neighbours(text)
    # A word between its own neighbours has not moved.
    both = [
        word for word in here if word in there and word not in _LINKS and here[word][:2] != there[word][:2]
    ]
    for at, one in enumerate(both):
        for other in both[at + 1 :]:
            between = mine[here[one][2] + 1 : here[other][2]]
            # "Calls to the vet" are "vet calls".
            compound = there[one][2] - there[other][2] == 1 and _COMPOUND.issuperset(between)
            if compound or _in_one_list(between):
                continue
            # "A for X and B for Y" is "B for Y and A for X".
            own, others = (_clause(mine, here[word][2]) - {one, other} for word in (one, other))
            own_there, others_there = (
                _clause(theirs, there[word][2]) - {one, other} for word in (one, other)
            )
            if (own & own_there) - others and (others & others_there) - own:
                continue
            sure = _stands_as(other, one, here, there), _stands_as(one, other, here, there)
            if min(sure) > 0 and max(sure) > 1:
                return True
    return False


def _clause(words: Sequence[str], at: int) -> frozenset[str]:
    """Return the other words between the marks around a word."""
    start = max((number for number in range(at) if words[number] == _MARK), default=-1)
    end = next((number for number in range(at, len(words)) if words[number] == _MARK), len(words))
    return frozenset(words[start + 1 : end]) - {words[at]}


def _actors_exchanged(fact: str, text: str) -> bool:
    """Return whether a summary exchanges the tasks of user and agent: "you write, I tag", "the user writes, the agent
    tags"."""
    mine = _tasks(fact, _SPEAKERS)
    if len(mine) != 2 or len(theirs := _tasks(text, _ACTORS)) != 2:
        return False
    own = sum(len(mine[actor] & theirs[actor]) for actor in mine)
    crossed = [mine["user"] & theirs["agent"], mine["agent"] & theirs["user"]]
    return all(crossed) and sum(map(len, crossed)) > own


def _tasks(text: str, actors: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the stems that follow each actor in a text, up to the next actor."""
    stemmer = load_stemmer()
    tasks: dict[str, set[str]] = {}
    actor = ""
    for word in _sequence(text):
        actor = actors.get(word, actor)
        if actor and word not in actors:
            tasks.setdefault(actor, set()).update(stemmer.stems(word))
    return tasks


def _in_one_list(between: Sequence[str]) -> bool:
    """Return whether the words between two words show that both are items of one list."""
    marked = [word == _MARK for word in between]
    return not between or (marked[0] and marked[-1] and all(a or b for a, b in pairwise(marked)))


def _stands_as(word: str, other: str, here: Mapping[str, Neighbours], there: Mapping[str, Neighbours]) -> int:
    """Return how surely a word has, in a sentence, the neighbours that another word has in the fact.

    0: it has its own neighbours. 1: one neighbour says so, the end of a clause. 2: a word says so, or both neighbours.
    """
    own, wanted, has = here[word], here[other], there[word]
    sides = [side for side in (0, 1) if has[side] == wanted[side] != own[side]]
    sure = len(sides) == 2 or any(has[side] != _MARK for side in sides)
    return 2 if sure else len(sides)


@lru_cache(maxsize=5_000)
def _sequence(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, with a mark for each end of a clause and each joining word."""
    words = (match.group().lower() for match in _WORD_OR_MARK.finditer(f",{_POSSESSIVE.sub('', text)},"))
    return tuple(word if word[0].isalnum() and word not in JOINS else _MARK for word in words)


@lru_cache(maxsize=5_000)
def _neighbours(text: str) -> Mapping[str, Neighbours]:
    """Return the neighbours of each word that a text has once."""
    words = _sequence(text)
    often = Counter(words)
    return {
        word: (words[at - 1], words[at + 1], at)
        for at, word in enumerate(words)
        if word != _MARK and often[word] == 1
    }


def _bounds_differ(fact: str, text: str) -> bool:
    """Return whether a sentence has an upper bound where a fact has a lower one, or the reverse."""
    mine, theirs = _bounds(fact), _bounds(text)
    if not len(mine) == len(theirs) == 1 or mine.keys() == theirs.keys():
        return False
    # A bound of another number is another bound.
    numbers = [*mine.values(), *theirs.values()]
    return not all(numbers) or numbers[0] == numbers[1]


def sides_differ(fact: str, text: str) -> bool:
    """Return whether a sentence is about values below a number and the fact about values above it, or the reverse. Only
    a denial may make them equal."""
    mine, theirs = (
        {found["number"]: found["above"] is not None for found in _SIDE.finditer(one)} for one in (fact, text)
    )
    return any(theirs.get(number, above) != above for number, above in mine.items())


def _bounds(text: str) -> dict[str, str]:
    """Return the kinds of bounds that a text has, each with the number that it bounds, else ""."""
    found = {}
    for bound, form in _BOUNDS.items():
        if (match := form.search(text)) is not None:
            number = _NUMBER_BEHIND.match(text, match.end()) or _NUMBER_BEFORE.search(text[: match.start()])
            found[bound] = number["number"] if number is not None else ""
    return found


def _extremes_differ(fact: str, text: str) -> bool:
    """Return whether a sentence has "least X" where a fact has "most X", or the reverse."""
    mine, theirs = (
        {found["of"].lower(): found["extreme"].lower() for found in _EXTREME.finditer(one)}
        for one in (fact, text)
    )
    return any(theirs.get(word, extreme) != extreme for word, extreme in mine.items())


@lru_cache(maxsize=5_000)
def steps_of(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the concepts of two steps in the order that a sentence gives them, or None: "first A, then B", "A before
    B", "B once A"."""
    for form in _STEPS:
        if (found := form.search(text)) is None:
            continue
        first, then = (meaning_of(found[name]) for name in ("one", "two"))
        if first.denies:
            # "Never ship before it is inspected": inspect first.
            first, then = then, first
        one, two = ({word.concept for word in step.words} for step in (first, then))
        if one - two and two - one:
            return frozenset(one - two), frozenset(two - one)
    return None


def _steps_differ(fact: str, text: str) -> bool:
    """Return whether a sentence has two steps of a fact in the other order."""
    if (mine := steps_of(fact)) is None or (theirs := steps_of(text)) is None:
        return False
    kept = len(mine[0] & theirs[0]) + len(mine[1] & theirs[1])
    moved = mine[0] & theirs[1], mine[1] & theirs[0]
    return all(moved) and sum(map(len, moved)) > kept


def crossed(pairs: Sequence[Pair], valued: Sequence[tuple[int, int]]) -> bool:
    """Return whether two things that belong to different clauses of the fact have changed places in the passage.

    `valued` are the clauses of each value in the fact and in the passage."""
    # A synonym may be another word in its place.
    places = [
        (mine.clause, other.clause) for mine, other in pairs if mine.weight >= 1.0 and mine.stem == other.stem
    ]
    places += valued
    apart = together = 0
    for at, (here, there) in enumerate(places):
        for here2, there2 in places[at + 1 :]:
            apart += here == here2 and there != there2
            together += here != here2 and there == there2
    several = len({here for here, _ in places}) > 1 and len({there for _, there in places}) > 1
    return several and apart > 0 and together > 1 and apart + together >= 4
