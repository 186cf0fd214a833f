"""What became of a fact in the list after a compaction.

Each sentence of the list is judged alone (and each line of several), and the best one decides: so it does not matter in
which order facts or texts come, and a text that says less never makes a fate better.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from inspector.core.text import safe_title
from inspector.quality.facts.exact_values import values_of
from inspector.quality.facts.fact import Fact, Fate, Outcome, Span, Value
from inspector.quality.facts.nearly import in_order
from inspector.quality.facts.passage_index import Passage, PassageIndex, in_words, place_of, plain
from inspector.quality.facts.probe import FEW, FILES, MAYBE, SPOKEN_OF, VAGUE, Probe, beside_of, probe_of

#: So much of a fact's words must stand beside its values for them to be its own.
NEAR = 0.28
#: So much of its exact things must be there, or of its words, three of them at least.
HALF = 0.5
#: A fact without exact things is told in other words by so much of its words.
RETOLD = 0.75
#: So many words of a short fact, small ones too, in the same order are the fact, beside so many of its things; else it
#: takes RETOLD.
WORDED = 0.6
NEAR_WORDS = 0.4
#: What becomes of a fact of which nothing is found: in a summary of its language, in one of another.
NOTHING: tuple[Outcome, Outcome] = ("lost", "uncertain")
#: The best first.
ORDER: tuple[Outcome, ...] = ("verbatim", "paraphrased", "weakened", "uncertain", "value lost", "lost")
#: So many words of it are no chance, whatever their share is.
MANY = 4
_MEASURES = frozenset({"number", "quantity", "percent", "ratio", "time"})
_EXCERPT = 200
# So much of it stands before the place.
_BEFORE = 40
# What an address is told without.
_WEB = re.compile(r"https?://(?:www\.)?(?=\w)|(?:sqlite|file):/{2,4}(?:\./)?(?=\w)")
# An address of what people call by its number ("#175").
_NUMBERED = re.compile(r"/(?:pull|pulls|issues|merge_requests)/(?P<number>\d+)/?\Z")


@dataclass(frozen=True, slots=True)
class Match:
    """What the best passage of a text has of a fact. `part` is the number of the text in its index, `span` the place in
    it, or `wording` what stands there; `share` is how much of the fact it has."""

    outcome: Outcome
    share: float
    part: int
    span: Span = (0, 0)
    changed: str = ""
    wording: str = ""

    @property
    def order(self) -> tuple[float, ...]:
        """The better the smaller, whatever the region."""
        return (ORDER.index(self.outcome), -self.share)


def fate(
    fact: Fact, after: PassageIndex, compaction: int, numbers_said: Collection[tuple[str, str]] = ()
) -> Fate:
    """What the list after `compaction` still has of a fact.

    `numbers_said` are the numbers (with units) that anybody said: where the summary gives another one for the same
    thing, the summary changed it.
    """
    probe = probe_of(fact, after.rules)
    found = matches(probe, after, numbers_said)
    if not found:
        return Fate(compaction, unfound(probe, after))
    return told(*best_of([(match, part) for part, match in found.items()]), after, compaction, probe)


def unfound(probe: Probe, after: PassageIndex) -> Outcome:
    """What became of a fact of which a list has nothing: in a summary of another language rules find what is exact
    alone."""
    foreign = probe.tongue and after.tongue and probe.tongue != after.tongue
    return NOTHING[1] if foreign else NOTHING[0]


def best_of(found: Sequence[tuple[Match, int]]) -> tuple[Match, int]:
    """The best of several matches, each with the number of its part in a list."""
    # Parts are in the order in which regions are searched.
    return min(found, key=lambda one: (*one[0].order, one[1], one[0].span))


def told(best: Match, part: int, after: PassageIndex, compaction: int, probe: Probe) -> Fate:
    """The fate of what a probe looks for that a match is, with its place: in that part of `after`."""
    place = after.parts[part]
    start, end = place_of(best.wording, place.text) if best.wording else best.span
    first = start if best.wording else start + _telling(probe, place.text[start:end])
    shown = place.text[max(0, first - _BEFORE) : max(end, first + _EXCERPT - _BEFORE)]
    span = (start + place.offset, end + place.offset)
    return Fate(
        compaction, best.outcome, place.where, place.index, span, safe_title(shown, _EXCERPT), best.changed
    )


def _telling(probe: Probe, text: str) -> int:
    """Where in a passage that is longer than an excerpt most of what is looked for begins."""
    room = _EXCERPT - _BEFORE
    if len(text) <= room:
        return 0
    low = text.lower()
    wanted = [*(value.text.lower() for value in probe.values), *probe.names, *probe.things]
    places = sorted({at for one in wanted for at in _places(one, low)})
    most = max(
        ((bisect_left(places, at + room) - number, -at) for number, at in enumerate(places)), default=(0, 0)
    )
    return -most[1] if places and places[-1] >= room else 0


def _places(what: str, text: str) -> Iterator[int]:
    at = text.find(what)
    while at >= 0:
        if not (at and text[at - 1].isalnum()):
            yield at
            return
        at = text.find(what, at + 1)


def matches(
    probe: Probe, after: PassageIndex, numbers_said: Collection[tuple[str, str]] = ()
) -> dict[int, Match]:
    """By number of the part, the best match in each part that has anything of a fact."""
    found: dict[int, Match] = {}
    for match in _all(probe, after, numbers_said):
        known = found.get(match.part)
        if known is None or (*match.order, match.span) < (*known.order, known.span):
            found[match.part] = match
    return found


def _all(probe: Probe, after: PassageIndex, numbers_said: Collection[tuple[str, str]]) -> Iterator[Match]:
    # Passages and parts that need not be looked at, each a bit.
    quoted = 0
    for verbatim in _quoted(probe.wordings, after, "verbatim"):
        quoted |= after.within[verbatim.part]
        yield verbatim
    if probe.partly:
        yield from _quoted(probe.partly, after, "paraphrased")
    exact = _exact(probe, after)
    sharing = after.sharing(probe.things, probe.joined, probe.owned)
    kept = quoted
    if exact or probe.heads or len(sharing) >= probe.least:
        for match in _told(probe, after, exact, sharing, quoted, numbers_said):
            if match.outcome == "paraphrased":
                kept |= after.within[match.part]
            yield match
    if probe.spoken and sharing and after.summary_passages & ~kept:
        yield from _retold(probe, after, exact, sharing, kept)


def _told(
    probe: Probe,
    after: PassageIndex,
    exact: Mapping[int, frozenset[int]],
    sharing: Sequence[int],
    quoted: int,
    numbers_said: Collection[tuple[str, str]],
) -> Iterator[Match]:
    """The passages that have some of a fact's exact things or so many of its words that it may be told there."""
    passages = after.passages
    of = len(probe.values) + len(probe.names)
    by_part: dict[int, set[int]] = {}
    for number, here in exact.items():
        by_part.setdefault(passages[number].part, set()).update(here)
    wholes = {
        part: (len(whole) / of if of else 0.0, all(_stands_alone(probe, one) for one in whole))
        for part, whole in by_part.items()
    }
    terms = _terms(probe, after, of) if probe.terms else {}

    def judged(number: int, shared: int, here: frozenset[int]) -> Match | None:
        if shared > 1 and number in terms:
            here = here | terms[number]
        cover = len(here) / (of + sum(one >= of for one in here)) if here else 0.0
        exact_here = _Exact(here, cover, *wholes.get(passages[number].part, (0.0, False)))
        return _judged(probe, after, number, exact_here, _words_of(shared, len(probe.things)), numbers_said)

    done = quoted | after.printed_passages
    for number, here in exact.items():
        done |= 1 << number
        if not quoted >> number & 1:
            shared = sum(passages_with >> number & 1 for passages_with in sharing)
            if (match := judged(number, shared, here)) is not None:
                yield match
    if probe.values:
        done |= after.line_passages
    # Without the fact's exact things, where its words come first, nothing better follows in a part, but for the fact in
    # other words where it is uncertain.
    uncertain = 0
    for shared in range(len(sharing), probe.enough - 1, -1):
        left = sharing[shared - 1] & ~done
        if uncertain and not _words_of(shared, len(probe.things)).retold:
            left &= ~uncertain
        while left:
            lowest = left & -left
            number = lowest.bit_length() - 1
            done |= lowest
            left ^= lowest
            match = judged(number, shared, frozenset())
            if match is None:
                continue
            yield match
            if shared > 1 and number in terms:
                continue
            if of or match.outcome == "paraphrased":
                done |= after.within[match.part]
                left &= ~done
            else:
                uncertain |= after.within[match.part]
                if not _words_of(shared, len(probe.things)).retold:
                    left &= ~uncertain
    # The file is named, and nothing of what was said of it.
    for name in probe.heads:
        for number in after.naming(name):
            passage = passages[number]
            if passage.part not in after.printed and not quoted >> number & 1:
                yield Match("value lost", 0.0, passage.part, passage.span)


