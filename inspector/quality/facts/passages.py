"""The list after a compaction as passages: lines and sentences, with an index of their words and values."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from msgspec import Struct

from inspector.core.patterns import late_pattern
from inspector.core.scan.words import narrow, word_set
from inspector.quality.facts.fact import Span, Value, Where
from inspector.quality.facts.languages import quoted_language, summary_language
from inspector.quality.facts.line_forms import forbids_list, item_depth
from inspector.quality.facts.meaning import BINDS, meaning_of
from inspector.quality.facts.spoken import MOST
from inspector.quality.facts.values import (
    FILES,
    NUMBER_WORDS,
    is_in_folder,
    may_be_words,
    named,
    same_stated,
    same_value,
    size_of,
    values_of,
)

#: Search order of regions.
REGIONS: tuple[Where, ...] = ("summary", "head", "tail", "rules file", "memory")
#: Likeness (0 to 100) of two words that differ by a typo, and of two sentences that are the same but for one.
TYPO, NEAR_VERBATIM = 86, 93
#: Minimum words of a quote with a typo and of a quoted clause, and minimum share of the words that the text has.
MIN_QUOTED_WORDS, MIN_PIECES = 6, 0.8
#: Minimum characters of a wording that may be quoted without its end.
_LONG_WORDING = 30
#: Maximum words of a title that only names a section: "## Key Decisions".
_SHORT_TITLE = 3
#: Minimum share of a statement that a quote without its end has.
MIN_QUOTED = 0.7
#: Maximum characters of a line that may be an answer in a list of the user's messages.
_LISTED = 120
#: Characters of a passage; longer ones are compared sentence by sentence only.
_LONG = 900
LINES = late_pattern(r"\\n|\n")
_ENDS = late_pattern(r"(?:(?<=[.!?;])[\"')\]*`]*\s+|(?<=[。！？；])\s*)")
_HEADING = late_pattern(
    r"\s*(?:#{1,6}\s+(?P<title>.{1,80})|"
    r"(?:\d{1,2}[.)]\s+)?\*{0,2}(?P<label>[A-Z][^:.\n]{2,60}|[\u3040-\u9fff]{2,10})[:：]\*{0,2}\s*(?P<rest>.*)|"
    r"(?P<capitals>[A-Z]{4,20}(?: [A-Z]{2,20}){0,2}))$"
)
_LABELLED = late_pattern(r"\s*+(?:[-*•]\s*+)?\*{0,2}(?P<label>[A-Z][a-z]+(?: [a-z&A-Z]+){0,3})\*{0,2}:\s")
DONE_SECTION = late_pattern(
    r"\b(?:done|accomplished|completed|progress|problem solving|errors?|fixes|fixed|"
    r"resolved|actions|state|files|blocked)\b|完成|进[展度]",
    re.I,
)
#: Marks that a plain text lacks.
_DROPPED = "*`\"'“”‘’«»\\"
_MARKS = str.maketrans(
    {**dict.fromkeys(_DROPPED, None), "—": "-", "–": "-", "−": "-", "…": "...", "、": "，"}
)
_SPACES = late_pattern(
    r" (?=[,;!?])|(?<=[,;!?]) | (?=\.(?: |\Z))|(?<=[^\W\d_]\.) (?=[^\W\d_])|(?<=[\u3040-\u9fff]) "
    r"(?=[\u3040-\u9fff])"
)
EDGES = " .。!！;；,，:：-"
#: Characters before a quote that may deny it.
_BEFORE = 24
_WORDS = late_pattern(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+")
#: Most marks and spaces between two words of a quote.
_GAP = 24
_MARKED = frozenset(_DROPPED)
PIECES = late_pattern(r"[a-z0-9_]+|[\u3040-\u9fff]")
#: Signs that change what a sentence says: the side of a limit, and the sign of a number.
_SIGNS = late_pattern(r"[<>≤≥≠=±]|(?<![\w.])[-+−](?=\d)")
_DENIED_BEFORE = late_pattern(
    r"(?:\b(?:not|never|no longer|no need to|don ?t|do not|doesn ?t|without|instead of|cannot|"
    r"(?:can|won|(?:should|must|would|could|did|is|are|need)n)t|"
    r"(?:not allowed|forbidden|prohibited|refuse[sd]?|declined) to|"
    r"rather than|stopped?|nicht|no|ne|не)|n t|不|[别別])\s*$"
)
#: Matches what follows a quote in a plain text and changes it: the rest of its last value or name ("2.1" in "2.1.4"),
#: an exception, a question, or words that withdraw it.
_CHANGED_BEHIND = late_pattern(
    r"(?<=\d)[.,:]\d|(?<=\w)(?:[/#+%]|-\w)|[ ,(]{0,2}(?:unless|except|only|no longer|"
    r"(?:is|was|were|has been) (?:revoked|lifted|withdrawn|wrong|outdated|dropped|rejected))\b|\?"
)
#: Matches the heading or label of rejected work.
REFUSING_SECTION = late_pattern(
    # "User rejected edit: ..." gives the user's words, not the rejected thing.
    r"\b(?:(?:rejected|declined)(?! (?:the )?(?:edit|tool|call|command)\b)|discarded|abandoned|ruled out|"
    r"out of scope|not doing|won['’]t do|non-goals?|superseded|obsolete|withdrawn|revoked|reverted|dropped|"
    r"no longer (?:valid|applies|needed|wanted))\b|"
    r"已?否[决決]|[放丢]弃",
    re.I,
)
#: Small words that change what a sentence says.
_MATTERS = word_set("not no never only on off dont t cannot without unless except before after all every")
#: The mark of the option that the agent recommends.
_RECOMMENDED = r"(?:\s*\((?i:recommended)\))?"
# A list line that begins with a quote, and may explain it.
_QUOTED = late_pattern(
    r"[\s>]*+(?:(?:[-*•]|\d{1,3}[.)])\s*+)?[\"“](?P<said>[^\"“”\n]{1,120}?)" + _RECOMMENDED + r"[\"”]"
)
#: Matches the marks before the words of a list line.
_BULLET = late_pattern(r"^[\s>]*(?:[-*•]|\d{1,3}[.)])?\s*")
_QUOTE = late_pattern(r"(?<!\w)[\"“](?P<said>[^\"“”\n]{1,120}?)" + _RECOMMENDED + r"[\"”](?!\w)")
#: A part of the name of the section with the user's messages.
_OF_USER = "user messages"
_INSIDE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
#: The words of a name in code, each with its number: "movedByUserId2" has four.
_PARTS = late_pattern(r"(?:[A-Z]?[a-z]+|[A-Z]+(?![a-z]))\d*|\d+")
#: The address of a server on the same machine. Its port says the same.
_LOCAL_PORT = late_pattern(r"https?://(?:localhost|127\.0\.0\.1):(\d{2,5})")
#: Longest word in characters. A sentence may be cut within a longer run of letters and signs.
_VERY_LONG = 100


#: Role of a rules file that the agent wrote, if no list shows whether the agent loads it.
UNRECORDED = "unrecorded"


class ListText(Struct, frozen=True):
    """A text of the list after a compaction: a message of the head or tail, or the summary.

    The role of a file that the agent wrote, or sends with each request, is "assistant" or UNRECORDED.
    `text` is safe. It starts at `offset` in the safe text of its message. `index` is -1 if no message has it.
    """

    where: Where
    index: int
    role: str
    text: str
    offset: int = 0

    @property
    def retells(self) -> bool:
        """Whether it may say in other words what was said: it is a summary of a model, or a file of the agent."""
        return (self.where == "summary" and self.role != "fallback") or (
            self.where in ("rules file", "memory") and self.role in ("assistant", UNRECORDED)
        )


class Passage(Struct, frozen=True):
    """A sentence, a line or two lines of a part. `span` is its place in the text of the part.

    `section` has the headings above it, and its label. `joined`: it has several sentences. `forbidden`: it is an item
    of a list below "Never:".
    """

    part: int
    span: Span
    text: str
    section: str = ""
    joined: bool = False
    forbidden: bool = False


def plain(text: str) -> str:
    """Return a text in lower case on one line, without quotes, emphasis and code marks."""
    words = LINES.sub(" ", narrow(text)).translate(_MARKS).lower().split()
    return _SPACES.sub("", " ".join(word for word in words if word != "/"))


class PassageIndex:
    """Index of the texts of a list. Each of its tables is built on first use."""

    def __init__(self, parts: Iterable[ListText]) -> None:
        self.parts = tuple(sorted(parts, key=lambda part: (REGIONS.index(part.where), part.index, part.text)))

    def only(self, parts: Collection[int]) -> PassageIndex:
        """Return the index of some of the parts alone, by number."""
        return PassageIndex(part for number, part in enumerate(self.parts) if number in parts)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Every sentence, every line of several, and every two lines of one section in the summary."""
        return tuple(passage for number, part in enumerate(self.parts) for passage in _passages(number, part))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of characters of each passage."""
        return tuple(len(passage.text) for passage in self.passages)

    def is_refused(self, part: int, at: int) -> bool:
        """Return whether an index of a part is in a passage under a heading or label of rejected work."""
        return any(start <= at < end for start, end in self._refused.get(part, ()))

    @cached_property
    def _refused(self) -> Mapping[int, list[Span]]:
        refused: dict[int, list[Span]] = defaultdict(list)
        for passage in self.passages:
            if passage.forbidden or (passage.section and REFUSING_SECTION.search(passage.section)):
                refused[passage.part].append(passage.span)
        return refused

    @cached_property
    def by_concept(self) -> Mapping[str, tuple[int, ...]]:
        """Concept -> the passages that have it."""
        by_word: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.passages):
            for word in meaning_of(passage.text).concepts:
                by_word[word].append(number)
        return {word: tuple(numbers) for word, numbers in by_word.items()}

    def sentences_with(self, concept: str, part: int) -> int:
        """Return the number of single sentences of a part that have a concept."""
        numbers = self.by_concept.get(concept, ())
        return sum(self.passages[at].part == part and not self.passages[at].joined for at in numbers)

    @cached_property
    def summary_concepts(self) -> frozenset[str]:
        """The concepts of the summary. A fallback text has none: a program writes it."""
        passages = (
            passage
            for passage in self.passages
            if self.parts[passage.part].where == "summary" and self.parts[passage.part].role != "fallback"
        )
        return frozenset[str]().union(*(meaning_of(passage.text).concepts for passage in passages))

    @cached_property
    def by_value(self) -> Mapping[str, tuple[int, ...]]:
        """Key of a value (see value_keys) -> the passages that have it."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.passages):
            for key in {key for value in meaning_of(passage.text).values for key in value_keys(value)}:
                found[key].append(number)
        return {value: tuple(numbers) for value, numbers in found.items()}

    @cached_property
    def _plain(self) -> tuple[str, ...]:
        return tuple(plain(part.text[:MOST]) for part in self.parts)

    @cached_property
    def _pieces(self) -> Mapping[str, int]:
        """Piece of a plain text -> the parts that have it, each a bit."""
        bits: dict[str, int] = defaultdict(int)
        for number, text in enumerate(self._plain):
            for piece in set(PIECES.findall(text)):
                bits[piece] |= 1 << number
        return bits

    @cached_property
    def _words(self) -> list[str]:
        return sorted(self._pieces)

    def has_beginning(self, beginning: str) -> bool:
        """Return whether a plain word of the list begins with a text."""
        at = bisect_left(self._words, beginning)
        return at < len(self._words) and self._words[at].startswith(beginning)

    def has_value(self, part: int, value: Value) -> bool:
        """Return whether a part has a value anywhere."""
        return any(self.passages[number].part == part for number in self.by_value.get(value.canon, ()))

    def has_only_others(self, path: Value) -> bool:
        """Return whether the list has other paths with the last part of a path, and never the path with a folder."""
        name = path.canon.rpartition("/")[2].partition(":")[0]
        paths = [
            other
            for number in self.by_value.get(name, ())
            for other in meaning_of(self.passages[number].text).values
            if is_in_folder(other) and other.canon.partition(":")[0].endswith(f"/{name}")
        ]
        return bool(paths) and not any(same_value(path, other) for other in paths)

    def lacks(self, value: Value, tools: bool) -> bool:
        """Return whether no part has a value, in digits or in words. Results of tools count only with `tools`."""
        parts = {number for number, part in enumerate(self.parts) if tools or part.role != "tool"}
        passages = (
            self.passages[number] for key in value_keys(value) for number in self.by_value.get(key, ())
        )
        return not any(
            passage.part in parts and any(same_stated(value, (value,), other, stated) for other in stated)
            for passage in passages
            if (stated := meaning_of(passage.text).values)
        ) and not any(
            spelled_out(value, self.parts[number].text) or _has_folder(value, self.parts[number].text)
            for number in parts
        )

    @cached_property
    def _listed(self) -> Mapping[str, int]:
        """Plain line without its bullet -> the parts that have it, each a bit."""
        bits: dict[str, int] = defaultdict(int)
        for number in range(len(self.parts)):
            for item, _ in self._items_of(number):
                bits[item] |= 1 << number
        return bits

    def _items_of(self, number: int) -> Iterator[tuple[str, Span]]:
        """Yield the plain lines of a part and the quotes among the user's messages, each with its span."""
        text = self.parts[number].text
        for start, end in _lines(text[:MOST]):
            line = text[start:end]
            if (quoted := _QUOTED.match(line)) is not None:
                yield (
                    plain(quoted["said"]).strip(EDGES),
                    (start + quoted.start("said"), start + quoted.end("said")),
                )
            elif len(line) <= _LISTED:
                item = _BULLET.sub("", line)
                yield plain(item).strip(EDGES), (end - len(item), end)
        # The list of the user's messages also quotes in the middle of a line: 'Selected "Both" for the place'.
        for passage in self._of_user.get(number, ()):
            for quote in _QUOTE.finditer(passage.text):
                lead = plain(passage.text[: quote.start()])
                if _DENIED_BEFORE.search(lead) is None and REFUSING_SECTION.search(lead) is None:
                    start, end = (passage.span[0] + at for at in quote.span("said"))
                    yield plain(quote["said"]).strip(EDGES), (start, end)

    @cached_property
    def _of_user(self) -> Mapping[int, list[Passage]]:
        """Part -> its passages in the section with the user's messages."""
        by_part: dict[int, list[Passage]] = defaultdict(list)
        for passage in self.passages:
            of_user = _OF_USER in passage.section.casefold()
            if of_user and not self.is_refused(passage.part, passage.span[0]):
                by_part[passage.part].append(passage)
        return by_part

    def listing(self, wording: str) -> Iterator[tuple[int, Span]]:
        """Yield each part and span of a plain text as a whole line, or in quotes among the user's messages."""
        parts = self._listed.get(wording, 0)
        for number in range(parts.bit_length()):
            if parts >> number & 1:
                yield from ((number, span) for item, span in self._items_of(number) if item == wording)

    def nearly(self, wordings: Sequence[str]) -> Iterator[tuple[int, Span]]:
        """Yield the parts of the summary that have a longer wording but for a few letters, with its span."""
        from rapidfuzz import fuzz

        for number, part in enumerate(self.parts):
            if part.where != "summary":
                continue
            text = self._plain[number]
            for wording in wordings:
                pieces = PIECES.findall(wording)
                if len(pieces) < MIN_QUOTED_WORDS or len(wording) > len(text):
                    continue
                if sum(piece in self._pieces for piece in pieces) < MIN_PIECES * len(pieces):
                    continue
                place = fuzz.partial_ratio_alignment(wording, text, score_cutoff=NEAR_VERBATIM)
                if place is None:
                    continue
                start, end = place.dest_start, place.dest_end
                near = _whole_words(text, start, end)
                end += wording.endswith("?") and text.startswith("?", end)
                if (
                    _same_but_for_typos(wording, near)
                    and _SIGNS.findall(wording) == _SIGNS.findall(near)
                    and not _is_changed(text, start, end)
                ):
                    yield number, place_of(near, part.text)

    def beginning(self, wording: str) -> Iterator[tuple[int, str]]:
        """Yield the parts of the summary that quote a longer wording without its end, with the quoted beginning."""
        least = max(_LONG_WORDING, round(MIN_QUOTED * len(wording)))
        if least >= len(wording):
            return
        for number, part in enumerate(self.parts):
            text = self._plain[number] if part.where == "summary" else ""
            if wording[:least] not in text:
                continue
            sizes = range(least, len(wording))
            stop = bisect_left(sizes, True, key=lambda size: wording[:size] not in text) + least - 1
            while least <= stop and _is_in_word(wording, stop):
                stop -= 1
            if stop >= least and _says(text, wording[:stop]):
                yield number, wording[:stop]

    @cached_property
    def language(self) -> str:
        """The language of the summary; "" where there is none."""
        return summary_language("\n".join(self._summaries))

    @property
    def _summaries(self) -> Iterator[str]:
        """The texts of the summary. A fallback text is written by a program."""
        return (part.text for part in self.parts if part.where == "summary" and part.role != "fallback")

    def language_at(self, part: int) -> str:
        """Return the language of a text of the summary, or of the whole summary for another part of the list."""
        return self._language_of.get(part, self.language)

    @cached_property
    def _language_of(self) -> Mapping[int, str]:
        return {
            at: summary_language(part.text) for at, part in enumerate(self.parts) if part.where == "summary"
        }

    @cached_property
    def languages(self) -> frozenset[tuple[str, str]]:
        """The language of each text of the summary, with the language of its quotes. "" is unknown."""
        return frozenset((summary_language(text), quoted_language(text)) for text in self._summaries)

    def quoting(self, wording: str) -> list[int]:
        """Return the parts that have a plain text as whole words. A long text may begin or end within a word."""
        parts = (1 << len(self.parts)) - 1 if wording else 0
        pieces = PIECES.findall(wording)
        for piece in pieces[1:-1] if len(wording) > _VERY_LONG else pieces:
            parts &= self._pieces.get(piece, 0)
            if not parts:
                return []
        return [
            number
            for number in range(parts.bit_length())
            if parts >> number & 1 and _says(self._plain[number], wording)
        ]


