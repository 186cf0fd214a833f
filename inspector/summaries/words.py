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

_PUNCTUATION_WEIGHT = 0.3
#: A path, version, address or number with its unit is one word: that is what a reader sees change.
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

    def bound(self, first: Words, second: Words) -> float:
        """Return an upper bound of `likeness`, as if all common words had the same order."""
        return like(self.shared(first.bag, second.bag), self.whole(first), self.whole(second))

    def shared(self, first: Mapping[str, int], second: Mapping[str, int]) -> float:
        """Return the weight of the words that two bags have in common, each as often as both have it."""
        weights, weight = self._weights, 0.0
        for word, count in first.items():
            if word in second:
                weight += weights[word] * (count if count == 1 else min(count, second[word]))
        return weight

    def likeness(self, old: Words, new: Words, matched: Sequence[Opcode]) -> float:
        """Return the likeness of two texts, 0 to 1; `matched` (see `match`) has the equal words.

        The mean of two shares by weight: the common words in both texts together, and in the shorter text. So a text
        that only grew stays similar to itself.
        """
        common = sum(
            self.total(old.words[start:stop]) for tag, start, stop, _, _ in matched if tag == "equal"
        )
        return like(common, self.whole(old), self.whole(new))

    def whole(self, words: Words) -> float:
        """Return the weight of all words of a text."""
        whole = self._wholes.get(words)
        if whole is None:
            whole = self._wholes[words] = self.total(words.words)
        return whole


def like(common: float, first: float, second: float) -> float:
    """Return the likeness of two texts from the weights of their common words and of each text (see `Weights`)."""
    smaller = first if first < second else second
    return common / (first + second) + common / smaller / 2 if smaller else 0.0


def match(old: Words, new: Words) -> list[Opcode]:
    """Return the equal words of two texts as difflib's opcodes; case is ignored."""
    return bounded_opcodes(old.words, new.words)


@lru_cache(maxsize=256)
def word_changes(was: str, text: str) -> tuple[WordChange, ...]:
    """Return the words that differ between two wordings, in order. White space is ignored; case is not."""
    old, new = Words(was), Words(text)
    return changes(old, new, match(old, new))


def changes(old: Words, new: Words, matched: Sequence[Opcode]) -> tuple[WordChange, ...]:
    """Return the same for texts that are already split and matched."""
    changed = []
    for tag, start, stop, new_start, new_stop in matched:
        if tag != "equal":
            changed.append(WordChange(*_characters(old, start, stop), *_characters(new, new_start, new_stop)))
        elif old.raw[start:stop] != new.raw[new_start:new_stop]:
            # The same words in other case.
            changed.extend(
                WordChange(*old.spans[at], *new.spans[new_at])
                for at, new_at in zip(range(start, stop), range(new_start, new_stop), strict=True)
                if old.raw[at] != new.raw[new_at]
            )
    return tuple(changed)


def _characters(words: Words, start: int, stop: int) -> tuple[int, int]:
    """Return the character range of words[start:stop]; an empty range is at the start of the next word."""
    if start < stop:
        return words.spans[start][0], words.spans[stop - 1][1]
    at = words.spans[start][0] if start < len(words.spans) else len(words.text)
    return at, at
