"""Compare a fact with a passage: the words and values that both have, and how they differ."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec.structs import replace

from inspector.core.patterns import late_pattern
from inspector.core.text import safe_title
from inspector.quality.facts.exchanges import crossed, exchanged, sides_differ
from inspector.quality.facts.fact import Outcome, Value
from inspector.quality.facts.meaning import (
    AGENT_DID,
    BINDS,
    BREAK,
    EVENT,
    FORBIDS,
    NARROW,
    ONE_TIME,
    ONLY,
    ORDERED,
    ORDERED_THERE,
    PART,
    QUANTIFIED,
    SOFT,
    TAGS,
    UNIVERSAL,
    YET,
    Adjunct,
    Meaning,
    Word,
    are_opposed,
    compensates,
    contrasted,
    enforces,
    is_lasting,
    listed,
    meaning_of,
    most_denials,
    parts_of,
    rejected,
    restricts,
    without_refusals,
)
from inspector.quality.facts.passages import (
    DONE_SECTION,
    REFUSING_SECTION,
    PassageIndex,
    mistyped,
    spelled_out,
)
from inspector.quality.facts.probe import Probe
from inspector.quality.facts.rules import HEDGES, load_stemmer, opposites
from inspector.quality.facts.values import (
    BEFORE_LABEL,
    FILES,
    FLEETING,
    NUMBER_WORDS,
    comparable,
    same_value,
    values_of,
)

#: Minimum word overlap of a fact with a passage that states it.
MIN_SAME = 0.7
#: The same if the passage has all values of the fact.
MIN_SAME_VALUED = 0.5
#: Minimum word overlap of a fact with a passage about its subject.
MIN_SUBJECT = 0.6
#: Minimum word overlap of a fact with a passage that may be about it.
MIN_MAYBE = 0.34
#: Minimum word overlap of an exception, a condition or a reason with a passage that has it.
MIN_ADJUNCT = 0.33
#: Minimum word overlap that counts as nearly all words.
_NEARLY_ALL = 0.85
#: Maximum characters of a short value. A short value may belong to anything.
_MAX_SHORT_VALUE = 3
#: Maximum words of a brief passage, in addition to twice the words of the fact.
_MAX_EXTRA_WORDS = 4
#: Maximum sentences with a rare word.
_MAX_RARE = 4
#: Matches a sentence that may state an exception.
_EXEMPTS = late_pattern(
    r"\b(?:except\w*|unless|other than|apart from|save for|exclud\w*|exempt\w*|skip\w*|spared?|but|not|no|never|"
    r"without|only|else|otherwise)\b",
    re.IGNORECASE,
)
#: Matches the words that always begin an exception.
_EXEMPTS_EXPRESSLY = late_pattern(r"\b(?:except|unless)\b|除非|除外", re.IGNORECASE)
#: Matches the number of a list item, which is a label.
_ITEM_NUMBER = late_pattern(r"^[ \t]*\d{1,2}[.)](?=\s|\Z)", re.MULTILINE)
_AND = late_pattern(r"\b(?:and|as well as|plus)\b", re.IGNORECASE)
#: Match the words around the first value in "from 5.4 to 4.9". Only the second value is true now.
_FROM = late_pattern(r"(?:\bfrom|[从從由])\W{0,3}\Z", re.IGNORECASE)
_TO = late_pattern(r"\W{0,3}(?:to\b|[到至])\W{0,3}\d", re.IGNORECASE)
#: Matches the sign of a limit (not an arrow), or the word before a value.
_LIMIT = late_pattern(r"(?:(?<![-=<>])(?P<sign>[<>≤≥])=?\s?|\b(?P<word>[A-Za-z]+)\s)[€$£¥]?\Z")
#: Matches a circumstance at the beginning: "Without it p99 is 296 ms" is not a rule.
_CIRCUMSTANCE = late_pattern(r"\W*without\b", re.IGNORECASE)
#: Matches the words before a value that must not be exceeded: "more than 40".
_EXCEEDS = late_pattern(r"\b(?:than|exceed(?:s|ing)?)\s\W{0,2}\Z", re.IGNORECASE)
#: Matches a word with digits, a number with its sign, and the word of a number.
_NUMERIC = late_pattern(
    rf"(?:(?<![\w.)%])[-−])?(?<!\w)(?P<number>[^\W\d]*\d\w*|(?:{'|'.join(NUMBER_WORDS.values())})(?!\w))",
    re.IGNORECASE,
)
#: Maximum characters to read before and after a sentence of a line, for its conditions.
_LINE_CONTEXT = 300
#: Matches words of a summary that report a statement of the user. They do not soften it.
_USER_ASKS = late_pattern(
    r"\buser(?:['’]s)? (?:suggest(?:s|ed|ion)|propos(?:es|ed|al)|wants?|wanted|prefer(?:s|red|ences?))\b",
    re.IGNORECASE,
)
#: Matches the heading of a section of rules and decisions.
_RULE_SECTION = late_pattern(
    r"constraint|preference|instruction|rule|requirement|guideline|decision|decided|conventions?|policy|"
    r"request and intent|约束|要求|决定|规则",
    re.I,
)


#: An outcome, and the changed text of a contradiction, else "". The outcome None: the passage has nothing of the fact.
Verdict = tuple[Outcome | None, str]


def foreign(probe: Probe, after: PassageIndex) -> bool:
    """Return whether a fact is in another language than the summary."""
    return bool(probe.tongue and after.tongue) and probe.tongue != after.tongue


class Comparison:
    """Comparison of a fact with a passage: the words and values in both, and the differences."""

    def __init__(
        self, probe: Probe, number: int, after: PassageIndex, fact_numbers: Collection[tuple[str, str]]
    ) -> None:
        source = after.passages[number]
        passage = meaning_of(_ITEM_NUMBER.sub(lambda label: " " * len(label.group()), source.text))
        if source.forbidden:
            passage = rejected(passage)
        refusal = REFUSING_SECTION.search(source.section)
        if refusal is not None:
            verb = meaning_of(refusal.group())
            # Under the heading "Dropped", the fact "drop X" is done, not refused.
            if probe.main.concepts.isdisjoint(verb.concepts | verb.refusals):
                passage = rejected(passage)
        # A verb of refusal that both texts have denies nothing: "drop X", "X is dropped".
        if probe.main.refusals & passage.concepts or passage.refusals & probe.main.concepts:
            probe, passage = replace(probe, main=without_refusals(probe.main)), without_refusals(passage)
        self.probe, self.after, self.fact_numbers = probe, after, fact_numbers
        #: The words and values of the passage.
        self.passage = passage
        self.part, self.span, self.joined = after.parts[source.part], source.span, source.joined
        self.two_lines = "\n" in source.text
        self.in_rule_section = bool(_RULE_SECTION.search(source.section))
        self.in_done_section = bool(DONE_SECTION.search(source.section)) and not self.in_rule_section
        #: The words that fact and passage share, and the words that the passage replaces, each with its match.
        self.pairs = list(_aligned(probe.main.words, passage.words))
        self.replaced = _replaced(probe.main.words, passage.words, self.pairs)
        shared = {id(word) for word, _ in self.pairs}
        self.missing_words = [word for word in probe.main.words if id(word) not in shared]
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

        They share two words or values, and most words of the fact. The passage is brief. Information that is not a rule
        needs nearly all of its words.
        """
        shared_values = sum(
            value not in self.lost_values and not BEFORE_LABEL.search(self.probe.text, 0, value.span[0])
            for value in self.probe.values
        )
        is_brief = len(self.passage.words) <= _MAX_EXTRA_WORDS + 2 * len(self.probe.main.words)
        min_coverage = _NEARLY_ALL if self.probe.plain else MIN_SUBJECT
        shared = self.shared_words + len(self.replaced) + shared_values
        return shared > 1 and is_brief and self.coverage >= min_coverage

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
        return contrasted(self.passage.text, other) and not contrasted(self.probe.text, value)

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
        """Return whether two values are the same. `other` may have the unit of another value of the fact."""
        units = {stated.unit for stated in self.probe.values if stated.unit}
        has_stated_unit = value.form == "number" and other.unit in units
        return same_value(value, other) or (has_stated_unit and value.canon == other.canon)

    def outcome(self) -> Verdict:
        """Return the outcome, with the changed text of a contradiction, else "".

        The outcome is None if the passage has nothing of the fact.
        """
        probe = self.probe
        is_foreign = foreign(probe, self.after)
        without_lexicon = (probe.tongue or self.after.tongue) not in ("en", "zh", "")
        if (is_foreign or without_lexicon) and self._has_exact_value():
            return "paraphrased", ""
        if is_foreign:
            return self._uncertain_if_shared()
        if without_lexicon:
            return self._without_lexicon() or self._uncertain_if_shared()
        concepts = self.passage.concepts
        if not probe.answer <= concepts:
            # The passage may answer another question.
            has_part = probe.answer & concepts and all(word in self.after.by_concept for word in probe.answer)
            return ("uncertain", "") if has_part else (None, "")
        if probe.answer and self.overlap < MIN_SAME_VALUED:
            return "uncertain", ""
        if not probe.main.words:
            if not self.kept_values or self.lost_values:
                return ("value lost" if self.kept_values else None), ""
            # A value alone does not state a rule or a request.
            return ("uncertain" if probe.binds or probe.request else "paraphrased"), ""
        if not (self.has_enough or self.coverage >= MIN_SUBJECT):
            return self._unlike()
        return self._changed() or self._incomplete() or self._stated()

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
        return self.overlap >= MIN_SAME or self._has_all_values()

    def _has_all_values(self) -> bool:
        """Return whether the passage has all values of the fact, and half of its words."""
        few = self.shared_words < min(2, len(self.probe.main.words)) and self.overlap < 1.0
        all_values = not self.lost_values and self._has_telling_value()
        return all_values and self.overlap >= MIN_SAME_VALUED and not (self.two_lines or few)

    def _changed(self) -> Verdict | None:
        """Return the outcome if the passage contradicts the fact or only reports one event."""
        contradicted: Verdict = "contradicted", safe_title(self.passage.text, 80)
        if text := self._contradiction(self._missing_values):
            return "contradicted", text
        if self.exchanged and self.coverage >= MIN_SAME:
            return contradicted
        if self.overlap >= MIN_SAME and self._limit_turned():
            return contradicted
        if self._reports():
            return contradicted if self._did_forbidden() else self._weakened()
        if self._flipped() or self._swapped() or self._crossed():
            turned = (
                (self._key_flipped() and not self._denies_other())
                or self._swapped()
                or self._crossed_alone()
                or (self.coverage >= _NEARLY_ALL and self._denial_moved())
            )
            return contradicted if self.coverage >= MIN_SAME and turned else ("uncertain", "")
        return None

    def _incomplete(self) -> Verdict | None:
        """Return the outcome if the passage lacks a value, a part or the force of the fact."""
        if self._missing_values:
            if self.scattered:
                is_stated = self.overlap >= MIN_SAME and self.kept_values
                return ("paraphrased" if is_stated else "uncertain"), ""
            return ("value lost" if self.overlap >= MIN_SUBJECT and self.shared_words else "uncertain"), ""
        if self._leaves_out():
            return ("uncertain", "") if self.joined else self._weakened()
        if self._softer():
            # In a passage of several sentences, the soft sentence may be about something else.
            return ("uncertain" if self.joined else "weakened"), ""
        # `_leaves_out` searches the whole line for listed things. Here they must be in the passage, and the match of a
        # denied thing must be in a clause that denies something.
        denying = {word.clause for word in self.passage.words if word.denied}
        listed_alike = {
            word.concept for word, match in self.pairs if not word.denied or match.clause in denying
        }
        if self._narrowed() or self._item_missing(listed_alike) or self._condition_turned():
            return "uncertain", ""
        if self._name_lost():
            return "value lost", ""
        if self.in_done_section and self.probe.binds and not self._has_key_word():
            return self._unlike()
        order = ORDERED if self.joined else ORDERED_THERE
        lacks_order = ORDERED.search(self.probe.text) and not order.search(self.line.text)
        return ("uncertain", "") if lacks_order else None

    def _stated(self) -> Verdict:
        """Return the outcome of a passage without a known difference: paraphrased, or uncertain for a doubt."""
        if not self.has_enough:
            return self._unlike()
        probe = self.probe
        # A request is recognized if one line has the demanded act, or all values and half of the words.
        is_recognized = not self.two_lines and (self._has_all_values() or self._has_key_word())
        doubtful = (
            (probe.request and not is_recognized)
            or (probe.asked and self.shared_words < 3)
            or self._replaced_value()
            or self._done_once()
            or self._part_missing()
            or self._shares_too_little()
            or self._denial_missing()
            or self._digits_missing()
            or self._left_behind()
            or self._detail_denied()
            or self._exempts_more()
            or sides_differ(probe.text, self.passage.text)
        )
        return ("uncertain" if doubtful else "paraphrased"), ""

    @cached_property
    def _missing_values(self) -> list[Value]:
        """The lost values, without the values of missing exceptions and conditions."""
        in_missing_limit = {
            (value.canon, value.unit)
            for adjunct in self.probe.adjuncts
            if adjunct.kind in ("exception", "condition") and self._lacks(adjunct)
            for value in adjunct.values
        }
        return [value for value in self.lost_values if (value.canon, value.unit) not in in_missing_limit]

    def _weakened(self) -> Verdict:
        """Return "weakened", unless the passage shares only one word and no value with the fact."""
        return ("weakened", "") if len(self.pairs) > 1 or self.kept_values else self._unlike()

    def _replaced_value(self) -> bool:
        """Return whether another value replaces a value of the fact in the passage: "from 5.4 to 4.9"."""
        return any(
            _FROM.search(self.passage.text[: match.span[0]])
            and _TO.match(self.passage.text, match.span[1])
            and not _FROM.search(self.probe.text[: value.span[0]])
            for value, match in self.value_pairs
            if match is not None
        )

    def _shares_too_little(self) -> bool:
        """Return whether a passage shares too few words with a statement of the user.

        One shared word is too little if the fact is not a rule, or if the passage has over two words more than the
        fact. If both hold, fewer than three are too little, with those of adjuncts in the line.
        """
        if self.probe.values or not self.probe.of_user:
            return False
        longer = len(self.passage.words) > len(self.probe.main.words) + 2
        if self.shared_words > 1:
            in_adjuncts = sum(len(adjunct.concepts & self.line.concepts) for adjunct in self.probe.adjuncts)
            return self.probe.plain and longer and self.shared_words + in_adjuncts < 3
        return self.probe.plain or longer

    def _denial_missing(self) -> bool:
        """Return whether the passage has nothing of a thing that the fact excludes: "X, not Y" with X alone."""
        if self.probe.tongue == "zh":
            # In Chinese the end of a denial is a guess.
            return False
        if most_denials(self.probe.main.text) and not self.probe.main.denies:
            # A denial of values alone: "touch nothing in src/app.py".
            return not most_denials(self.passage.text) and not restricts(self.line.text)
        lacks_denied = any(word.denied and word.weight >= 1.0 for word in self.missing_words)
        has_stated = any(not word.denied for word in self.probe.main.words)
        return lacks_denied and has_stated and not self.passage.denies and not restricts(self.line.text)

    def _left_behind(self) -> bool:
        """Return whether the passage moves on from a thing of the fact: "keep A", "changed from A to B"."""
        shared = {id(match) for _, match in self.pairs}
        left = {match.clause for word, match in self.pairs if match.tag == "from" and word.tag != "from"}
        return any(
            word.tag == "to" and word.clause in left and id(word) not in shared for word in self.passage.words
        )

    def _detail_denied(self) -> bool:
        """Return whether the passage denies a thing of a fact that denies nothing: "A", "B, never A"."""
        if self.probe.tongue == "zh":
            # In Chinese the end of a denial is a guess.
            return False
        return not self.probe.main.denies and any(
            match.denied for word, match in self.pairs if word.weight >= 1.0
        )

    def _exempts_more(self) -> bool:
        """Return whether the passage has an exception to a rule that has none."""
        has_none = not _EXEMPTS_EXPRESSLY.search(self.probe.text)
        return self.probe.binds and has_none and _EXEMPTS_EXPRESSLY.search(self.passage.text) is not None

    def _digits_missing(self) -> bool:
        """Return whether the line lacks a number of the fact that is not an exact value: "#12", "Q3", "5m", "-5"."""
        spans = [value.span for value in values_of(self.probe.text)]
        line = self.line.text.lower()
        tokens = [
            token.group().lower()
            for token in _NUMERIC.finditer(self.probe.text)
            if not any(start <= token.start("number") < end for start, end in spans)
        ]
        return not all(
            re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, (token, *_digits_of(token))))})(?!\w)", line)
            for token in tokens
        )

    def _part_missing(self) -> bool:
        """Return whether the line has nothing of a part of the fact: "check A and B" with A alone."""
        missing = {word.concept for word in self.missing_words} - self.line.concepts
        if not missing:
            return False
        parts = (
            {word.concept for word in meaning_of(part).words if word.weight >= 1.0}
            for part in _AND.split(self.probe.main.text)
        )
        return any(part and part <= missing for part in parts)

    def _done_once(self) -> bool:
        """Return whether the fact is a wish of the user, and the passage reports only an act of the agent."""
        probe, text = self.probe, self.passage.text
        reports = AGENT_DID.search(text) is not None and AGENT_DID.search(probe.text) is None
        return probe.of_user and reports and not (self.in_rule_section or is_lasting(text))

    def _without_lexicon(self) -> Verdict | None:
        """Return the outcome in a language without a lexicon. Only a passage with nearly equal words keeps the fact."""
        if self._swapped():
            return "contradicted", safe_title(self.passage.text, 80)
        if self._crossed():
            return "uncertain", ""
        # Without a lexicon an extra word may be a hedge.
        same = self.overlap >= 1.0 and not self.lost_values and len(self.passage.words) <= len(self.pairs)
        if same and self.probe.main.denies == self.passage.denies:
            return "paraphrased", ""
        if self.coverage >= MIN_SUBJECT and self.lost_values:
            changed = self._contradiction(self.lost_values)
            if changed or not self.kept_values:
                return ("contradicted", changed) if changed else ("value lost", "")
        return None

    def _uncertain_if_shared(self) -> Verdict:
        """Return "uncertain" if the passage has a word or a value of the fact."""
        return ("uncertain", "") if self.shared_words or self.kept_values else (None, "")

    def _unlike(self) -> Verdict:
        """Return the outcome for a passage that has too little of the fact to state it."""
        probe = self.probe
        if self._has_rare_words():
            return "uncertain", ""
        binding = self.in_rule_section or BINDS.search(self.passage.text) is not None
        if self.passage.words and probe.binds and not binding:
            # A passage that only reports on the subject does not state the rule.
            is_near = self.overlap >= (MIN_MAYBE if self.kept_values else MIN_SAME_VALUED)
            return ("uncertain", "") if is_near or self._has_all_measures() else (None, "")
        has_subject = any(self._is_rare(word) for word, _ in self.pairs)
        if binding and has_subject and not (self.joined or self.part.role == "fallback"):
            # A rule about the same thing, or with the same measure, may be the fact in other words.
            return "uncertain", ""
        if self.overlap >= MIN_MAYBE and len(self.pairs) > 1:
            return "uncertain", ""
        # Equal values identify a statement in other words.
        is_identified = self._has_telling_value() and (
            self.pairs or not self.lost_values or self._has_all_measures()
        )
        return ("uncertain", "") if is_identified else (None, "")

    def _has_rare_words(self) -> bool:
        """Return whether the passage has two rare words of a user's statement, and a third of all its words."""
        if not self.probe.of_user:
            return False
        concepts = {word.concept for word in self.probe.main.words if word.weight >= 1.0}
        concepts = concepts.union(*(adjunct.concepts for adjunct in self.probe.adjuncts))
        shared = concepts & self.passage.concepts
        rare = sum(self.after.sentences_with(concept) <= _MAX_RARE for concept in shared)
        return rare > 1 and len(shared) >= MIN_MAYBE * len(concepts)

    def _is_rare(self, word: Word) -> bool:
        """Return whether a word of the fact is rare in the list, so that it identifies the subject."""
        return word.weight >= 1.0 and self.after.sentences_with(word.concept) <= _MAX_RARE

    def _has_exact_value(self) -> bool:
        """Return whether the fact is a value, such as an address or an id, that the passage has and does not deny.

        A longer sentence of the agent says more than its value.
        """
        probe = self.probe
        is_value = probe.is_value and (probe.of_user or len(probe.main.words) <= _MAX_EXTRA_WORDS)
        is_kept = bool(self.kept_values) and not self.lost_values and not self.passage.denies
        return is_value and is_kept and all(value.distinctive for value in probe.values)

    def _has_telling_value(self) -> bool:
        """Return whether the passage has a value that identifies the fact: all but a short number without a unit."""
        return any(
            match is not None
            and (value.distinctive or bool(value.unit) or value.form != "number" or len(value.canon) > 2)
            for value, match in self.value_pairs
        )

    def _has_all_measures(self) -> bool:
        """Return whether the passage has every value of the user's fact that has a unit, at least one.

        Things that an agent counts in passing do not count.
        """
        measures = [
            match is not None and match.unit != ""
            for value, match in self.value_pairs
            if value.unit and value.unit not in FLEETING
        ]
        return self.probe.of_user and bool(measures) and all(measures)

    def _contradiction(self, lost: Sequence[Value]) -> str:
        """Return the text that the passage has in place of a value or word of the fact, else ""."""
        if lost and self.coverage >= (MIN_SUBJECT if self.probe.of_user else _NEARLY_ALL):
            matched = {id(match) for _, match in self.value_pairs if match is not None}
            unmatched = [value for value in self.passage.values if id(value) not in matched]
            for value in lost:
                other = next((other for other in unmatched if comparable(value, other)), None)
                if other is not None and (other.canon, other.unit) not in self.fact_numbers:
                    return other.text
        if self.replaced and self.coverage >= MIN_SAME:
            stem = self.replaced[0][1].stem
            spelled = re.findall(r"[^\W_]+", self.passage.text)
            return next((word for word in spelled if stem in load_stemmer().stems(word)), stem)
        return ""

    def _flipped(self) -> bool:
        """Return whether fact and passage differ in what they deny."""
        if self._denial_moved():
            return True
        pairs = [(word, match) for word, match in self.pairs if word.weight >= 1.0]
        differing = sum(word.denied != match.denied for word, match in pairs)
        if not differing:
            return False
        passage_denies = self.passage.denies
        # If both deny something, only a shared word counts as denied by the fact.
        fact_denies = any(word.denied for word, _ in self.pairs) if passage_denies else self.probe.main.denies
        if fact_denies and not passage_denies and not most_denials(self.passage.text):
            # A limit needs no denial: "never more than 40" is "at most 40", "no X without Y" is "X needs Y".
            # Two denials cancel out: "no X that is not Y" is "every X is Y".
            return (
                most_denials(self.probe.main.text) < 2
                and not compensates(self.probe.text, self._shared_clauses())
                and not self._has_allowed_value()
            )
        if passage_denies and not fact_denies and not most_denials(self.probe.main.text):
            # "No X without Y" denies nothing.
            return (
                self._key_flipped()
                and not YET.search(self.passage.text)
                and most_denials(self.passage.text) < 2
            )
        both_denied = any(word.denied and match.denied for word, match in pairs)
        return not both_denied and differing > 1 and differing * 2 > len(pairs)

    def _denial_moved(self) -> bool:
        """Return whether a denial moved from one word to another: "A, not B" is "B, not A"."""
        counts = Counter(word.concept for word in self.probe.main.words)
        pairs = [
            (word, match) for word, match in self.pairs if word.weight >= 1.0 and counts[word.concept] == 1
        ]
        denied = [match for word, match in pairs if word.denied]
        freed = bool(denied) and not any(match.denied for match in denied)
        if freed and any(match.denied and not word.denied for word, match in pairs):
            return True
        # "Not tabs" and "tabs, not spaces".
        rivals = frozenset[str]().union(*(opposites(match.stem) for match in denied))
        return freed and any(word.denied and word.stem in rivals for word in self.passage.words)

    def _has_allowed_value(self) -> bool:
        """Return whether the passage may have a value that the fact allows: "not more than 40", "not A, only B"."""
        main = self.probe.main
        denied = {word.clause for word in main.words if word.denied}
        clauses = {value.span: clause for value, clause in zip(main.values, main.clauses, strict=True)}
        for value, match in self.value_pairs:
            if match is None:
                continue
            limit = _limit_before(self.probe.text, value)
            ends = limit and limit != _limit_before(self.passage.text, match)
            if ends or clauses.get(value.span) not in denied or _CIRCUMSTANCE.match(self.probe.text):
                return True
        return False

    def _shared_clauses(self) -> str:
        """Return the clauses of the passage that have a word of the fact. A limit in another clause is not about it."""
        shared = {word.concept for word, _ in self.pairs}
        clauses = BREAK.split(self.passage.text)
        return ", ".join(clause for clause in clauses if not shared.isdisjoint(meaning_of(clause).concepts))

    @cached_property
    def exchanged(self) -> bool:
        """Whether two things of the fact have changed places: "rename A to B", "rename B to A"."""
        return exchanged(self.probe.main, self.passage, self.pairs, self.value_pairs, self.probe.text)

    def _key_flipped(self) -> bool:
        """Return whether only one text denies the demanded act. A denial of a detail does not count."""
        keys = self.probe.key_concepts
        return any(word.concept in keys and word.denied != match.denied for word, match in self.pairs)

    def _denies_other(self) -> bool:
        """Return whether the fact does not name the first thing that the passage denies: "without resetting it"."""
        first = next((word for word in self.passage.words if word.denied and not word.refused), None)
        if first is None or any(match is first for _, match in self.pairs):
            return False
        asides = (adjunct for adjunct in self.probe.adjuncts if adjunct.kind == "aside")
        return all(first.concept not in aside.concepts for aside in asides)

    def _limit_turned(self) -> bool:
        """Return whether a value is on the other side of a limit in the passage: "< 200 ms", "above 200 ms".

        "By 5" and "to 5" differ too.
        """
        matched = [(value, match) for value, match in self.value_pairs if match is not None]
        if any(
            {_word_before(self.probe.text, value), _word_before(self.passage.text, match)} == {"by", "to"}
            for value, match in matched
            if value.form in ("number", "quantity", "percent")
        ):
            return True
        if bool(most_denials(self.probe.text)) != bool(most_denials(self.passage.text)):
            # "Not above 5" is "below 5".
            return False
        sides = (
            (_side_of(self.probe.text, value), _side_of(self.passage.text, match)) for value, match in matched
        )
        return any(are_opposed(side, other) for side, other in sides)

    def _swapped(self) -> bool:
        """Return whether two things changed places, or a direction is reversed."""
        opposed = [word for word, match in self.pairs if are_opposed(word.tag, match.tag)]
        directed = any(word.tag in ("before", "after", "above", "below", "from", "to") for word in opposed)
        return (self.overlap >= MIN_SAME and (directed or len(opposed) > 1)) or self.exchanged

    def _crossed(self) -> bool:
        """Return whether things of two clauses may have changed places."""
        main, passage = self.probe.main, self.passage
        if not self.kept_values and self._in_order():
            return False
        value_clauses = [
            (clause, other_clause)
            for value, clause in zip(main.values, main.clauses, strict=True)
            for other, other_clause in zip(passage.values, passage.clauses, strict=True)
            if same_value(value, other)
        ]
        # The order of listed things has no meaning.
        items = frozenset[str]().union(*listed(main.text))
        # A thing in two clauses of the fact has no place to change.
        places = {(word.concept, word.clause) for word in main.words}
        clauses = Counter(thing for thing, _ in places)
        placed = [
            pair for pair in self.pairs if pair[0].concept not in items and clauses[pair[0].concept] < 2
        ]
        return self.overlap >= MIN_SAME and crossed(placed, value_clauses)

    def _in_order(self) -> bool:
        """Return whether all shared words, but those with a typo, are in the same order in the passage."""
        from rapidfuzz.distance import LCSseq

        words, others = ([word.concept for word in one.words] for one in (self.probe.main, self.passage))
        same = sum(word.concept == match.concept for word, match in self.pairs)
        return LCSseq.similarity(words, others) >= same

    def _crossed_alone(self) -> bool:
        """Return whether the passage has the words of the fact, and little else, with things in changed places."""
        little = len(self.passage.words) <= len(self.probe.main.words) + 1
        return little and self.overlap >= 1.0 and self._crossed()

    def _reports(self) -> bool:
        """Return whether the passage reports a single event but the fact is a general rule."""
        is_rule = enforces(self.probe.text) and not EVENT.search(self.probe.text)
        if not is_rule or is_lasting(self.passage.text) or not self._has_key_word():
            return False
        return EVENT.search(self.passage.text) is not None and not self.in_rule_section

    def _did_forbidden(self) -> bool:
        """Return whether the passage reports an act that the fact forbids."""
        if ORDERED.search(self.probe.text):
            return False
        keys = self.probe.key_concepts
        acts = [match for word, match in self.pairs if word.denied and word.concept in keys]
        done = acts and not any(match.denied for match in acts) and not self.passage.denies
        return bool(done) and self.overlap >= MIN_SAME and not (self.lost_values or self.probe.adjuncts)

    def _has_key_word(self) -> bool:
        """Return whether the passage names the act that the fact demands, not only its subject."""
        return not self.probe.key_concepts.isdisjoint(word.concept for word, _ in self.pairs)

    def _softer(self) -> bool:
        """Return whether the passage weakens the fact.

        It does if it only allows or suggests, holds only once, states a guess of the agent as certain, or names a part
        ("some", "of the login page").
        """
        probe, text = self.probe, self.passage.text
        retold = text if enforces(probe.text) else _USER_ASKS.sub("", text)
        if SOFT.search(FORBIDS.sub("", retold)) and not SOFT.search(probe.text):
            return True
        if probe.binds and ONE_TIME.search(text) and not ONE_TIME.search(probe.text):
            return True
        if probe.guesses and not HEDGES.search(text):
            return True
        if UNIVERSAL.search(probe.text) and not UNIVERSAL.search(text):
            if NARROW.search(text) and not NARROW.search(probe.text):
                return True
            in_fact = probe.concepts.union(*(adjunct.concepts for adjunct in probe.adjuncts))
            return any(meaning_of(match["what"]).concepts - in_fact for match in PART.finditer(text))
        return False

    def _narrowed(self) -> bool:
        """Return whether the fact is about all things of a kind, and the passage may be about a part."""
        if UNIVERSAL.search(self.passage.text) or not UNIVERSAL.search(self.probe.main.text):
            return False
        if any(value.form in FILES for value in self.passage.values) and not self.probe.values:
            # "Any test file", "test_a.py".
            return True
        quantified = QUANTIFIED.search(self.probe.main.text)
        things = meaning_of(quantified["things"]).words if quantified is not None else ()
        if not things:
            return False
        # A new word before the last word of the phrase narrows it: "all passes", "all parser passes".
        return any(
            word.concept == things[-1].concept
            and before.clause == word.clause
            and before.concept not in self.probe.concepts
            for before, word in pairwise(self.passage.words)
        )

    def _leaves_out(self) -> bool:
        """Return whether the passage lacks a limit of the fact, or a thing that the fact lists."""
        if ONLY.search(self.probe.main.text) and not restricts(self.passage.text):
            return True
        return self._item_missing(self.line.concepts) or any(map(self._lacks, self.probe.adjuncts))

    def _item_missing(self, concepts: Collection[str]) -> bool:
        """Return whether `concepts` has some but not all items of a list in the fact."""
        return any(
            not items.issubset(concepts) and not items.isdisjoint(concepts)
            for items in listed(self.probe.main.text)
        )

    def _lacks(self, adjunct: Adjunct) -> bool:
        """Return whether the line of the passage lacks an exception, a condition, a reason or an inclusion."""
        if adjunct.kind == "aside":
            return False
        # Only words that the main clause does not have count, if there are any.
        concepts = adjunct.concepts - self.probe.concepts or adjunct.concepts
        share = len(concepts & self.line.concepts) / len(concepts) if concepts else 1.0
        # The passage must have all words of an inclusion.
        if adjunct.kind == "inclusion" or (adjunct.kind, adjunct.marker) == ("condition", "only"):
            return share < 1.0
        if adjunct.marker == "but not" and not (self.line.denies or _EXEMPTS.search(self.line.text)):
            return True
        # Words of two lines may be about different things.
        if adjunct.kind == "exception" and self.two_lines and not _EXEMPTS.search(self.line.text):
            return True
        # Another exception has its own words behind the same marker.
        if share >= MIN_ADJUNCT or not adjunct.marker or adjunct.kind == "exception":
            return share < MIN_ADJUNCT
        return re.search(rf"\b{re.escape(adjunct.marker)}\b", self.line.text, re.IGNORECASE) is None

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

    def _condition_turned(self) -> bool:
        """Return whether a condition denies something in the fact alone, or in the passage alone.

        "While nobody is home" may be "while somebody is home" or "while the home is empty".
        """
        conditions = [adjunct for adjunct in self.probe.adjuncts if adjunct.kind == "condition"]
        others = parts_of(self.line.text)[1] if conditions else ()
        for adjunct in conditions:
            denies = meaning_of(adjunct.text).denies
            concepts = adjunct.concepts - self.probe.concepts or adjunct.concepts
            alike = [
                other
                for other in others
                if other.kind == "condition" and len(concepts & other.concepts) > MIN_ADJUNCT * len(concepts)
            ]
            if alike and all(meaning_of(other.text).denies != denies for other in alike):
                return True
            if denies and not self.line.denies and concepts <= self.line.concepts:
                return True
        return False

    def _name_lost(self) -> bool:
        """Return whether the passage has most words of the fact but none of its names."""
        weight = sum(word.weight for word in self.probe.main.words if not word.name)
        shared_weight = sum(word.weight for word, _ in self.pairs if not word.name)
        # A name may be a part of a value: "Tide UI" of `@tide-ui/react`.
        text = self.passage.text.lower()
        lacks_name = any(
            word.name
            and word.weight >= 1.0
            and not re.search(rf"(?<![^\W_]){re.escape(word.stem)}(?![#+])", text)
            for word in self.missing_words
        )
        has_name = any(word.name for word, _ in self.pairs)
        return shared_weight >= MIN_SAME * weight and lacks_name and not has_name


