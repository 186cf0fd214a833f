"""Words of a text, how alike two texts are, and which words differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from inspector.core.scan.words import is_word, tokens
from inspector.summaries.anchors import Opcode, bounded_opcodes
from inspector.summaries.summary import WordChange

#: Matching word by word costs up to the product of both lengths; beyond this runs of words are matched first.
MATCH_LIMIT = 60_000
_RUN = 3
_PUNCTUATION_WEIGHT = 0.3


class Words:
    """A text's words (`raw`), the same in small letters (`words`), and how often each of these stands there (`bag`)."""

    __slots__ = ("_spans", "bag", "raw", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw: tuple[str, ...] = tuple(tokens(text))
        self.words = tuple(map(str.casefold, self.raw))
        self.bag = counted(self.words)
        self._spans: tuple[tuple[int, int], ...] | None = None

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where each word stands (characters, half-open); looked for when it is asked for, as few texts need it."""
        if self._spans is None:
            # Nothing but white space stands between two words.
            spans, at = [], 0
            for word in self.raw:
                start = self.text.index(word, at)
                at = start + len(word)
                spans.append((start, at))
            self._spans = tuple(spans)
        return self._spans


def words_of(text: str) -> Words:
    """The words of a text."""
    return Words(text)


def counted(words: Iterable[str]) -> dict[str, int]:
    """How often each word stands there, in the order in which they first do."""
    # A Counter of a few words takes longer to be made than to be filled.
    bag: dict[str, int] = {}
    for word in words:
        bag[word] = bag.get(word, 0) + 1
    return bag


class Weights:
    """Word → weight over some texts: a rare word says more about which text it stands in."""

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
        """The weight of a word of these texts."""
        return self._weights[word]

    def total(self, words: Iterable[str]) -> float:
        """The weight of words together."""
        return sum(map(self._weights.__getitem__, words))

    def bound(self, one: Words, other: Words) -> float:
        """An upper bound of `likeness`: as if all words that both have stood in the same order."""
        return like(self.shared(one.bag, other.bag), self.whole(one), self.whole(other))

    def shared(self, one: Mapping[str, int], other: Mapping[str, int]) -> float:
        """The weight of the words that two bags have in common, each as often as both have it."""
        weights, found = self._weights, 0.0
        for word, count in one.items():
            if word in other:
                found += weights[word] * (count if count == 1 else min(count, other[word]))
        return found

    def likeness(self, one: Words, other: Words, matched: Sequence[Opcode]) -> float:
        """How alike two texts are, between 0 and 1; `matched` (see `match`) says which words are equal.

        The mean of the shares that the common words have, by weight, in both texts together and in the
        shorter one: a text that only grew stays like itself.
        """
        common = sum(
            self.total(one.words[start:stop]) for tag, start, stop, _, _ in matched if tag == "equal"
        )
        return like(common, self.whole(one), self.whole(other))

    def whole(self, words: Words) -> float:
        """The weight of all words of a text."""
        whole = self._wholes.get(words)
        if whole is None:
            whole = self._wholes[words] = self.total(words.words)
        return whole


def like(common: float, first: float, second: float) -> float:
    """How alike two texts are by the weight of their common words and of all words of each (see Weights.likeness)."""
    least = first if first < second else second
    return common / (first + second) + common / least / 2 if least else 0.0


def match(one: Words, other: Words) -> list[Opcode]:
    """Which words of two texts are equal, as difflib's opcodes; case does not count."""
    return bounded_opcodes(one.words, other.words, MATCH_LIMIT, _RUN)


@lru_cache(maxsize=256)
def word_changes(was: str, text: str) -> tuple[WordChange, ...]:
    """Which words differ between two wordings, in order. White space does not count; case does."""
    old, new = words_of(was), words_of(text)
    return changes(old, new, match(old, new))


def changes(was: Words, text: Words, matched: Sequence[Opcode]) -> tuple[WordChange, ...]:
    """The same for texts that were taken apart and matched already."""
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
    """The characters from one word to another; an empty span stands where the next word starts."""
    if start < stop:
        return words.spans[start][0], words.spans[stop - 1][1]
    at = words.spans[start][0] if start < len(words.spans) else len(words.text)
    return at, at