def _quoted(wordings: Sequence[tuple[str, str]], after: PassageIndex, outcome: Outcome) -> Iterator[Match]:
    for wording, text in wordings:
        for part in after.quoting(wording):
            yield Match(outcome, 1.0, part, wording=text)


def _retold(
    probe: Probe, after: PassageIndex, exact: Mapping[int, frozenset[int]], sharing: Sequence[int], done: int
) -> Iterator[Match]:
    """The sentences of the summary that have a short fact nearly word for word, with every exact thing of it."""
    words, every = probe.spoken, len(probe.values) + len(probe.names)
    if every and not exact:
        return
    few = max(1, math.ceil(NEAR_WORDS * len(probe.things)))
    near = sharing[few - 1] if few <= len(sharing) else 0
    # A slip may hide the other things of what was typed.
    left = (sharing[0] if probe.owned else near) & after.summary_passages & ~done
    if not left:
        return
    different = frozenset(words)
    if len(different & after.spoken_words) < (WORDED if near else RETOLD) * len(different):
        return
    while left:
        lowest = left & -left
        left ^= lowest
        number = lowest.bit_length() - 1
        least = WORDED if near & lowest else RETOLD
        theirs = after.spoken(number)
        if len(different.intersection(theirs)) < least * len(different):
            continue
        if every and sum(one < every for one in exact.get(number, ())) < every:
            continue
        share = in_order(words, theirs, probe.owned) / len(words)
        passage = after.passages[number]
        if share >= least and (probe.denied or not _negates(passage.text, after)):
            weaker = _weaker(probe, after, passage.text, passage.words)
            yield Match("weakened" if weaker else "paraphrased", round(share, 4), passage.part, passage.span)