def _has_folder(value: Value, text: str) -> bool:
    """Return whether a text has a path in the folder that a value names."""
    return value.form in FILES and f"{value.canon}/" in text.lower()


def value_keys(value: Value) -> Iterator[str]:
    """Yield the keys of a value in the index: its canonical form, its file name, its form and size."""
    yield value.canon
    if (size := size_of(value)) is not None:
        yield f"{size[0]} {size[1]:f}"
    if value.form in ("path", "file", "url"):
        yield value.canon.rpartition("/")[2].partition(":")[0]
    if value.form in ("quantity", "date", "time"):
        yield f"#{value.form}"


def _whole_words(text: str, start: int, end: int) -> str:
    """Return a part of a plain text with the whole words at its ends."""
    while 0 < start < len(text) and text[start - 1] in _INSIDE and text[start] in _INSIDE:
        start -= 1
    while 0 < end < len(text) and text[end - 1] in _INSIDE and text[end] in _INSIDE:
        end += 1
    return text[start:end]


def _same_but_for_typos(one: str, other: str) -> bool:
    """Return whether two plain texts have the same words in the same order, but for typos in long ones."""
    words, others = PIECES.findall(one), PIECES.findall(other)
    # An alignment may reach into the word before or behind.
    while others and words and len(others) > len(words):
        others.pop() if others[0] == words[0] else others.pop(0)
    if len(words) - len(others) > 1:
        return False
    rest = list(others)
    left = len(words)
    for number, word in enumerate(words, 1):
        if rest and (word == rest[0] or mistyped(word, rest[0]) or _letters_exchanged(word, rest[0])):
            rest.pop(0)
        # At an end, the text may have another word in its place.
        elif left == len(others) or number in (1, len(words)) or word in _MATTERS or word.isdigit():
            return False
        else:
            left -= 1
    return len(rest) <= 1 and not _MATTERS.intersection(rest)


