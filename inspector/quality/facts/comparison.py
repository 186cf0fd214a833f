"""Compare a fact with a passage: the words and values that both have, and how they differ."""

from __future__ import annotations

import re
from collections import defaultdict
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
    rejected,
    restricts,
    without_refusals,
)
from inspector.quality.facts.passages import (
    DONE_SECTION,
    PassageIndex,
    mistyped,
    spelled_out,
)
from inspector.quality.facts.probe import Probe
from inspector.quality.facts.rules import HEDGES, opposites
from inspector.quality.facts.values import comparable, same_value

#: Minimum word overlap of a fact with a passage that states it.
MIN_SAME = 0.7
#: The same if the passage has all values of the fact.
MIN_SAME_VALUED = 0.5
#: Minimum word overlap of a fact with a passage about its subject.
MIN_SUBJECT = 0.6
#: Minimum word overlap of a fact with a passage that may be about it.
MIN_MAYBE = 0.34
#: Minimum word overlap of an exception, a condition or a reason with a passage that has it.
MIN_ADJUNCT = 0.34
#: Minimum word overlap that counts as nearly all words.
_NEARLY_ALL = 0.85
#: Characters of a value that many things may have.
_SHORT = 3
#: A passage about the same thing has at most twice the words of the fact, and this many more.
_ROOM = 4
#: A word is rare in a list if at most this many sentences have it.
_RARE = 4
#: Matches a sentence that may state an exception.
_EXEMPTS = late_pattern(
    r"\b(?:except\w*|unless|other than|apart from|save for|exclud\w*|exempt\w*|skip\w*|spared?|but|not|no|never|"
    r"without|only|else|otherwise)\b",
    re.IGNORECASE,
)
#: The number of a list item, which is no value.
_ITEM = late_pattern(r"^[ \t]*\d{1,2}[.)](?=\s)", re.MULTILINE)
_AND = late_pattern(r"\b(?:and|as well as|plus)\b", re.IGNORECASE)
#: Matches the words before a number that is a label, not a measure.
_NUMBERED = late_pattern(
    r"\b(?:options?|steps?|phases?|tasks?|points?|items?|parts?|levels?|stages?)\s?#?\Z", re.IGNORECASE
)
#: Match the words around the first of two values of which the second one holds now.
_FROM = late_pattern(r"(?:\bfrom|[从從由])\W{0,3}\Z", re.IGNORECASE)
_TO = late_pattern(r"\W{0,3}(?:to\b|[到至])\W{0,3}\d", re.IGNORECASE)
#: Characters of a line that are read before and after a sentence, for its conditions.
_NEAR = 300
_BINDING_SECTION = late_pattern(
    r"constraint|preference|instruction|rule|requirement|guideline|decision|decided|"
    r"conventions?|policy|request and intent|约束|要求|决定|规则",
    re.I,
)
#: Matches the heading or label of rejected work.
_REFUSING_SECTION = late_pattern(
    r"\b(?:rejected|discarded|declined|abandoned|ruled out|out of scope|not doing|won['’]t do|non-goals?)\b|"
    r"已?否[决決]|[放丢]弃",
    re.I,
)


#: An outcome (None: nothing of the fact is there), and the changed text of a contradiction, else "".
Verdict = tuple[Outcome | None, str]