def _aligned(words: Sequence[Word], others: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    """Yield the words of a fact that a passage (`others`) has, each with its match: by concept, else by a typo."""
    unmatched: dict[str, list[Word]] = defaultdict(list)
    for other in others:
        unmatched[other.concept].append(other)
    left, matched = [], set()
    for word in words:
        options = unmatched.get(word.concept)
        if not options:
            left.append(word)
            continue
        best = min(
            options, key=lambda other: 2 if other.denied != word.denied else other.clause != word.clause
        )
        options.remove(best)
        matched.add(id(best))
        yield word, best
    rest = [other for other in others if left and id(other) not in matched]
    for word in left:
        alike = (other for other in rest if other.stem[0] == word.stem[0])
        typo = next((other for other in alike if mistyped(word.stem, other.stem)), None)
        if typo is not None:
            rest.remove(typo)
            yield word, typo
            continue
        # The passage may have a repeated word once.
        repeated = next((other for other in others if other.concept == word.concept), None)
        if repeated is not None:
            yield word, repeated


def _digits_of(word: str) -> list[str]:
    """Return the number that a word names in digits, nothing for any other word."""
    return [number for number, name in NUMBER_WORDS.items() if name == word]


def _side_of(text: str, value: Value) -> str:
    """Return the side of a limit on which a value is ("below", "after"), by the sign or word before it; else ""."""
    mark = _LIMIT.search(text, 0, value.span[0])
    if mark is None:
        return ""
    if mark["sign"]:
        return "below" if mark["sign"] in "<≤" else "above"
    tag = TAGS.get(mark["word"].lower(), "")
    return tag if tag in ("below", "above", "before", "after") else ""


def _word_before(text: str, value: Value) -> str:
    """Return the word before a value in lower case, or ""."""
    mark = _LIMIT.search(text, 0, value.span[0])
    return mark["word"].lower() if mark is not None and mark["word"] else ""


def _limit_before(text: str, value: Value) -> str:
    """Return how a value ends what is allowed or forbidden: "than" for "more than 40", "after" for "after 6 pm"."""
    return "than" if _EXCEEDS.search(text, 0, value.span[0]) is not None else _side_of(text, value)


def _replaced(
    words: Sequence[Word], others: Sequence[Word], pairs: Sequence[tuple[Word, Word]]
) -> list[tuple[Word, Word]]:
    """Return the words of a fact that a passage (`others`) replaces, each with the word that excludes it."""
    shared, matched = {id(word) for word, _ in pairs}, {id(match) for _, match in pairs}
    replaced = []
    for word in words:
        if id(word) in shared or not (excluded := opposites(word.stem) | opposites(word.concept)):
            continue
        other = next(
            (
                other
                for other in others
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