def _says(text: str, wording: str) -> bool:
    """Return whether a plain text has a wording as whole words, and does not deny or change it."""
    at = text.find(wording)
    while at >= 0:
        end = at + len(wording)
        if not (_is_in_word(text, at) or _is_in_word(text, end) or _is_changed(text, at, end)):
            return True
        at = text.find(wording, at + 1)
    return False


def _is_in_word(text: str, at: int) -> bool:
    """Return whether an index of a plain text is within a word, but not in a very long run of letters and signs."""
    if not (0 < at < len(text) and text[at - 1] in _INSIDE and text[at] in _INSIDE):
        return False
    run = text[max(0, at - _VERY_LONG) : at].rpartition(" ")[2] + text[at : at + _VERY_LONG].partition(" ")[0]
    return len(run) <= _VERY_LONG or not run.isascii()


def _is_changed(text: str, start: int, end: int) -> bool:
    """Return whether the words before a quote in a plain text deny it, or what follows changes it."""
    denied = _DENIED_BEFORE.search(text[max(0, start - _BEFORE) : start])
    return denied is not None or _CHANGED_BEHIND.match(text, end) is not None


def states_nothing(text: str) -> bool:
    """Return whether a title, or the end of a statement, has no rule, no value and no denial."""
    limits = BINDS.search(text) is not None or meaning_of(text).denies
    return not (limits or any(character.isdigit() for character in text) or values_of(text))


