"""Texts of a list made searchable: in which sentence a value stands, and which words stand around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from inspector.core.scan.exact import NUMBER, PATTERNS, plain_number
from inspector.quality.facts.exact_values import gives, scaled, values_of
from inspector.quality.facts.fact import Span, Value, Where
from inspector.quality.facts.lexicon import Rules

#: The order in which regions are searched.
REGIONS: tuple[Where, ...] = ("summary", "head", "tail")
#: So many characters of one message are searched; the rest of a longer one is data.
MOST = 60_000
# A sentence that is longer is read in pieces, and of a longer line only its sentences: further apart, a number and a
# word have nothing to do with each other.
_LONG = 420
_LONG_LINE = 900
_LINES = re.compile(r"\\n|\n")
_ENDS = re.compile(r"(?:(?<=[.!?;])[\"')\]*`]*\s+|(?<=[。！？；])\s*)")
_PIECES = re.compile(r"[a-z0-9_]+|[\u3040-\u9fff]")
# Names of files and code of which no part is a word of the sentence: paths, snake_case of three words and more.
_MAY_BE_CODE = re.compile(r"[/_]|\.[a-z]")
_CODED = re.compile(
    rf"{PATTERNS['file']}(?!\w)|"
    r"(?![A-Za-z]+(?:/[A-Za-z]+)+(?![\w./-]))[\w.@+~-]*/[\w.@+/~-]*|[A-Za-z0-9]+(?:_+[A-Za-z0-9]+){1,}"
)
# So many signs may stand between two words of a wording: ends of lines, marks of lists, quotes.
_APART = 24
# So many pieces of a wording are looked up before it is looked for.
_TELLING = 4
_INSIDE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
# Marks that a text loses or gets where it is quoted.
_MARKS = str.maketrans({**dict.fromkeys("*`\"'“”‘’«»\\", None), "—": "-", "–": "-", "…": "...", "、": "，"})


def plain(text: str) -> str:
    """A text for comparing word for word: in lower case, without quotes, emphasis and code marks, in one line."""
    return " ".join(text.translate(_MARKS).lower().split())


@dataclass(frozen=True, slots=True)
class ListText:
    """A text of the list after: a message of the head or tail, or the summary. `text` is safe; `offset` is where it
    starts in the safe text of its message (a merged summary is only a part of one)."""

    where: Where
    index: int
    role: str
    text: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, or a `line` of several. `span` is in the part's text."""

    part: int
    span: Span
    text: str
    words: frozenset[str]
    line: bool = False