class _Exact(NamedTuple):
    """Which of a fact's exact things a passage has (by number), as a share, the share that its whole text has, and
    whether these are names, which mean the same wherever they stand."""

    here: frozenset[int]
    cover: float
    whole: float
    named: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """How many of a fact's words a passage has, of how many: also as a `share`, which is 0 where the fact has no words.
    `few` are how many there must be at least, `retold`: they are the fact in other words, without any value,
    `there`: so many that it may be the fact, `half`: half of them, three at least."""

    shared: int
    of: int
    share: float
    few: int
    retold: bool
    there: bool
    half: bool

    def near(self, printed: bool, telling: bool) -> bool:
        """Whether enough of them stand beside a value for it to be the fact's own; what a tool prints has any value."""
        if printed:
            return self.share >= RETOLD and self.shared >= self.few
        few = min(1, self.of) if telling and self.of < MANY else self.few
        return (self.share >= NEAR and self.shared >= few) or self.shared >= MANY


@lru_cache(maxsize=4096)
def _words_of(shared: int, of: int) -> _Words:
    share = shared / of if of else 0.0
    there = (share >= HALF and shared >= 2) or (share >= MAYBE and shared >= 3)
    retold = (share >= RETOLD and shared >= min(3, of)) or (share >= HALF and shared >= MANY)
    return _Words(shared, of, share, min(2, of), retold, there, share >= HALF and shared > 2)


