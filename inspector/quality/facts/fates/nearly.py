"""Sentences that are nearly the same word for word: a word left out, moved or mistyped."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

#: A sentence of fewer words is like many others; the words of a longer one mostly tell enough, in whatever order.
SHORTEST, LONGEST = 5, 16
#: A longer one is looked for as it was typed, but for slips.
MOST = 60
# What a word between those that are the same costs.
_BETWEEN = 0.25
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# In a word of so many letters two may be wrong, behind the first.
_TYPED = 5
_SLIPS = 2


def spoken_words(text: str) -> tuple[str, ...]:
    """All words of a text, small ones too, in lower case."""
    # Every sentence has the same small words.
    return tuple(map(sys.intern, _WORD.findall(text.lower())))


@lru_cache(maxsize=256)
def in_order(words: tuple[str, ...], theirs: tuple[str, ...], typed: bool) -> float:
    """How many of some words stand in others in the same order, less for each other one between them. Where they were
    `typed`, a word is the same in spite of slips."""
    places: dict[str, list[int]] = {}
    initials: dict[str, list[str]] = {}
    for at, other in enumerate(theirs):
        if other in places:
            places[other].append(at)
        else:
            places[other] = [at]
            initials.setdefault(other[0], []).append(other)
    # By place of a word of theirs that is one of the words so far: the best that ends there.
    ending: dict[int, float] = {}
    for word in words:
        here = list(places.get(word, ()))
        if typed:
            for other in initials.get(word[0], ()):
                if other != word and _mistyped(word, other):
                    here += places[other]
        scores = [
            1.0
            + max(
                (score - _BETWEEN * (at - before - 1) for before, score in ending.items() if before < at),
                default=0.0,
            )
            for at in here
        ]
        for at, score in zip(here, scores, strict=True):
            ending[at] = max(ending.get(at, 0.0), score, 1.0)
    return max(ending.values(), default=0.0)


@lru_cache(maxsize=2048)
def _mistyped(word: str, other: str) -> bool:
    """Whether one word is the other but for slips: letters that are wrong, missing or too many. What has a digit is
    another thing with another one."""
    if not (word.isalpha() and other.isalpha()):
        return False
    if min(len(word), len(other)) < _TYPED or abs(len(word) - len(other)) > _SLIPS:
        return False
    above = list(range(len(other) + 1))
    for number, letter in enumerate(word, 1):
        row = [number]
        for at, theirs in enumerate(other):
            row.append(min(above[at] + (letter != theirs), above[at + 1] + 1, row[at] + 1))
        above = row
    return above[-1] <= _SLIPS
