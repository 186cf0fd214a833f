"""Words of a text, the likeness of two texts, and their differing words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from inspector.core.patterns import late_pattern
from inspector.core.scan.words import UNSPACED
from inspector.summaries.anchors import Opcode, bounded_opcodes
from inspector.summaries.summary import WordChange

#: Matching word by word costs up to the product of both lengths; above this limit runs of words are matched first.
MATCH_LIMIT = 60_000
_RUN = 3
_PUNCTUATION_WEIGHT = 0.3
# A path, version, address or number with its unit is one word: that is what a reader sees change.
_LETTERS = rf"[^\W{UNSPACED}]+"
TOKEN = late_pattern(rf"{_LETTERS}(?:[./:@#\\-]+{_LETTERS})*|[{UNSPACED}]|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Return words, paths and numbers as a whole, and each sign, and each character of scripts without spaces."""
    return TOKEN.findall(text)


def is_word(token: str) -> bool:
    """Whether a token is a word or number, not a sign."""
    return token[0].isalnum() or token[0] == "_"


class Words:
    """Words of a text: `raw` as written, `words` in small letters, `bag` with the count of each."""

    __slots__ = ("_spans", "bag", "raw", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw: tuple[str, ...] = tuple(tokens(text))
        self.words = tuple(map(str.casefold, self.raw))
        self.bag = counted(self.words)
        self._spans: tuple[tuple[int, int], ...] | None = None

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Return the range of each word (characters, half-open), computed on first use because few texts need it."""
        if self._spans is None:
            # Only white space separates two words.
            spans, at = [], 0
            for word in self.raw:
                start = self.text.index(word, at)
                at = start + len(word)
                spans.append((start, at))
            self._spans = tuple(spans)
        return self._spans


def words_of(text: str) -> Words:
    """Return the words of a text."""
    return Words(text)


def counted(words: Iterable[str]) -> dict[str, int]:
    """Return word → count, in the order of first occurrence."""
    # For a few words, creating a Counter takes longer than filling it.
    bag: dict[str, int] = {}
    for word in words:
        bag[word] = bag.get(word, 0) + 1
    return bag


class Weights:
    """Weight of each word over a set of texts: a rare word identifies its text better."""

    def __init__(self, texts: Sequence[Words]) -> None:
        counts = Counter(chain.from_iterable([words.bag for words in texts]))
        number = len(texts)
        logs = {count: math.log(1 + number / count) for count in set(counts.values())}
        self._weights = {
            word: logs[count] * (1.0 if is_word(word) else _PUNCTUATION_WEIGHT)
            for word, count in counts.items()
        }
        self._wholes: dict[Words, float] = {}

    def of(self, word: str) -> float:
        """Return the weight of a word of these texts."""
        return self._weights[word]

    def total(self, words: Iterable[str]) -> float:
        """Return the summed weight of words."""
        return sum(map(self._weights.__getitem__, words))

    def bound(self, one: Words, other: Words) -> float:
        """Return an upper bound of `likeness`, as if all common words had the same order."""
        return like(self.shared(one.bag, other.bag), self.whole(one), self.whole(other))

    def shared(self, one: Mapping[str, int], other: Mapping[str, int]) -> float:
        """Return the weight of the words that two bags have in common, each as often as both have it."""
        weights, found = self._weights, 0.0
        for word, count in one.items():
            if word in other:
                found += weights[word] * (count if count == 1 else min(count, other[word]))
        return found

    def likeness(self, one: Words, other: Words, matched: Sequence[Opcode]) -> float:
        """Return the likeness of two texts, 0 to 1; `matched` (see `match`) has the equal words.

        The mean of two shares by weight: the common words in both texts together, and in the shorter text. So a text
        that only grew stays similar to itself.
        """
        common = sum(
            self.total(one.words[start:stop]) for tag, start, stop, _, _ in matched if tag == "equal"
        )
        return like(common, self.whole(one), self.whole(other))

    def whole(self, words: Words) -> float:
        """Return the weight of all words of a text."""
        whole = self._wholes.get(words)
        if whole is None:
            whole = self._wholes[words] = self.total(words.words)
        return whole


def like(common: float, first: float, second: float) -> float:
    """Return the likeness of two texts from the weights of their common words and of each text (see `Weights`)."""
    least = first if first < second else second
    return common / (first + second) + common / least / 2 if least else 0.0


def match(one: Words, other: Words) -> list[Opcode]:
    """Return the equal words of two texts as difflib's opcodes; case is ignored."""
    return bounded_opcodes(one.words, other.words, MATCH_LIMIT, _RUN)


@lru_cache(maxsize=256)
def word_changes(was: str, text: str) -> tuple[WordChange, ...]:
    """Return the words that differ between two wordings, in order. White space is ignored; case is not."""
    old, new = words_of(was), words_of(text)
    return changes(old, new, match(old, new))


def changes(was: Words, text: Words, matched: Sequence[Opcode]) -> tuple[WordChange, ...]:
    """Return the same for texts that are already split and matched."""
    found = []
    for tag, a_start, a_stop, b_start, b_stop in matched:
        if tag != "equal":
            found.append(WordChange(*_characters(was, a_start, a_stop), *_characters(text, b_start, b_stop)))
        elif was.raw[a_start:a_stop] != text.raw[b_start:b_stop]:
            same = zip(range(a_start, a_stop), range(b_start, b_stop), strict=True)
            found.extend(
                WordChange(*was.spans[one], *text.spans[other])
                for one, other in same
                if was.raw[one] != text.raw[other]
            )
    return tuple(found)


def _characters(words: Words, start: int, stop: int) -> tuple[int, int]:
    """Return the character range of words[start:stop]; an empty range is at the start of the next word."""
    if start < stop:
        return words.spans[start][0], words.spans[stop - 1][1]
    at = words.spans[start][0] if start < len(words.spans) else len(words.text)
    return at, at
