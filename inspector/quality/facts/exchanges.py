"""Notice that two things of a statement have changed places in a passage: words, values, directions, bounds."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, groupby, pairwise

from msgspec import Struct

from inspector.core.patterns import late_pattern
from inspector.core.scan.words import UNSPACED
from inspector.quality.facts.fact import Value
from inspector.quality.facts.meaning import JOINS, Meaning, Word, meaning_of, most_denials
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
#: Maximum number of words on each side that distinguish two places.
_MAX_REACH = 4
#: The end of a clause in a sequence of words.
_MARK = ","
#: Words between two nouns that a summary may write as a compound, in the reverse order.
_COMPOUND = frozenset({"of", "for", "to", "in", "from", "on", "at", "by", "the", "a", "an", "all", "our"})
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
#: Words with opposite meanings before a number or a name: "under 5", "out of git", "unless Ana".
_SIDES = tuple(
    late_pattern(
        rf"(?:(?P<one>{one})|{other})\s{{0,2}}(?:(?:the|an?|all) )?[€$£]?(?P<what>\d[\d.]*|[^\W\d_][\w-]*)",
        re.IGNORECASE,
    )
    for one, other in (
        (
            r"\b(?:over|above|more than|longer than|older than)\b|[>≥]=?",
            r"\b(?:under|below|less than|fewer than|younger than)\b|[<≤]=?",
        ),
        (r"(?<!\bout )\b(?:in|into|inside|within)\b", r"\b(?:out of|outside(?: of)?|after)\b"),
        (r"\bincluding\b", r"\bexcluding\b"),
        (r"\bunless\b", r"\bif\b"),
        (r"\bboth\b", r"\beither\b"),
    )
)
_NUMBER_BEHIND = late_pattern(r"[^,.;，。；\d]{0,12}(?P<number>\d[\d.]*)")
_NUMBER_BEFORE = late_pattern(r"(?P<number>\d[\d.]*)[^,.;，。；\d]{0,12}\Z")

_EXTREME = late_pattern(r"\b(?P<extreme>most|least) (?P<of>[a-z]{4,})", re.IGNORECASE)
_BOUND = r"(?! to (?!(?:the|next|nearest|full|whole)\b))"
_IN_OR_OUT = r"\b(?:zoom|fade|log|sign|check|opt)(?:s|ged|ed|ted|ging|ing|ting)?[ -]?"
#: Small words with opposite meanings. "Up to 5" is a bound, "more than 5" a side.
_OPPOSITES = (
    (late_pattern(rf"\bup(?:wards?)?\b{_BOUND}", re.I), late_pattern(rf"\bdown(?:wards?)?\b{_BOUND}", re.I)),
    (late_pattern(r"\bmore\b(?! than\b)", re.I), late_pattern(r"\b(?:less|fewer)\b(?! than\b)", re.I)),
    (late_pattern(r"\bsame\b", re.I), late_pattern(r"\bopposite\b", re.I)),
    (late_pattern(rf"{_IN_OR_OUT}in\b", re.I), late_pattern(rf"{_IN_OR_OUT}out\b", re.I)),
)


def exchanged(fact: str, text: str) -> bool:
    """Return whether two things of a fact have changed places in a text, or a bound or a direction is reversed."""
    one, other = _order_of(fact), _order_of(text)
    return (
        _traded_places(one, other)
        or _bounds_differ(one, other)
        or any(other.extremes.get(word, extreme) != extreme for word, extreme in one.extremes.items())
        or any(other.sides.get(pair, side) != side for pair, side in one.sides.items())
        or _actors_exchanged(one, other)
        or _steps_differ(one, other)
    )


def values_exchanged(
    fact: Meaning, text: Meaning, pairs: Sequence[Pair], value_pairs: Sequence[tuple[Value, Value | None]]
) -> bool:
    """Return whether a value of the fact is in another clause than its words, and another value in its place."""
    clause_in_text = dict(zip(map(id, text.values), text.clauses, strict=True))
    clause_in_fact = {value.span: clause for value, clause in zip(fact.values, fact.clauses, strict=True)}
    words_in_clause = Counter(match.clause for _, match in pairs)
    for value, found in value_pairs:
        clause = clause_in_fact.get(value.span)
        # A value outside the main clause belongs to an exception or a condition. A rejected value has no place.
        if found is None or clause is None or value.span in fact.contrasted:
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


def in_place_of_another(text: Meaning, pairs: Sequence[Pair]) -> bool:
    """Return whether a word of the fact is in another clause, and a word that excludes it is in its place."""
    matched = {id(match) for _, match in pairs}
    for word, match in pairs:
        excluded = _excluded_by(word)
        if excluded.isdisjoint(text.stems) and excluded.isdisjoint(text.concepts):
            continue
        # The clauses of the other words of the fact.
        rest = Counter(other_match.clause for other, other_match in pairs if other is not word)
        home = rest.most_common(1)[0][0] if rest else match.clause
        # A file or another value in its clause may name the other words: "the rest goes to later.md".
        values = zip(text.values, text.clauses, strict=True)
        named = " ".join(value.text.lower() for value, clause in values if clause == match.clause)
        if any(other.stem in named for other, _ in pairs if other is not word):
            continue
        if rest[home] > rest[match.clause] and any(
            id(other) not in matched and other.clause == home and _excludes(other, excluded)
            for other in text.words
        ):
            return True
    return False


def _excluded_by(word: Word) -> frozenset[str]:
    return opposites(word.stem) | opposites(word.concept)


def _excludes(word: Word, excluded: frozenset[str]) -> bool:
    return word.stem in excluded or word.concept in excluded


def mate_moved(pairs: Sequence[Pair]) -> bool:
    """Return whether a word has moved from one of two excluding words to the other: "json for A", "yaml for A"."""
    for word, match in pairs:
        excluded = _excluded_by(word)
        for other, other_match in pairs:
            if (
                word.clause != other.clause
                and match.clause != other_match.clause
                and _excludes(other, excluded)
                and any(
                    mate is not word
                    and mate.clause == word.clause
                    and mate_match.clause == other_match.clause
                    for mate, mate_match in pairs
                )
            ):
                return True
    return False


def _traded_places(fact: _Order, text: _Order) -> bool:
    """Return whether a sentence has the words of a fact, but two of them in each other's place.

    "X is off unless Y turns it on" and "X is on unless Y turns it off" differ so. A list in another order does not.
    """
    min_shared = _MIN_TRADED * len(fact.words)
    missing = sum(fact.counts[word] for word in fact.counts.keys() - text.counts.keys())
    if len(fact.words) - missing < min_shared:
        return False
    if sum(min(count, text.counts.get(word, 0)) for word, count in fact.counts.items()) < min_shared:
        return False
    in_fact, in_text = fact.neighbours, text.neighbours
    # A word between its own neighbours has not moved.
    moved = [
        word
        for word in in_fact
        if word in in_text and word not in _LINKS and in_fact[word][:2] != in_text[word][:2]
    ]
    if any(_wide_places_traded(word, other, fact, text) for word, other in _alike(fact, text)):
        return True
    for word, other in combinations(moved, 2):
        sure = _takes_place(other, word, in_fact, in_text), _takes_place(word, other, in_fact, in_text)
        if not min(sure) or max(sure) < 2:
            continue
        between = fact.words[in_fact[word][2] + 1 : in_fact[other][2]]
        # "Calls to the vet" are "vet calls".
        is_compound = in_text[word][2] - in_text[other][2] == 1 and _COMPOUND.issuperset(between)
        if not (is_compound or _in_one_list(between) or _clauses_moved(word, other, fact, text)):
            return True
    return False


def _alike(fact: _Order, text: _Order) -> Iterator[tuple[str, str]]:
    """Yield the pairs of words between the same two words: "the north pier to the south pier"."""
    by_neighbours: dict[tuple[str, str], list[str]] = defaultdict(list)
    for word, (before, after, _) in fact.neighbours.items():
        if word in text.neighbours and text.neighbours[word][:2] == (before, after):
            by_neighbours[before, after].append(word)
    for words in by_neighbours.values():
        yield from combinations(words, 2)


def _wide_places_traded(word: str, other: str, fact: _Order, text: _Order) -> bool:
    """Return whether two words between the same two words are in each other's place, by more words around them."""
    before, after, at = fact.neighbours[word]
    between = fact.words[at + 1 : fact.neighbours[other][2]]
    if set(between) <= {before, after, _MARK} or _clauses_moved(word, other, fact, text):
        return False
    for reach in range(2, _MAX_REACH + 1):
        place, other_place = fact.place(word, reach), fact.place(other, reach)
        if place != other_place:
            return (text.place(other, reach), text.place(word, reach)) == (place, other_place)
    return False