def _exact(probe: Probe, after: PassageIndex) -> dict[int, frozenset[int]]:
    """By passage which of the exact things it has: values by number, then names."""
    places: dict[int, set[int]] = {}
    if not (probe.values or probe.names or probe.answer):
        return {}
    for number, value in enumerate(probe.values):
        for passage in _valued(value, after):
            places.setdefault(passage, set()).add(number)
        if numbered := _NUMBERED.search(value.canon) if value.form == "url" else None:
            for passage in after.naming(f"#{numbered['number']}"):
                places.setdefault(passage, set()).add(number)
    for number, name in enumerate(probe.names, len(probe.values)):
        for passage in after.naming(name):
            places.setdefault(passage, set()).add(number)
    if probe.answer and len(having := after.sharing(probe.answer)) == len(probe.answer):
        for passage in range(having[-1].bit_length()):
            if having[-1] >> passage & 1:
                places.setdefault(passage, set()).add(len(probe.values))
    return {passage: frozenset(numbers) for passage, numbers in places.items()}


def _valued(value: Value, after: PassageIndex) -> Sequence[int]:
    """The passages that have a value."""
    if not value.distinctive:
        return after.counting(value)
    if value.form == "url" and (place := _WEB.match(value.canon)) is not None:
        return after.addressing(value.canon[place.end() :])
    if value.form == "identifier":
        # outputType is the output type.
        return [*after.naming(value.canon), *after.naming(in_words(value.text).lower())]
    return after.naming(value.canon)


def _terms(probe: Probe, after: PassageIndex, of: int) -> dict[int, frozenset[int]]:
    """By passage which of the things it has that the fact can be told without, numbered behind its exact things."""
    places: dict[int, set[int]] = {}
    for number, term in enumerate(probe.terms, of):
        for passage in after.naming(term):
            places.setdefault(passage, set()).add(number)
    return {passage: frozenset(numbers) for passage, numbers in places.items()}


def _judged(
    probe: Probe,
    after: PassageIndex,
    number: int,
    exact: _Exact,
    words: _Words,
    numbers_said: Collection[tuple[str, str]],
) -> Match | None:
    """What a passage has of the fact; None for nothing."""
    passage = after.passages[number]
    printed = passage.part in after.printed
    outcome: Outcome | None = None
    changed = ""
    # Without its names words are the fact only where most of them are there.
    by_words = not probe.values and (words.retold or not probe.names)
    of = len(probe.values) + len(probe.names)
    vague = not of and words.of >= FEW and words.share >= VAGUE
    known = len(exact.here) > 1 or any(one < of and _stands_alone(probe, one) for one in exact.here)
    if (exact.here and _own(probe, after, passage, exact, words, printed)) or (
        not printed and _spelled(probe, after, number, exact, words)
    ):
        outcome = "paraphrased"
    elif exact.cover >= HALF and any(_stands_alone(probe, one) for one in exact.here):
        outcome = "uncertain"
    elif not printed and words.retold and _known(probe, after, number, exact, words):
        outcome = "paraphrased"
    elif not printed and (words.there or vague or (words.shared > 1 and known)) and (exact.here or by_words):
        outcome = "uncertain"
    elif _partly(probe, exact, words, printed):
        outcome = "value lost"
    elif probe.values and not printed and (exact.here or not passage.line):
        others = [] if exact.here else _strangers(probe, _others(probe, after, number))
        changed = _changed(others, after, number, words, numbers_said) if others else ""
        elsewhere = bool(probe.heads) and not exact.here and _of_another_file(probe, after, number)
        if (
            not elsewhere
            and _mentioned(probe, exact, words)
            and ((changed and words.share >= HALF) or not others)
        ):
            outcome = "value lost"
    elif probe.names and not printed and words.half:
        outcome = "value lost"
    if outcome is None:
        return None
    if outcome == "paraphrased" and (
        (words.share >= HALF and _weaker(probe, after, passage.text, passage.words))
        or (probe.wished and not printed and _declines(passage.text, after))
    ):
        outcome = "weakened"
    return Match(outcome, round((words.share + exact.cover) / 2, 4), passage.part, passage.span, changed)