def _passages(number: int, part: ListText) -> Iterator[Passage]:
    """Yield the passages of a part: each sentence, each line, and each two lines of one section of the summary."""
    section, subsection = "", ""
    before: Passage | None = None
    # The depth of the line that forbids the items below it; they are deeper.
    forbids: int | None = None
    for start, end in _lines(part.text[:MOST]):
        line = part.text[start:end]
        heading = _HEADING.match(line) if part.where == "summary" else None
        if heading is not None:
            if heading["capitals"]:
                section = subsection = heading["capitals"]
                before = None
            elif heading["title"]:
                subsection = heading["title"]
                section = section if line.lstrip().startswith("###") else subsection
                before = None
                if len(subsection.split()) <= _SHORT_TITLE and states_nothing(subsection):
                    continue
            elif (not heading["rest"] and not line.startswith((" ", "\t", "-"))) or re.match(
                r"\d{1,2}[.)]", line.lstrip()
            ):
                section = subsection = heading["label"]
                before = None
                if not heading["rest"] and len(section.split()) <= _SHORT_TITLE and states_nothing(section):
                    continue
        depth = item_depth(line)
        forbidden = forbids is not None and depth > forbids
        if forbids_list(line):
            forbids = depth
        elif not forbidden:
            forbids = None
        label = _LABELLED.match(line)
        headings = (section, subsection, label["label"] if label else "")
        path = " / ".join(dict.fromkeys(filter(None, headings)))
        whole = Passage(number, (start, end), line, path, True, forbidden)
        sentences = list(_sentences(part.text, start, end))
        for a, b in sentences:
            yield Passage(number, (a, b), part.text[a:b], path, False, forbidden)
        if len(sentences) > 1 and end - start <= _LONG:
            yield whole
        if (
            before is not None
            and part.where == "summary"
            and before.section == path
            and before.forbidden == forbidden
            and end - before.span[0] <= _LONG // 2
        ):
            yield Passage(
                number, (before.span[0], end), part.text[before.span[0] : end], path, True, forbidden
            )
        before = whole


