"""Judge what became of a fact in the list after a compaction.

Each sentence and line of the list is compared with one fact at a time, and the best match decides. So the order of
facts and texts does not matter, and removing a sentence from the list never improves a fate. Two sentences are compared
as structures (meaning.py): words, polarity, clauses, directions, values, how they bind, exceptions and conditions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.text import safe_title
from inspector.quality.facts.comparison import (
    MIN_MAYBE,
    MIN_SAME,
    MIN_SUBJECT,
    Comparison,
)
from inspector.quality.facts.fact import Fact, Fate, Outcome, Span
from inspector.quality.facts.meaning import (
    Word,
)
from inspector.quality.facts.passages import PassageIndex, place_of, value_keys
from inspector.quality.facts.probe import Probe, probe_of
from inspector.quality.facts.rules import concept, opposites

#: Outcomes, the best first. A wrong version ranks above an uncertain match.
ORDER: tuple[Outcome, ...] = (
    "verbatim", "paraphrased", "weakened", "contradicted", "value lost", "uncertain", "lost",
)  # fmt: skip
#: Maximum number of passages of a part that are compared in full: those with the most words and values of the fact.
_CANDIDATES = 8
_EXCERPT, _BEFORE = 200, 40
#: Fates of what can still be read.
KEPT = ("verbatim", "paraphrased")


class Match(Struct, frozen=True):
    """The best match of a fact in a part of a list: its outcome, its score (0 to 1) and its place in the text.

    `exchanged`: two things of the fact have changed places in the passage, so a piece of the passage does not keep the
    fact. `sure`: passage and fact are about the same thing, so that one can contradict the other.
    """

    outcome: Outcome
    score: float
    part: int
    span: Span
    changed: str = ""
    exchanged: bool = False
    sure: bool = True

    @property
    def order(self) -> tuple[int, float]:
        """Sort key of matches, the best first."""
        return ORDER.index(self.outcome), -self.score


def fate(
    fact: Fact, after: PassageIndex, compaction: int, numbers_said: Collection[tuple[str, str]] = ()
) -> Fate:
    """Return what the list after `compaction` still has of a fact.

    `numbers_said` has every number (with its unit) of the conversation. Another number in the summary contradicts the
    fact only if it is not among them.
    """
    probe = probe_of(fact)
    found = matches(probe, after, numbers_said)
    if not found:
        return Fate(compaction, unfound(probe, after))
    best, part = best_of([(match, part) for part, match in found.items()])
    sure = settled(best, probe, after)
    return Fate(compaction, "lost") if sure is None else placed_fate(sure, part, after, compaction)


def unfound(probe: Probe, after: PassageIndex) -> Outcome:
    """Return the fate of a fact that no passage of a list has: uncertain if the summary is in another language."""
    return "uncertain" if foreign(probe, after) else "lost"


def settled(best: Match, probe: Probe, after: PassageIndex) -> Match | None:
    """Return the best match of a fact in a list, None if the fact is lost.

    An uncertain match does not count if the list has no exact value of the fact. For a rule of the user, results of
    tools do not count.
    """
    if best.outcome != "uncertain" or foreign(probe, after) or not probe.values:
        return best
    ruled = probe.of_user and probe.binds
    return None if all(after.lacks(value, not ruled) for value in probe.values) else best


def foreign(probe: Probe, after: PassageIndex) -> bool:
    """Return whether a fact is in another language than the summary."""
    return bool(probe.tongue and after.tongue) and probe.tongue != after.tongue


def best_of(found: Sequence[tuple[Match, int]]) -> tuple[Match, int]:
    """Return the best of several matches, each with the number of its part in a list."""
    return min(found, key=lambda one: (*one[0].order, one[1], one[0].span))


def placed_fate(best: Match, part: int, after: PassageIndex, compaction: int) -> Fate:
    """Return the fate for a match, with its place in a part of `after`."""
    place = after.parts[part]
    start, end = best.span
    shown = place.text[max(0, start - _BEFORE) : max(end, start + _EXCERPT - _BEFORE)]
    span = (start + place.offset, end + place.offset)
    return Fate(
        compaction, best.outcome, place.where, place.index, span, safe_title(shown, _EXCERPT), best.changed
    )


def matches(
    probe: Probe, after: PassageIndex, numbers_said: Collection[tuple[str, str]] = ()
) -> dict[int, Match]:
    """Return, by number of the part, the best match of each part that has anything of a fact."""
    found: dict[int, Match] = {}
    for wording in probe.wordings:
        for part in after.quoting(wording):
            found.setdefault(part, Match("verbatim", 1.0, part, place_of(wording, after.parts[part].text)))
    for wording in probe.answers:
        for part in after.listing(wording):
            found.setdefault(part, Match("verbatim", 1.0, part, place_of(wording, after.parts[part].text)))
    if len(probe.clauses) > 1:
        for part in set(after.quoting(probe.clauses[0])).intersection(*map(after.quoting, probe.clauses[1:])):
            found.setdefault(
                part, Match("verbatim", 0.9, part, place_of(probe.clauses[0], after.parts[part].text))
            )
    if probe.of_user:
        for part, span in after.nearly(probe.wordings):
            found.setdefault(part, Match("verbatim", 0.95, part, span))
    denied: set[int] = set()
    judged: list[Match] = []
    joined: list[Match] = []
    for number in _candidates(probe, after):
        passage = after.passages[number]
        known = found.get(passage.part)
        if known is not None and known.outcome == "verbatim":
            continue
        match = _judged(probe, after, number, numbers_said)
        if match is None:
            continue
        if "\n" not in passage.text and match.outcome == "contradicted":
            denied.add(passage.part)
        elif "\n" in passage.text and match.outcome in KEPT:
            joined.append(match)
            continue
        judged.append(match)
    # Two lines do not keep a fact that one of them denies. A piece of a passage does not keep a fact if the whole
    # passage exchanges two things of it.
    judged += [replace(one, outcome="uncertain") if one.part in denied else one for one in joined]
    for whole in [one for one in judged if one.exchanged]:
        judged = [
            one if one is whole or not _within(one, whole) else replace(one, outcome="uncertain")
            for one in judged
        ]
    likest: dict[int, float] = defaultdict(float)
    for match in judged:
        if match.outcome != "contradicted":
            likest[match.part] = max(likest[match.part], match.score)
    for match in judged:
        # A passage that has less of the fact than another passage of its text may be about something else.
        if match.outcome == "contradicted" and (not match.sure or match.score < likest[match.part]):
            match = replace(match, outcome="uncertain", changed="")
        known = found.get(match.part)
        if known is None or (*match.order, match.span) < (*known.order, known.span):
            found[match.part] = match
    if probe.parts and any(match.outcome not in KEPT for match in found.values()):
        found |= _together(probe, after, found, numbers_said)
    return found


def _within(one: Match, whole: Match) -> bool:
    return one.part == whole.part and whole.span[0] <= one.span[0] and one.span[1] <= whole.span[1]


def _together(
    probe: Probe, after: PassageIndex, found: Mapping[int, Match], numbers_said: Collection[tuple[str, str]]
) -> dict[int, Match]:
    """Return a match for each part of the list that has every clause of a statement, each somewhere."""
    each = [matches(one, after, numbers_said) for one in probe.parts]
    there = set.intersection(*({at for at, match in one.items() if match.outcome in KEPT} for one in each))
    return {
        at: Match("paraphrased", min(one[at].score for one in each), at, each[0][at].span)
        for at in there
        if at not in found or found[at].outcome not in KEPT
    }


def _candidates(probe: Probe, after: PassageIndex) -> list[int]:
    """Return the passages with the most words and values of a fact, the best first; several of each part."""
    scores: dict[int, float] = defaultdict(float)
    seen: set[str] = set()
    for word in (
        *probe.main.words,
        *(Word(c, c, False, 0, "", 0.3) for a in probe.adjuncts for c in a.concepts),
    ):
        if word.concept in seen:
            continue
        seen.add(word.concept)
        for number in after.by_concept.get(word.concept, ()):
            scores[number] += word.weight
        for other in opposites(word.stem):
            for number in after.by_concept.get(concept(other), ()):
                scores[number] += 0.5 * word.weight
    for value in probe.values:
        for key in value_keys(value):
            for number in after.by_value.get(key, ()):
                scores[number] += 0.6 if key.startswith("#") else 1.0 + value.distinctive
    least = min(1.0, MIN_MAYBE * max(probe.weight, 0.5))
    ranked = sorted(
        (number for number, score in scores.items() if score >= least),
        key=lambda number: (-scores[number], number),
    )
    taken: dict[int, int] = defaultdict(int)
    chosen = []
    for number in ranked:
        part = after.passages[number].part
        taken[part] += 1
        if taken[part] <= _CANDIDATES:
            chosen.append(number)
        if len(chosen) >= 3 * _CANDIDATES:
            break
    return chosen


def _judged(
    probe: Probe, after: PassageIndex, number: int, numbers_said: Collection[tuple[str, str]]
) -> Match | None:
    passage = after.passages[number]
    part = after.parts[passage.part]
    compared = Comparison(probe, number, after)
    outcome, changed = compared.outcome(foreign(probe, after), numbers_said)
    if outcome is None:
        return None
    if compared.two_lines and outcome in ("contradicted", "weakened", "value lost"):
        # Two lines together say only what is in both.
        outcome, changed = "uncertain", ""
    if part.where != "summary" and outcome not in ("verbatim", "paraphrased"):
        # Only a summary retells a fact. A message that stayed may be about the same thing, no more.
        maybe = compared.coverage >= MIN_SUBJECT and not compared.lost_values and part.role != "tool"
        outcome, changed = ("uncertain", "") if maybe else (None, "")
    little = outcome == "paraphrased" and part.where != "summary" and compared.overlap < MIN_SAME
    if outcome is None or (part.role == "tool" and little):
        return None
    outcome = "uncertain" if little else outcome
    exchanged = outcome == "contradicted" and compared.exchanged
    # A question states nothing, and a document is not the user's word on the matter.
    sure = not (probe.asked or probe.pasted) and compared.is_about_the_same
    return Match(outcome, round(compared.coverage, 4), passage.part, passage.span, changed, exchanged, sure)
