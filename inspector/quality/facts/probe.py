"""Prepare a fact for the search in the list after a compaction."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.patterns import late_pattern
from inspector.quality.facts.extract import ARROW, CHOICE, asked_and_answered
from inspector.quality.facts.fact import PLAIN, REQUESTS, Fact, Value
from inspector.quality.facts.languages import language_of
from inspector.quality.facts.meaning import BINDS, EVENT, Adjunct, Meaning, meaning_of, parts_of
from inspector.quality.facts.passages import EDGES, PIECES, plain
from inspector.quality.facts.rules import HEDGES, agrees, concept, load_stemmer, opposites
from inspector.quality.facts.sentences import clauses
from inspector.quality.facts.values import is_label, values_of

#: Matches polite or linking words at the start of a wording. A summary leaves them out.
_POLITE = late_pattern(
    r"^(?:(?:we|i|please|just|ok|okay|and|so|also|then|now|yes|can you|could "
    r"you)\b[ ,]*)+(?=(?:\S+ ){3})"
)
_BEHIND_MODAL = late_pattern(
    r"\b(?:must|shall|should|to|never|always|not|don['’]t|may|can|cannot|please|only|be|"
    r"is|are)\s+(?:be\s+|never\s+|not\s+|always\s+|still\s+|also\s+|only\s+)*(\w+)",
    re.I,
)
#: Maximum content words of an answer with a short question.
_LONG_QUESTION = 5
#: Matches words before a statement that add nothing to it.
_LEAD = late_pattern(
    r"\A(?:(?:but|and|also|so|please|at the same time)\b[ ,]*)*"
    r"(?:keep in mind|bear in mind|remember|note|be aware) that\b ",
    re.IGNORECASE,
)
#: Points of a word of an adjunct in the search.
_ADJUNCT_WEIGHT = 0.3
#: Matches the tickets before a statement and its colon, and tickets in brackets.
_TICKETS = late_pattern(
    r"\A\W{0,8}[\w-]{1,60}+\W{0,3}:|[(\[][A-Z][\w-]{0,40}\d(?:, [A-Z][\w-]{0,40}\d){0,9}[)\]]"
)
_SENTENCE = late_pattern(r"(?:[^.!?\n]|[.!?](?!\s))++[.!?]?")


class Probe(Struct, frozen=True, dict=True):
    """A fact, prepared for the search: its wordings, main clause, adjuncts, values and language.

    `wordings` are plain texts that quote the fact, `answers` those that quote it as a line of a list. `answer` has the
    concepts of an answer without its question. `chosen`: the answer is the number or letter of a point, and says
    nothing without the point. `parts` are the probes of the clauses, if each has its own value.
    """

    wordings: tuple[str, ...]
    answers: tuple[str, ...]
    clauses: tuple[str, ...]
    main: Meaning
    adjuncts: tuple[Adjunct, ...]
    values: tuple[Value, ...]
    text: str
    language: str
    binds: bool
    guesses: bool
    of_user: bool
    asked: bool
    plain: bool
    request: bool
    pasted: bool
    is_value: bool
    answer: frozenset[str]
    chosen: bool = False
    parts: tuple[Probe, ...] = ()

    @property
    def concepts(self) -> frozenset[str]:
        """The concepts of its main clause."""
        return self.main.concepts

    @cached_property
    def sought(self) -> tuple[tuple[str, float], ...]:
        """The concepts to search for, each with its points: those of its words, its adjuncts and their opposites."""
        adjunct_concepts = (name for adjunct in self.adjuncts for name in adjunct.concepts)
        words = [(word.concept, word.stem, word.weight) for word in self.main.words]
        weighed: list[tuple[str, float]] = []
        seen: set[str] = set()
        for name, stem, weight in (*words, *((name, name, _ADJUNCT_WEIGHT) for name in adjunct_concepts)):
            if name not in seen:
                seen.add(name)
                weighed.append((name, weight))
                weighed += [(concept(other), 0.5 * weight) for other in opposites(stem)]
        return tuple(weighed)

    @cached_property
    def key_concepts(self) -> frozenset[str]:
        """The concepts of the demanded act: the first word of the main clause, and any word after a modal or denial."""
        words = self.main.words
        behind = {one.lower() for one in _BEHIND_MODAL.findall(self.main.text)}
        stems = set(load_stemmer().words(" ".join(behind)))
        return frozenset(
            word.concept for number, word in enumerate(words) if number == 0 or word.stem in stems
        )

    @property
    def answers_at_length(self) -> bool:
        """Whether it answers a long question. A summary has only what was decided, in its own words."""
        return bool(self.answers) and len(self.main.words) > _LONG_QUESTION

    @cached_property
    def weight(self) -> float:
        """Weight of all words of the main clause."""
        return sum(word.weight for word in self.main.words)


@lru_cache(maxsize=4_096)
def probe_of(fact: Fact) -> Probe:
    """Return the probe of a fact."""
    probe = _probe(fact)
    if ARROW in fact.text or probe.asked:
        return probe
    texts = [
        fact.text[a:b].strip()
        for sentence in _SENTENCE.finditer(fact.text)
        for a, b in clauses(fact.text, *sentence.span())
    ]
    parts = tuple(_probe(replace(fact, text=text)) for text in texts if text)
    separate = len(parts) > 1 and all(part.values and part.main.words and not part.adjuncts for part in parts)
    return replace(probe, parts=parts) if separate else probe


def _probe(fact: Fact) -> Probe:
    """Return the probe of a fact without the probes of its clauses."""
    question, answer = asked_and_answered(fact)
    text = f"{question} {answer}" if question else answer
    text = _LEAD.sub("", re.sub(r"[*_]{2,}", "", text))
    bare = plain(answer).strip(EDGES)
    whole = plain(fact.text).strip(EDGES) if ARROW not in fact.text else ""
    wordings = tuple(dict.fromkeys(filter(None, (bare, whole, _POLITE.sub("", bare)))))
    short = len(PIECES.findall(bare)) < 3
    asked = fact.rule.endswith(".question")
    main, adjuncts = (meaning_of(text), ()) if asked else parts_of(text)
    is_bare_value = fact.kind == "value" and not main.words
    values = fact.values if is_bare_value else _without_numbering(values_of(text), text)
    reported = fact.role == "assistant" and EVENT.search(text) is not None
    binds = fact.kind in ("constraint", "preference") or (BINDS.search(text) is not None and not reported)
    guesses = fact.role == "assistant" and HEDGES.search(text) is not None
    return Probe(
        () if short and question else wordings,
        (plain(fact.text.partition(ARROW)[0]).strip(EDGES),) if ARROW in fact.text else (),
        _clauses(answer),
        main,
        adjuncts,
        values,
        text,
        language_of(text),
        binds,
        guesses,
        fact.role == "user",
        asked,
        fact.rule.endswith(PLAIN),
        fact.rule.endswith(REQUESTS),
        fact.pasted,
        fact.kind == "value",
        meaning_of(answer).concepts if question and not agrees(answer) else frozenset(),
        fact.rule.endswith(CHOICE),
    )


def _without_numbering(values: tuple[Value, ...], text: str) -> tuple[Value, ...]:
    """Return the values that say something.

    The numbers of an enumeration do not ("instruction 1 ... instruction 2"), and neither does the ticket that a
    statement is filed under ("LOCK-7: the gate opens at dusk", "the gate opens at dusk (LOCK-7)").
    """
    if meaning_of(text).words:
        filed = [label.span() for label in _TICKETS.finditer(text)]
        values = tuple(
            value
            for value in values
            if value.form != "ticket" or not any(a <= value.span[0] < b for a, b in filed)
        )
    labels = [value for value in values if is_label(text, value)]
    numbers = [value.canon for value in labels]
    if len(numbers) < 2 or numbers != [str(number + 1) for number in range(len(numbers))]:
        return values
    return tuple(value for value in values if value not in labels)


def _clauses(text: str) -> tuple[str, ...]:
    """Return the plain clauses of a statement, none if a clause is too short to identify it."""
    parts = tuple(plain(text[a:b]).strip(EDGES) for a, b in clauses(text, 0, len(text)))
    return parts if all(len(PIECES.findall(part)) > 2 for part in parts) else ()