class PassageIndex:
    """The texts of a list, searchable. Made at the first question, in one pass; asking costs some microseconds."""

    def __init__(self, parts: Iterable[ListText], rules: Rules) -> None:
        self.rules = rules
        self.parts = tuple(sorted(parts, key=lambda part: (REGIONS.index(part.where), part.index)))
        # Many facts have the same value.
        self._named: dict[str, list[int]] = {}
        self._counted: dict[tuple[str, ...], list[int]] = {}

    def only(self, parts: Collection[int]) -> PassageIndex:
        """The same of some of the parts alone, by number."""
        return PassageIndex([part for number, part in enumerate(self.parts) if number in parts], self.rules)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Every sentence, and behind the sentences of a line the whole line."""
        found: list[Passage] = []
        for number, part in enumerate(self.parts):
            for start, end in _lines(part.text[:MOST]):
                pieces = list(_sentences(part.text, start, end))
                words = [frozenset(_words(part.text[a:b], self.rules)) for a, b in pieces]
                found += [
                    Passage(number, span, part.text[slice(*span)], stems)
                    for span, stems in zip(pieces, words, strict=True)
                ]
                if len(pieces) > 1 and end - start <= _LONG_LINE:
                    whole = frozenset[str]().union(*words)
                    found.append(Passage(number, (start, end), part.text[start:end], whole, line=True))
        return tuple(found)

    @cached_property
    def printed(self) -> frozenset[int]:
        """The numbers of the parts that a tool printed."""
        return frozenset(number for number, part in enumerate(self.parts) if part.role == "tool")

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The stems of all texts."""
        return frozenset[str]().union(*(passage.words for passage in self.passages))

    @cached_property
    def _pieces(self) -> frozenset[str]:
        return frozenset(_PIECES.findall(self._lower)).union(self._quotable)

    @cached_property
    def _quotable(self) -> dict[str, int]:
        """By piece of a plain text the parts that have it, each a bit."""
        parts: dict[str, int] = defaultdict(int)
        for number, text in enumerate(self._plain):
            for piece in set(_PIECES.findall(text)):
                parts[piece] |= 1 << number
        return dict(parts)

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.passages):
            for word in passage.words:
                places[word].append(number)
        return places

    @cached_property
    def _by_number(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.passages):
            for digits in set(NUMBER.findall(passage.text)):
                places[plain_number(digits)].append(number)
        return places

    @cached_property
    def _lower(self) -> str:
        return "\n".join(passage.text.lower() for passage in self.passages)

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for passage in self.passages:
            starts.append(at)
            at += len(passage.text.lower()) + 1
        return starts

    @cached_property
    def _plain(self) -> tuple[str, ...]:
        return tuple(plain(_LINES.sub(" ", part.text[:MOST])) for part in self.parts)

    @cached_property
    def _values(self) -> dict[int, tuple[Value, ...]]:
        return {}

    def quoting(self, wording: str) -> list[int]:
        """The numbers of the parts that have a plain text as it stands, no word of it cut out of a longer one."""
        if not wording:
            return []
        parts = (1 << len(self.parts)) - 1
        for piece in _pieces(wording):
            parts &= self._quotable.get(piece, 0)
            if not parts:
                return []
        return [n for n, text in enumerate(self._plain) if parts >> n & 1 and _stands(wording, text)]

    def naming(self, name: str) -> list[int]:
        """The passages that have a name as a whole word."""
        if name not in self._named:
            self._named[name] = self._naming(name)
        return self._named[name]

    def _naming(self, name: str) -> list[int]:
        found: list[int] = []
        # The first number of a version may have its v before it.
        sure = name.partition(".")[2] if name[:1].isdigit() else name
        at = self._lower.find(name) if self._pieces.issuperset(_pieces(sure)) else -1
        while at >= 0:
            end = at + len(name)
            if _alone(self._lower, at, end):
                passage = bisect_right(self._starts, at) - 1
                if not found or found[-1] != passage:
                    found.append(passage)
            at = self._lower.find(name, at + 1)
        return found

    def counting(self, value: Value) -> list[int]:
        """The passages that have a number or date, with its unit where it has one."""
        asked = (value.form, value.canon, value.unit, value.text)
        if asked not in self._counted:
            self._counted[asked] = self._counting(value)
        return self._counted[asked]

    def _counting(self, value: Value) -> list[int]:
        if value.form == "date":
            day = str(int(value.canon[-2:])) if value.canon[-2:].isdigit() else value.canon
            near = {
                *self._by_number.get(day, ()),
                *self._by_number.get(f"0{day}", ()),
                *self.naming(value.text.lower()),
            }
            return sorted(
                p
                for p in near
                if any(_same_date(value.canon, v.canon) for v in self.values(p) if v.form == "date")
            )
        if value.form == "weekday":
            return sorted({*self.naming(value.canon), *self.naming(f"{value.canon}s")})
        if value.form in ("time", "ratio"):
            low = "".join(value.text.lower().split())
            head = next(iter(NUMBER.findall(value.text)), "")
            return [
                p
                for p in self._by_number.get(plain_number(head), ())
                if low in "".join(self.passages[p].text.lower().split())
            ]
        found = self._by_number.get(value.canon.removeprefix("-"), ())
        if value.form == "quantity" and value.text[:1].isalpha():
            spelled = [p for p in self.naming(value.text.lower().split()[0]) if p not in found]
            found = sorted([*found, *spelled])
        if not value.unit:
            return list(found)
        places = {p for p in found if gives(self.passages[p].text, value.canon, value.unit, self.rules)}
        # A number in words has no digits to be looked for.
        places.update(self.naming(value.text.lower()))
        for number, unit in scaled(value, self.rules):
            same = self._by_number.get(number, ())
            places.update(p for p in same if gives(self.passages[p].text, number, unit, self.rules))
        return sorted(places)

    def values(self, passage: int) -> tuple[Value, ...]:
        """The exact values of a passage."""
        if passage not in self._values:
            self._values[passage] = values_of(self.passages[passage].text, self.rules)
        return self._values[passage]

    def having(self, words: Iterable[str]) -> Mapping[int, int]:
        """How many of some words each passage has; those that have none are left out."""
        found = Counter[int]()
        for word in words:
            found.update(self._by_word.get(word, ()))
        return found


