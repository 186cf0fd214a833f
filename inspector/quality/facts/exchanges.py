"""Notice that two things of a statement have changed places in a passage: words, values, directions, bounds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

from inspector.core.patterns import late_pattern
from inspector.core.scan.words import UNSPACED
from inspector.quality.facts.fact import Value
from inspector.quality.facts.meaning import JOINS, Meaning, Word, contrasted, meaning_of
from inspector.quality.facts.rules import load_stemmer, opposites
from inspector.quality.facts.values import comparable

#: A word of a fact and its match in a passage.
Pair = tuple[Word, Word]
#: Minimum share of a fact's words, with small words, that a sentence needs for a comparison of places.
_MIN_TRADED = 0.8
#: Match a sentence with two steps. Step `one` is before step `two`.
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
#: The end of a clause in a sequence of words.
_MARK = ","
#: Words between two nouns that a summary may write as a compound, in the reverse order.
_COMPOUND = frozenset({"of", "for", "to", "in", "from", "on", "at", "by", "the", "a", "an", "all", "our"})
#: Prepositions of a direction, as tags of words.
_DIRECTIONS = frozenset({"to", "from"})
#: Words whose place does not show that two things changed places.
_LINKS = frozenset({"only", "is", "are", "was", "were", "be", "been", "it", "that"})
#: The user's words for user and agent, and a summary's.
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
    value_pairs: Sequence[tuple[Value, Value | None]],
    whole: str,
) -> bool:
    """Return whether two things of a fact have changed places: "rename A to B", "rename B to A".

    `value_pairs` are the values of the fact, each with its match. `whole` is the fact with its conditions.
    """
    return (
        _mate_moved(pairs)
        or _directions_exchanged(pairs)
        or _in_place_of_another(text, pairs)
        or _values_exchanged(fact, text, pairs, value_pairs)
        or _traded_places(whole, text.text)
        or _actors_exchanged(whole, text.text)
        or _bounds_differ(whole, text.text)
        or _extremes_differ(whole, text.text)
        or _steps_differ(whole, text.text)
    )


def _values_exchanged(
    fact: Meaning, text: Meaning, pairs: Sequence[Pair], value_pairs: Sequence[tuple[Value, Value | None]]
) -> bool:
    """Return whether a value of the fact is in another clause than its words, and another value in its place."""
    clause_in_text = dict(zip(map(id, text.values), text.clauses, strict=True))
    clause_in_fact = {value.span: clause for value, clause in zip(fact.values, fact.clauses, strict=True)}
    words_in_clause = Counter(match.clause for _, match in pairs)
    for value, found in value_pairs:
        clause = clause_in_fact.get(value.span)
        # A value outside the main clause belongs to an exception or a condition. A rejected value has no place.
        if found is None or clause is None or contrasted(fact.text, value):
            continue
        # The clauses of the text that have the words around the value, and deny as the fact does.
        places = Counter(
            match.clause for word, match in pairs if word.clause == clause and word.denied == match.denied
        )
        if not places:
            continue
        (home, most), moved = places.most_common(1)[0], clause_in_text[id(found)]
        has_rival = any(
            clause_in_text[id(other)] == home and other is not found and comparable(value, other)
            for other in text.values
        )
        # The value may belong to the clause with more words of the fact.
        more_at_home = words_in_clause[home] >= words_in_clause[moved]
        if moved != home and has_rival and most > places[moved] and more_at_home:
            return True
    return False


def _in_place_of_another(text: Meaning, pairs: Sequence[Pair]) -> bool:
    """Return whether a word of the fact is in another clause, and a word that excludes it is in its place."""
    matched = {id(match) for _, match in pairs}
    for word, match in pairs:
        # The clauses of the other words of the fact.
        rest = Counter(other_match.clause for other, other_match in pairs if other is not word)
        home = rest.most_common(1)[0][0] if rest else match.clause
        # A file or another value in its clause may name the other words: "the rest goes to later.md".
        values = zip(text.values, text.clauses, strict=True)
        named = " ".join(value.text.lower() for value, clause in values if clause == match.clause)
        if any(other.stem in named for other, _ in pairs if other is not word):
            continue
        if rest[home] > rest[match.clause] and any(
            id(other) not in matched and other.clause == home and other.stem in opposites(word.stem)
            for other in text.words
        ):
            return True
    return False


def _mate_moved(pairs: Sequence[Pair]) -> bool:
    """Return whether a word has moved from one of two excluding words to the other: "json for A", "yaml for A"."""
    for word, match in pairs:
        for other, other_match in pairs:
            if (
                word.clause != other.clause
                and match.clause != other_match.clause
                and other.stem in opposites(word.stem)
                and any(
                    mate is not word
                    and mate.clause == word.clause
                    and mate_match.clause == other_match.clause
                    for mate, mate_match in pairs
                )
            ):
                return True
    return False


def _directions_exchanged(pairs: Sequence[Pair]) -> bool:
    """Return whether two things of a clause have each other's place: "A into B", "B into A"."""
    placed = [pair for pair in pairs if not (pair[0].denied or pair[1].denied)]
    return any(
        word.tag != other.tag
        and {word.tag, other.tag} & _DIRECTIONS
        and (match.tag, other_match.tag) == (other.tag, word.tag)
        and word.clause == other.clause
        and match.clause == other_match.clause
        for (word, match), (other, other_match) in combinations(placed, 2)
    )


