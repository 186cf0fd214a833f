"""Find how a passage differs from a fact about the same thing: its values, denials, limits, places and parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise

from inspector.core.patterns import has, late_pattern
from inspector.core.scan.words import UNSPACED, has_unspaced
from inspector.quality.facts.alignment import MIN_SAME, MIN_SUBJECT, NEARLY_ALL, Alignment, aligned
from inspector.quality.facts.exchanges import (
    crossed,
    exchanged,
    in_place_of_another,
    mate_moved,
    values_exchanged,
)
from inspector.quality.facts.fact import Value
from inspector.quality.facts.meaning import (
    AGENT_DID,
    BREAK,
    DONE,
    EVENT,
    FORBIDS,
    NARROW,
    ONE_TIME,
    ONLY,
    ORDERED,
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
    enforces,
    is_lasting,
    listed,
    meaning_of,
    most_denials,
    parts_of,
    restricts,
)
from inspector.quality.facts.rules import HEDGES, is_past, opposites, spelled
from inspector.quality.facts.values import FILES, NUMBER_WORDS, comparable, same_value, values_of

#: Minimum word overlap of an exception, a condition or a reason with a passage that has it.
MIN_ADJUNCT = 0.33
#: Matches the checked box of a list item.
_CHECKED = late_pattern(r"\A\W*\[x\]", re.IGNORECASE)
#: Maximum words of a short statement.
_MAX_SHORT_STATEMENT = 4
#: Matches a sentence that may state an exception.
_EXEMPTS = late_pattern(
    r"\b(?:except\w*|unless|other than|apart from|save for|exclud\w*|exempt\w*|skip\w*|spared?|but|not|no|never|"
    r"without|only|else|otherwise)\b",
    re.IGNORECASE,
)
#: Matches the words that always begin an exception.
_EXEMPTS_EXPRESSLY = late_pattern(r"\b(?:except|unless)\b|除非|除外", re.IGNORECASE)
_SEMICOLON = late_pattern(r"[;；]")
_OR = late_pattern(r"\bor\b", re.IGNORECASE)
_AND = late_pattern(r"\b(?:and|as well as|plus)\b", re.IGNORECASE)
#: Match the words around the first value in "from 5.4 to 4.9". Only the second value is true now.
_FROM = late_pattern(r"(?:\bfrom|[从從由])\W{0,3}\Z", re.IGNORECASE)
_TO = late_pattern(r"\W{0,3}(?:to\b|[到至])\W{0,3}\d", re.IGNORECASE)
#: Characters before a value that are searched for the sign or the word of a limit.
_BEFORE = 40
#: Matches the sign of a limit (not an arrow), or the word before a value.
_LIMIT = late_pattern(r"(?:(?<![-=<>])(?P<sign>[<>≤≥])=?\s?|\b(?P<word>[A-Za-z]+)\s)[€$£¥]?\Z")
#: Matches a circumstance at the beginning: "Without it p99 is 296 ms" is not a rule.
_CIRCUMSTANCE = late_pattern(r"\W*without\b", re.IGNORECASE)
#: Matches the words before a value that must not be exceeded: "more than 40".
_EXCEEDS = late_pattern(r"\b(?:than|exceed(?:s|ing)?)\s\W{0,2}\Z", re.IGNORECASE)
#: Matches a word with digits, a number with its sign, and the word of a number. A script without spaces ends a word.
_INSIDE = rf"[^\W{UNSPACED}]"
_NUMERIC = late_pattern(
    rf"(?:(?<![\w.)%])[-−])?(?<!{_INSIDE})(?P<number>[^\W\d{UNSPACED}]*\d{_INSIDE}*|"
    rf"(?:{'|'.join(NUMBER_WORDS.values())})(?!{_INSIDE}))",
    re.IGNORECASE,
)
#: Matches a choice that is still open.
_OPEN = late_pattern(r"\?|\b(?:or|vs)\b|还是|或", re.IGNORECASE)
#: Matches the sign between two factors: 20 kg × 12.
_TIMES = late_pattern(r"\s?[×x*]\s?")
#: Matches words of a summary that report a statement of the user. They do not soften it.
_USER_ASKS = late_pattern(
    r"\buser(?:['’]s)? (?:suggest(?:s|ed|ion)|propos(?:es|ed|al)|wants?|wanted|prefer(?:s|red|ences?))\b",
    re.IGNORECASE,
)


class Differences(Alignment):
    """The differences between a fact and a passage that share words or values."""

    @cached_property
    def missing_values(self) -> list[Value]:
        """The lost values, without the values of missing exceptions and conditions."""
        in_missing_limit = {
            (value.canon, value.unit)
            for adjunct in self.probe.adjuncts
            if adjunct.kind in ("exception", "condition") and self._lacks(adjunct)
            for value in adjunct.values
        }
        return [value for value in self.lost_values if (value.canon, value.unit) not in in_missing_limit]

    def replaces_value(self) -> bool:
        """Return whether another value replaces a value of the fact in the passage: "from 5.4 to 4.9"."""
        return any(
            _FROM.search(self.passage.text[: match.span[0]])
            and _TO.match(self.passage.text, match.span[1])
            and not _FROM.search(self.probe.text[: value.span[0]])
            for value, match in self.value_pairs
            if match is not None
        )

    def exchanges_factors(self) -> bool:
        """Return whether the passage has products, but not those of the fact: "20 kg × 12, 25 kg × 10"."""
        others = _products(self.passage.text)
        return bool(others) and not _products(self.probe.text) <= others

    def shares_too_little(self) -> bool:
        """Return whether a passage shares too few words with a statement of the user.

        One shared word is too little if the fact is not a rule, or if the passage has over two words more than the
        fact. If both hold, fewer than three are too little, with those of adjuncts in the line. A short statement
        needs all its words.
        """
        if self.probe.values or not self.probe.of_user:
            return False
        is_short = self.probe.plain and len(self.probe.main.words) <= _MAX_SHORT_STATEMENT
        if not self.shared_words or (is_short and any(word.weight >= 1.0 for word in self.missing_words)):
            return True
        longer = len(self.passage.words) > len(self.probe.main.words) + 2
        if self.shared_words > 1:
            if self._reports_done_request():
                return False
            in_adjuncts = sum(len(adjunct.concepts & self.line.concepts) for adjunct in self.probe.adjuncts)
            return self.probe.plain and longer and self.shared_words + in_adjuncts < 3
        return self.probe.plain or longer

    def _reports_done_request(self) -> bool:
        """Return whether the passage begins with the act of a request, done, and has all words of the request."""
        keys = self.probe.key_concepts
        first = {word.concept for word, match in self.pairs if match is self.passage.words[0]}
        is_done = DONE.match(_CHECKED.sub("", self.passage.text)) is not None
        return self.probe.request and self.overlap >= 1.0 and is_done and not keys.isdisjoint(first)

    def substitutes_word(self) -> bool:
        """Return whether the passage has another word in the place of a word of the fact: "hut A", "hut B".

        A condition is compared with the condition of the line: "if it is low", "if it is high".
        """
        conditions, others = (
            [meaning_of(adjunct.text) for adjunct in adjuncts if adjunct.kind == "condition"]
            for adjuncts in (self.probe.adjuncts, parts_of(self.line.text)[1])
        )
        if _substitutes_word(self.probe.main.words, self.passage.words, self.pairs):
            return True
        if not len(conditions) == len(others) == 1 or conditions[0].denies:
            return False
        words, (other,) = conditions[0].words, others
        return _substitutes_word(words, other.words, list(aligned(words, other)))

    def names_other_ticket(self) -> bool:
        """Return whether the passage has a ticket, but not the one that the fact is filed under."""
        filed, others = (
            {value.canon for value in values if value.form == "ticket"}
            for values in (values_of(self.probe.text), self.passage.values)
        )
        return bool(filed and others) and filed.isdisjoint(others)

    def lacks_denial(self) -> bool:
        """Return whether the passage denies nothing that the fact denies: "X, not Y" with X, or with "X, not Z"."""
        if self.probe.language == "zh":
            # In Chinese the end of a denial is a guess.
            return False
        denied = [match for word, match in self.pairs if word.denied and word.weight >= 1.0]
        denies_other = any(word.denied and word.stem.isalpha() for word in self.passage.words)
        if denied and denies_other and not any(match.denied for match in denied):
            return True
        if most_denials(self.probe.main.text) and not self.probe.main.denies:
            # A denial of values alone: "touch nothing in src/app.py".
            return not most_denials(self.passage.text) and not restricts(self.line.text)
        lacks_denied = any(word.denied and word.weight >= 1.0 for word in self.missing_words)
        has_stated = any(not word.denied for word in self.probe.main.words)
        return lacks_denied and has_stated and not self.passage.denies and not restricts(self.line.text)

    def moves_on(self) -> bool:
        """Return whether the passage moves on from a thing of the fact: "keep A", "changed from A to B"."""
        shared = {id(match) for _, match in self.pairs}
        left = {match.clause for word, match in self.pairs if match.tag == "from" and word.tag != "from"}
        return any(
            word.tag == "to" and word.clause in left and id(word) not in shared for word in self.passage.words
        )

    def denies_detail(self) -> bool:
        """Return whether the passage denies a thing of a fact that denies nothing: "A", "B, never A"."""
        if self.probe.language == "zh":
            # In Chinese the end of a denial is a guess.
            little = len(self.passage.words) <= len(self.probe.main.words) + 2
            return little and self.passage.denies and not meaning_of(self.probe.text).denies
        return not self.probe.main.denies and any(
            match.denied for word, match in self.pairs if word.weight >= 1.0
        )

    def is_split(self) -> bool:
        """Return whether a clause of the fact is split between clauses that say more: "the bar is fixed".

        "The head is fixed, the bar scrolls" has its words.
        """
        placed = [(word, match) for word, match in self.pairs if word.weight >= 1.0]
        clauses = Counter(match.clause for _, match in placed)
        if len({word.clause for word, _ in placed}) > 1 or max(clauses.values(), default=0) * 2 > len(placed):
            return False
        shared = {id(match) for _, match in self.pairs}
        others = {word.clause for word in self.passage.words if word.weight >= 1.0 and id(word) not in shared}
        return clauses.keys() <= others

    def states_rejected(self) -> bool:
        """Return whether the passage lacks the choice of a fact and states what it rejects: "A, not B" as "B"."""
        rejected = any(word.denied and not match.denied for word, match in self.pairs)
        lacks_choice = any(not word.denied and word.weight >= 1.0 for word in self.missing_words)
        return rejected and lacks_choice and not (self.passage.denies or restricts(self.line.text))

    def lacks_clause(self) -> bool:
        """Return whether the line has no word of a clause behind a semicolon: "the hut is red; the pier stays grey"."""
        clauses = (meaning_of(text).words for text in _SEMICOLON.split(self.probe.text))
        full = ({word.concept for word in words if word.weight >= 1.0} for words in clauses)
        return any(len(concepts) > 1 and concepts.isdisjoint(self.line.concepts) for concepts in full)

    def has_half_condition(self) -> bool:
        """Return whether the line has a part of a condition, and no condition: "if it is low", "it is high"."""
        conditions = [adjunct.concepts for adjunct in self.probe.adjuncts if adjunct.kind == "condition"]
        has_part = any(
            not (one.isdisjoint(self.line.concepts) or one <= self.line.concepts) for one in conditions
        )
        return has_part and all(adjunct.kind != "condition" for adjunct in parts_of(self.line.text)[1])

    def gives_place_to_other(self) -> bool:
        """Return whether another word is behind a preposition of the fact: "from the hut", "from the pier"."""
        shared = {id(match) for _, match in self.pairs}
        others = {word.tag for word in self.passage.words if id(word) not in shared and word.weight >= 1.0}
        # "To" may begin an infinitive.
        tagged = [(word.tag, match.tag) for word, match in self.pairs if word.tag not in ("", "to")]
        return any(tag != other and tag in others for tag, other in tagged)

    def exempts_nothing(self) -> bool:
        """Return whether the fact has an exception, and the line of the passage has no word of one: "X too"."""
        has_exception = any(adjunct.kind == "exception" for adjunct in self.probe.adjuncts)
        return has_exception and not (self.line.denies or has(self.line.text, _EXEMPTS))

    def exempts_more(self) -> bool:
        """Return whether the passage has an exception to a rule that has none."""
        has_none = not has(self.probe.text, _EXEMPTS_EXPRESSLY)
        return self.probe.binds and has_none and has(self.passage.text, _EXEMPTS_EXPRESSLY)

    def lacks_number(self) -> bool:
        """Return whether the line lacks a number of the fact that is not an exact value: "#12", "Q3", "5m", "-5"."""
        spans = [value.span for value in values_of(self.probe.text)]
        line = self.line.text.lower()
        tokens = [
            token.group().lower()
            for token in _NUMERIC.finditer(self.probe.text)
            if not any(start <= token.start("number") < end for start, end in spans)
        ]
        return not all(
            re.search(
                rf"(?<!{_INSIDE})(?:{'|'.join(map(re.escape, (token, *_digits_of(token))))})(?!{_INSIDE})",
                line,
            )
            for token in tokens
        )

    def lacks_part(self) -> bool:
        """Return whether the line has nothing of a part of the fact: "check A and B" with A alone."""
        missing = {word.concept for word in self.missing_words} - self.line.concepts
        if not missing:
            return False
        parts = (
            {word.concept for word in meaning_of(part).words if word.weight >= 1.0}
            for part in _AND.split(self.probe.main.text)
        )
        return any(part and part <= missing for part in parts)

    def reports_act(self) -> bool:
        """Return whether the fact is a wish of the user, and the passage reports only an act of the agent."""
        probe, text = self.probe, self.passage.text
        reports = has(text, AGENT_DID) and not has(probe.text, AGENT_DID)
        return probe.of_user and reports and not (self.in_rule_section or is_lasting(text))

    def contradiction(self, lost: Sequence[Value]) -> str:
        """Return the text that the passage has in place of a value or word of the fact, else ""."""
        if lost and self.coverage >= (MIN_SUBJECT if self.probe.of_user else NEARLY_ALL):
            matched = {id(match) for _, match in self.value_pairs if match is not None}
            unmatched = [value for value in self.passage.values if id(value) not in matched]
            for value in lost:
                other = next((other for other in unmatched if self._replaces(value, other)), None)
                if other is not None and (other.canon, other.unit) not in self.fact_numbers:
                    return other.text
        if self.replaced and self.coverage >= MIN_SAME:
            stem = self.replaced[0][1].stem
            return next(iter(spelled(self.passage.text, stem)), stem)
        return ""

    def _replaces(self, value: Value, other: Value) -> bool:
        """Return whether another value may be in the place of a value. "Never use A" and "use B" are both true."""
        facts_denials, denials = most_denials(self.probe.main.text), most_denials(self.passage.text)
        denies_alike = bool(facts_denials) == bool(denials)
        return comparable(value, other) and (denies_alike or not value.distinctive)

    def denies_differently(self) -> bool:
        """Return whether fact and passage differ in what they deny."""
        if self.moves_denial():
            return True
        keys = self.probe.key_concepts
        pairs = [(word, match) for word, match in self.pairs if word.weight >= 1.0 or word.concept in keys]
        differing = sum(word.denied != match.denied for word, match in pairs)
        if not differing:
            return False
        passage_denies = self.passage.denies
        # If both deny something, only a shared word counts as denied by the fact.
        fact_denies = any(word.denied for word, _ in self.pairs) if passage_denies else self.probe.main.denies
        if fact_denies and not passage_denies and not most_denials(self.passage.text):
            # A limit needs no denial: "never more than 40" is "at most 40", "no X without Y" is "X needs Y".
            # "Only at night" is no limit of "never at night".
            # Two denials cancel out: "no X that is not Y" is "every X is Y".
            return (
                most_denials(self.probe.main.text) < 2
                and (
                    any(word.denied and not word.tag and match.tag == "only" for word, match in pairs)
                    or not compensates(self.probe.text, self._shared_clauses())
                )
                and not self._has_allowed_value()
            )
        if passage_denies and not fact_denies and not most_denials(self.probe.main.text):
            # "No X without Y" denies nothing.
            return (
                self.denies_key_act()
                and not has(self.passage.text, YET)
                and most_denials(self.passage.text) < 2
            )
        both_denied = any(word.denied and match.denied for word, match in pairs)
        return not both_denied and differing > 1 and differing * 2 > len(pairs)

    def moves_denial(self) -> bool:
        """Return whether a denial moved from one word to another: "A, not B" is "B, not A"."""
        counts = Counter(word.concept for word in self.probe.main.words)
        pairs = [(word, match) for word, match in self.pairs if counts[word.concept] == 1]
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
        return (
            exchanged(self.probe.text, self.passage.text)
            or mate_moved(self.pairs)
            or in_place_of_another(self.passage, self.pairs)
            or values_exchanged(self.probe.main, self.passage, self.pairs, self.value_pairs)
        )

    def denies_key_act(self) -> bool:
        """Return whether only one text denies the demanded act. A denial of a detail does not count."""
        keys = self.probe.key_concepts
        return any(word.concept in keys and word.denied != match.denied for word, match in self.pairs)

    def denies_other(self) -> bool:
        """Return whether the fact does not name the first thing that the passage denies: "without resetting it"."""
        first = next((word for word in self.passage.words if word.denied and not word.refused), None)
        if first is None or any(match is first for _, match in self.pairs):
            return False
        asides = (adjunct for adjunct in self.probe.adjuncts if adjunct.kind == "aside")
        return all(first.concept not in aside.concepts for aside in asides)

    def turns_limit(self) -> bool:
        """Return whether a value is on the other side of a limit in the passage: "< 200 ms", "above 200 ms".

        "By 5" and "to 5" differ too.
        """
        matched = [(value, match) for value, match in self.value_pairs if match is not None]
        if not matched:
            return False
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

    def swaps_things(self) -> bool:
        """Return whether two things changed places, or a direction is reversed."""
        opposed = [word for word, match in self.pairs if are_opposed(word.tag, match.tag)]
        directed = any(word.tag in ("before", "after", "above", "below", "from", "to") for word in opposed)
        return (self.overlap >= MIN_SAME and (directed or len(opposed) > 1)) or self.exchanged

    def turns_exception(self) -> bool:
        """Return whether one text allows all but a thing, and the other only this thing."""
        if not (has(self.probe.text, ONLY) or has(self.passage.text, ONLY)):
            return False
        main, adjuncts = parts_of(self.passage.text)
        return _allows_exception(self.probe.main, self.probe.adjuncts, self.passage) or _allows_exception(
            main, adjuncts, self.probe.main
        )

    def may_cross_things(self) -> bool:
        """Return whether things of two clauses may have changed places."""
        main, passage = self.probe.main, self.passage
        if self.overlap < MIN_SAME or (not self.kept_values and self._in_order()):
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
        return crossed(placed, value_clauses)

    def _in_order(self) -> bool:
        """Return whether all shared words, but those with a typo, are in the same order in the passage."""
        from rapidfuzz.distance import LCSseq

        words, others = ([word.concept for word in one.words] for one in (self.probe.main, self.passage))
        same = sum(word.concept == match.concept for word, match in self.pairs)
        return LCSseq.similarity(words, others) >= same

    def only_crosses_things(self) -> bool:
        """Return whether the passage has the words of the fact, and little else, with things in changed places."""
        little = len(self.passage.words) <= len(self.probe.main.words) + 1
        return little and self.overlap >= 1.0 and self.may_cross_things()

    def reports_event(self) -> bool:
        """Return whether the passage reports a single event but the fact is a general rule."""
        is_rule = enforces(self.probe.text) and not has(self.probe.text, EVENT)
        if not is_rule or is_lasting(self.passage.text) or not self.has_key_word():
            return False
        has_other_thing = bool(self.passage.values) or len(self.pairs) < len(self.passage.words)
        is_event = has(self.passage.text, EVENT) or (has_other_thing and DONE.match(self.passage.text))
        return bool(is_event) and not self.in_rule_section

    def reports_forbidden_act(self) -> bool:
        """Return whether the passage reports an act that the fact forbids: "pushed", not "the push was discussed"."""
        if has(self.probe.text, ORDERED):
            return False
        keys = self.probe.key_concepts
        acts = [match for word, match in self.pairs if word.denied and word.concept in keys]
        if not acts or any(match.denied for match in acts) or self.passage.denies:
            return False
        # A sentence that begins with a finished act reports this act.
        begins_with_act = DONE.match(self.passage.text) is not None
        reported = [act for act in acts if act is self.passage.words[0]] if begins_with_act else acts
        is_done = any(is_past(word) for act in reported for word in spelled(self.passage.text, act.stem))
        return is_done and self.overlap >= MIN_SAME and not (self.lost_values or self.probe.adjuncts)

    def softens(self) -> bool:
        """Return whether the passage weakens the fact.

        It does if it only allows or suggests, holds only once, states a guess of the agent as certain, or names a part
        ("some", "of the login page").
        """
        probe, text = self.probe, self.passage.text
        retold = text if enforces(probe.text) else _USER_ASKS.sub("", text)
        if not has(probe.text, SOFT) and has(FORBIDS.sub("", retold), SOFT):
            return True
        if probe.binds and has(text, ONE_TIME) and not has(probe.text, ONE_TIME):
            return True
        if probe.guesses and not has(text, HEDGES):
            return True
        if has(probe.text, UNIVERSAL) and not has(text, UNIVERSAL):
            if has(text, NARROW) and not has(probe.text, NARROW):
                return True
            in_fact = probe.concepts.union(*(adjunct.concepts for adjunct in probe.adjuncts))
            return any(meaning_of(match["what"]).concepts - in_fact for match in PART.finditer(text))
        return False

    def narrows(self) -> bool:
        """Return whether the fact is about all things of a kind, and the passage may be about a part."""
        if has(self.passage.text, UNIVERSAL) or not has(self.probe.main.text, UNIVERSAL):
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

    def leaves_out(self) -> bool:
        """Return whether the passage lacks a limit of the fact, or a thing that the fact lists."""
        if has(self.probe.main.text, ONLY) and not restricts(self.passage.text):
            return True
        return self.lacks_item(self.line.concepts) or any(map(self._lacks, self.probe.adjuncts))

    def lacks_item(self, concepts: Collection[str]) -> bool:
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
        alternatives = [meaning_of(text).concepts - self.probe.concepts for text in _OR.split(adjunct.text)]
        if len(alternatives) > 1 and any(one and one.isdisjoint(self.line.concepts) for one in alternatives):
            return True
        # The passage must have all words of an inclusion.
        if adjunct.kind == "inclusion" or (adjunct.kind, adjunct.marker) == ("condition", "only"):
            return share < 1.0
        if adjunct.marker == "but not" and not (self.line.denies or has(self.line.text, _EXEMPTS)):
            return True
        # Words of two lines may be about different things.
        if adjunct.kind == "exception" and self.two_lines and not has(self.line.text, _EXEMPTS):
            return True
        # Another exception has its own words behind the same marker.
        if share >= MIN_ADJUNCT or not adjunct.marker or adjunct.kind == "exception":
            return share < MIN_ADJUNCT
        return re.search(rf"\b{re.escape(adjunct.marker)}\b", self.line.text, re.IGNORECASE) is None

    def turns_condition(self) -> bool:
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

    def labels_answer(self) -> bool:
        """Return whether the passage has the answer to a question, and only words of the question: "Name: Ada".

        The label before a colon has words of the question, and the text behind it the answer. Alternatives are open.
        """
        label, colon, text = self.passage.text.partition(":")
        words, others = meaning_of(label).concepts, meaning_of(text).concepts
        asked = self.probe.concepts - self.probe.answer
        is_label = bool(colon and words) and words <= asked and self.probe.answer <= others
        return is_label and others <= self.probe.concepts and not (self.passage.denies or has(text, _OPEN))

    def lacks_names(self) -> bool:
        """Return whether the passage has most words of the fact but none of its names.

        A passage with the answer to a question lacks none: the names of the question are not the user's.
        """
        if self.probe.answer:
            return False
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


def _substitutes_word(
    words: Sequence[Word], others: Sequence[Word], pairs: Sequence[tuple[Word, Word]]
) -> bool:
    """Return whether a sequence of words has another word in the place of a word, between the same words."""
    places = {id(word): at for at, word in enumerate(others)}
    matches = {id(word): places.get(id(match), -2) for word, match in pairs}
    free = set(places.values()) - set(matches.values())
    for at, word in enumerate(words):
        if id(word) in matches or word.weight < 1.0 or has_unspaced(word.stem):
            continue
        before = matches.get(id(words[at - 1]), -2) if at else -1
        after = matches.get(id(words[at + 1]), -2) if at + 1 < len(words) else before + 2
        is_last = at + 1 == len(words) and before + 2 == len(others)
        if before + 1 in free and after == before + 2 and (is_last or at + 1 < len(words)):
            return others[before + 1].weight >= 1.0
    return False


def _products(text: str) -> frozenset[tuple[str, str]]:
    """Return the two factors of each product in a text."""
    pairs = pairwise(values_of(text))
    return frozenset(
        (one.canon, other.canon)
        for one, other in pairs
        if _TIMES.fullmatch(text[one.span[1] : other.span[0]])
    )


def _allows_exception(main: Meaning, adjuncts: Sequence[Adjunct], other: Meaning) -> bool:
    """Return whether `other` allows only what a sentence excepts: "all except X may change", "only X may change".

    "Nobody except X" is "only X".
    """
    first = next((word for word in other.words if word.tag == "only"), None)
    if first is None or first.denied or main.denies:
        return False
    return any(adjunct.kind == "exception" and first.concept in adjunct.concepts for adjunct in adjuncts)


def _digits_of(word: str) -> list[str]:
    """Return the number that a word names in digits, nothing for any other word."""
    return [number for number, name in NUMBER_WORDS.items() if name == word]


def _side_of(text: str, value: Value) -> str:
    """Return the side of a limit on which a value is ("below", "after"), by the sign or word before it; else ""."""
    mark = _LIMIT.search(text, max(0, value.span[0] - _BEFORE), value.span[0])
    if mark is None:
        return ""
    if mark["sign"]:
        return "below" if mark["sign"] in "<≤" else "above"
    tag = TAGS.get(mark["word"].lower(), "")
    return tag if tag in ("below", "above", "before", "after") else ""


def _word_before(text: str, value: Value) -> str:
    """Return the word before a value in lower case, or ""."""
    mark = _LIMIT.search(text, max(0, value.span[0] - _BEFORE), value.span[0])
    return mark["word"].lower() if mark is not None and mark["word"] else ""


def forbidden_values(text: str) -> frozenset[str]:
    """Return the normal forms of the values that a sentence forbids: 8080 of "never open port 8080".

    A limit such as "never more than 40" forbids no single value.
    """
    meaning = meaning_of(text)
    return frozenset(
        value.canon
        for value in meaning.values
        if value.span in meaning.contrasted and not _limit_before(text, value)
    )


def _limit_before(text: str, value: Value) -> str:
    """Return how a value ends what is allowed or forbidden: "than" for "more than 40", "after" for "after 6 pm"."""
    exceeds = _EXCEEDS.search(text, max(0, value.span[0] - _BEFORE), value.span[0])
    return "than" if exceeds is not None else _side_of(text, value)
