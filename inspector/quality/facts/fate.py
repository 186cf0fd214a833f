"""Judge what became of a fact in the list after a compaction.

Each sentence and line of the list is compared with the fact alone and the best one decides: the order of facts and
texts does not matter, and a list with a sentence less never has a better fate. Two sentences are compared as structures
(meaning.py): words, polarity, clauses, directions, values, how they bind, exceptions and conditions.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from inspector.core.scan.words import word_set
from inspector.core.text import safe_title
from inspector.quality.facts.extract import ARROW, asked_and_answered
from inspector.quality.facts.fact import Fact, Fate, Outcome, Span, Value, Where
from inspector.quality.facts.meaning import (
    AGENT_DID,
    BINDS,
    EVENT,
    NARROW,
    ONLY,
    ORDERED,
    ORDERED_THERE,
    PART,
    SOFT,
    UNIVERSAL,
    YET,
    Adjunct,
    Meaning,
    Word,
    compensates,
    enforces,
    meaning_of,
    opposed,
    parts_of,
    restricts,
    reversed_direction,
    stands,
)
from inspector.quality.facts.rules import HEDGES, concept, excludes, load_stemmer, opposites
from inspector.quality.facts.sentences import MOST, clauses
from inspector.quality.facts.values import comparable, named, same_value, values_of

#: Search order of regions.
REGIONS: tuple[Where, ...] = ("summary", "head", "tail", "rules file", "memory")
#: Outcomes, the best first. A wrong version ranks above an uncertain match.
ORDER: tuple[Outcome, ...] = (
    "verbatim", "paraphrased", "weakened", "contradicted", "value lost", "uncertain", "lost",
)  # fmt: skip
#: Minimum word overlap with a passage that says the fact, that says it where all its values are there too, that speaks
#: of its subject, and that may be about it.
MIN_SAME, MIN_SAME_VALUED, MIN_SUBJECT, MIN_MAYBE = 0.7, 0.5, 0.6, 0.34
#: Minimum share of a rule's words in one statement for the statement to account for it.
MIN_CLAIM = 0.34
#: The same for the rule to be that statement and no other.
MIN_CLAIMED = 0.6
#: Minimum overlap with an exception, a condition or a reason for it to be there.
MIN_ADJUNCT = 0.34
_NEARLY_ALL = 0.85
#: Weight of a word that the same text has elsewhere.
ELSEWHERE = 0.5
#: Likeness (0 to 100) of two words that differ by a typo, and of two sentences that are the same but for one.
TYPO, NEAR_VERBATIM = 86, 93
#: Likeness for a language without a lexicon: nearly all words must be the same, as related words are not known.
MIN_LIKE_FOREIGN = 82
#: Minimum characters of a wording that may be quoted with a typo, and minimum share of its words that are there.
_LONG_WORDING, MIN_PIECES = 30, 0.8
#: Maximum characters of a line that may be an answer in a list of the user's messages.
_LISTED = 120
#: Maximum words of a measure that a single word can identify.
_FEW_WORDS = 1
#: Extra words, beyond twice the words of a fact, that a passage about the same thing may have.
_ROOM = 4
#: Maximum passages that have a word for it to be rare in a list.
_RARE = 4
#: Passages that are compared in full, of those with the most words and values of a fact.
_CANDIDATES = 8
_EXCERPT, _BEFORE = 200, 40
#: Characters of a passage; longer ones are compared sentence by sentence only.
_LONG = 900
LINES = re.compile(r"\\n|\n")
_ENDS = re.compile(r"(?:(?<=[.!?;])[\"')\]*`]*\s+|(?<=[。！？；])\s*)")
_HEADING = re.compile(
    r"\s*(?:#{1,6}\s+(?P<a>.{1,80})|"
    r"(?:\d{1,2}[.)]\s+)?\*{0,2}(?P<b>[A-Z][^:.\n]{2,60}):\*{0,2}\s*(?P<rest>.*))$"
)
_LABELLED = re.compile(r"\s*+(?:[-*•]\s*+)?\*{0,2}(?P<label>[A-Z][a-z]+(?: [a-z&A-Z]+){0,3})\*{0,2}:\s")
_BINDING_SECTION = re.compile(
    r"constraint|preference|instruction|rule|requirement|guideline|decision|decided|"
    r"conventions?|policy|request and intent|约束|要求|决定|规则",
    re.I,
)
_RULE_SECTION = re.compile(
    r"primary request|note|constraint|preference|instruction|rule|requirement|guideline|"
    r"约束|要求|规则",
    re.I,
)
_DONE_SECTION = re.compile(
    r"\b(?:done|accomplished|completed|progress|problem solving|errors?|fixes|fixed|"
    r"resolved|actions|state|files|blocked)\b|完成",
    re.I,
)
# Marks that a text loses or gets where it is quoted.
# How a wording begins that is left out where it is retold.
_POLITE = re.compile(
    r"^(?:(?:we|i|please|just|ok|okay|and|so|also|then|now|yes|can you|could "
    r"you)\b[ ,]*)+(?=(?:\S+ ){3})"
)
_MARKS = str.maketrans({**dict.fromkeys("*`\"'“”‘’«»\\", None), "—": "-", "–": "-", "…": "...", "、": "，"})
_SPACES = re.compile(
    r" (?=[,;!?])|(?<=[,;!?]) | (?=\.(?: |\Z))|(?<=[^\W\d_]\.) (?=[^\W\d_])|(?<=[\u3040-\u9fff]) "
    r"(?=[\u3040-\u9fff])"
)
_EDGES = " .。!！;；,，:：-"
_PIECES = re.compile(r"[a-z0-9_]+|[\u3040-\u9fff]")
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|no longer|no need to|don ?t|do not|doesn ?t|without|instead of|"
    r"rather than|stopped?|nicht|no|ne|не)|n t|不|[别別])\s*$"
)
_BEHIND_MODAL = re.compile(
    r"\b(?:must|shall|should|to|never|always|not|don['’]t|may|can|cannot|please|only|be|"
    r"is|are)\s+(?:be\s+|never\s+|not\s+|always\s+)*(\w+)",
    re.I,
)
#: Words of a line that only says that there is nothing.
_NOTHING = frozenset(["none", "无", "n/a", "na", "无。"])
#: Small words that change what a sentence says.
_MATTERS = word_set("not no never only on off dont t cannot without unless except before after all every")
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?!\s))++[.!?]?")
#: Fates of what can still be read.
KEPT = ("verbatim", "paraphrased")
# A list line that begins with a quote, and may explain it.
_QUOTED = re.compile(r"[\s>]*+(?:(?:[-*•]|\d{1,3}[.)])\s*+)?[\"“](?P<said>[^\"“”\n]{1,120})[\"”]")
_INSIDE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]{2,}")
_TONGUES: Mapping[str, frozenset[str]] = {
    "en": word_set("the and is are to of in for with not be it on must this that we you should use please when "
               "don't from"),
    "de": word_set("der die das und ist nicht wir für mit den dem ein eine im auf zu bei nur muss keine soll bitte "
               "sind wird immer"),
    "es": word_set("el los las de que y en para con no se una del al siempre antes nunca por es son debe"),
    "fr": word_set("le les des et est pas pour avec sur une dans du au que qui ne la doit doivent on quand toujours"),
    "pt": word_set("o os as de que e em para com não uma do da dos das no na sempre nunca podem deve por"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListText:
    """A text of the list after a compaction: a message of the head or tail, or the summary. `text` is safe; `offset` is
    where it starts in the safe text of its message."""

    where: Where
    index: int
    role: str
    text: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, a line or two lines of a part; `span` is in the part's text, `section` the heading above it.
    `joined`: it is several sentences."""

    part: int
    span: Span
    text: str
    section: str = ""
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """The best that a part has of a fact: outcome, score (0 to 1), the place in the part's text.

    `exchanged`: two things of the fact have changed places there, so a piece of the passage does not keep it.
    """

    outcome: Outcome
    score: float
    part: int
    span: Span
    changed: str = ""
    exchanged: bool = False

    @property
    def order(self) -> tuple[int, float]:
        """Sort key of matches, the best first."""
        return ORDER.index(self.outcome), -self.score