def _traded_places(fact: str, text: str) -> bool:
    """Return whether a sentence has the words of a fact, but two of them in each other's place.

    "X is off unless Y turns it on" and "X is on unless Y turns it off" differ so. A list in another order does not.
    """
    fact_words, text_words = _sequence(fact), _sequence(text)
    shared = Counter(fact_words) & Counter(text_words)
    if shared.total() < _MIN_TRADED * len(fact_words):
        return False
    in_fact, in_text = _neighbours(fact), _neighbours(text)
    # A word between its own neighbours has not moved.
    moved = [
        word
        for word in in_fact
        if word in in_text and word not in _LINKS and in_fact[word][:2] != in_text[word][:2]
    ]
    for word, other in combinations(moved, 2):
        between = fact_words[in_fact[word][2] + 1 : in_fact[other][2]]
        # "Calls to the vet" are "vet calls".
        is_compound = in_text[word][2] - in_text[other][2] == 1 and _COMPOUND.issuperset(between)
        if is_compound or _in_one_list(between) or _clauses_moved(word, other, fact, text):
            continue
        sure = _takes_place(other, word, in_fact, in_text), _takes_place(word, other, in_fact, in_text)
        if min(sure) > 0 and max(sure) > 1:
            return True
    return False


def _clauses_moved(word: str, other: str, fact: str, text: str) -> bool:
    """Return whether two words moved with their clauses: "A for X and B for Y" is "B for Y and A for X"."""
    both = {word, other}
    clause, clause_in_text = _clause(fact, word) - both, _clause(text, word) - both
    other_clause, other_clause_in_text = _clause(fact, other) - both, _clause(text, other) - both
    return bool((clause & clause_in_text) - other_clause and (other_clause & other_clause_in_text) - clause)


def _clause(text: str, word: str) -> frozenset[str]:
    """Return the other words in the clause of a word."""
    words, at = _sequence(text), _neighbours(text)[word][2]
    start = max((number for number in range(at) if words[number] == _MARK), default=-1)
    end = next((number for number in range(at, len(words)) if words[number] == _MARK), len(words))
    return frozenset(words[start + 1 : end]) - {words[at]}


def _actors_exchanged(fact: str, text: str) -> bool:
    """Return whether a summary exchanges the tasks of user and agent.

    "You write, I tag" becomes "the user writes, the agent tags".
    """
    tasks = _tasks(fact, _SPEAKERS)
    if len(tasks) != 2 or len(retold := _tasks(text, _ACTORS)) != 2:
        return False
    kept = sum(len(tasks[actor] & retold[actor]) for actor in tasks)
    crossed = [tasks["user"] & retold["agent"], tasks["agent"] & retold["user"]]
    return all(crossed) and sum(map(len, crossed)) > kept


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


def _takes_place(
    word: str, other: str, in_fact: Mapping[str, Neighbours], in_text: Mapping[str, Neighbours]
) -> int:
    """Return how surely a word of a sentence has the neighbours that another word has in the fact.

    0: it has none of them. 1: it has one, the end of a clause. 2: it has a word or both.
    """
    before, wanted, now = in_fact[word], in_fact[other], in_text[word]
    sides = [side for side in (0, 1) if now[side] == wanted[side] != before[side]]
    is_sure = len(sides) == 2 or any(now[side] != _MARK for side in sides)
    return 2 if is_sure else len(sides)


