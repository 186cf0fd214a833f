"""The list after a compaction, made searchable: in which passage a value stands, and which words stand around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from inspector.core.scan.exact import NUMBER, plain_number
from inspector.quality.facts.exact_values import values_of
from inspector.quality.facts.fact import Span, Value, Where
from inspector.quality.facts.lexicon import Rules

#: The order in which regions are searched.
REGIONS: tuple[Where, ...] = ("summary", "head", "tail")
#: So many characters of one message are searched; the rest of a longer one is data.
MOST = 60_000
#: The weight of a word that stands in so many passages that it tells none of them apart.
COMMON = 0.25
# A line that is longer is read in pieces: further apart, a number and a word have nothing to do with each other.
_LONG = 320
_LINES = re.compile(r"\\n|\n")
_INSIDE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")


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
    """A line, or a piece of a long one. `span` is in the part's text."""

    part: int
    span: Span
    text: str


class PassageIndex:
    """The texts of a list, searchable. Made in one pass; asking costs some microseconds."""

    def __init__(self, parts: Iterable[ListText], rules: Rules) -> None:
        self.rules = rules
        self.parts = tuple(sorted(parts, key=lambda part: (REGIONS.index(part.where), part.index)))
        self.passages: list[Passage] = []
        self.words: list[frozenset[str]] = []
        self._by_number: dict[str, list[int]] = defaultdict(list)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._values: dict[int, tuple[Value, ...]] = {}
        self._folded = [" ".join(part.text.split()).lower() for part in self.parts]
        for at, part in enumerate(self.parts):
            self._read(at, part)
        self._lower = "\n".join(passage.text.lower() for passage in self.passages)
        self._starts = _starts(self.passages)
        self._whole = "\n".join(self._folded)
        self._common = max(8, len(self.passages) // 50)

    def _read(self, at: int, part: ListText) -> None:
        for start, end in _pieces(part.text[:MOST]):
            text = part.text[start:end]
            words = frozenset(self.rules.stemmer.words(text))
            number = len(self.passages)
            self.passages.append(Passage(at, (start, end), text))
            self.words.append(words)
            for digits in set(NUMBER.findall(text)):
                self._by_number[plain_number(digits)].append(number)
            for word in words:
                self._by_word[word].append(number)

    def where(self, passage: int) -> Where:
        """The region of a passage."""
        return self.parts[self.passages[passage].part].where

    def role(self, passage: int) -> str:
        """Who says a passage."""
        return self.parts[self.passages[passage].part].role

    def quoting(self, text: str) -> tuple[int, Span] | None:
        """(part, span in its text) of the first part that has the text, case and white space aside."""
        if not text or text not in self._whole:
            return None
        for at, folded in enumerate(self._folded):
            if text in folded:
                return at, _place(text, self.parts[at].text)
        return None

    def naming(self, name: str) -> list[int]:
        """The passages that have a name as a whole word."""
        found: list[int] = []
        at = self._lower.find(name)
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
        if value.form == "date":
            day = str(int(value.canon[-2:])) if value.canon[-2:].isdigit() else value.canon
            near = {
                *self._by_number.get(day, ()),
                *self._by_number.get(f"0{day}", ()),
                *self._with_dates(value),
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
        has = _units(value.unit, self.rules)
        return [p for p in found if has.search(self.passages[p].text)]

    def _with_dates(self, value: Value) -> list[int]:
        return self.naming(value.text.lower())

    def values(self, passage: int) -> tuple[Value, ...]:
        """The exact values of a passage."""
        if passage not in self._values:
            self._values[passage] = values_of(self.passages[passage].text, self.rules)
        return self._values[passage]

    def share(self, things: Collection[str], passage: int) -> float:
        """How much of the words a passage has, by weight: between 0 and 1."""
        whole = sum(map(self.weight, things))
        return (
            sum(self.weight(word) for word in things if word in self.words[passage]) / whole if whole else 0.0
        )

    def weight(self, word: str) -> float:
        """What a word says about what a passage is about: a word of every other line ("file", "test") says little."""
        return 1.0 if len(self._by_word.get(word, ())) < self._common else COMMON

    def about(self, things: Collection[str]) -> dict[int, int]:
        """How many of the words each passage has."""
        counts: dict[int, int] = defaultdict(int)
        for word in things:
            for place in self._by_word.get(word, ()):
                counts[place] += 1
        return counts


def _pieces(text: str) -> Iterable[Span]:
    at = 0
    for mark in _LINES.finditer(text):
        yield from _cut(text, at, mark.start())
        at = mark.end()
    yield from _cut(text, at, len(text))


def _cut(text: str, start: int, end: int) -> Iterable[Span]:
    while end - start > _LONG:
        stop = max(
            text.rfind(". ", start + _LONG // 2, start + _LONG),
            text.rfind("。", start + _LONG // 2, start + _LONG),
        )
        stop = stop + 1 if stop > 0 else text.rfind(" ", start + _LONG // 2, start + _LONG)
        stop = stop if stop > start else start + _LONG
        yield start, stop
        start = stop
    if end > start and not text[start:end].isspace():
        yield start, end


def _starts(passages: Sequence[Passage]) -> list[int]:
    starts, at = [], 0
    for passage in passages:
        starts.append(at)
        at += len(passage.text.lower()) + 1
    return starts


def _alone(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is no part of a longer name; a name may end a path or stand before its slash."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before in _INSIDE and before:
        return False
    if after and after in _INSIDE:
        return False
    # 1.2.3 is not in 1.2.3.4, pkg-1 not in pkg-1.5; a full stop behind a name is fine.
    return not (after in (".", "-") and text[end + 1 : end + 2].isdigit())


def _place(folded: str, text: str) -> Span:
    """Where a folded text stands in the text it was folded from."""
    words = [re.escape(word) for word in folded.split(" ")]
    found = re.search(r"\s+".join(words), text, re.IGNORECASE)
    return found.span() if found else (0, min(len(text), len(folded)))


def _same_date(a: str, b: str) -> bool:
    return a[-5:] == b[-5:] and (a[:-5] == b[:-5] or a.startswith("--") or b.startswith("--"))


@lru_cache(maxsize=512)
def _spelled(forms: tuple[str, ...]) -> re.Pattern[str]:
    parts = [
        re.escape(f)
        if not f[:1].isascii() or not f[:1].isalpha()
        else rf"(?<![A-Za-z]){re.escape(f)}(?![A-Za-z])"
        for f in forms
    ]
    return re.compile("|".join(parts))


def _units(unit: str, rules: Rules) -> re.Pattern[str]:
    """What finds any form of a unit."""
    return _spelled(tuple(form for form, name in rules.units.items() if name == unit) or (unit,))