def plain(text: str) -> str:
    """Return a text for comparing word for word: lower case, one line, without quotes, emphasis and code marks."""
    words = text.translate(_MARKS).lower().split()
    return _SPACES.sub("", " ".join(word for word in words if word != "/"))


def tongue_of(text: str) -> str:
    """Return the language of a text by its script and its small words; "" where they do not decide."""
    sample = text[:4_000]
    if re.search("[\u3040-\u30ff]", sample):
        return "ja"
    if len(re.findall("[\u4e00-\u9fff]", sample)) > max(1, len(_LATIN.findall(sample))):
        return "zh"
    if re.search("[\uac00-\ud7af]", sample):
        return "ko"
    if len(re.findall("[Ѐ-ӿ]", sample)) > 8:
        return "ru"
    words = re.findall(r"[^\W\d_]+(?:'[a-z]+)?", sample.lower())
    counts = {tongue: sum(word in small for word in words) for tongue, small in _TONGUES.items()}
    best = max(counts, key=lambda tongue: (counts[tongue], tongue == "en"))
    others = max(count for tongue, count in counts.items() if tongue != best)
    return best if counts[best] > others or (best == "en" and counts[best]) else ""


class PassageIndex:
    """The texts of a list, searchable: made at the first question, in one pass."""

    def __init__(self, parts: Iterable[ListText], said: Sequence[frozenset[str]] = ()) -> None:
        """`said` has the user's statements as concepts: a rule that matches one statement cannot be another rule."""
        self.said = said
        self.parts = tuple(sorted(parts, key=lambda part: (REGIONS.index(part.where), part.index, part.text)))

    def only(self, parts: Collection[int], said: Sequence[frozenset[str]]) -> PassageIndex:
        """Return the index of some of the parts alone, by number."""
        return PassageIndex((part for number, part in enumerate(self.parts) if number in parts), said)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Every sentence, every line of several, and every two lines of one section in the summary."""
        return tuple(passage for number, part in enumerate(self.parts) for passage in _passages(number, part))

    @cached_property
    def by_concept(self) -> Mapping[str, tuple[int, ...]]:
        """Concept -> the passages that have it."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.passages):
            for word in {word.concept for word in meaning_of(passage.text).words}:
                found[word].append(number)
        return {word: tuple(numbers) for word, numbers in found.items()}

    @cached_property
    def by_value(self) -> Mapping[str, tuple[int, ...]]:
        """Canonical value -> the passages that have it; the last part of a path too."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.passages):
            for key in {key for value in meaning_of(passage.text).values for key in _keys(value)}:
                found[key].append(number)
        return {value: tuple(numbers) for value, numbers in found.items()}

    @cached_property
    def _plain(self) -> tuple[str, ...]:
        return tuple(plain(LINES.sub(" ", part.text[:MOST])) for part in self.parts)

    @cached_property
    def _pieces(self) -> Mapping[str, int]:
        """Piece of a plain text -> the parts that have it, each a bit."""
        found: dict[str, int] = defaultdict(int)
        for number, text in enumerate(self._plain):
            for piece in set(_PIECES.findall(text)):
                found[piece] |= 1 << number
        return found

    def has_value(self, part: int, value: Value) -> bool:
        """Return whether a part has a value anywhere."""
        return any(self.passages[number].part == part for number in self.by_value.get(value.canon, ()))

    def lacks(self, value: Value, tools: bool) -> bool:
        """Return whether no part has a value, in digits or in words; results of tools count only with `tools`."""
        parts = {number for number, part in enumerate(self.parts) if tools or part.role != "tool"}
        passages = (self.passages[number] for key in _keys(value) for number in self.by_value.get(key, ()))
        return not any(
            passage.part in parts and any(same_value(value, one) for one in meaning_of(passage.text).values)
            for passage in passages
        ) and not any(_spelled(value, self.parts[number].text) for number in parts)

    def elsewhere(self, part: int) -> frozenset[str]:
        """Return the concepts of a part as a whole."""
        return self._concepts[part]

    @cached_property
    def _concepts(self) -> Mapping[int, frozenset[str]]:
        found: dict[int, set[str]] = defaultdict(set)
        for passage in self.passages:
            found[passage.part].update(word.concept for word in meaning_of(passage.text).words)
        return defaultdict(frozenset, {part: frozenset(words) for part, words in found.items()})

    @cached_property
    def _listed(self) -> Mapping[str, int]:
        """Plain line without its bullet -> the parts that have it, each a bit."""
        found: dict[str, int] = defaultdict(int)
        for number, part in enumerate(self.parts):
            for line in set(LINES.split(part.text[:MOST])):
                quoted = _QUOTED.match(line)
                if quoted is not None:
                    found[plain(quoted["said"]).strip(_EDGES)] |= 1 << number
                elif len(line) <= _LISTED:
                    found[plain(re.sub(r"^[\s>]*(?:[-*•]|\d{1,3}[.)])?\s*", "", line)).strip(_EDGES)] |= (
                        1 << number
                    )
        return found

    def listing(self, wording: str) -> list[int]:
        """Return the parts that have a plain text as a whole line."""
        parts = self._listed.get(wording, 0)
        return [number for number in range(parts.bit_length()) if parts >> number & 1]

    def nearly(self, wordings: Sequence[str]) -> Iterator[tuple[int, Span]]:
        """Yield the parts of the summary that have a longer plain text but for a few letters, with the place."""
        from rapidfuzz import fuzz

        for number, part in enumerate(self.parts):
            if part.where != "summary":
                continue
            text = self._plain[number]
            for wording in wordings:
                pieces = _PIECES.findall(wording)
                if len(wording) < _LONG_WORDING or len(wording) > len(text):
                    continue
                if sum(piece in self._pieces for piece in pieces) < MIN_PIECES * len(pieces):
                    continue
                there = fuzz.partial_ratio_alignment(wording, text, score_cutoff=NEAR_VERBATIM)
                if there is not None and _same_but_for_typos(
                    wording, text[there.dest_start : there.dest_end]
                ):
                    yield (
                        number,
                        place_of(text[there.dest_start : there.dest_end].partition(" ")[2], part.text),
                    )

    @cached_property
    def claims(self) -> Mapping[int, float]:
        """Passage of the summary -> the largest share of its words that one statement of `said` has."""
        by_word: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self.said):
            for word in words:
                by_word[word].append(number)
        found = {}
        for number, passage in enumerate(self.passages):
            if self.parts[passage.part].where != "summary" or passage.joined:
                continue
            told = {word.concept for word in meaning_of(passage.text).words} - _NOTHING
            shared: dict[int, int] = defaultdict(int)
            for word in told:
                for statement in by_word.get(word, ()):
                    shared[statement] += 1
            found[number] = max(shared.values(), default=0) / len(told) if told else 1.0
        return found

    @cached_property
    def unclaimed(self) -> frozenset[str]:
        """The concepts of the summary's rules that no statement accounts for."""
        rules = (
            at for at, share in self.claims.items() if share < MIN_CLAIM and self._rules(self.passages[at])
        )
        return frozenset(word.concept for at in rules for word in meaning_of(self.passages[at].text).words)

    def _rules(self, passage: Passage) -> bool:
        if self.parts[passage.part].role != "summary" or _HEADING.match(passage.text):
            return False
        if not passage.section:
            return BINDS.search(passage.text) is not None
        done = _DONE_SECTION.search(passage.section) is not None or "[tool: " in passage.text
        return not done and _RULE_SECTION.search(passage.section) is not None

    @cached_property
    def tongue(self) -> str:
        """The language of the summary; "" where there is none."""
        return tongue_of("\n".join(part.text for part in self.parts if part.where == "summary"))

    def quoting(self, wording: str) -> list[int]:
        """Return the parts that have a plain text as it is, no word of it cut out of a longer one."""
        parts = (1 << len(self.parts)) - 1 if wording else 0
        for piece in _PIECES.findall(wording):
            parts &= self._pieces.get(piece, 0)
            if not parts:
                return []
        return [
            number
            for number in range(parts.bit_length())
            if parts >> number & 1 and _says(self._plain[number], wording)
        ]