def _lines(text: str) -> Iterator[Span]:
    """Yield the spans of the lines that are not empty."""
    at = 0
    for mark in LINES.finditer(text):
        if text[at : mark.start()].strip():
            yield at, mark.start()
        at = mark.end()
    if text[at:].strip():
        yield at, len(text)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans of the sentences of a line."""
    at = start
    for mark in _ENDS.finditer(text, start, end):
        yield from _pieces_of(text, at, mark.start())
        at = mark.end()
    yield from _pieces_of(text, at, end)


def _pieces_of(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the span of a sentence, in pieces if it is long."""
    while end - start > _LONG // 2:
        stop = text.rfind(" ", start + _LONG // 4, start + _LONG // 2)
        stop = stop if stop > start else start + _LONG // 2
        yield start, stop
        start = stop
    if end > start and not text[start:end].isspace():
        yield start, end


def spelled_out(value: Value, text: str) -> bool:
    """Return whether a text has a value in a form that no pattern finds.

    Such forms are a distinctive value as a plain word, the port of a local server, another form of a date, and a name
    of code in words ("output type").
    """
    if value.distinctive and named(text.lower(), value):
        return True
    if (port := _LOCAL_PORT.fullmatch(value.canon)) is not None:
        return re.search(rf"\bport\W{{0,3}}{port[1]}\b", text, re.IGNORECASE) is not None
    if value.form == "date":
        return _short_date(value.canon[-5:], text)
    if value.form == "number" and (word := NUMBER_WORDS.get(value.canon)) is not None:
        return re.search(rf"\b{word}\b", text, re.IGNORECASE) is not None
    if value.form == "path" and may_be_words(value.canon):
        # "unpack/verify" may be two verbs.
        return all(
            re.search(rf"\b{re.escape(part)}", text, re.IGNORECASE) for part in _PARTS.findall(value.text)
        )
    if value.form not in ("identifier", "name", "option"):
        return False
    words = {word.stem for word in meaning_of(value.text).words}
    # The words of another name in a passage are not this name: "toll_net" has a part of "toll_sum".
    for other in values_of(text) if len(text) <= _LONG else ():
        if other.form in ("identifier", "name", "option") and not words <= meaning_of(other.text).stems:
            text = text.replace(other.text, " ")
    # Words without a stem, such as "user" and "in", also distinguish names.
    stemless = {part.lower() for part in _PARTS.findall(value.text) if not meaning_of(part).words}
    lowered, parts = text.lower(), {part.lower() for part in _PARTS.findall(text)}
    return (
        bool(words)
        and words <= {word.stem for word in meaning_of(text).words}
        and all(part in parts or (len(part) > 2 and part in lowered) for part in stemless)
    )


def _short_date(day_of_year: str, text: str) -> bool:
    """Return whether a text has a date ("12-20") as 12-20 or 20.12., or as 12/20 or 20/12 if no month has its day."""
    month, day = (rf"0?{int(part)}" for part in day_of_year.split("-"))
    forms = [rf"{month}-{day}", rf"{day}\.{month}\."]
    if int(day_of_year[-2:]) > 12:
        forms += [f"{month}/{day}", f"{day}/{month}"]
    return re.search(rf"(?<![\d./-])(?:{'|'.join(forms)})(?![\d/-])", text) is not None


@lru_cache(maxsize=50_000)
def mistyped(one: str, other: str) -> bool:
    """Return whether two words are the same but for a typo or an ending."""
    # A letter more or less makes another word of a short one: "http", "https".
    if min(len(one), len(other)) < 5 or one[0] != other[0] or not (one.isalpha() and other.isalpha()):
        return False
    from rapidfuzz import fuzz

    shorter, longer = sorted((one, other), key=len)
    return bool(fuzz.ratio(one, other) >= TYPO) or longer.startswith(shorter)


def _letters_exchanged(one: str, other: str) -> bool:
    """Return whether two words differ by two exchanged neighbours ("hmtl"). A number word has no typo."""
    if one[0] != other[0] or sorted(one) != sorted(other) or len(one) < 4 or not one.isalpha():
        return False
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other) == 1 and {one, other}.isdisjoint(NUMBER_WORDS.values())


