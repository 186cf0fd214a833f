"""Align a fact with a passage: the words and values in both, and those missing or replaced in the passage."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.patterns import late_pattern
from inspector.quality.facts.fact import Value
from inspector.quality.facts.meaning import Meaning, Word, contrasted, meaning_of, rejected, without_refusals
from inspector.quality.facts.passages import (
    DONE_SECTION,
    REFUSING_SECTION,
    PassageIndex,
    mistyped,
    spelled_out,
)
from inspector.quality.facts.probe import Probe
from inspector.quality.facts.rules import opposites
from inspector.quality.facts.values import FILES, FLEETING, is_in_folder, is_label, same_stated

#: Minimum word overlap of a fact with a passage that states it.
MIN_SAME = 0.7
#: The same if the passage has all values of the fact.
MIN_SAME_VALUED = 0.5
#: Minimum word overlap of a fact with a passage about its subject.
MIN_SUBJECT = 0.6
#: Minimum word overlap of a fact with a passage that may be about it.
MIN_MAYBE = 0.34
#: Minimum word overlap that counts as nearly all words.
NEARLY_ALL = 0.85
#: Maximum characters of a short value. A short value may belong to anything.
_MAX_SHORT_VALUE = 3
#: Maximum words of a brief passage, in addition to twice the words of the fact.
_MAX_EXTRA_WORDS = 4
#: Maximum sentences of a text with a rare word.
_MAX_RARE = 4
#: Matches the number of a list item or a heading, which is a label.
_ITEM_NUMBER = late_pattern(r"^[ \t]*(?:#{1,6} )?\d{1,2}[.)](?=\s|\Z)", re.MULTILINE)
#: Maximum characters to read before and after a sentence of a line, for its conditions.
_LINE_CONTEXT = 300
#: Matches the heading of a section of rules and decisions.
_RULE_SECTION = late_pattern(
    r"constraint|preference|instruction|rule|requirement|guideline|decision|decided|conventions?|policy|"
    r"request and intent|约束|要求|决定|规则",
    re.I,
)


class _Section(Struct, frozen=True):
    """What the headings of a section say: it has rules, finished work, or refused work (the concepts of its verb)."""

    has_rules: bool
    is_done: bool
    refusing: frozenset[str] | None


@lru_cache(maxsize=1_000)
def _section(headings: str) -> _Section:
    has_rules = bool(_RULE_SECTION.search(headings))
    refusal = REFUSING_SECTION.search(headings)
    verb = meaning_of(refusal.group()) if refusal is not None else None
    refusing = verb.concepts | verb.refusals if verb is not None else None
    return _Section(has_rules, bool(DONE_SECTION.search(headings)) and not has_rules, refusing)


@lru_cache(maxsize=20_000)
def _stated(text: str, forbidden: bool) -> Meaning:
    """Return the meaning of a passage without the numbers of its items."""
    meaning = meaning_of(_ITEM_NUMBER.sub(lambda label: " " * len(label.group()), text))
    return rejected(meaning) if forbidden else meaning


class Alignment:
    """The words and values that a fact and a passage share."""

    def __init__(
        self, probe: Probe, number: int, after: PassageIndex, fact_numbers: Collection[tuple[str, str]]
    ) -> None:
        source = after.passages[number]
        passage = _stated(source.text, source.forbidden)
        section = _section(source.section)
        # Under the heading "Dropped", the fact "drop X" is done, not refused.
        if section.refusing is not None and probe.main.concepts.isdisjoint(section.refusing):
            passage = rejected(passage)
        # A verb of refusal that both texts have denies nothing: "drop X", "X is dropped".
        if probe.main.refusals & passage.concepts or passage.refusals & probe.main.concepts:
            probe, passage = replace(probe, main=without_refusals(probe.main)), without_refusals(passage)
        self.probe, self.after, self.fact_numbers = probe, after, fact_numbers
        #: The words and values of the passage.
        self.passage = passage
        self.part, self.span, self.joined = after.parts[source.part], source.span, source.joined
        self.part_number = source.part
        self.two_lines = "\n" in source.text
        self.in_rule_section, self.in_done_section = section.has_rules, section.is_done
        #: The words that fact and passage share, and the words that the passage replaces, each with its match.
        self.pairs = list(aligned(probe.main.words, passage))
        shared = {id(word) for word, _ in self.pairs}
        self.missing_words = [word for word in probe.main.words if id(word) not in shared]
        self.replaced = _replaced(self.missing_words, passage, self.pairs)
        shared_weight = sum(word.weight for word, _ in self.pairs)
        replaced_weight = sum(word.weight for word, _ in self.replaced)
        #: Share of the words of the main clause that the passage has, by weight.
        self.overlap = shared_weight / (probe.weight or 1.0)
        #: The same, but a word that excludes a word of the fact counts as its match.
        self.coverage = (shared_weight + replaced_weight) / (probe.weight or 1.0)
        #: The values of the fact, each with the same value of the passage, if any.
        self.value_pairs = [(value, self._match_of(value)) for value in probe.values]
        self.lost_values = [
            value
            for value, match in self.value_pairs
            if match is None
            and (
                any(
                    self._is_same_value(value, other) and self._is_rejected(value, other)
                    for other in passage.values
                )
                or not spelled_out(value, passage.text)
            )
        ]
        #: Whether other passages of the same text have all missing values.
        self.scattered = bool(self.lost_values) and all(
            (value.distinctive or len(value.canon) > _MAX_SHORT_VALUE) and after.has_value(source.part, value)
            for value in self.lost_values
        )

    @property
    def is_about_the_same(self) -> bool:
        """Whether fact and passage share enough to contradict each other.

        They share two words or values, or the only word that either has, and most words of the fact. The passage is
        brief. Information that is not a rule needs nearly all of its words, with those of its adjuncts.
        """
        shared_values = sum(
            value not in self.lost_values and not is_label(self.probe.text, value)
            for value in self.probe.values
        )
        is_brief = len(self.passage.words) <= _MAX_EXTRA_WORDS + 2 * len(self.probe.main.words)
        adjuncts = [adjunct.concepts for adjunct in self.probe.adjuncts]
        others = frozenset[str]().union(*adjuncts) - self.probe.concepts
        shared = self.shared_words + len(self.replaced) + shared_values + len(others & self.passage.concepts)
        has_no_other_word = self.coverage >= NEARLY_ALL and len(self.pairs) == len(self.passage.words)
        has_most = self.coverage >= MIN_SUBJECT
        if self.probe.plain:
            covered = self.coverage * self.probe.weight + len(others & self.line.concepts)
            # The words of a lost name in code are no further difference.
            named = frozenset[str]().union(*(meaning_of(value.text).concepts for value in self.lost_values))
            covered += sum(word.weight for word in self.missing_words if word.concept in named)
            has_most = covered >= NEARLY_ALL * (self.probe.weight + len(others))
        return (shared > 1 or (shared == 1 and has_no_other_word)) and is_brief and has_most

    def _match_of(self, value: Value) -> Value | None:
        """Return the first value of the passage that is the same as a value of the fact, and about the fact."""
        return next(
            (
                other
                for other in self.passage.values
                if self._is_same_value(value, other)
                and self._is_about_fact(other)
                and not self._is_rejected(value, other)
            ),
            None,
        )

    def _is_rejected(self, value: Value, other: Value) -> bool:
        """Return whether the passage rejects a value of the fact: "8080" of "9090 instead of 8080"."""
        return other.span in self.passage.contrasted and not contrasted(self.probe.text, value)

    def _is_about_fact(self, value: Value) -> bool:
        """Return whether a value of the passage is about the fact: its line has a word of the fact, or no words.

        A long value is about the fact in any line.
        """
        if not self.two_lines or value.distinctive or len(value.canon) > _MAX_SHORT_VALUE:
            return True
        start, end = value.span
        text = self.passage.text
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        concepts = meaning_of(text[first : last if last >= 0 else len(text)]).concepts
        return not concepts or not concepts.isdisjoint(word.concept for word, _ in self.pairs)

    def _is_same_value(self, value: Value, other: Value) -> bool:
        """Return whether a value of the fact and a value of the passage are the same."""
        return same_stated(value, self.probe.values, other, self.passage.values)

    @cached_property
    def kept_values(self) -> int:
        """Number of exact values of the fact that the passage has."""
        return len(self.value_pairs) - len(self.lost_values)

    @cached_property
    def shared_words(self) -> int:
        """Number of different shared words with a meaning of their own."""
        return len({word.concept for word, _ in self.pairs if word.weight >= 1.0})

    @cached_property
    def has_enough(self) -> bool:
        """Whether the passage has most words of the fact, or all its values and half of its words in one line."""
        return self.overlap >= MIN_SAME or self.has_all_values()

    def has_all_values(self) -> bool:
        """Return whether the passage has all values of the fact, and half of its words."""
        few = self.shared_words < min(2, len(self.probe.main.words)) and self.overlap < 1.0
        all_values = not self.lost_values and self.has_telling_value()
        return all_values and self.overlap >= MIN_SAME_VALUED and not (self.two_lines or few)

    def has_rare_words(self) -> bool:
        """Return whether the passage has two rare words of a user's statement, and a third of all its words."""
        if not self.probe.of_user:
            return False
        concepts = {word.concept for word in self.probe.main.words if word.weight >= 1.0}
        concepts = concepts.union(*(adjunct.concepts for adjunct in self.probe.adjuncts))
        shared = concepts & self.passage.concepts
        rare = sum(map(self._is_rare, shared))
        return rare > 1 and len(shared) >= MIN_MAYBE * len(concepts)

    def is_rare(self, word: Word) -> bool:
        """Return whether a word of the fact is rare in the text of the passage, so that it identifies the subject."""
        return word.weight >= 1.0 and self._is_rare(word.concept)

    def _is_rare(self, concept: str) -> bool:
        return self.after.sentences_with(concept, self.part_number) <= _MAX_RARE

    def has_exact_value(self) -> bool:
        """Return whether the fact is a value, such as an address or an id, that the passage has and does not deny.

        A longer sentence of the agent says more than its value.
        """
        probe = self.probe
        is_value = probe.is_value and (probe.of_user or len(probe.main.words) <= _MAX_EXTRA_WORDS)
        return is_value and self.keeps_exact_values()

    def keeps_exact_values(self) -> bool:
        """Return whether all values of the fact are distinctive, and the passage has them and denies nothing."""
        is_kept = bool(self.kept_values) and not self.lost_values and not self.passage.denies
        all_distinctive = all(value.distinctive for value in self.probe.values)
        return is_kept and all_distinctive and not self.may_name_another_file()

    def may_name_another_file(self) -> bool:
        """Return whether the passage has only the name of a file, and the list has that name in other folders."""
        return any(
            match is not None
            and match.form in FILES
            and is_in_folder(value)
            and not is_in_folder(match)
            and self.after.has_only_others(value)
            for value, match in self.value_pairs
        )

    def has_telling_value(self) -> bool:
        """Return whether the passage has a value that identifies the fact: all but a short number without a unit."""
        return any(
            match is not None
            and (value.distinctive or bool(value.unit) or value.form != "number" or len(value.canon) > 2)
            for value, match in self.value_pairs
        )

    def has_name(self) -> bool:
        """Return whether the passage has a name, an id or a version of the fact, in any form."""
        return any(value.distinctive and value not in self.lost_values for value in self.probe.values)

    def has_all_measures(self) -> bool:
        """Return whether the passage has every value of the user's fact that has a unit, at least one.

        Things that an agent counts in passing do not count.
        """
        measures = [
            match is not None and match.unit != ""
            for value, match in self.value_pairs
            if value.unit and value.unit not in FLEETING
        ]
        return self.probe.of_user and bool(measures) and all(measures)

    def has_key_word(self) -> bool:
        """Return whether the passage names the act that the fact demands, not only its subject."""
        return not self.probe.key_concepts.isdisjoint(word.concept for word, _ in self.pairs)

    @cached_property
    def line(self) -> Meaning:
        """The whole line of the passage: a condition may be in the sentence before or after."""
        if self.two_lines:
            return self.passage
        text, (start, end) = self.part.text, self.span
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        return meaning_of(
            text[
                max(first, start - _LINE_CONTEXT) : min(last if last >= 0 else len(text), end + _LINE_CONTEXT)
            ]
        )