def _keys(value: Value) -> Iterator[str]:
    yield value.canon
    if value.form in ("path", "file", "url"):
        yield value.canon.rpartition("/")[2].partition(":")[0]
    yield from (f"#{value.form}",) if value.form in ("quantity", "date", "time") else ()


def _same_but_for_typos(one: str, other: str) -> bool:
    """Return whether two plain texts have the same words in the same order, but for typos in long ones."""
    mine, theirs = _PIECES.findall(one), _PIECES.findall(other)
    # An alignment may cut the words at its ends.
    while theirs and mine and len(theirs) > len(mine):
        theirs.pop() if theirs[0] == mine[0] else theirs.pop(0)
    if len(mine) - len(theirs) > 1:
        return False
    rest = list(theirs)
    for word in mine:
        if rest and (word == rest[0] or _mistyped(word, rest[0])):
            rest.pop(0)
        elif len(mine) == len(theirs) or word in _MATTERS or word.isdigit():
            return False
        else:
            mine = mine[1:]
    return len(rest) <= 1 and not _MATTERS.intersection(rest)


def _says(text: str, wording: str) -> bool:
    """Return whether a plain text has a wording as whole words, and does not deny it."""
    at = text.find(wording)
    while at >= 0:
        end = at + len(wording)
        cut = (text[at - 1 : at] in _INSIDE and at > 0 and wording[0] in _INSIDE) or (
            text[end : end + 1] != "" and text[end : end + 1] in _INSIDE and wording[-1] in _INSIDE
        )
        if not cut and not _DENIED_BEFORE.search(text[max(0, at - 16) : at]):
            return True
        at = text.find(wording, at + 1)
    return False


def _passages(number: int, part: ListText) -> Iterator[Passage]:
    section, sub = "", ""
    before: Passage | None = None
    for start, end in _lines(part.text[:MOST]):
        line = part.text[start:end]
        heading = _HEADING.match(line) if part.where == "summary" else None
        if heading is not None:
            if heading["a"]:
                section, sub = (section if line.lstrip().startswith("###") else heading["a"]), heading["a"]
                before = None
            elif (not heading["rest"] and not line.startswith((" ", "\t", "-"))) or re.match(
                r"\d{1,2}[.)]", line.lstrip()
            ):
                section = sub = heading["b"]
                before = None
        label = _LABELLED.match(line)
        told = " / ".join(dict.fromkeys(filter(None, (section, sub, label["label"] if label else ""))))
        whole = Passage(number, (start, end), line, told, True)
        sentences = list(_sentences(part.text, start, end))
        for a, b in sentences:
            yield Passage(number, (a, b), part.text[a:b], told)
        if len(sentences) > 1 and end - start <= _LONG:
            yield whole
        if (
            before is not None
            and part.where == "summary"
            and before.section == told
            and end - before.span[0] <= _LONG // 2
        ):
            yield Passage(number, (before.span[0], end), part.text[before.span[0] : end], told, True)
        before = whole