def _clauses_moved(word: str, other: str, fact: _Order, text: _Order) -> bool:
    """Return whether two words moved with their clauses: "A for X and B for Y" is "B for Y and A for X"."""
    both = {word, other}
    clause, other_clause = fact.clauses[word] - both, fact.clauses[other] - both
    stayed, other_stayed = clause & text.clauses[word], other_clause & text.clauses[other]
    return bool(stayed - other_clause and other_stayed - clause)


def _actors_exchanged(fact: _Order, text: _Order) -> bool:
    """Return whether a summary exchanges the tasks of user and agent.

    "You write, I tag" becomes "the user writes, the agent tags".
    """
    if len(tasks := fact.tasks_of_speakers) != 2 or len(retold := text.tasks_of_actors) != 2:
        return False
    kept = sum(len(tasks[actor] & retold[actor]) for actor in tasks)
    crossed = [tasks["user"] & retold["agent"], tasks["agent"] & retold["user"]]
    return all(crossed) and sum(map(len, crossed)) > kept


def _tasks(words: Sequence[str], actors: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the stems that follow each actor in a sequence of words, up to the next actor."""
    stemmer = load_stemmer()
    tasks: dict[str, set[str]] = {}
    actor = ""
    for word in words:
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
    left, right = (now[side] == wanted[side] != before[side] for side in (0, 1))
    is_sure = (left and right) or (left and now[0] != _MARK) or (right and now[1] != _MARK)
    return 2 if is_sure else left + right


class _Order(Struct, frozen=True, dict=True):
    """A text as a sequence of words, with its actors, bounds, opposites and steps. Each is read at its first use."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words in lower case, with a mark for each end of a clause and each joining word."""
        bare = _POSSESSIVE.sub("", self.text)
        words = (match.group().lower() for match in _WORD_OR_MARK.finditer(f",{bare},"))
        return tuple(word if word[0].isalnum() and word not in JOINS else _MARK for word in words)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """The number of times that the text has each word."""
        return Counter(self.words)

    @cached_property
    def neighbours(self) -> Mapping[str, Neighbours]:
        """The neighbours of each word that the text has once."""
        words, counts = self.words, self.counts
        return {
            word: (words[at - 1], words[at + 1], at)
            for at, word in enumerate(words)
            if word != _MARK and counts[word] == 1
        }

    def place(self, word: str, reach: int) -> tuple[Sequence[str], Sequence[str]]:
        """Return the words before and after a word, `reach` on each side."""
        at = self.neighbours[word][2]
        return self.words[max(0, at - reach) : at], self.words[at + 1 : at + 1 + reach]

    @cached_property
    def clauses(self) -> Mapping[str, frozenset[str]]:
        """The words in the clause of each word that the text has once."""
        clause_of: dict[str, frozenset[str]] = {}
        for is_mark, group in groupby(self.words, _MARK.__eq__):
            if not is_mark:
                clause = frozenset(group)
                clause_of |= dict.fromkeys(clause, clause)
        return clause_of

    @cached_property
    def bounds(self) -> Mapping[str, str]:
        """The kinds of bounds, each with its number, else ""."""
        bounds = {}
        for bound, form in _BOUNDS.items():
            if (match := form.search(self.text)) is not None:
                before = self.text[: match.start()]
                number = _NUMBER_BEHIND.match(self.text, match.end()) or _NUMBER_BEFORE.search(before)
                bounds[bound] = number["number"] if number is not None else ""
        return bounds

    @cached_property
    def sides(self) -> Mapping[int, bool]:
        """The pairs of opposite small words of which the text has one: whether it is the first."""
        matches = ((one.search(self.text), other.search(self.text)) for one, other in _OPPOSITES)
        return {
            pair: one is not None
            for pair, (one, other) in enumerate(matches)
            if (one is None) != (other is None)
        }

    @cached_property
    def tasks_of_speakers(self) -> Mapping[str, set[str]]:
        """The tasks of user and agent in the words of the user."""
        return _tasks(self.words, _SPEAKERS)

    @cached_property
    def tasks_of_actors(self) -> Mapping[str, set[str]]:
        """The tasks of user and agent in a summary."""
        return _tasks(self.words, _ACTORS)

    @cached_property
    def extremes(self) -> Mapping[str, str]:
        """The word behind each "most" or "least", with that word."""
        return {match["of"].lower(): match["extreme"].lower() for match in _EXTREME.finditer(self.text)}

    @cached_property
    def steps(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """The concepts of two steps in their order, or None: "first A, then B", "A before B", "B once A"."""
        for form in _STEPS:
            if (match := form.search(self.text)) is None:
                continue
            first, then = meaning_of(match["one"]), meaning_of(match["two"])
            if first.denies:
                # "Never ship before it is inspected": inspect first.
                first, then = then, first
            one, two = first.concepts, then.concepts
            if one - two and two - one:
                return one - two, two - one
        return None


@lru_cache(maxsize=5_000)
def _order_of(text: str) -> _Order:
    return _Order(text)


def _steps_differ(fact: _Order, text: _Order) -> bool:
    """Return whether a sentence has two steps of a fact in the other order."""
    if (in_fact := fact.steps) is None or (in_text := text.steps) is None:
        return False
    kept = len(in_fact[0] & in_text[0]) + len(in_fact[1] & in_text[1])
    moved = in_fact[0] & in_text[1], in_fact[1] & in_text[0]
    return all(moved) and sum(map(len, moved)) > kept


def _bounds_differ(fact: _Order, text: _Order) -> bool:
    """Return whether a sentence has an upper bound where a fact has a lower one, or the reverse."""
    if (
        len(in_fact := fact.bounds) != 1
        or len(in_text := text.bounds) != 1
        or in_fact.keys() == in_text.keys()
    ):
        return False
    # Bounds of two numbers do not contradict each other.
    numbers = [*in_fact.values(), *in_text.values()]
    return not all(numbers) or numbers[0] == numbers[1]


def sides_differ(fact: str, text: str) -> bool:
    """Return whether a fact and a sentence have the same number or name on opposite sides: "over 5", "under 5".

    A denial makes them equal: "not unless Ana agrees", "only if Ana agrees".
    """
    if bool(most_denials(fact)) != bool(most_denials(text)):
        return False
    for pattern in _SIDES:
        in_fact, in_text = (
            {match["what"].lower(): match["one"] is not None for match in pattern.finditer(one)}
            for one in (fact, text)
        )
        if any(in_text.get(what, side) != side for what, side in in_fact.items()):
            return True
    return False


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