def _known(probe: Probe, after: PassageIndex, number: int, exact: _Exact, words: _Words) -> bool:
    """Whether so much of a fact's exact things is there that its words tell it: half of its names, or these elsewhere
    in the same text and no other in the passage."""
    if exact.cover >= HALF if probe.names else not probe.values:
        return True
    there = words.share >= HALF and words.shared > 2 and exact.named and exact.whole >= HALF
    return there and not (probe.values and any(_others(probe, after, n) for n in after.sentence(number)))


def _spelled(probe: Probe, after: PassageIndex, number: int, exact: _Exact, words: _Words) -> bool:
    """Whether most of a fact's words are there, those of its names among them, with every value that words cannot
    tell. What the names of a passage are made of counts where one of the fact's is among them."""
    beside = exact.here and (words.shared or (exact.cover == 1.0 and len(exact.here) > 1))
    if not exact.here >= probe.exact or not (beside or not (probe.values or probe.names)):
        return False
    theirs = after.spelled(number) if exact.here else after.passages[number].words
    return _words_of(len(theirs.intersection(probe.spelled)), len(probe.spelled)).half


def _mentioned(probe: Probe, exact: _Exact, words: _Words) -> bool:
    """Whether so many of the words are there that the thing is spoken of."""
    enough = words.share >= HALF or (words.share >= SPOKEN_OF and words.shared >= 3)
    return enough and words.shared + len(exact.here) >= probe.least


def _own(
    probe: Probe, after: PassageIndex, passage: Passage, exact: _Exact, words: _Words, printed: bool
) -> bool:
    """Whether the exact things of a passage are this fact's own."""
    if all(one >= len(probe.values) + len(probe.names) for one in exact.here):
        return False
    scattered = _scattered(probe, exact, words)
    if exact.cover < HALF:
        # The other values stand elsewhere in the same text.
        there = words.share >= HALF and words.shared >= words.few and exact.whole >= HALF
        return not printed and (there or scattered)
    telling = sum(_tells(probe, one) for one in exact.here)
    # What the agent works on is named in every list of files: beside a mere name more must be said of it.
    mere = not probe.owned and words.shared < MANY and all(_stands_alone(probe, one) for one in exact.here)
    if words.near(printed, telling > 0) and not (mere and words.share < HALF):
        return True
    # Where hardly anything but its values is said ("25 % is live"), they are the fact; a name stands anywhere.
    measured = telling > 0 and {value.form for value in probe.values} <= _MEASURES and bool(probe.values)
    if not (printed or probe.binds) and words.of < 2 and measured and exact.cover == 1.0:
        return True
    # A rule that names one thing and denies it ("vendor/ is off limits") has no other words to be known by.
    if probe.alone or (probe.denies and telling > 0 and words.of < 2 and _denies(probe, passage.text, after)):
        return True
    if printed:
        return False
    if (
        probe.placed
        or scattered
        or (words.shared and any(_beside(probe, after, passage, one) for one in exact.here))
    ):
        return True
    if words.shared and any(bound in plain(passage.text) for bound in probe.bounds):
        return True
    # Several of its values together are no chance, whatever the words around them are.
    every = telling > 1 and exact.cover == 1.0 and (words.shared > 0 or not mere)
    together = words.shared > words.few // 2 or every
    if len(exact.here) > 1 and together:
        return True
    # A measure is known by its value beside two words; any text may have the number of a rule.
    return words.shared > 1 and any(_rare(probe, one) for one in exact.here)


def _scattered(probe: Probe, exact: _Exact, words: _Words) -> bool:
    """Whether all of several measures stand in the text, of the passage two, or one that is rare beside a word."""
    if len(probe.values) < 2 or exact.whole < 1.0 or probe.names:
        return False
    rare = sum(_rare(probe, one) for one in exact.here)
    return rare > 0 and (
        len(exact.here) > 1
        or (words.shared > 0 and all(_rare(probe, one) for one in range(len(probe.values))))
    )


def _beside(probe: Probe, after: PassageIndex, passage: Passage, one: int) -> bool:
    """Whether a value stands beside the same word there ("sleep 10 s")."""
    if one >= len(probe.values) or not probe.beside[one] or not _tells(probe, one):
        return False
    value = probe.values[one]
    return any(
        other.canon == value.canon
        and other.unit == value.unit
        and not beside_of(passage.text, other.span, after.rules).isdisjoint(probe.beside[one])
        for other in values_of(passage.text, after.rules)
    )