def _lines(text: str) -> Iterator[Span]:
    at = 0
    for mark in LINES.finditer(text):
        if text[at : mark.start()].strip():
            yield at, mark.start()
        at = mark.end()
    if text[at:].strip():
        yield at, len(text)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for mark in _ENDS.finditer(text, start, end):
        yield from _pieces_of(text, at, mark.start())
        at = mark.end()
    yield from _pieces_of(text, at, end)


def _pieces_of(text: str, start: int, end: int) -> Iterator[Span]:
    while end - start > _LONG // 2:
        stop = text.rfind(" ", start + _LONG // 4, start + _LONG // 2)
        stop = stop if stop > start else start + _LONG // 2
        yield start, stop
        start = stop
    if end > start and not text[start:end].isspace():
        yield start, end


@dataclass(frozen=True, slots=True)
class Probe:
    """What is looked for of a fact: its wordings, its main clause and what limits it, its values, its language.

    `parts` are the probes of its clauses, if it gives several things a value each.
    """

    wordings: tuple[str, ...]
    answers: tuple[str, ...]
    clauses: tuple[str, ...]
    main: Meaning
    adjuncts: tuple[Adjunct, ...]
    values: tuple[Value, ...]
    text: str
    tongue: str
    binds: bool
    guesses: bool
    of_user: bool
    asked: bool
    answer: frozenset[str]
    parts: tuple[Probe, ...] = ()

    @property
    def concepts(self) -> frozenset[str]:
        """The concepts of its main clause."""
        return frozenset(word.concept for word in self.main.words)

    @property
    def keys(self) -> tuple[Word, ...]:
        """The words that say what is to be done: the first of the main clause, and those behind a modal or a denial."""
        words = self.main.words
        behind = {one.lower() for one in _BEHIND_MODAL.findall(self.main.text)}
        stems = set(load_stemmer().words(" ".join(behind)))
        return tuple(word for number, word in enumerate(words) if number == 0 or word.stem in stems)

    @property
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
    alone = len(parts) > 1 and all(one.values and one.main.words and not one.adjuncts for one in parts)
    return replace(probe, parts=parts) if alone else probe


def _probe(fact: Fact) -> Probe:
    question, said = asked_and_answered(fact)
    text = f"{question} {said}" if question else said
    text = re.sub(r"[*_]{2,}", "", text)
    bare = plain(said).strip(_EDGES)
    whole = plain(fact.text).strip(_EDGES) if ARROW not in fact.text else ""
    wordings = tuple(dict.fromkeys(filter(None, (bare, whole, _POLITE.sub("", bare)))))
    short = len(_PIECES.findall(bare)) < 3
    asked = fact.rule.endswith(".question")
    main, adjuncts = (meaning_of(text), ()) if asked else parts_of(text)
    values = fact.values if fact.kind == "value" and not main.words else values_of(text)
    reported = fact.role == "assistant" and EVENT.search(text) is not None
    binds = fact.kind in ("constraint", "preference") or (BINDS.search(text) is not None and not reported)
    guesses = fact.role == "assistant" and HEDGES.search(text) is not None
    return Probe(
        () if short and question else wordings,
        (plain(fact.text.partition(ARROW)[0]).strip(_EDGES),) if ARROW in fact.text else (),
        _clauses(said),
        main,
        adjuncts,
        values,
        text,
        tongue_of(text),
        binds,
        guesses,
        fact.role == "user",
        asked,
        frozenset(word.concept for word in meaning_of(said).words) if question else frozenset(),
    )


def _clauses(text: str) -> tuple[str, ...]:
    """Return the plain clauses of a statement; none where one is too short to be known again."""
    found = tuple(plain(text[a:b]).strip(_EDGES) for a, b in clauses(text, 0, len(text)))
    return found if all(len(_PIECES.findall(one)) > 2 for one in found) else ()


def fate(
    fact: Fact, after: PassageIndex, compaction: int, numbers_said: Collection[tuple[str, str]] = ()
) -> Fate:
    """Return what the list after `compaction` still has of a fact.

    `numbers_said` are the numbers (with units) that anybody said: only another one is a change of the summary's.
    """
    probe = probe_of(fact)
    found = matches(probe, after, numbers_said)
    if not found:
        return Fate(compaction, unfound(probe, after, after.unclaimed))
    best, part = best_of([(match, part) for part, match in found.items()])
    sure = settled(best, probe, after)
    return Fate(compaction, "lost") if sure is None else placed_fate(sure, part, after, compaction)


def unfound(probe: Probe, after: PassageIndex, unclaimed: Collection[str]) -> Outcome:
    """Return the fate of a fact that no passage of a list has: lost.

    Uncertain where the summary is in another language, or has a rule with a word of it that no statement accounts for
    (`unclaimed`, the words of such rules): it may be this one in other words, unless an exact value is nowhere."""
    if foreign(probe, after):
        return "uncertain"
    maybe = probe.binds and probe.of_user and not probe.concepts.isdisjoint(unclaimed)
    return "uncertain" if maybe and not any(lacking(probe, after)) else "lost"


def settled(best: Match, probe: Probe, after: PassageIndex) -> Match | None:
    """Return the best match of a fact in a list, None if the fact is lost.

    An uncertain match is not the fact if all its exact values are nowhere. If some are, the fact has lost a value.
    """
    if best.outcome != "uncertain" or foreign(probe, after):
        return best
    gone = lacking(probe, after)
    if not any(gone):
        return best
    if all(gone):
        return None
    return replace(best, outcome="value lost") if best.score >= MIN_SAME_VALUED else best


def lacking(probe: Probe, after: PassageIndex) -> list[bool]:
    """Return for each exact value of a fact whether it is nowhere in a list. Results of tools do not keep a rule."""
    return [after.lacks(value, not (probe.of_user and probe.binds)) for value in probe.values]


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
        if "\n" not in passage.text and (
            match.outcome == "contradicted" or _gives_other(probe, match, passage)
        ):
            denied.add(passage.part)
        elif "\n" in passage.text and match.outcome in KEPT:
            joined.append(match)
            continue
        judged.append(match)
    # Two lines together do not say what one of them denies, nor does a piece of a line that exchanges two things.
    judged += [replace(one, outcome="uncertain") if one.part in denied else one for one in joined]
    for whole in [one for one in judged if one.exchanged]:
        judged = [
            one if one is whole or not _within(one, whole) else replace(one, outcome="uncertain")
            for one in judged
        ]
    for match in judged:
        known = found.get(match.part)
        if known is None or (*match.order, match.span) < (*known.order, known.span):
            found[match.part] = match
    if probe.parts and any(match.outcome not in KEPT for match in found.values()):
        found |= _together(probe, after, found, numbers_said)
    return found


def _within(one: Match, whole: Match) -> bool:
    return one.part == whole.part and whole.span[0] <= one.span[0] and one.span[1] <= whole.span[1]


def _gives_other(probe: Probe, match: Match, passage: Passage) -> bool:
    """Return whether a passage has the subject of a fact with another value."""
    there = meaning_of(passage.text).values
    return match.outcome == "value lost" and any(
        comparable(value, other) and not same_value(value, other) for value in probe.values for other in there
    )


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
        for key in _keys(value):
            for number in after.by_value.get(key, ()):
                scores[number] += 0.6 if key.startswith("#") else 1.0
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
    compared = _Comparison(probe, number, after)
    outcome, changed = compared.outcome(foreign(probe, after), part.where == "summary", numbers_said)
    if outcome is None:
        return None
    if compared.across and outcome in ("contradicted", "weakened", "value lost"):
        # Two lines together say only what is in both.
        outcome, changed = "uncertain", ""
    if part.where != "summary" and outcome not in ("verbatim", "paraphrased"):
        # A message that stayed speaks of the matter; only a summary retells it.
        maybe = compared.frame >= MIN_SUBJECT and not compared.lost_values and part.role != "tool"
        outcome, changed = ("uncertain", "") if maybe else (None, "")
    if outcome is None or (part.role == "tool" and outcome == "paraphrased" and compared.overlap < MIN_SAME):
        return None
    exchanged = outcome == "contradicted" and compared.exchanged
    return Match(outcome, round(compared.frame, 4), passage.part, passage.span, changed, exchanged)


class _Comparison:
    """Comparison of a fact with a passage: the words and values in both, and the differences."""

    def __init__(self, probe: Probe, number: int, after: PassageIndex) -> None:
        passage = after.passages[number]
        there = meaning_of(passage.text)
        self.claimed = (
            after.claims.get(number, 0.0) >= MIN_CLAIMED or after.parts[passage.part].role == "fallback"
        )
        self.probe, self.there, self.joined, self.after = probe, there, passage.joined, after
        self.across = "\n" in passage.text
        section, elsewhere = passage.section, after.elsewhere(passage.part)
        self.binding = bool(_BINDING_SECTION.search(section))
        self.done = bool(_DONE_SECTION.search(section)) and not self.binding
        self.pairs = list(_aligned(probe.main.words, there.words))
        self.replaced = _replaced(probe.main.words, there.words, self.pairs)
        have = {id(word) for word, _ in self.pairs}
        self.missing = [word for word in probe.main.words if id(word) not in have]
        weight = probe.weight or 1.0
        got = sum(word.weight for word, _ in self.pairs)
        #: Share of the main clause's words that are there.
        self.overlap = got / weight if probe.main.words else 0.0
        near = sum(word.weight * ELSEWHERE for word in self.missing if word.concept in elsewhere)
        self.context = (got + near) / weight if probe.main.words else 0.0
        #: The same, where a word that excludes the fact's counts as being in its place.
        self.frame = (
            (got + sum(word.weight for word, _ in self.replaced)) / weight if probe.main.words else 0.0
        )
        self.valued = [
            (value, next((one for one in there.values if self._same(value, one)), None))
            for value in probe.values
        ]
        self.lost_values = [
            value for value, other in self.valued if other is None and not _spelled(value, there.text)
        ]
        #: Whether names that this passage lacks are elsewhere in the same text.
        self.scattered = bool(self.lost_values) and all(
            (value.distinctive or len(value.canon) > 3) and after.has_value(passage.part, value)
            for value in self.lost_values
        )

    def _same(self, value: Value, other: Value) -> bool:
        """Return whether a value is there. One without a unit may have the unit of another value of the fact."""
        shared = value.form == "number" and other.unit in {one.unit for one in self.probe.values if one.unit}
        return same_value(value, other) or (shared and value.canon == other.canon)

    def outcome(
        self, is_foreign: bool, in_summary: bool, numbers_said: Collection[tuple[str, str]]
    ) -> tuple[Outcome | None, str]:
        """Return the outcome with what was changed; None where the passage has nothing of the fact."""
        probe = self.probe
        values = len(probe.values)
        kept_values = values - len(self.lost_values)
        if is_foreign or probe.tongue not in ("en", "zh", ""):
            return self._foreign(is_foreign, kept_values, numbers_said)
        if probe.answer:
            told = {word.concept for word in self.there.words}
            if not probe.answer <= told:
                # An answer to another question means nothing.
                some = len(probe.answer) > 1 and probe.answer & told and _rest_there(probe, self.after, told)
                return ("uncertain", "") if some else (None, "")
            if self.overlap < MIN_SAME_VALUED:
                return "uncertain", ""
        if not probe.main.words:
            return (
                ("paraphrased" if kept_values == values else "value lost", "") if kept_values else (None, "")
            )
        # The values of an exception or a condition that is gone went with it.
        hanging = {
            (value.canon, value.unit)
            for one in probe.adjuncts
            if one.kind in ("exception", "condition") and self._missing(one)
            for value in one.values
        }
        # A passage needs two words or values of the fact, or all if the fact has fewer.
        anchors = sum(mine.weight >= 1.0 for mine, _ in self.pairs) + len(self.replaced) + kept_values
        anchors += any(comparable(value, one) for value in self.lost_values for one in self.there.values)
        if anchors < min(2, sum(word.weight >= 1.0 for word in probe.main.words) + values):
            return self._unlike(kept_values)
        inside = [value for value in self.lost_values if (value.canon, value.unit) not in hanging]
        all_there = kept_values == values > 0
        if probe.asked and self.overlap < _NEARLY_ALL:
            return self._unlike(kept_values)
        said = self.overlap >= MIN_SAME or (self.context >= MIN_SAME and self.overlap >= MIN_SUBJECT)
        full = sum(mine.weight >= 1.0 for mine, _ in self.pairs)
        valued = (
            all_there
            and self.overlap >= MIN_SAME_VALUED
            and self._rare_values()
            and not (self.across or (full < min(2, len(probe.main.words)) and self.overlap < 1.0))
        )
        if (
            all_there
            and not probe.binds
            and not self.across
            and self._measured()
            and full
            and self.overlap >= MIN_MAYBE
        ):
            # A measurement needs its exact value and a word of the fact.
            valued = valued or full > 1 or len(probe.main.words) <= _FEW_WORDS
        subject = self.frame >= MIN_SUBJECT or (values > 1 and kept_values and self.frame >= MIN_SAME_VALUED)
        if not (said or valued or subject):
            return self._unlike(kept_values)
        if changed := self._contradiction(inside, numbers_said):
            return "contradicted", changed
        if self._reports():
            return "weakened", ""
        if self._reversed():
            named = not any(value.distinctive for value in self.lost_values)
            turned = self._turned() or self._swapped()
            sure = self.frame >= MIN_SAME and named and turned and self._comparable()
            return ("contradicted", safe_title(self.there.text, 80)) if sure else ("uncertain", "")
        if inside:
            reports = probe.binds and not (self.binding or BINDS.search(self.there.text))
            if reports and not self._about_key():
                return self._unlike(kept_values)
            if self.scattered and said:
                return ("paraphrased" if kept_values else "uncertain"), ""
            if any(_hinted(value, self.there.text) for value in inside):
                return "uncertain", ""
            about = self.overlap >= MIN_SUBJECT and any(mine.weight >= 1.0 for mine, _ in self.pairs)
            return ("value lost" if about else "uncertain"), ""
        if not probe.asked and self._weaker():
            return "weakened", ""
        if self._name_lost():
            return "value lost", ""
        if self.done and probe.binds and not self._about_key():
            return self._unlike(kept_values)
        if ORDERED.search(probe.text) and not (ORDERED if self.joined else ORDERED_THERE).search(
            self.there.text
        ):
            return "uncertain", ""
        if said or valued:
            return ("uncertain", "") if self._done_once() or self._unruled() else ("paraphrased", "")
        return self._unlike(kept_values)

    def _unruled(self) -> bool:
        """Return whether the fact forbids and the passage, outside of rules, neither forbids nor demands anything."""
        denies = self.probe.main.denies and not self.there.denies and not self.probe.values
        return self.probe.of_user and denies and not (self.binding or BINDS.search(self.there.text))

    def _done_once(self) -> bool:
        """Return whether the passage reports that the agent did so, where the user says how things are to be."""
        probe, text = self.probe, self.there.text
        wish = probe.of_user and not (probe.asked or AGENT_DID.search(probe.text))
        return wish and AGENT_DID.search(text) is not None and not (self.binding or stands(text))

    def _foreign(
        self, is_foreign: bool, kept_values: int, numbers_said: Collection[tuple[str, str]]
    ) -> tuple[Outcome | None, str]:
        """Return the outcome in a language without a lexicon, or across two: only much the same words say the same."""
        from rapidfuzz import fuzz

        probe = self.probe
        if not is_foreign:
            like = fuzz.token_sort_ratio(plain(probe.text), plain(self.there.text))
            same = self.overlap >= MIN_SAME and not self.lost_values and like >= MIN_LIKE_FOREIGN
            if same and probe.main.denies == self.there.denies:
                return "paraphrased", ""
            if self.frame >= MIN_SUBJECT and self.lost_values and not kept_values:
                changed = self._contradiction(self.lost_values, numbers_said)
                return ("contradicted", changed) if changed else ("value lost", "")
            if self.frame >= MIN_SAME and probe.main.denies != self.there.denies and len(self.pairs) > 1:
                return "contradicted", safe_title(self.there.text, 80)
            if self._swapped():
                return "contradicted", safe_title(self.there.text, 80)
        some = any(mine.weight >= 1.0 for mine, _ in self.pairs)
        return ("uncertain", "") if some or kept_values else (None, "")

    def _unlike(self, kept_values: int) -> tuple[Outcome | None, str]:
        """Return the outcome where a passage has too little of the fact to say it: uncertain or none."""
        probe = self.probe
        if self._identified():
            return "uncertain", ""
        binding = (
            self.binding
            or BINDS.search(self.there.text) is not None
            or SOFT.search(self.there.text) is not None
        )
        if self.there.words and probe.binds and not binding:
            # A passage that only reports on the subject does not state the rule.
            near = self.overlap >= MIN_SAME_VALUED
            if near and self._about_key() and len(self.pairs) > 1 and self._reports():
                return "weakened", ""
            return ("uncertain", "") if near or (kept_values and self.overlap >= MIN_MAYBE) else (None, "")
        if binding and not (self.joined or self.claimed) and any(self._rare(mine) for mine, _ in self.pairs):
            # A rule about the same thing may be this one in other words.
            return "uncertain", ""
        if self.overlap >= MIN_MAYBE and len(self.pairs) > 1:
            return "uncertain", ""
        # A statement in other words is known by its measures.
        measured = kept_values == len(probe.values) and self._measured()
        known = kept_values and self._rare_values() and (self.pairs or measured)
        return ("uncertain", "") if known else (None, "")

    def _identified(self) -> bool:
        """Return whether the passage has two rare words of a user's statement, and a good part of all its words."""
        if not self.probe.of_user:
            return False
        mine = {word.concept for word in self.probe.main.words if word.weight >= 1.0}
        mine = mine.union(*(one.concepts for one in self.probe.adjuncts))
        shared = mine & {word.concept for word in self.there.words}
        rare = sum(len(self.after.by_concept.get(one, ())) <= _RARE for one in shared)
        return rare > 1 and len(shared) >= MIN_MAYBE * len(mine)

    def _rare(self, word: Word) -> bool:
        """Return whether a word of the fact is rare in the list, so that it identifies the subject."""
        return word.weight >= 1.0 and len(self.after.by_concept.get(word.concept, ())) <= _RARE

    def _measured(self) -> bool:
        """Return whether every value is a measure of two digits or more, or a name."""
        return all(
            value.distinctive or (bool(value.unit) and sum(map(str.isdigit, value.canon)) > 1)
            for value in self.probe.values
        )

    def _rare_values(self) -> bool:
        """Return whether a value of the fact is there that hardly anything else has."""
        return any(
            other is not None
            and (value.distinctive or bool(value.unit) or value.form != "number" or len(value.canon) > 2)
            for value, other in self.valued
        )

    def _contradiction(self, lost: Sequence[Value], numbers_said: Collection[tuple[str, str]]) -> str:
        """Return what the passage says instead of a value or a word of the fact; "" where it does not."""
        if lost and self.frame >= (MIN_SUBJECT if self.probe.of_user else _NEARLY_ALL) and self._comparable():
            own = {id(other) for _, other in self.valued if other is not None}
            free = [one for one in self.there.values if id(one) not in own]
            for value in lost:
                other = next((one for one in free if comparable(value, one)), None)
                if other is not None and (other.canon, other.unit) not in numbers_said:
                    return other.text
        if self.replaced and self.frame >= MIN_SAME and self._comparable():
            return self.replaced[0][1].stem
        return ""

    def _comparable(self) -> bool:
        """Return whether the passage says little more than the fact, so that a difference is about the same thing."""
        told = sum(mine.weight >= 1.0 for mine, _ in self.pairs) + sum(
            other is not None for _, other in self.valued
        )
        room = _ROOM + 2 * (len(self.probe.main.words) + len(self.probe.values))
        brief = self.frame >= 1.0 and len(self.there.words) <= len(self.probe.main.words) + 2
        return (told + len(self.replaced) > 1 or brief) and not self.joined and len(self.there.words) <= room

    def _reversed(self) -> bool:
        """Return whether the passage denies what the fact says, says what it denies, or swaps two of its things."""
        return self._flipped() or self._swapped()

    def _flipped(self) -> bool:
        told = [(mine, other) for mine, other in self.pairs if mine.weight >= 1.0]
        if not told:
            return False
        differ = [pair for pair in told if pair[0].denied != pair[1].denied]
        agree = [pair for pair in told if pair[0].denied == pair[1].denied and pair[0].denied]
        if not differ:
            return False
        mine, theirs = self.probe.main.denies, self.there.denies
        if mine and not theirs:
            # "Never more than 40" is "at most 40", "no X without Y" is "X needs Y": a limit needs no denial.
            return not compensates(self.probe.text, self.there.text) and not self._bounded()
        if theirs and not mine:
            return self._turned() and not restricts(self.probe.main.text) and not YET.search(self.there.text)
        return not agree and len(differ) > 1 and len(differ) * 2 > len(told)

    @cached_property
    def exchanged(self) -> bool:
        """Whether two things of the fact have changed places: "rename A to B", "rename B to A"."""
        return self._redirected() or self._in_place_of_another() or self._values_exchanged()

    def _values_exchanged(self) -> bool:
        """Return whether a value of the fact is in another clause than its words, and another value in its place."""
        clause_of = dict(zip(map(id, self.there.values), self.there.clauses, strict=True))
        home_of = dict(zip(map(id, self.probe.main.values), self.probe.main.clauses, strict=True))
        for value, other in self.valued:
            own = home_of.get(id(value))
            places = Counter(there.clause for mine, there in self.pairs if own is None or mine.clause == own)
            if other is None or not places:
                continue
            (home, most), moved = places.most_common(1)[0], clause_of[id(other)]
            rivals = [
                one
                for one in self.there.values
                if clause_of[id(one)] == home and one is not other and comparable(value, one)
            ]
            if moved != home and rivals and most > places[moved] + 1:
                return True
        return False

    def _redirected(self) -> bool:
        """Return whether the passage has the goal of a clause as its start and the start as its goal."""
        same = [(mine, other) for mine, other in self.pairs if mine.stem == other.stem and mine.weight >= 1.0]
        order = {id(word): at for at, word in enumerate(self.there.words)}
        for start, moved in same:
            for goal, first in same:
                if (
                    goal.tag == "to" == moved.tag
                    and start.tag != "to" != first.tag
                    and start.clause == goal.clause
                    and moved.clause == first.clause
                    and order[id(first)] < order[id(moved)]
                ):
                    return True
        return reversed_direction(self.probe.main.text, self.there.text)

    def _in_place_of_another(self) -> bool:
        """Return whether the passage has another word where the fact has one, and the fact's word elsewhere."""
        partner = {id(mine): other for mine, other in self.pairs}
        order = {id(word): at for at, word in enumerate(self.there.words)}
        mine, theirs = self.probe.main.words, self.there.words
        taken = {id(other) for _, other in self.pairs}
        if any(
            id(other) not in taken and excludes(word.stem, other.stem) and other.clause != there.clause
            for word, there in self.pairs
            for other in theirs
        ):
            return True
        for at, word in enumerate(mine):
            there = partner.get(id(word))
            before, after = (
                partner.get(id(one))
                for one in (mine[at - 1] if at else word, mine[min(at + 1, len(mine) - 1)])
            )
            if there is None or before is None or after is None or word.weight < 1.0:
                continue
            first, last = (order[id(before)] if at else order[id(after)] - 2), order[id(after)]
            if last - first != 2 or first < -1 or last + 1 > len(theirs):
                continue
            middle = theirs[first + 1]
            frame = middle.clause == after.clause and there.clause != after.clause
            if frame and id(middle) not in taken and middle.weight >= 1.0:
                return True
        return False

    def _turned(self) -> bool:
        """Return whether a denial differs in most of the fact's words or in what is to be done, not in a detail."""
        full = [(mine, other) for mine, other in self.pairs if mine.weight >= 1.0]
        differ = [mine for mine, other in full if mine.denied != other.denied]
        keys = {word.concept for word in self.probe.keys}
        return len(differ) * 2 > len(full) or any(mine.concept in keys for mine in differ)

    def _bounded(self) -> bool:
        return any(other is not None for _, other in self.valued)

    def _swapped(self) -> bool:
        """Return whether things of two clauses changed places, or a direction is turned round."""
        for mine, other in self.pairs:
            if opposed(mine.tag, other.tag) and self.overlap >= MIN_SAME:
                partner = [
                    one for one in self.pairs if one[0] is not mine and opposed(one[0].tag, one[1].tag)
                ]
                if partner or mine.tag in ("before", "after", "above", "below"):
                    return True
        if self.exchanged:
            return True
        negated = [(mine, other) for mine, other in self.pairs if mine.denied != other.denied]
        if any(mine.denied for mine, _ in negated) and any(other.denied for _, other in negated):
            return True
        main, there = self.probe.main, self.there
        valued = [
            (main.clauses[at], there.clauses[other])
            for at, value in enumerate(main.values)
            for other, one in enumerate(there.values)
            if same_value(value, one)
        ]
        return self.overlap >= MIN_SAME and _crossed(self.pairs, valued)

    def _reports(self) -> bool:
        """Return whether the passage reports a single event but the fact is a general rule."""
        text = self.there.text
        if not enforces(self.probe.text) or stands(text) or not self._about_key():
            return False
        return (self.done and not BINDS.search(text)) or (EVENT.search(text) is not None and not self.binding)

    def _about_key(self) -> bool:
        """Return whether the passage has what the fact wants done, not its subject alone."""
        keys = {word.concept for word in self.probe.keys}
        return any(mine.concept in keys for mine, _ in self.pairs)

    def _weaker(self) -> bool:
        """Return whether the passage binds less than the fact: it is softer, an event, narrower, or leaves out what
        limits it."""
        probe, text = self.probe, self.there.text
        if SOFT.search(text) and not SOFT.search(probe.text):
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
        if ONLY.search(probe.main.text) and not restricts(text):
            return True
        return any(self._missing(one) for one in probe.adjuncts)

    def _missing(self, adjunct: Adjunct) -> bool:
        if adjunct.kind == "aside":
            return False
        there = {word.concept for word in self.there.words}
        share = len(adjunct.concepts & there) / len(adjunct.concepts) if adjunct.concepts else 1.0
        valued = any(same_value(v, o) for v in adjunct.values for o in self.there.values)
        if valued or (adjunct.kind == "reason" and len(adjunct.concepts) < 2):
            return False
        marker = adjunct.text.split()[0].lower()
        # In two lines its words may be about something else.
        return share < (MIN_SAME if self.across else MIN_ADJUNCT) and not re.search(
            rf"\b{re.escape(marker)}\b", self.there.text, re.IGNORECASE
        )

    def _name_lost(self) -> bool:
        rest = [word for word in self.probe.main.words if not word.name]
        have = sum(mine.weight for mine, _ in self.pairs if not mine.name)
        near = have >= MIN_SAME * sum(word.weight for word in rest)
        return (
            near and any(word.name for word in self.missing) and not any(word.name for word, _ in self.pairs)
        )


def _rest_there(probe: Probe, after: PassageIndex, told: set[str]) -> bool:
    """Return whether the words of an answer that a passage lacks are elsewhere in the list."""
    return all(word in told or word in after.by_concept for word in probe.answer)


def _spelled(value: Value, text: str) -> bool:
    """Return whether a text has a distinctive value although no pattern finds it there: as a word, or a name of code in
    words ("output type")."""
    if value.distinctive and named(text.lower(), value):
        return True
    words = (
        {word.stem for word in meaning_of(value.text).words}
        if value.form in ("identifier", "name", "option")
        else set()
    )
    return bool(words) and words <= {word.stem for word in meaning_of(text).words}


def _hinted(value: Value, text: str) -> bool:
    """Return whether a text has the digits of a value in another shape: 9 for 09:00."""
    digits = value.canon.lstrip("0-").partition(":")[0].partition(".")[0]
    if value.form == "number" and re.search(rf"(?<!\d)0?{re.escape(value.canon)}:00", text) is not None:
        return True
    return (
        value.form in ("time", "date", "version")
        and digits.isdigit()
        and re.search(rf"(?<!\d){digits}(?!\d)", text) is not None
    )


def _aligned(mine: Sequence[Word], theirs: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    """Yield the words of a fact that a passage has, each with its match: by concept, else by a typo."""
    free = list(theirs)
    left = []
    for word in mine:
        options = [other for other in free if other.concept == word.concept]
        best = next(
            (other for other in options if other.denied == word.denied and other.clause == word.clause), None
        )
        best = (
            best
            or next((other for other in options if other.denied == word.denied), None)
            or next(iter(options), None)
        )
        if best is None:
            left.append(word)
        else:
            free.remove(best)
            yield word, best
    for word in left:
        typo = next((other for other in free if _mistyped(word.stem, other.stem)), None)
        if typo is not None:
            free.remove(typo)
            yield word, typo
            continue
        # A word said twice may be said once.
        again = next((other for other in theirs if other.concept == word.concept), None)
        if again is not None:
            yield word, again


@lru_cache(maxsize=50_000)
def _mistyped(one: str, other: str) -> bool:
    if min(len(one), len(other)) < 4 or one[0] != other[0] or not (one.isalpha() and other.isalpha()):
        return False
    from rapidfuzz import fuzz

    shorter, longer = sorted((one, other), key=len)
    return bool(fuzz.ratio(one, other) >= TYPO) or (len(shorter) >= 5 and longer.startswith(shorter))


def _replaced(
    mine: Sequence[Word], theirs: Sequence[Word], pairs: Sequence[tuple[Word, Word]]
) -> list[tuple[Word, Word]]:
    """Return the words of a fact in whose place the passage has one that excludes them."""
    have, taken = {id(word) for word, _ in pairs}, {id(other) for _, other in pairs}
    found = []
    for word in mine:
        if id(word) in have:
            continue
        other = next((one for one in theirs if id(one) not in taken and excludes(word.stem, one.stem)), None)
        if other is not None:
            found.append((word, other))
    return found


def _crossed(pairs: Sequence[tuple[Word, Word]], valued: Sequence[tuple[int, int]]) -> bool:
    """Return whether two things that belong to different clauses of the fact have changed places in the passage.

    `valued` are the clauses of each value in the fact and in the passage."""
    # A synonym may be another word in its place.
    places = [
        (mine.clause, other.clause) for mine, other in pairs if mine.weight >= 1.0 and mine.stem == other.stem
    ]
    places += valued
    apart = together = 0
    for at, (here, there) in enumerate(places):
        for here2, there2 in places[at + 1 :]:
            apart += here == here2 and there != there2
            together += here != here2 and there == there2
    several = len({here for here, _ in places}) > 1 and len({there for _, there in places}) > 1
    return several and apart > 0 and together > 1 and apart + together >= 4


def place_of(wording: str, text: str) -> Span:
    """Return the span of a wording in a text, with any marks between its words."""
    words = re.findall(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+", wording.lower())
    low = text.lower()
    start = low.find(words[0]) if words and len(low) == len(text) else -1
    while start >= 0:
        end = start + len(words[0])
        for word in words[1:]:
            at = low.find(word, end, end + len(word) + 24)
            if at < 0 or any(sign.isalnum() for sign in low[end:at]):
                break
            end = at + len(word)
        else:
            return start, end
        start = low.find(words[0], start + 1)
    return 0, min(len(text), len(wording))