def aligned(words: Sequence[Word], passage: Meaning) -> Iterator[tuple[Word, Word]]:
    """Yield the words of a fact that a passage has, each with its match: by concept, else by a typo."""
    left: list[Word] = []
    matched: set[int] = set()
    for word in words:
        options = [other for other in passage.by_concept.get(word.concept, ()) if id(other) not in matched]
        if not options:
            left.append(word)
            continue
        best = min(
            options, key=lambda other: 2 if other.denied != word.denied else other.clause != word.clause
        )
        matched.add(id(best))
        yield word, best
    joined = _joined(left, passage, matched)
    matched.update(id(match) for _, match in joined.values())
    yield from joined.values()
    for word in left:
        if id(word) in joined:
            continue
        alike = passage.by_letter.get(word.stem[:1], ())
        typo = next(
            (other for other in alike if id(other) not in matched and mistyped(word.stem, other.stem)), None
        )
        if typo is not None:
            matched.add(id(typo))
            yield word, typo
        elif word.concept in passage.by_concept:
            # The passage may have a repeated word once.
            yield word, passage.by_concept[word.concept][0]


def _joined(left: Sequence[Word], passage: Meaning, matched: Collection[int]) -> dict[int, tuple[Word, Word]]:
    """Return, by id, the words that only one text writes as one word, each with its match: "github", "GitHub"."""
    free = [word for word in passage.words if id(word) not in matched]
    beginnings = {first.stem + second.stem: first for first, second in pairwise(free)}
    wholes = {word.stem: word for word in free}
    pairs = {id(word): (word, beginnings[word.stem]) for word in left if word.stem in beginnings}
    for first, second in pairwise(left):
        whole = wholes.get(first.stem + second.stem)
        if whole is not None:
            pairs |= {id(word): (word, whole) for word in (first, second)}
    return pairs


def _replaced(
    missing: Sequence[Word], passage: Meaning, pairs: Sequence[tuple[Word, Word]]
) -> list[tuple[Word, Word]]:
    """Return the missing words of a fact that a passage replaces, each with the word that excludes it."""
    replaced = []
    for word in missing:
        excluded = opposites(word.stem) | opposites(word.concept)
        if excluded.isdisjoint(passage.stems) and excluded.isdisjoint(passage.concepts):
            continue
        matched = {id(match) for _, match in pairs}
        other = next(
            (
                other
                for other in passage.words
                if not excluded.isdisjoint((other.stem, other.concept))
                and id(other) not in matched
                # "Keep it" and "do not remove it" are the same.
                and other.denied == word.denied
            ),
            None,
        )
        if other is not None:
            replaced.append((word, other))
    return replaced