def _partly(probe: Probe, exact: _Exact, words: _Words, printed: bool) -> bool:
    """Whether several of its values stand there, beside whatever words; what a tool prints has any two."""
    several = sum(_tells(probe, one) for one in exact.here if one < len(probe.values)) > 1
    return several and not (printed and words.shared < words.few)


def _tells(probe: Probe, one: int) -> bool:
    """Whether a value is more than a bare number, which any text may have."""
    if one >= len(probe.values):
        return True
    value = probe.values[one]
    return value.distinctive or bool(value.unit) or value.form in ("date", "time", "ratio")


def _rare(probe: Probe, one: int) -> bool:
    """Whether a value is so exact that hardly anything else has it: a measure of several digits, a date, a version."""
    if one >= len(probe.values):
        return False
    value = probe.values[one]
    exact = value.form in ("date", "time", "ratio", "version", "digest", "ticket", "uuid", "address")
    return exact or (bool(value.unit) and sum(sign.isdigit() for sign in value.canon) > 1)


def _stands_alone(probe: Probe, one: int) -> bool:
    return one >= len(probe.values) or probe.values[one].distinctive


def _others(probe: Probe, after: PassageIndex, number: int) -> Sequence[Value]:
    """The values of a passage of the forms that the fact's have: somebody else's, or this fact's changed. One name
    stands for any other."""
    values = after.values(number)
    if not values:
        return ()
    forms = {value.form for value in probe.values}
    named = any(value.distinctive for value in probe.values)
    return [v for v in values if v.form in forms or (named and v.distinctive)]


def _of_another_file(probe: Probe, after: PassageIndex, number: int) -> bool:
    """Whether a passage is about a file, and not about the one that heads the fact's point."""
    return any(value.form in FILES for value in after.values(number)) and not any(
        number in after.naming(name) for name in probe.heads
    )


def _strangers(probe: Probe, others: Sequence[Value]) -> Sequence[Value]:
    """Of other values those that are no folder of the fact's own path and no end of it."""
    own = [value.canon for value in probe.values if value.form in FILES] if others else []
    if not own:
        return others
    return [
        v
        for v in others
        if not any(one.startswith(f"{v.canon}/") or one.endswith(f"/{v.canon}") for one in own)
    ]


def _changed(
    others: Sequence[Value],
    after: PassageIndex,
    number: int,
    words: _Words,
    numbers_said: Collection[tuple[str, str]],
) -> str:
    """The value that a summary gives for the same thing and that nobody said; "" mostly."""
    strange = [v for v in others if not v.distinctive and (v.canon, v.unit) not in numbers_said]
    in_summary = after.parts[after.passages[number].part].where == "summary"
    return (
        strange[0].text
        if in_summary and strange and len(strange) == len(others) and words.shared >= 2
        else ""
    )


def _denies(probe: Probe, text: str, after: PassageIndex) -> bool:
    # "admin-only", "no-cache".
    text = text.replace("’", "'").replace("-", " ")
    languages = (*after.rules.languages, *probe.languages)
    return any(language.denials.search(text) is not None for language in languages)


def _negates(text: str, after: PassageIndex) -> bool:
    return any(language.negations.search(text) is not None for language in after.rules.languages)


def _declines(text: str, after: PassageIndex) -> bool:
    return any(language.declines.search(text) is not None for language in after.rules.languages)


def _weaker(probe: Probe, after: PassageIndex, text: str, words: frozenset[str]) -> bool:
    """Whether a passage no longer binds: it allows what the fact denies, tells a rule without a word that makes it one,
    a guess as a fact, or leaves out the reason."""
    languages = (*after.rules.languages, *probe.languages)
    # "Never more than 40" is "at most 40": a bound does not need its denial.
    bound = any(value.form in _MEASURES for value in probe.values)
    if probe.denies and not bound and not _denies(probe, text, after):
        return True
    if probe.guesses and not any(one.hedges.search(text) for one in languages):
        return True
    return len(probe.reason) >= 2 and len(probe.reason & words) * 4 < len(probe.reason)
