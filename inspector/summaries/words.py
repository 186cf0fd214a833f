"""Words of a text, how alike two texts are, and which words differ."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from inspector.summaries.anchors import Opcode, bounded_opcodes
from inspector.summaries.values import WordChange

# A path, version, address or number with its unit is one word: that is what a reader sees change. Chinese and Japanese
# have no spaces, so each of their characters is one.
_SIGNS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_LETTERS = rf"[^\W{_SIGNS}]+"
_WORD = re.compile(rf"{_LETTERS}(?:[./:@#\\-]+{_LETTERS})*|[{_SIGNS}]|[^\w\s]")
#: Matching word by word costs up to the product of both lengths; beyond this runs of words are matched first.
MATCH_LIMIT = 60_000
_RUN = 3
_PUNCTUATION_WEIGHT = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """A text's words, the same in small letters, where each stands (characters, half-open), and how often."""

    text: str
    raw: tuple[str, ...]
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    bag: Counter[str]


def words_of(text: str) -> Words:
    """The words of a text."""
    spans = tuple(match.span() for match in _WORD.finditer(text))
    raw = tuple(_WORD.findall(text))
    words = tuple(map(str.casefold, raw))
    return Words(text, raw, words, spans, Counter(words))


class Weights:
    """Word → weight over some texts: a rare word says more about which text it stands in."""

    def __init__(self, texts: Sequence[Words]) -> None:
        counts: Counter[str] = Counter()
        for words in texts:
            counts.update(words.bag.keys())
        number = len(texts)
        self._weights = {
            word: math.log(1 + number / count) * (1.0 if _is_word(word) else _PUNCTUATION_WEIGHT)
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
        few, many = (one.bag, other.bag) if len(one.bag) <= len(other.bag) else (other.bag, one.bag)
        weights = self._weights
        common = sum(min(few[word], many[word]) * weights[word] for word in few.keys() & many.keys())
        return self._like(common, one, other)

    def likeness(self, one: Words, other: Words, matched: Sequence[Opcode]) -> float:
        """How alike two texts are, between 0 and 1; `matched` (see `match`) says which words are equal.

        The mean of the shares that the common words have, by weight, in both texts together and in the
        shorter one: a text that only grew stays like itself.
        """
        common = sum(
            self.total(one.words[start:stop]) for tag, start, stop, _, _ in matched if tag == "equal"
        )
        return self._like(common, one, other)

    def _like(self, common: float, one: Words, other: Words) -> float:
        first, second = self._whole(one), self._whole(other)
        least = min(first, second)
        return common / (first + second) + common / least / 2 if least else 0.0

    def _whole(self, words: Words) -> float:
        whole = self._wholes.get(words)
        if whole is None:
            whole = self._wholes[words] = self.total(words.words)
        return whole


def _is_word(word: str) -> bool:
    return word[0].isalnum() or word[0] == "_"


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
