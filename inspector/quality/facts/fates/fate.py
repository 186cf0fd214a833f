"""What became of a fact in the list after a compaction.

Each sentence of the list is judged alone (and each line of several), and the best one decides: so it does not matter in
which order facts or texts come, and a text that says less never makes a fate better.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence

from inspector.core.text import safe_title
from inspector.quality.facts.fact import Fact, Fate, Outcome, Value
from inspector.quality.facts.fates.judging import (
    RETOLD,
    Exact,
    Match,
    judged,
    negates,
    stands_alone,
    weaker,
    words_of,
)
from inspector.quality.facts.fates.nearly import LONGEST, in_order
from inspector.quality.facts.fates.passage_index import PassageIndex
from inspector.quality.facts.fates.passages import in_words
from inspector.quality.facts.fates.probe import Probe, probe_of
from inspector.quality.facts.fates.word_for_word import place_of

#: So many words of a short fact, small ones too, in the same order are the fact, beside so many of its things; else it
#: takes RETOLD.
WORDED = 0.6
NEAR_WORDS = 0.4
#: So many of all words may have been mistyped where a sentence stands there as it was meant.
MENDED = 0.2
#: What becomes of a fact of which nothing is found: in a summary of its language, in one of another.
NOTHING: tuple[Outcome, Outcome] = ("lost", "uncertain")
_EXCERPT = 200
# So much of it stands before the place.
_BEFORE = 40
# What an address is told without.
_WEB = re.compile(r"https?://(?:www\.)?(?=\w)|(?:sqlite|file):/{2,4}(?:\./)?(?=\w)")
# An address of what people call by its number ("#175").
_NUMBERED = re.compile(r"/(?:pull|pulls|issues|merge_requests)/(?P<number>\d+)/?\Z")


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
    return NOTHING[1] if not probe.telling and _foreign(probe, after) else NOTHING[0]


def _foreign(probe: Probe, after: PassageIndex) -> bool:
    """Whether a fact is in another language than the summary."""
    return bool(probe.tongue and after.tongue) and probe.tongue != after.tongue


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
    yield from _quoted(probe.partly, after, "paraphrased")
    yield from _quoted(probe.groundless, after, "weakened")
    exact = _exact(probe, after)
    sharing = after.sharing(probe.things, probe.joined, probe.owned)
    for verbatim in _mended(probe, after, exact, sharing, quoted):
        quoted |= after.within[verbatim.part]
        yield verbatim
    kept = quoted
    if exact or probe.heads or len(sharing) >= probe.least:
        for match in _told(probe, after, exact, sharing, quoted, numbers_said):
            if match.outcome == "paraphrased":
                kept |= after.within[match.part]
            yield match
    if 0 < len(probe.spoken) <= LONGEST and sharing and after.summary_passages & ~kept:
        yield from _retold(probe, after, exact, sharing, kept)
    if (probe.loans or (probe.telling and exact)) and _foreign(probe, after):
        yield from _untranslated(probe, after, exact) if probe.telling else _loaned(probe, after)
    if len(probe.answer) > 1:
        yield from _picked(probe, after)


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
        part: (len(whole) / of if of else 0.0, all(stands_alone(probe, one) for one in whole))
        for part, whole in by_part.items()
    }
    terms = _terms(probe, after, of) if probe.terms else {}

    def judged_at(number: int, shared: int, here: frozenset[int]) -> Match | None:
        if passages[number].quote and (shared < RETOLD * len(probe.things) or len(here) < of):
            # The user said something else there.
            return None
        if shared > 1 and number in terms:
            here = here | terms[number]
        cover = len(here) / (of + sum(one >= of for one in here)) if here else 0.0
        exact_here = Exact(here, cover, *wholes.get(passages[number].part, (0.0, False)))
        return judged(probe, after, number, exact_here, words_of(shared, len(probe.things)), numbers_said)

    done = quoted | after.printed_passages
    for number, here in exact.items():
        done |= 1 << number
        if not quoted >> number & 1:
            shared = sum(passages_with >> number & 1 for passages_with in sharing)
            if (match := judged_at(number, shared, here)) is not None:
                yield match
    if probe.values:
        done |= after.line_passages
    # Without the fact's exact things, where its words come first, nothing better follows in a part, but for the fact in
    # other words where it is uncertain.
    uncertain = 0
    for shared in range(len(sharing), probe.enough - 1, -1):
        left = sharing[shared - 1] & ~done
        if uncertain and not words_of(shared, len(probe.things)).retold:
            left &= ~uncertain
        while left:
            lowest = left & -left
            number = lowest.bit_length() - 1
            done |= lowest
            left ^= lowest
            match = judged_at(number, shared, frozenset())
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
                if not words_of(shared, len(probe.things)).retold:
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


def _mended(
    probe: Probe, after: PassageIndex, exact: Mapping[int, frozenset[int]], sharing: Sequence[int], done: int
) -> Iterator[Match]:
    """The sentences of the summary that have what a user typed word for word, but for slips that were mended, with
    every exact thing of it."""
    words, every = probe.spoken, len(probe.values) + len(probe.names)
    # The stem of a short word does not show its slip.
    least = max(1, len(probe.things) - max(1, int(MENDED * len(probe.things))))
    if not (probe.owned and words) or len(sharing) < least:
        return
    left = sharing[least - 1] & after.summary_passages & ~done
    different = frozenset(words)
    while left:
        lowest = left & -left
        left ^= lowest
        number = lowest.bit_length() - 1
        if sum(one < every for one in exact.get(number, ())) < every:
            continue
        theirs = after.spoken(number)
        slips = len(different.difference(theirs))
        if slips > max(1.0, MENDED * len(different)) or in_order(words, theirs, True) < len(words):
            continue
        yield Match("verbatim", 1.0, after.passages[number].part, after.passages[number].span)


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
        if share >= least and (probe.denied or not negates(passage.text, after)):
            less = weaker(probe, after, passage.text, passage.words)
            yield Match("weakened" if less else "paraphrased", round(share, 4), passage.part, passage.span)


def _untranslated(probe: Probe, after: PassageIndex, exact: Mapping[int, frozenset[int]]) -> Iterator[Match]:
    """The first sentence of a summary in another language that has one of a fact's values: whose it is, only the words
    around it tell."""
    there = [
        n for n, here in exact.items() if after.summary_passages >> n & 1 and min(here) < len(probe.values)
    ]
    if there:
        passage = after.passages[min(there)]
        yield Match("uncertain", 0.0, passage.part, passage.span)


def _loaned(probe: Probe, after: PassageIndex) -> Iterator[Match]:
    """The first sentence of a summary in another language that has every word which both write in Latin letters."""
    having = after.sharing(probe.loans)
    there = having[-1] if len(having) == len(probe.loans) else 0
    there &= after.summary_passages & ~after.line_passages
    if there:
        passage = after.passages[(there & -there).bit_length() - 1]
        yield Match("paraphrased", 0.0, passage.part, passage.span)


def _picked(probe: Probe, after: PassageIndex) -> Iterator[Match]:
    """The first sentence of a summary that has a word of an answer where others have the rest ("Polars + Arrow")."""
    having = [next(iter(after.sharing([word])), 0) for word in probe.answer]
    for number, part in enumerate(after.parts):
        inside = [passages & after.within[number] for passages in having]
        if part.where == "summary" and all(inside):
            first = min((passages & -passages).bit_length() - 1 for passages in inside)
            yield Match("uncertain", 0.0, number, after.passages[first].span)


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