def _words(text: str, rules: Rules) -> Iterable[str]:
    """The stems of a sentence, but for those of the names of files and of code: what a name is made of says nothing."""
    coded = [found.span() for found in _CODED.finditer(text)] if _MAY_BE_CODE.search(text) else []
    return rules.stemmer.words(text, coded)


@lru_cache(maxsize=32_768)
def _pieces(text: str) -> tuple[str, ...]:
    """What a text cannot be without: the longest of its runs of letters and digits. Its ends may be cut out of longer
    ones."""
    return tuple(sorted(set(_PIECES.findall(text)), key=lambda piece: (-len(piece), piece))[:_TELLING])


def _lines(text: str) -> Iterable[Span]:
    at = 0
    for mark in _LINES.finditer(text):
        if text[at : mark.start()].strip():
            yield at, mark.start()
        at = mark.end()
    if text[at:].strip():
        yield at, len(text)


def _sentences(text: str, start: int, end: int) -> Iterable[Span]:
    at = start
    for mark in _ENDS.finditer(text, start, end):
        yield from _cut(text, at, mark.start())
        at = mark.end()
    yield from _cut(text, at, end)


def _cut(text: str, start: int, end: int) -> Iterable[Span]:
    while end - start > _LONG:
        stop = text.rfind(" ", start + _LONG // 2, start + _LONG)
        stop = stop if stop > start else start + _LONG
        yield start, stop
        start = stop
    if end > start and not text[start:end].isspace():
        yield start, end


def _stands(wording: str, text: str) -> bool:
    at = text.find(wording)
    while at >= 0:
        if not (_joins(text[at - 1 : at], wording[0]) or _joins(wording[-1], text[at + len(wording) :][:1])):
            return True
        at = text.find(wording, at + 1)
    return False


def _joins(one: str, other: str) -> bool:
    """Whether two characters beside each other are of one word; scripts without spaces have no such words."""
    return bool(one) and bool(other) and one in _INSIDE and other in _INSIDE


def _alone(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is no part of a longer name; a name may end a path or stand before its slash."""
    before, after = text[start - 1 : start], text[end : end + 1]
    # v1.2 is 1.2.
    if before == "v" and text[start].isdigit():
        before = text[start - 2 : start - 1]
    if before in _INSIDE and before:
        return False
    if after and after in _INSIDE:
        return False
    # 1.2.3 is not in 1.2.3.4, pkg-1 not in pkg-1.5; a full stop behind a name is fine.
    return not (after in (".", "-") and text[end + 1 : end + 2].isdigit())


def place_of(wording: str, text: str) -> Span:
    """Where a wording stands in a text, whatever signs stand between its words."""
    words = _PIECES.findall(wording.lower())
    low = text.lower()
    start = low.find(words[0]) if words and len(low) == len(text) else -1
    while start >= 0:
        end = start + len(words[0])
        for word in words[1:]:
            at = low.find(word, end, end + len(word) + _APART)
            if at < 0 or _PIECES.search(low, end, at):
                break
            end = at + len(word)
        else:
            return start, end
        start = low.find(words[0], start + 1)
    return 0, min(len(text), len(wording))


def _same_date(a: str, b: str) -> bool:
    return a[-5:] == b[-5:] and (a[:-5] == b[:-5] or a.startswith("--") or b.startswith("--"))