class Comparison:
    """Comparison of a fact with a passage: the words and values in both, and the differences."""

    def __init__(self, probe: Probe, number: int, after: PassageIndex) -> None:
        passage = after.passages[number]
        there = meaning_of(_ITEM.sub(lambda label: " " * len(label.group()), passage.text))
        if _REFUSING_SECTION.search(passage.section):
            there = rejected(there)
        # A verb of refusal that both texts have denies nothing: "drop X", "X is dropped".
        own, other = ({word.concept for word in one.words} for one in (probe.main, there))
        if probe.main.refusals & other or there.refusals & own:
            probe, there = replace(probe, main=without_refusals(probe.main)), without_refusals(there)
        self.fallback = after.parts[passage.part].role == "fallback"
        self.probe, self.there, self.joined, self.after = probe, there, passage.joined, after
        self.across = "\n" in passage.text
        self.part, self.span = after.parts[passage.part], passage.span
        section = passage.section
        self.binding = bool(_BINDING_SECTION.search(section))
        self.done = bool(DONE_SECTION.search(section)) and not self.binding
        self.pairs = list(_aligned(probe.main.words, there.words))
        self.replaced = _replaced(probe.main.words, there.words, self.pairs)
        have = {id(word) for word, _ in self.pairs}
        self.missing = [word for word in probe.main.words if id(word) not in have]
        weight = probe.weight or 1.0
        got = sum(word.weight for word, _ in self.pairs)
        #: Share of the words of the main clause that the passage has, by weight.
        self.overlap = got / weight if probe.main.words else 0.0
        #: The same, but a word that excludes a word of the fact counts as its match.
        self.frame = (
            (got + sum(word.weight for word, _ in self.replaced)) / weight if probe.main.words else 0.0
        )
        self.valued = [
            (value, next((one for one in there.values if self._same(value, one) and self._about(one)), None))
            for value in probe.values
        ]
        self.lost_values = [
            value for value, other in self.valued if other is None and not spelled_out(value, there.text)
        ]
        #: Whether other passages of the same text have all missing values.
        self.scattered = bool(self.lost_values) and all(
            (value.distinctive or len(value.canon) > 3) and after.has_value(passage.part, value)
            for value in self.lost_values
        )

    @property
    def is_about_the_same(self) -> bool:
        """Whether fact and passage share enough to contradict each other: two words or values, and most of the words,
        in a passage that says little more. Information that is no rule needs nearly all of its words."""
        told = len({mine.concept for mine, _ in self.pairs if mine.weight >= 1.0}) + len(self.replaced)
        told += sum(
            value not in self.lost_values and not _NUMBERED.search(self.probe.text[: value.span[0]])
            for value, _ in self.valued
        )
        brief = len(self.there.words) <= _ROOM + 2 * len(self.probe.main.words)
        most = _NEARLY_ALL if self.probe.plain else MIN_SUBJECT
        return told > 1 and brief and self.frame >= most

    def _about(self, value: Value) -> bool:
        """Return whether a value is about the fact: its line has a word of the fact, or no words. A long value needs no
        words beside it."""
        if not self.across or value.distinctive or len(value.canon) > _SHORT:
            return True
        start, end = value.span
        text = self.there.text
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        words = {word.concept for word in meaning_of(text[first : last if last >= 0 else len(text)]).words}
        return not words or not words.isdisjoint(mine.concept for mine, _ in self.pairs)

    def _same(self, value: Value, other: Value) -> bool:
        """Return whether two values are the same. `other` may have the unit of another value of the fact."""
        shared = value.form == "number" and other.unit in {one.unit for one in self.probe.values if one.unit}
        return same_value(value, other) or (shared and value.canon == other.canon)

    def outcome(self, is_foreign: bool, numbers_said: Collection[tuple[str, str]]) -> Verdict:
        """Return the outcome, with the changed text of a contradiction, else "".

        The outcome is None if the passage has nothing of the fact.
        """
        probe = self.probe
        if is_foreign or (probe.tongue or self.after.tongue) not in ("en", "zh", ""):
            return self._foreign(is_foreign, numbers_said)
        words = {word.concept for word in self.there.words}
        if not probe.answer <= words:
            # An answer to another question says nothing about the fact.
            some = probe.answer & words and all(one in self.after.by_concept for one in probe.answer)
            return ("uncertain", "") if some else (None, "")
        if probe.answer and self.overlap < MIN_SAME_VALUED:
            return "uncertain", ""
        if not probe.main.words:
            return ("value lost" if self.lost_values else "paraphrased" if self.kept_values else None), ""
        if not (self.has_enough or self.frame >= MIN_SUBJECT):
            return self._unlike()
        return self._changed(numbers_said) or self._incomplete() or self._stated()

    @cached_property
    def kept_values(self) -> int:
        """Number of exact values of the fact that the passage has."""
        return len(self.valued) - len(self.lost_values)

    @cached_property
    def full(self) -> int:
        """Number of shared words with a meaning of their own."""
        return sum(mine.weight >= 1.0 for mine, _ in self.pairs)

    @cached_property
    def has_enough(self) -> bool:
        """Whether the passage has most words of the fact, or all its values."""
        return self.overlap >= MIN_SAME or self._has_all_values()

    def _has_all_values(self) -> bool:
        """Return whether the passage has all values of the fact, and half of its words."""
        few = self.full < min(2, len(self.probe.main.words)) and self.overlap < 1.0
        all_values = self.kept_values == len(self.valued) > 0 and self._rare_values()
        return all_values and self.overlap >= MIN_SAME_VALUED and not (self.across or few)

    def _changed(self, numbers_said: Collection[tuple[str, str]]) -> Verdict | None:
        """Return the outcome if the passage says something else about the same thing, or reports one event."""
        there: Verdict = "contradicted", safe_title(self.there.text, 80)
        if text := self._contradiction(self._missing_values, numbers_said):
            return "contradicted", text
        if self.exchanged and self.frame >= MIN_SAME:
            return there
        if self._reports():
            return there if self._did_forbidden() else self._weakened()
        if self._reversed():
            turned = (self._turned() and not self._denies_other()) or self._swapped() or self._crossed_alone()
            return there if self.frame >= MIN_SAME and turned else ("uncertain", "")
        return None

    def _incomplete(self) -> Verdict | None:
        """Return the outcome if the passage has the subject of the fact without a value, a part or the force of it."""
        if self._missing_values:
            if self.scattered:
                known = self.overlap >= MIN_SAME and self.kept_values
                return ("paraphrased" if known else "uncertain"), ""
            return ("value lost" if self.overlap >= MIN_SUBJECT and self.full else "uncertain"), ""
        if self._leaves_out():
            return self._weakened()
        if self._softer():
            # In a passage of several sentences, the soft one may be about something else.
            return ("uncertain" if self.joined else "weakened"), ""
        # Another sentence of the line may name a listed thing for another reason.
        denying = {word.clause for word in self.there.words if word.denied}
        alike = {mine.concept for mine, other in self.pairs if not mine.denied or other.clause in denying}
        if self._narrowed() or self._item_missing(alike):
            return "uncertain", ""
        if self._name_lost():
            return "value lost", ""
        if self.done and self.probe.binds and not self._about_key():
            return self._unlike()
        order = ORDERED if self.joined else ORDERED_THERE
        return (
            ("uncertain", "")
            if ORDERED.search(self.probe.text) and not order.search(self.line.text)
            else None
        )

    def _stated(self) -> Verdict:
        """Return the outcome of a passage without a known difference: kept, unless something raises doubt."""
        if not self.has_enough:
            return self._unlike()
        probe = self.probe
        # A request is known by its act or its values.
        known = not self.across and (self._has_all_values() or self._about_key())
        doubtful = (
            (probe.request and not known)
            or (probe.asked and self.full < 3)
            or self._replaced_value()
            or self._done_once()
            or self._part_missing()
            or self._too_little()
            or self._denial_missing()
            or sides_differ(probe.text, self.there.text)
        )
        return ("uncertain" if doubtful else "paraphrased"), ""

    @cached_property
    def _missing_values(self) -> list[Value]:
        """The lost values, without those of a missing exception or condition: these are missing with it."""
        gone = [
            one
            for one in self.probe.adjuncts
            if one.kind in ("exception", "condition") and self._missing(one)
        ]
        taken = {(value.canon, value.unit) for one in gone for value in one.values}
        return [value for value in self.lost_values if (value.canon, value.unit) not in taken]

    def _weakened(self) -> Verdict:
        """Return "weakened". One word without any value is too little to say that something is missing."""
        return ("weakened", "") if len(self.pairs) > 1 or self.kept_values else self._unlike()

    def _replaced_value(self) -> bool:
        """Return whether the passage says that another value took the place of one of the fact: "from 5.4 to 4.9"."""
        return any(
            _FROM.search(self.there.text[: other.span[0]])
            and _TO.match(self.there.text, other.span[1])
            and not _FROM.search(self.probe.text[: value.span[0]])
            for value, other in self.valued
            if other is not None
        )

    def _too_little(self) -> bool:
        """Return whether one word is all that a passage shares with a statement, or two with one that is no rule, where
        the passage has more words."""
        if self.probe.values or not self.probe.of_user:
            return False
        line = {word.concept for word in self.line.words}
        longer = len(self.there.words) > len(self.probe.main.words) + 2
        if self.full > 1:
            more = sum(len(one.concepts & line) for one in self.probe.adjuncts)
            return self.probe.plain and longer and self.full + more < 3
        return self.probe.plain or longer

    def _denial_missing(self) -> bool:
        """Return whether the passage has nothing of a thing that the fact excludes: "X, not Y" with X alone."""
        if self.probe.tongue == "zh":
            # In Chinese the end of a denial is a guess.
            return False
        gone = any(word.denied and word.weight >= 1.0 for word in self.missing)
        kept = any(not word.denied for word in self.probe.main.words)
        return gone and kept and not self.there.denies and not restricts(self.line.text)

    def _part_missing(self) -> bool:
        """Return whether the line has nothing of a part of the fact: "check A and B" with A alone."""
        gone = {word.concept for word in self.missing} - {word.concept for word in self.line.words}
        parts = (meaning_of(part).words for part in _AND.split(self.probe.main.text)) if gone else ()
        full = ({word.concept for word in words if word.weight >= 1.0} for words in parts)
        return any(part and part <= gone for part in full)

    def _done_once(self) -> bool:
        """Return whether the fact is a wish of the user, and the passage reports only an act of the agent."""
        probe, text = self.probe, self.there.text
        reports = AGENT_DID.search(text) is not None and AGENT_DID.search(probe.text) is None
        return probe.of_user and reports and not (self.binding or is_lasting(text))

    def _foreign(self, is_foreign: bool, numbers_said: Collection[tuple[str, str]]) -> Verdict:
        """Return the outcome in a language without a lexicon, or across two languages: it takes nearly equal words."""
        probe = self.probe
        if not is_foreign:
            if self._swapped():
                return "contradicted", safe_title(self.there.text, 80)
            if self._crossed():
                return "uncertain", ""
            # Without a lexicon an extra word may be a hedge.
            same = self.overlap >= 1.0 and not self.lost_values and len(self.there.words) <= len(self.pairs)
            if same and probe.main.denies == self.there.denies:
                return "paraphrased", ""
            if self.frame >= MIN_SUBJECT and self.lost_values:
                changed = self._contradiction(self.lost_values, numbers_said)
                if changed or not self.kept_values:
                    return ("contradicted", changed) if changed else ("value lost", "")
        return ("uncertain", "") if self.full or self.kept_values else (None, "")

    def _unlike(self) -> Verdict:
        """Return the outcome for a passage that has too little of the fact to state it."""
        probe = self.probe
        if self._identified():
            return "uncertain", ""
        binding = self.binding or BINDS.search(self.there.text) is not None
        if self.there.words and probe.binds and not binding:
            # A passage that only reports on the subject does not state the rule.
            near = self.overlap >= MIN_SAME_VALUED
            return (
                ("uncertain", "") if near or (self.kept_values and self.overlap >= MIN_MAYBE) else (None, "")
            )
        same = any(self._rare(mine) for mine, _ in self.pairs)
        if binding and same and not (self.joined or self.fallback):
            # A rule about the same thing, or with the same measure, may be the fact in other words.
            return "uncertain", ""
        if self.overlap >= MIN_MAYBE and len(self.pairs) > 1:
            return "uncertain", ""
        # Equal values identify a statement in other words.
        known = self._rare_values() and (self.pairs or not self.lost_values)
        return ("uncertain", "") if known else (None, "")

    def _identified(self) -> bool:
        """Return whether the passage has two rare words of a user's statement, and a third of all its words."""
        if not self.probe.of_user:
            return False
        mine = {word.concept for word in self.probe.main.words if word.weight >= 1.0}
        mine = mine.union(*(one.concepts for one in self.probe.adjuncts))
        shared = mine & {word.concept for word in self.there.words}
        rare = sum(self.after.sentences_with(one) <= _RARE for one in shared)
        return rare > 1 and len(shared) >= MIN_MAYBE * len(mine)

    def _rare(self, word: Word) -> bool:
        """Return whether a word of the fact is rare in the list, so that it identifies the subject."""
        return word.weight >= 1.0 and self.after.sentences_with(word.concept) <= _RARE

    def _rare_values(self) -> bool:
        """Return whether the passage has a value that identifies the fact: all but a short number without a unit."""
        return any(
            other is not None
            and (value.distinctive or bool(value.unit) or value.form != "number" or len(value.canon) > 2)
            for value, other in self.valued
        )

    def _contradiction(self, lost: Sequence[Value], numbers_said: Collection[tuple[str, str]]) -> str:
        """Return the text that the passage has in place of a value or word of the fact, else ""."""
        if lost and self.frame >= (MIN_SUBJECT if self.probe.of_user else _NEARLY_ALL):
            own = {id(other) for _, other in self.valued if other is not None}
            free = [one for one in self.there.values if id(one) not in own]
            for value in lost:
                other = next((one for one in free if comparable(value, one)), None)
                if other is not None and (other.canon, other.unit) not in numbers_said:
                    return other.text
        if self.replaced and self.frame >= MIN_SAME:
            return self.replaced[0][1].stem
        return ""

    def _reversed(self) -> bool:
        """Return whether the passage denies the fact, states what the fact denies, or swaps two things of the fact."""
        return self._flipped() or self._swapped() or self._crossed()

    def _flipped(self) -> bool:
        told = [pair for pair in self.pairs if pair[0].weight >= 1.0]
        if not told:
            return False
        differ = [pair for pair in told if pair[0].denied != pair[1].denied]
        agree = [pair for pair in told if pair[0].denied == pair[1].denied and pair[0].denied]
        if not differ:
            return False
        theirs = self.there.denies
        # If both deny something, only a shared word counts as denied by the fact.
        mine = any(word.denied for word, _ in self.pairs) if theirs else self.probe.main.denies
        if mine and not theirs:
            # A limit needs no denial: "never more than 40" is "at most 40", "no X without Y" is "X needs Y".
            # Two denials cancel out: "no X that is not Y" is "every X is Y".
            once = most_denials(self.probe.main.text) < 2
            return once and not compensates(self.probe.text, self._shared_clauses()) and not self._bounded()
        if theirs and not mine:
            # "No X without Y" denies nothing.
            return self._turned() and not YET.search(self.there.text) and most_denials(self.there.text) < 2
        return not agree and len(differ) > 1 and len(differ) * 2 > len(told)

    def _shared_clauses(self) -> str:
        """Return the clauses of the passage that have a word of the fact: a limit in another clause limits another
        thing."""
        shared = {mine.concept for mine, _ in self.pairs}
        clauses = BREAK.split(self.there.text)
        return ", ".join(
            one for one in clauses if not shared.isdisjoint(word.concept for word in meaning_of(one).words)
        )

    @cached_property
    def exchanged(self) -> bool:
        """Whether two things of the fact have changed places: "rename A to B", "rename B to A"."""
        return exchanged(self.probe.main, self.there, self.pairs, self.valued, self.probe.text)

    def _turned(self) -> bool:
        """Return whether the denial of most shared words differs, or of the demanded act, not only of a detail."""
        keys = {word.concept for word in self.probe.keys}
        full = [(mine, other) for mine, other in self.pairs if mine.weight >= 1.0 or mine.concept in keys]
        differ = [mine for mine, other in full if mine.denied != other.denied]
        return any(mine.concept in keys for mine in differ)

    def _denies_other(self) -> bool:
        """Return whether the fact does not name the first thing that the passage denies: "without resetting it"."""
        first = next((word for word in self.there.words if word.denied and not word.refused), None)
        asides = frozenset[str]().union(*(one.concepts for one in self.probe.adjuncts if one.kind == "aside"))
        return (
            first is not None
            and first.concept not in asides
            and all(other is not first for _, other in self.pairs)
        )

    def _bounded(self) -> bool:
        return any(other is not None for _, other in self.valued)

    def _swapped(self) -> bool:
        """Return whether two things changed places, or a direction is reversed."""
        for mine, other in self.pairs:
            if are_opposed(mine.tag, other.tag) and self.overlap >= MIN_SAME:
                partner = [
                    one for one in self.pairs if one[0] is not mine and are_opposed(one[0].tag, one[1].tag)
                ]
                if partner or mine.tag in ("before", "after", "above", "below", "from", "to"):
                    return True
        return self.exchanged

    def _crossed(self) -> bool:
        """Return whether things of two clauses seem to have changed places."""
        main, there = self.probe.main, self.there
        valued = [
            (main.clauses[at], there.clauses[other])
            for at, value in enumerate(main.values)
            for other, one in enumerate(there.values)
            if same_value(value, one)
        ]
        # The order of listed things has no meaning.
        items = frozenset[str]().union(*listed(main.text))
        placed = [pair for pair in self.pairs if pair[0].concept not in items]
        return self.overlap >= MIN_SAME and crossed(placed, valued)

    def _crossed_alone(self) -> bool:
        """Return whether the passage has the words of the fact, and little else, with things in changed places."""
        little = len(self.there.words) <= len(self.probe.main.words) + 1
        return little and self.overlap >= 1.0 and self._crossed()

    def _reports(self) -> bool:
        """Return whether the passage reports a single event but the fact is a general rule."""
        text = self.there.text
        if (
            not enforces(self.probe.text)
            or EVENT.search(self.probe.text)
            or is_lasting(text)
            or not self._about_key()
        ):
            return False
        return EVENT.search(text) is not None and not self.binding

    def _did_forbidden(self) -> bool:
        """Return whether the passage reports that an act was done that the fact forbids."""
        if ORDERED.search(self.probe.text):
            return False
        keys = {word.concept for word in self.probe.keys}
        acts = [(mine, other) for mine, other in self.pairs if mine.denied and mine.concept in keys]
        done = acts and not any(other.denied for _, other in acts) and not self.there.denies
        return bool(done) and self.overlap >= MIN_SAME and not (self.lost_values or self.probe.adjuncts)

    def _about_key(self) -> bool:
        """Return whether the passage names the act that the fact demands, not only its subject."""
        keys = {word.concept for word in self.probe.keys}
        return any(mine.concept in keys for mine, _ in self.pairs)

    def _softer(self) -> bool:
        """Return whether the passage weakens the fact: it is softer, holds only once, drops a hedge, or is narrower."""
        probe, text = self.probe, self.there.text
        if SOFT.search(FORBIDS.sub("", text)) and not SOFT.search(probe.text):
            return True
        if probe.binds and ONE_TIME.search(text) and not ONE_TIME.search(probe.text):
            return True
        if probe.guesses and not HEDGES.search(text):
            return True
        if UNIVERSAL.search(probe.text) and not UNIVERSAL.search(text):
            said = {word.concept for word in probe.main.words} | {
                c for one in probe.adjuncts for c in one.concepts
            }
            part = [one for found in PART.finditer(text) for one in meaning_of(found["what"]).words]
            if (NARROW.search(text) and not NARROW.search(probe.text)) or any(
                one.concept not in said for one in part
            ):
                return True
        return False

    def _narrowed(self) -> bool:
        """Return whether the fact is about all things of a kind, and the passage may be about only some of them."""
        if UNIVERSAL.search(self.there.text) or not UNIVERSAL.search(self.probe.main.text):
            return False
        quantified = QUANTIFIED.search(self.probe.main.text)
        things = meaning_of(quantified["things"]).words if quantified is not None else ()
        if not things:
            return False
        said = {word.concept for word in self.probe.main.words}
        return any(
            word.concept == things[-1].concept and before.clause == word.clause and before.concept not in said
            for before, word in pairwise(self.there.words)
        )

    def _leaves_out(self) -> bool:
        """Return whether the passage lacks a limit of the fact, or a thing that the fact lists."""
        if ONLY.search(self.probe.main.text) and not restricts(self.there.text):
            return True
        there = {word.concept for word in self.line.words}
        return self._item_missing(there) or any(self._missing(one) for one in self.probe.adjuncts)

    def _item_missing(self, there: Collection[str]) -> bool:
        """Return whether only some of the things that the fact lists are among the concepts `there`."""
        return any(
            not items.issubset(there) and not items.isdisjoint(there)
            for items in listed(self.probe.main.text)
        )

    def _missing(self, adjunct: Adjunct) -> bool:
        if adjunct.kind == "aside":
            return False
        there = {word.concept for word in self.line.words}
        # The words that the main clause has too do not show the adjunct.
        own = adjunct.concepts - self.probe.concepts or adjunct.concepts
        share = len(own & there) / len(own) if own else 1.0
        marker = adjunct.text.split()[0].lower()
        # Words of two lines may be about different things. An inclusion must be there with all its words.
        if adjunct.kind == "inclusion" or marker == "only":
            return share < 1.0
        if adjunct.kind == "exception" and self.across and not _EXEMPTS.search(self.line.text):
            return True
        return share < MIN_ADJUNCT and not re.search(
            rf"\b{re.escape(marker)}\b", self.line.text, re.IGNORECASE
        )

    @cached_property
    def line(self) -> Meaning:
        """The whole line of the passage: a condition may be in the sentence before or after."""
        if self.across:
            return self.there
        text, (start, end) = self.part.text, self.span
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        return meaning_of(
            text[max(first, start - _NEAR) : min(last if last >= 0 else len(text), end + _NEAR)]
        )

    def _name_lost(self) -> bool:
        rest = [word for word in self.probe.main.words if not word.name]
        have = sum(mine.weight for mine, _ in self.pairs if not mine.name)
        near = have >= MIN_SAME * sum(word.weight for word in rest)
        return (
            near
            and any(word.name and word.weight >= 1.0 for word in self.missing)
            and not any(word.name for word, _ in self.pairs)
        )