@lru_cache(maxsize=5_000)
def _sequence(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, with a mark for each end of a clause and each joining word."""
    words = (match.group().lower() for match in _WORD_OR_MARK.finditer(f",{_POSSESSIVE.sub('', text)},"))
    return tuple(word if word[0].isalnum() and word not in JOINS else _MARK for word in words)


@lru_cache(maxsize=5_000)
def _neighbours(text: str) -> Mapping[str, Neighbours]:
    """Return the neighbours of each word that a text has once."""
    words = _sequence(text)
    counts = Counter(words)
    return {
        word: (words[at - 1], words[at + 1], at)
        for at, word in enumerate(words)
        if word != _MARK and counts[word] == 1
    }


def _bounds_differ(fact: str, text: str) -> bool:
    """Return whether a sentence has an upper bound where a fact has a lower one, or the reverse."""
    in_fact, in_text = _bounds(fact), _bounds(text)
    if not len(in_fact) == len(in_text) == 1 or in_fact.keys() == in_text.keys():
        return False
    # Bounds of two numbers do not contradict each other.
    numbers = [*in_fact.values(), *in_text.values()]
    return not all(numbers) or numbers[0] == numbers[1]


def sides_differ(fact: str, text: str) -> bool:
    """Return whether a fact is about values above a number and a sentence about values below it, or the reverse.

    Only a denial may make them equal.
    """
    in_fact, in_text = (
        {match["number"]: match["above"] is not None for match in _SIDE.finditer(one)} for one in (fact, text)
    )
    return any(in_text.get(number, above) != above for number, above in in_fact.items())


def _bounds(text: str) -> dict[str, str]:
    """Return the kinds of bounds in a text, each with its number, else ""."""
    bounds = {}
    for bound, form in _BOUNDS.items():
        if (match := form.search(text)) is not None:
            number = _NUMBER_BEHIND.match(text, match.end()) or _NUMBER_BEFORE.search(text[: match.start()])
            bounds[bound] = number["number"] if number is not None else ""
    return bounds


def _extremes_differ(fact: str, text: str) -> bool:
    """Return whether a sentence has "least X" where a fact has "most X", or the reverse."""
    in_fact, in_text = (
        {match["of"].lower(): match["extreme"].lower() for match in _EXTREME.finditer(one)}
        for one in (fact, text)
    )
    return any(in_text.get(word, extreme) != extreme for word, extreme in in_fact.items())


@lru_cache(maxsize=5_000)
def steps_of(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the concepts of two steps in their order, or None: "first A, then B", "A before B", "B once A"."""
    for form in _STEPS:
        if (match := form.search(text)) is None:
            continue
        first, then = meaning_of(match["one"]), meaning_of(match["two"])
        if first.denies:
            # "Never ship before it is inspected": inspect first.
            first, then = then, first
        one, two = first.concepts, then.concepts
        if one - two and two - one:
            return one - two, two - one
    return None


def _steps_differ(fact: str, text: str) -> bool:
    """Return whether a sentence has two steps of a fact in the other order."""
    if (in_fact := steps_of(fact)) is None or (in_text := steps_of(text)) is None:
        return False
    kept = len(in_fact[0] & in_text[0]) + len(in_fact[1] & in_text[1])
    moved = in_fact[0] & in_text[1], in_fact[1] & in_text[0]
    return all(moved) and sum(map(len, moved)) > kept


def crossed(pairs: Sequence[Pair], value_clauses: Sequence[tuple[int, int]]) -> bool:
    """Return whether two things of different clauses of the fact have changed places in the passage.

    `value_clauses` are the clauses of each value in the fact and in the passage.
    """
    # A synonym may be another word in the place of the word.
    places = [
        (word.clause, match.clause) for word, match in pairs if word.weight >= 1.0 and word.stem == match.stem
    ]
    places += value_clauses
    apart = together = 0
    for (clause, in_text), (other_clause, other_in_text) in combinations(places, 2):
        apart += clause == other_clause and in_text != other_in_text
        together += clause != other_clause and in_text == other_in_text
    several = all(len(set(clauses)) > 1 for clauses in zip(*places, strict=True))
    return several and apart > 0 and together > 1 and apart + together >= 4
