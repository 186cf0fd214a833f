"""What one passage of a list has of a fact: the fact in other words, a part of it, the thing without its value."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from inspector.quality.facts.exact_values import values_of
from inspector.quality.facts.fact import Outcome, Span, Value
from inspector.quality.facts.fates.passage_index import PassageIndex
from inspector.quality.facts.fates.passages import Passage, in_words
from inspector.quality.facts.fates.probe import FEW, FILES, MAYBE, SPOKEN_OF, VAGUE, Probe, beside_of
from inspector.quality.facts.fates.word_for_word import plain

#: So much of a fact's words must stand beside its values for them to be its own.
NEAR = 0.28
#: So much of its exact things must be there, or of its words, three of them at least.
HALF = 0.5
#: A fact without exact things is told in other words by so much of its words.
RETOLD = 0.75
#: The best first.
ORDER: tuple[Outcome, ...] = ("verbatim", "paraphrased", "weakened", "uncertain", "value lost", "lost")
#: So many words of it are no chance, whatever their share is.
MANY = 4
#: A sentence without anything exact of a fact tells it where one of so many of the sentence's words is the fact's: a
#: long one has half of anybody's words.
DENSE = 6
_CODED = re.compile(r"`[^`\n]+`")
_SIGNS = re.compile(r"[\W_]+")
_MEASURES = frozenset({"number", "quantity", "percent", "ratio", "time"})


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


class Exact(NamedTuple):
    """Which of a fact's exact things a passage has (by number), as a share, the share that its whole text has, and
    whether these are names, which mean the same wherever they stand."""

    here: frozenset[int]
    cover: float
    whole: float
    named: bool


@dataclass(frozen=True, slots=True)
class Words:
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
def words_of(shared: int, of: int) -> Words:
    """What it means that a passage has so many of so many words."""
    share = shared / of if of else 0.0
    there = (share >= HALF and shared >= 2) or (share >= MAYBE and shared >= 3)
    retold = (share >= RETOLD and shared >= min(3, of)) or (share >= HALF and shared >= MANY)
    return Words(shared, of, share, min(2, of), retold, there, share >= HALF and shared > 2)


def judged(
    probe: Probe,
    after: PassageIndex,
    number: int,
    exact: Exact,
    words: Words,
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
    dense = bool(exact.here) or _dense(passage, words)
    known = len(exact.here) > 1 or any(one < of and stands_alone(probe, one) for one in exact.here)
    if (exact.here and _own(probe, after, passage, exact, words, printed)) or (
        not printed and dense and _spelled(probe, after, number, exact, words)
    ):
        outcome = "paraphrased"
    elif exact.cover >= HALF and any(stands_alone(probe, one) for one in exact.here):
        outcome = "uncertain"
    elif not printed and dense and words.retold and _known(probe, after, number, exact, words):
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
    if outcome == "paraphrased" and probe.told and exact.here.isdisjoint(probe.told):
        outcome = "value lost"
    if outcome == "paraphrased" and _barely_told(probe, after, passage, exact, words):
        outcome = "uncertain"
    if outcome == "paraphrased" and (
        (words.share >= HALF and weaker(probe, after, passage.text, passage.words))
        or (probe.wished and not printed and _declines(passage.text, after))
    ):
        outcome = "weakened"
    return Match(outcome, round((words.share + exact.cover) / 2, 4), passage.part, passage.span, changed)


def _dense(passage: Passage, words: Words) -> bool:
    """Whether a passage speaks of a fact's words rather than of much else; a whole line must have most of them."""
    return words.share >= RETOLD or (not passage.line and words.shared * DENSE >= len(passage.words))


def _known(probe: Probe, after: PassageIndex, number: int, exact: Exact, words: Words) -> bool:
    """Whether so much of a fact's exact things is there that its words tell it: half of its names, or these elsewhere
    in the same text and no other in the passage."""
    if exact.cover >= HALF if probe.names else not probe.values:
        return True
    there = words.share >= HALF and words.shared > 2 and exact.named and exact.whole >= HALF
    if probe.names and _of_another_name(probe, after.passages[number].text):
        return False
    return there and not (probe.values and any(_others(probe, after, n) for n in after.sentence(number)))