def place_of(wording: str, text: str) -> Span:
    """Return the span of a plain wording in a text, with any marks within and between its words."""
    words = _WORDS.findall(wording)
    # The lower case of this letter has two characters.
    low = narrow(text).replace("İ", "I").lower()
    within_words: Span | None = None
    start = low.find(words[0][0]) if words else -1
    while start >= 0:
        if (end := _end_of(words, low, start)) >= 0:
            if not (low[start - 1 : start].isalnum() or low[end : end + 1].isalnum()):
                return start, end
            within_words = within_words or (start, end)
        start = low.find(words[0][0], start + 1)
    return within_words or (0, min(len(text), len(wording)))


def _end_of(words: Sequence[str], low: str, start: int) -> int:
    """Return the end of words that begin at a place of a text in lower case; -1 if others are there."""
    at = start
    for number, word in enumerate(words):
        end, last = _end_of_word(word, low, at), at + _GAP if number else at
        # A line break may be written as "\\n".
        while end < 0 and at < last and (not low[at : at + 1].isalnum() or low[at - 1 : at + 1] == "\\n"):
            at += 1
            end = _end_of_word(word, low, at)
        if end < 0:
            return -1
        at = end
    return at


def _end_of_word(word: str, low: str, at: int) -> int:
    for sign in word:
        while low[at : at + 1] != sign:
            if low[at : at + 1] not in _MARKED:
                return -1
            at += 1
        at += 1
    return at
