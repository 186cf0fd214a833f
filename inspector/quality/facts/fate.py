"""Judge what became of a fact in the list after a compaction.

Each sentence and line of the list is compared with one fact at a time, and the best match decides. So the order of
facts and texts does not matter, and removing a text from the list never improves a fate. Two sentences are compared as
structures (meaning.py): words, polarity, clauses, directions, values, how they bind, exceptions and conditions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.patterns import late_pattern
from inspector.core.scan.words import has_unspaced
from inspector.core.text import safe_title
from inspector.quality.facts.alignment import MIN_MAYBE, MIN_SAME, MIN_SUBJECT
from inspector.quality.facts.comparison import Comparison
from inspector.quality.facts.fact import KEPT, Fact, Fate, Outcome, Span
from inspector.quality.facts.meaning import BREAK, JOINS, meaning_of, parts_of
from inspector.quality.facts.passages import (
    EDGES,
    MIN_QUOTED_WORDS,
    PIECES,
    UNRECORDED,
    PassageIndex,
    place_of,
    states_nothing,
    value_keys,
)
from inspector.quality.facts.probe import Probe, probe_of
from inspector.quality.facts.rules import is_question

#: Marks before a quote.
_QUOTES = ('"', "“", "「", "『")
#: Outcomes, the best first. A wrong version ranks above an uncertain match.
ORDER: tuple[Outcome, ...] = (
    "verbatim", "paraphrased", "weakened", "contradicted", "value lost", "uncertain", "lost",
)  # fmt: skip
#: Maximum number of passages of a part that are compared in full: those with the most words and values of the fact.
_CANDIDATES = 8
_EXCERPT, _BEFORE = 200, 40
#: Matches a report of a question.
_ASKS = late_pattern(
    r"\bask(?:s|ed|ing)? (?:if|whether|how|why|what|where|when)\b|\bwonder(?:s|ed|ing)?\b", re.IGNORECASE
)
#: Matches a name in a text without spaces between words. No translation changes it: a file, an id, "tide-planner".
#: "TypeScript" and "k8s" have other forms.
_NAME = late_pattern(
    r"(?<![A-Za-z\d])(?=[A-Za-z])(?=[A-Za-z\d]*(?:[-_./]+[A-Za-z\d]|(?<=[A-Za-z]{2})\d))"
    r"[A-Za-z\d]+(?:[-_./]+[A-Za-z\d]+)*"
)
#: Matches the letters and the numbers of a name: "Java17" and "Java 17" are one name.
_LETTERS_OR_NUMBER = late_pattern(r"[a-z]+|\d+")
#: Minimum words that a list shares with a long question if it may have the answer.
_SHARED = 3


class Match(Struct, frozen=True):
    """The best match of a fact in a part of a list: its outcome, its score (0 to 1) and its place in the text.

    `exchanged`: two things of the fact have changed places in the passage, so a piece of the passage does not keep the
    fact. `sure`: the passage can contradict the fact: both are about the same thing, none is a question, and the
    fact is not pasted. `has_values`: the passage has all exact values of the fact that it needs, at least one.
    """

    outcome: Outcome
    score: float
    part: int
    span: Span
    changed: str = ""
    exchanged: bool = False
    sure: bool = True
    has_values: bool = False

    @property
    def order(self) -> tuple[int, float]:
        """Sort key of matches, the best first."""
        return ORDER.index(self.outcome), -self.score


def fate(
    fact: Fact, after: PassageIndex, compaction: int, fact_numbers: Collection[tuple[str, str]] = ()
) -> Fate:
    """Return what the list after `compaction` still has of a fact.

    `fact_numbers` has every number (with its unit) of the conversation. Another number in the summary contradicts the
    fact only if it is not among them.
    """
    probe = probe_of(fact)
    by_part = matches(probe, after, fact_numbers)
    if not by_part:
        return Fate(compaction, unfound(probe, after))
    best, part = best_of([(match, part) for part, match in by_part.items()])
    counted = settled(best, probe, after)
    return Fate(compaction, "lost") if counted is None else placed_fate(counted, part, after, compaction)


def unfound(probe: Probe, after: PassageIndex) -> Outcome:
    """Return the fate of a fact without a match.

    It is uncertain in four cases: the summary is in another language and may have a name of the fact, the list has
    several words of a long question that the fact answers, or the summary has every word and value of a statement of
    the user, in any place, or a whole clause of it. Else it is lost.
    """
    shared = sum(concept in after.by_concept for concept in probe.concepts) if probe.answers_at_length else 0
    if _may_be_foreign(probe, after):
        return "lost" if _has_no_name_of(probe, after) else "uncertain"
    has_some = shared >= _SHARED or _summary_has_words(probe, after) or _summary_has_clause(probe, after)
    return "uncertain" if has_some else "lost"


def _may_be_foreign(probe: Probe, after: PassageIndex) -> bool:
    """Return whether a text of the summary is in another language than a fact, without quotes in that of the fact.

    A summary that quotes what the user said needs no translation of it.
    """
    same = ("", probe.language)
    return bool(probe.language) and any(
        language not in same and quoted != probe.language for language, quoted in after.languages
    )


def _summary_has_words(probe: Probe, after: PassageIndex) -> bool:
    """Return whether the summary has every word and every value of a statement of the user, in any place."""
    words = probe.concepts.union(*(adjunct.concepts for adjunct in probe.adjuncts))
    has_words = probe.of_user and words and words <= after.summary_concepts
    return bool(has_words) and not any(after.lacks(value, False) for value in probe.values)


def _summary_has_clause(probe: Probe, after: PassageIndex) -> bool:
    """Return whether the summary quotes a longer clause of a statement of the user."""
    clauses = [clause for clause in probe.clauses if len(PIECES.findall(clause)) >= MIN_QUOTED_WORDS]
    return probe.of_user and any(
        after.parts[part].where == "summary" for clause in clauses for part in after.quoting(clause)
    )


def settled(best: Match, probe: Probe, after: PassageIndex) -> Match | None:
    """Return the best match of a fact in a list if it counts, else None: the fact is lost.

    An uncertain match counts if the fact has no exact value, if the list has one of its values, if the fact answers a
    long question, or if the summary is in another language. For a rule of the user, the results of tools are not
    searched for values. In another language, a statement of the user has lost its value if the list has none of its
    names.
    """
    if best.outcome != "uncertain" or best.has_values:
        return best
    if _may_be_foreign(probe, after):
        return replace(best, outcome="value lost") if _has_no_name_of(probe, after) else best
    if not probe.values or probe.answers_at_length:
        return best
    is_users_rule = probe.of_user and probe.binds
    return None if all(after.lacks(value, not is_users_rule) for value in probe.values) else best


def _has_no_name_of(probe: Probe, after: PassageIndex) -> bool:
    """Return whether a statement of the user has names, and the list has none of them. Of a path, the last part counts.

    The list may have a name if each of its words begins a word of the list.
    """
    if not probe.of_user or probe.asked:
        return False
    values = [value.text for value in probe.values if value.distinctive]
    names = _NAME.findall(probe.text) if has_unspaced(probe.text) else values
    last_parts = [name.rstrip("/").rpartition("/")[2].lower() for name in names]
    words = [pattern.findall(name) for name in last_parts for pattern in (PIECES, _LETTERS_OR_NUMBER)]
    return bool(words) and not any(all(map(after.has_beginning, name)) for name in words)


def best_of(numbered: Sequence[tuple[Match, int]]) -> tuple[Match, int]:
    """Return the best of several matches, each with the number of its part in a list."""
    return min(numbered, key=lambda pair: (*pair[0].order, pair[1], pair[0].span))


def placed_fate(best: Match, part: int, after: PassageIndex, compaction: int) -> Fate:
    """Return the fate for a match, with its place in a part of `after`."""
    place = after.parts[part]
    start, end = best.span
    begin, stop = max(0, start - _BEFORE), max(end, start + _EXCERPT - _BEFORE)
    left_out, more = "…" if begin else "", "…" if stop < len(place.text) else ""
    shown = f"{left_out}{place.text[begin:stop]}{more}"
    is_in_list = place.index >= 0
    return Fate(
        compaction,
        best.outcome,
        place.where,
        place.index if is_in_list else None,
        (start + place.offset, end + place.offset) if is_in_list else None,
        safe_title(shown, _EXCERPT + len(left_out + more)),
        best.changed,
    )


def matches(
    probe: Probe, after: PassageIndex, fact_numbers: Collection[tuple[str, str]] = ()
) -> dict[int, Match]:
    """Return, by number of the part, the best match of each part that has anything of a fact.

    A file that may not be in the list keeps nothing for certain.
    """
    best = _quotes(probe, after)
    for match in _reconciled(_compared(probe, after, frozenset(best), fact_numbers)):
        earlier = best.get(match.part)
        if earlier is None or (*match.order, match.span) < (*earlier.order, earlier.span):
            best[match.part] = match
    if probe.parts and any(match.outcome not in KEPT for match in best.values()):
        best |= _together(probe, after, best, fact_numbers)
    unsure = {
        part: replace(match, outcome="uncertain")
        for part, match in best.items()
        if match.outcome in KEPT and after.parts[part].role == UNRECORDED
    }
    return best | unsure


def _quotes(probe: Probe, after: PassageIndex) -> dict[int, Match]:
    """Return, by number of the part, a match of each part that quotes a fact."""
    quotes: dict[int, Match] = {}

    def add(places: Iterable[tuple[int, Span]], outcome: Outcome = "verbatim", score: float = 1.0) -> None:
        for part, span in places:
            if not after.is_refused(part, span[0]):
                quotes.setdefault(part, Match(outcome, score, part, span))

    def quoting(wording: str, parts: Iterable[int]) -> Iterator[tuple[int, Span]]:
        return ((part, place_of(wording, after.parts[part].text)) for part in parts)

    for wording in probe.wordings:
        add(quoting(wording, after.quoting(wording)))
    for wording in probe.answers:
        # Another message may answer another question with the same word: "yes".
        is_word = len(PIECES.findall(wording)) < 2
        add(
            (part, span)
            for part, span in after.listing(wording)
            if not (is_word and after.parts[part].where != "summary")
            and not (probe.chosen and not _explains_choice(probe, after.parts[part].text, span))
        )
    if len(probe.clauses) > 1:
        first, *rest = probe.clauses
        parts = set(after.quoting(first)).intersection(*map(after.quoting, rest))
        add(quoting(first, parts), score=0.9)
    if probe.of_user:
        add(after.nearly(probe.wordings), score=0.95)
        for wording in probe.wordings:
            for part, beginning in after.beginning(wording):
                span = place_of(beginning, after.parts[part].text)
                in_quotes = after.parts[part].text[: span[0]].endswith(_QUOTES)
                if in_quotes and _adds_nothing(beginning, wording):
                    add([(part, span)], "paraphrased", 0.9)
    return quotes


def _explains_choice(probe: Probe, text: str, choice: Span) -> bool:
    """Return whether the line of a choice by number or letter has a word of what was chosen."""
    start, end = text.rfind("\n", 0, choice[0]) + 1, text.find("\n", choice[1])
    line = text[start : end if end >= 0 else len(text)]
    return bool(probe.concepts & meaning_of(line).concepts)


def _adds_nothing(beginning: str, statement: str) -> bool:
    """Return whether the end of a statement has no further clause or thing, no rule, no value and no condition.

    In a script without spaces this is a guess, so it is False.
    """
    end = statement[len(beginning) :]
    goes_on = BREAK.search(statement[len(beginning) - 1 :].rstrip(EDGES)) or not JOINS.isdisjoint(end.split())
    has_more_adjuncts = len(parts_of(statement)[1]) > len(parts_of(beginning)[1])
    return not (goes_on or has_more_adjuncts or has_unspaced(end)) and states_nothing(end)


def _compared(
    probe: Probe, after: PassageIndex, quoted: Collection[int], fact_numbers: Collection[tuple[str, str]]
) -> list[Match]:
    """Return the matches of the passages that may be about a fact, without the parts that quote it."""
    matches: list[Match] = []
    kept_by_two_lines: list[Match] = []
    denied: set[int] = set()
    for number in _candidates(probe, after):
        passage = after.passages[number]
        match = None if passage.part in quoted else _judged(probe, after, number, fact_numbers)
        if match is None:
            continue
        two_lines = "\n" in passage.text
        if two_lines and match.outcome in KEPT:
            kept_by_two_lines.append(match)
            continue
        if not two_lines and match.outcome == "contradicted":
            denied.add(passage.part)
        matches.append(match)
    # Two lines do not keep a fact that a sentence of the same text contradicts.
    return matches + [
        replace(match, outcome="uncertain") if match.part in denied else match for match in kept_by_two_lines
    ]


def _reconciled(matches: list[Match]) -> Iterator[Match]:
    """Yield the matches of a list. A match that another passage casts doubt on becomes uncertain."""
    # A piece of a passage does not keep a fact if the whole passage exchanges two things of it.
    for whole in [match for match in matches if match.exchanged]:
        matches = [
            match if match is whole or not _within(match, whole) else replace(match, outcome="uncertain")
            for match in matches
        ]
    best_scores: dict[int, float] = defaultdict(float)
    for match in matches:
        if match.outcome != "contradicted":
            best_scores[match.part] = max(best_scores[match.part], match.score)
    valued = {match.part for match in matches if match.has_values}
    for match in matches:
        if match.outcome == "value lost" and match.part in valued:
            match = replace(match, outcome="uncertain")
        # A passage that has less of the fact than another passage of its text may be about something else.
        if match.outcome == "contradicted" and (not match.sure or match.score < best_scores[match.part]):
            yield replace(match, outcome="uncertain", changed="")
        else:
            yield match


def _within(match: Match, whole: Match) -> bool:
    """Return whether a match is a piece of another match."""
    inside = whole.span[0] <= match.span[0] and match.span[1] <= whole.span[1]
    return match.part == whole.part and inside


def _together(
    probe: Probe, after: PassageIndex, found: Mapping[int, Match], fact_numbers: Collection[tuple[str, str]]
) -> dict[int, Match]:
    """Return a match for each part of the list that keeps every clause of a statement, each somewhere."""
    by_clause = [matches(clause, after, fact_numbers) for clause in probe.parts]
    keeping_all = set.intersection(
        *({part for part, match in kept.items() if match.outcome in KEPT} for kept in by_clause)
    )
    return {
        part: Match("paraphrased", min(kept[part].score for kept in by_clause), part, by_clause[0][part].span)
        for part in keeping_all
        if part not in found or found[part].outcome not in KEPT
    }


def _candidates(probe: Probe, after: PassageIndex) -> list[int]:
    """Return the passages with the most words and values of a fact, the best first, and of equal ones the shortest.

    At most _CANDIDATES are of one part, and at most three times as many in all. A passage of a message that stayed
    needs a value of the fact, or enough of its words.
    """
    scores: dict[int, float] = defaultdict(float)
    valued: set[int] = set()
    for name, points in probe.sought:
        for number in after.by_concept.get(name, ()):
            scores[number] += points
    for value in probe.values:
        for key in value_keys(value):
            for number in after.by_value.get(key, ()):
                valued.add(number)
                scores[number] += 0.6 if key.startswith("#") else 1.0 + value.distinctive
    min_in_message = MIN_MAYBE * max(probe.weight, 0.5)
    min_score = min(1.0, min_in_message)
    ranked = sorted(
        (
            number
            for number, score in scores.items()
            if score >= min_in_message
            or (score >= min_score and (number in valued or after.parts[after.passages[number].part].retells))
        ),
        key=lambda number: (-scores[number], after.sizes[number], number),
    )
    counts: dict[int, int] = defaultdict(int)
    chosen = []
    for number in ranked:
        part = after.passages[number].part
        counts[part] += 1
        if counts[part] <= _CANDIDATES:
            chosen.append(number)
        if len(chosen) >= 3 * _CANDIDATES:
            break
    return chosen


def _is_sure(compared: Comparison, text: str) -> bool:
    """Return whether a passage can contradict a fact.

    A question states nothing, and a document is not the user's word on the matter.
    """
    asks = compared.probe.asked or is_question(text) or _ASKS.search(text) is not None
    return not (asks or compared.probe.pasted) and compared.is_about_the_same


def _judged(
    probe: Probe, after: PassageIndex, number: int, fact_numbers: Collection[tuple[str, str]]
) -> Match | None:
    """Return the match of one passage with a fact, None if it has nothing of the fact."""
    passage = after.passages[number]
    part = after.parts[passage.part]
    compared = Comparison(probe, number, after, fact_numbers)
    outcome, changed = compared.outcome()
    if outcome is None:
        return None
    if compared.two_lines and outcome in ("contradicted", "weakened", "value lost"):
        # One of two lines may be about something else.
        outcome, changed = "uncertain", ""
    if (part.where != "summary" or part.role == "fallback") and outcome != "paraphrased":
        # Only a summary retells a fact, or a file of the agent. A message that stayed, or the text of a program, is at
        # most about the same thing.
        has_several = compared.shared_words > 1 or compared.kept_values
        may_match = (
            compared.coverage >= MIN_SUBJECT
            and has_several
            and not compared.lost_values
            and part.role != "tool"
        )
        all_values = bool(compared.shared_words) and not compared.lost_values and compared.has_telling_value()
        tells = all_values or (compared.shared_words > 1 and compared.overlap >= MIN_MAYBE)
        may_match = may_match or (part.retells and outcome is not None and tells)
        # A file of rules or memory may give a value without the words around it.
        is_given = part.where in ("rules file", "memory") and probe.plain and not probe.request
        may_match = may_match or (outcome == "uncertain" and is_given and compared.keeps_exact_values())
        outcome, changed = ("uncertain", "") if may_match else (None, "")
    has_few_words = outcome == "paraphrased" and not part.retells and compared.overlap < MIN_SAME
    # The result of a tool has words like the user's by chance. Only a value or a quote in it is a match.
    by_chance = has_few_words or (probe.of_user and not probe.values)
    if outcome is None or (part.role == "tool" and by_chance):
        return None
    outcome = "uncertain" if has_few_words else outcome
    exchanged = outcome == "contradicted" and compared.exchanged
    sure = outcome == "contradicted" and _is_sure(compared, passage.text)
    return Match(
        outcome,
        round(compared.coverage, 4),
        passage.part,
        passage.span,
        changed,
        exchanged,
        sure,
        bool(compared.value_pairs) and not compared.lost_values,
    )