def _of_another_name(probe: Probe, text: str) -> bool:
    """Whether a passage has names in code marks and none of the fact's, however these are written (last_seen_at,
    LastSeenAt)."""
    theirs = {_SIGNS.sub("", found.group()).lower() for found in _CODED.finditer(text)}
    return bool(theirs) and theirs.isdisjoint(_SIGNS.sub("", name) for name in probe.names)


def _spelled(probe: Probe, after: PassageIndex, number: int, exact: Exact, words: Words) -> bool:
    """Whether most of a fact's words are there, those of its names among them, with every value that words cannot
    tell. What the names of a passage are made of counts where one of the fact's is among them."""
    beside = exact.here and (words.shared or (exact.cover == 1.0 and len(exact.here) > 1))
    if not exact.here.issuperset(probe.exact) or not (beside or not (probe.values or probe.names)):
        return False
    theirs = after.spelled(number) if exact.here else after.passages[number].words
    # A path that stands there is not told by its own folders beside it.
    paths = " ".join(
        probe.values[one].canon
        for one in exact.here
        if one < len(probe.values) and probe.values[one].form in FILES
    )
    own = (
        set(probe.spelled).difference(after.rules.stemmer.words(in_words(paths))) if paths else probe.spelled
    )
    return words_of(len(theirs.intersection(own)), len(own)).half


def _mentioned(probe: Probe, exact: Exact, words: Words) -> bool:
    """Whether so many of the words are there that the thing is spoken of."""
    enough = words.share >= HALF or (words.share >= SPOKEN_OF and words.shared >= 3)
    return enough and words.shared + len(exact.here) >= probe.least


def _own(
    probe: Probe, after: PassageIndex, passage: Passage, exact: Exact, words: Words, printed: bool
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
    mere = not probe.owned and words.shared < MANY and all(stands_alone(probe, one) for one in exact.here)
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


def _scattered(probe: Probe, exact: Exact, words: Words) -> bool:
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


def _partly(probe: Probe, exact: Exact, words: Words, printed: bool) -> bool:
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


def stands_alone(probe: Probe, one: int) -> bool:
    """Whether an exact thing, by its number, is a name, which means the same wherever it stands."""
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
    words: Words,
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


def _barely_told(probe: Probe, after: PassageIndex, passage: Passage, exact: Exact, words: Words) -> bool:
    """Whether nothing but names stands there beside less than half of what is said of them: one of several, which is as
    often told of something else, or one of a rule, and nothing that forbids."""
    if words.share >= HALF or not all(stands_alone(probe, one) for one in exact.here):
        return False
    if len(exact.here) == 1 and exact.cover <= HALF:
        return True
    return probe.binds and words.of > 1 and not (probe.denies and _denies(probe, passage.text, after))


def _denies(probe: Probe, text: str, after: PassageIndex) -> bool:
    # "admin-only", "no-cache".
    text = text.replace("’", "'").replace("-", " ")
    languages = (*after.rules.languages, *probe.languages)
    return any(language.denials.search(text) is not None for language in languages)


def negates(text: str, after: PassageIndex) -> bool:
    """Whether a text says that something is not so, in a language that is always looked for."""
    return any(language.negations.search(text) is not None for language in after.rules.languages)


def _declines(text: str, after: PassageIndex) -> bool:
    return any(language.declines.search(text) is not None for language in after.rules.languages)


def weaker(probe: Probe, after: PassageIndex, text: str, words: frozenset[str]) -> bool:
    """Whether a passage no longer binds: it allows what the fact denies, tells a guess as a fact, or leaves out the
    reason."""
    languages = (*after.rules.languages, *probe.languages)
    # "Never more than 40" is "at most 40": a bound does not need its denial.
    bound = any(value.form in _MEASURES for value in probe.values)
    if probe.denies and not bound and not _denies(probe, text, after):
        return True
    if probe.guesses and not any(one.hedges.search(text) for one in languages):
        return True
    return len(probe.reason) >= 2 and len(probe.reason & words) * 4 < len(probe.reason)