def _aligned(mine: Sequence[Word], theirs: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    """Yield the words of a fact that a passage has, each with its match: by concept, else by a typo."""
    free: dict[str, list[Word]] = defaultdict(list)
    for other in theirs:
        free[other.concept].append(other)
    left, taken = [], set()
    for word in mine:
        options = free.get(word.concept)
        if not options:
            left.append(word)
            continue
        best = min(
            options, key=lambda other: 2 if other.denied != word.denied else other.clause != word.clause
        )
        options.remove(best)
        taken.add(id(best))
        yield word, best
    rest = [other for other in theirs if left and id(other) not in taken]
    for word in left:
        alike = (other for other in rest if other.stem[0] == word.stem[0])
        typo = next((other for other in alike if mistyped(word.stem, other.stem)), None)
        if typo is not None:
            rest.remove(typo)
            yield word, typo
            continue
        # The passage may have a repeated word once.
        again = next((other for other in theirs if other.concept == word.concept), None)
        if again is not None:
            yield word, again


def _replaced(
    mine: Sequence[Word], theirs: Sequence[Word], pairs: Sequence[tuple[Word, Word]]
) -> list[tuple[Word, Word]]:
    """Return the words of a fact that the passage replaces, each with the word that excludes it."""
    have, taken = {id(word) for word, _ in pairs}, {id(other) for _, other in pairs}
    found = []
    for word in mine:
        if id(word) in have or not (excluded := opposites(word.stem)):
            continue
        other = next((one for one in theirs if one.stem in excluded and id(one) not in taken), None)
        if other is not None:
            found.append((word, other))
    return found
