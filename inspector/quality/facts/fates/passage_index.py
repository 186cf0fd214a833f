"""Texts of a list made searchable: in which sentence a value stands, and which words stand around it."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, reduce
from operator import or_

from inspector.core.scan.exact import NUMBER, plain_number
from inspector.quality.facts.exact_values import gives, scaled, values_of
from inspector.quality.facts.fact import Value
from inspector.quality.facts.fates.nearly import spoken_words
from inspector.quality.facts.fates.passages import (
    LINES,
    MOST,
    REGIONS,
    ListText,
    Passage,
    in_words,
    passages_of,
)
from inspector.quality.facts.fates.quotes import Quotes
from inspector.quality.facts.fates.word_for_word import INSIDE, plain, stands
from inspector.quality.facts.rules.languages import tongue_of
from inspector.quality.facts.rules.lexicon import Rules

#: Nobody said anything that might be quoted.
NOBODY = Quotes()
#: A stem of so many letters may be known in spite of a slip.
TYPED = 6
_PIECES = re.compile(r"[a-z0-9_]+|[\u3040-\u9fff]")
# What may be several of a number rather than a time: "the 500s", "the 1990s".
_SEVERAL = re.compile(r"\d{2,3}0s|[45]\d\ds")
# So many pieces of a wording are looked up before it is looked for.
_TELLING = 4


class PassageIndex:
    """The texts of a list, searchable. Made at the first question, in one pass; asking costs some microseconds. `said`
    are the user's sentences."""

    def __init__(self, parts: Iterable[ListText], rules: Rules, said: Quotes = NOBODY) -> None:
        self.rules = rules
        self.said = said
        self.parts = tuple(sorted(parts, key=lambda part: (REGIONS.index(part.where), part.index)))
        # Many facts have the same value.
        self._named: dict[str, list[int]] = {}
        self._counted: dict[tuple[str, ...], list[int]] = {}
        self._slips: dict[str, int] = {}
        self._spelled: dict[int, frozenset[str]] = {}
        self._spoken: dict[int, tuple[str, ...]] = {}

    def only(self, parts: Collection[int], said: Quotes = NOBODY) -> PassageIndex:
        """The same of some of the parts alone, by number, with other sentences of the user's."""
        kept = [part for number, part in enumerate(self.parts) if number in parts]
        return PassageIndex(kept, self.rules, said)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Every sentence, and behind the sentences of a line the whole line."""
        return tuple(passages_of(self.parts, self.rules, self.said))

    @cached_property
    def tongue(self) -> str:
        """The language that the summary is in; "" where there is none, or nothing tells."""
        return tongue_of("\n".join(part.text for part in self.parts if part.where == "summary"), self.rules)

    @cached_property
    def printed(self) -> frozenset[int]:
        """The numbers of the parts that a tool printed."""
        return frozenset(number for number, part in enumerate(self.parts) if part.role == "tool")

    @cached_property
    def within(self) -> tuple[int, ...]:
        """By part its passages, each a bit."""
        masks = [0] * len(self.parts)
        for number, passage in enumerate(self.passages):
            masks[passage.part] |= 1 << number
        return tuple(masks)

    @cached_property
    def printed_passages(self) -> int:
        """The passages that a tool printed, each a bit."""
        return reduce(or_, (self.within[part] for part in self.printed), 0)

    @cached_property
    def summary_passages(self) -> int:
        """The passages of the summary, each a bit."""
        return reduce(
            or_, (self.within[number] for number, part in enumerate(self.parts) if part.where == "summary"), 0
        )

    @cached_property
    def spoken_words(self) -> frozenset[str]:
        """All words of the summary, small ones too."""
        return frozenset(
            word for p in self.parts if p.where == "summary" for word in spoken_words(p.text[:MOST])
        )

    def spoken(self, passage: int) -> tuple[str, ...]:
        """All words of a passage, small ones too, in order."""
        if passage not in self._spoken:
            self._spoken[passage] = spoken_words(self.passages[passage].text)
        return self._spoken[passage]

    @cached_property
    def line_passages(self) -> int:
        """The passages that are a line of several sentences, each a bit."""
        return reduce(or_, (1 << number for number, one in enumerate(self.passages) if one.line), 0)

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
    def _by_word(self) -> dict[str, int]:
        """By stem the passages that have it, each a bit."""
        places: dict[str, int] = defaultdict(int)
        for number, passage in enumerate(self.passages):
            for word in passage.words:
                places[word] |= 1 << number
        return dict(places)

    @cached_property
    def _shortened(self) -> dict[str, int]:
        """By what a longer stem is without one of its letters but the first, the passages that have it, each a bit."""
        places: dict[str, int] = {}
        for word, passages in self._by_word.items():
            if len(word) > TYPED:
                for at in range(1, len(word)):
                    short = word[:at] + word[at + 1 :]
                    places[short] = places[short] | passages if short in places else passages
        return places

    def _mistyped(self, word: str) -> int:
        """The passages that have a stem as it would be without a slip of the finger: a letter more or less, or two the
        other way round, behind the first one."""
        if word not in self._slips:
            having = self._shortened.get(word, 0)
            for one in _slips_of(word):
                if one in self._by_word:
                    having |= self._by_word[one]
            self._slips[word] = having
        return self._slips[word]

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
        return tuple(plain(LINES.sub(" ", part.text[:MOST])) for part in self.parts)

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
        return [number for number in _bits(parts) if stands(wording, self._plain[number])]

    def naming(self, name: str) -> list[int]:
        """The passages that have a name as a whole word."""
        if name not in self._named:
            self._named[name] = self._naming(name)
        return self._named[name]

    def addressing(self, place: str) -> list[int]:
        """The passages that have an address, given without what leads to its host, with that or without."""
        whole = re.compile(rf"(?<![\w.@-])(?:www\.)?{re.escape(place)}")
        return [one for one in self.naming(place) if whole.search(self.passages[one].text.lower())]

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
        units = [value.unit, ""] if _SEVERAL.fullmatch(value.text) else [value.unit]
        places = {
            p
            for p in found
            if any(gives(self.passages[p].text, value.canon, unit, self.rules) for unit in units)
        }
        # A number in words has no digits to be looked for.
        places.update(self.naming(value.text.lower()))
        for number, unit in scaled(value, self.rules):
            same = self._by_number.get(number, ())
            places.update(p for p in same if gives(self.passages[p].text, number, unit, self.rules))
        return sorted(places)

    def sentence(self, passage: int) -> range:
        """The passages that are one sentence, parted by semicolons."""
        part = self.passages[passage].part
        first, last = passage, passage + 1
        while first and self._goes_on(first - 1, part):
            first -= 1
        while last < len(self.passages) and self._goes_on(last - 1, part):
            last += 1
        return range(first, last)

    def _goes_on(self, passage: int, part: int) -> bool:
        """Whether the sentence of a passage goes on in the next one of the same part."""
        this, behind = self.passages[passage : passage + 2]
        same = this.part == part == behind.part and not (this.line or behind.line)
        return same and this.text.endswith(";") and this.span[1] <= behind.span[0]

    def spelled(self, passage: int) -> frozenset[str]:
        """The words of a passage with those of its names of files and of code."""
        if passage not in self._spelled:
            text = self.passages[passage].text
            self._spelled[passage] = frozenset(self.rules.stemmer.words(in_words(text)))
        return self._spelled[passage]

    def values(self, passage: int) -> tuple[Value, ...]:
        """The exact values of a passage."""
        if passage not in self._values:
            self._values[passage] = values_of(self.passages[passage].text, self.rules)
        return self._values[passage]

    def sharing(
        self, words: Collection[str], joined: Sequence[tuple[str, str]] = (), typed: bool = False
    ) -> list[int]:
        """The passages that have at least one of some words, at least two, and so on, each passage a bit: as many as
        the most words that a passage has. The first of two that are `joined` counts for the second, and where the words
        were `typed`, one that is but a letter more or less, or two letters the other way round, for a longer one."""
        # A bit a passage: a fact is asked of hundreds of passages at once.
        at_least: list[int] = []
        slips = [word for word in words if len(word) >= TYPED and word.isascii()] if typed else ()
        written = {word: self._mistyped(word) for word in slips}
        for whole, part in joined:
            if whole in self._by_word:
                written[part] = written.get(part, 0) | self._by_word[whole]
        for word in words:
            having = self._by_word.get(word, 0) | written.get(word, 0)
            for count, passages in enumerate(at_least):
                at_least[count] = passages | having
                having &= passages
                if not having:
                    break
            else:
                if having:
                    at_least.append(having)
        return at_least


@lru_cache(maxsize=16_384)
def _slips_of(word: str) -> tuple[str, ...]:
    """A stem without one of its letters, or with two the other way round, behind the first one."""
    near = {
        one
        for at in range(1, len(word))
        for one in (word[:at] + word[at + 1 :], word[:at] + word[at : at + 2][::-1] + word[at + 2 :])
        if one != word and len(one) >= TYPED
    }
    return tuple(near)


@lru_cache(maxsize=32_768)
def _pieces(text: str) -> tuple[str, ...]:
    """What a text cannot be without: the longest of its runs of letters and digits. Its ends may be cut out of longer
    ones."""
    pieces = sorted(set(_PIECES.findall(text)), key=lambda piece: (-len(piece), piece))[:_TELLING]
    # Many wordings have the same ones.
    return tuple(map(sys.intern, pieces))


def _bits(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _alone(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is no part of a longer name; a name may end a path or stand before its slash."""
    before, after = text[start - 1 : start], text[end : end + 1]
    # v1.2 is 1.2.
    if before == "v" and text[start].isdigit():
        before = text[start - 2 : start - 1]
    if before in INSIDE and before:
        return False
    if after and after in INSIDE:
        return False
    # 1.2.3 is not in 1.2.3.4, pkg-1 not in pkg-1.5; a full stop behind a name is fine.
    return not (after in (".", "-") and text[end + 1 : end + 2].isdigit())


def _same_date(a: str, b: str) -> bool:
    return a[-5:] == b[-5:] and (a[:-5] == b[:-5] or a.startswith("--") or b.startswith("--"))
