"""Items that are parts of others: an item that was split from, or merged into, a longer item."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from inspector.summaries.words import Weights, Words

#: Minimum share of a part, by weight of words, that occurs in the whole, ...
INSIDE = 0.8
#: ... and minimum share in the words of the whole that its counterpart lacks.
GAINED = 0.5
#: Minimum share of a whole without a counterpart that its parts cover together.
COVERED = 0.6
#: Minimum number of words of a part; shorter items occur in too many others.
LEAST_WORDS = 3
_RARE_WORDS = 6
_CANDIDATES = 8
_COMMON = 32

#: A whole: its index, its words, and the words of its counterpart (None without a counterpart).
Part = tuple[int, Words, Words | None]


def parts_of(parts: Sequence[tuple[int, Words]], wholes: Sequence[Part]) -> dict[int, int]:
    """Return part → whole, by index; each part belongs to at most one whole.

    A whole with a counterpart has one part already, so one more is enough. A whole without one needs two parts that
    cover most of it together.
    """
    if not parts or not wholes:
        return {}
    texts = [words for _, words in parts]
    for _, whole, counterpart in wholes:
        texts += [whole] if counterpart is None else [whole, counterpart]
    weights = Weights(texts)
    having: dict[str, list[int]] = defaultdict(list)
    rest: list[Mapping[str, int]] = []
    for place, (_, whole, counterpart) in enumerate(wholes):
        left = whole.bag if counterpart is None else _without(whole.bag, counterpart.bag)
        rest.append(left)
        for word in left:
            having[word].append(place)
    whole_of: dict[int, int] = {}
    for part, words in parts:
        fits = _whole_of(words, wholes, rest, having, weights)
        if fits is not None:
            whole_of[part] = fits
    bags = {part: words.bag for part, words in parts}
    by_whole: dict[int, list[int]] = defaultdict(list)
    for part, place in whole_of.items():
        by_whole[place].append(part)
    kept: dict[int, int] = {}
    for place, those in by_whole.items():
        index, whole, counterpart = wholes[place]
        if counterpart is None:
            together: Counter[str] = Counter()
            for one in those:
                together.update(bags[one])
            covered = weights.shared(together, whole.bag) / max(weights.total(whole.words), 1e-9)
            if len(those) < 2 or covered < COVERED:
                continue
        kept.update(dict.fromkeys(those, index))
    return kept


def _whole_of(
    part: Words,
    wholes: Sequence[Part],
    rest: Sequence[Mapping[str, int]],
    having: dict[str, list[int]],
    weights: Weights,
) -> int | None:
    """Return the index of the whole that contains most of a part, or None."""
    # A Chinese character is half a word.
    if sum([1.0 if word.isascii() else 0.5 for word in part.words if word[0].isalnum()]) < LEAST_WORDS:
        return None
    mass = weights.total(part.words)
    rare = sorted([(len(having[word]), word) for word in part.bag if word in having])
    if sum([weights.of(word) for _, word in rare]) < GAINED * mass:
        return None
    asked = [word for _, word in rare[:_RARE_WORDS]]
    scores: dict[int, int] = {}
    for word in asked:
        for place in having[word][:_COMMON]:
            scores[place] = scores.get(place, 0) + 1
    best: tuple[float, int] | None = None
    # A whole that contains most of a part contains most of its rare words.
    likely = sorted([(-score, place) for place, score in scores.items() if 2 * score >= len(asked)])
    for _, place in likely[:_CANDIDATES]:
        inside = weights.shared(part.bag, wholes[place][1].bag) / mass
        gained = weights.shared(part.bag, rest[place]) / mass
        if inside >= INSIDE and gained >= GAINED and (best is None or (inside + gained, -place) > best):
            best = (inside + gained, -place)
    return None if best is None else -best[1]


def _without(bag: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Return the words that a bag has more often than another, with the differences."""
    return {word: count - other.get(word, 0) for word, count in bag.items() if count > other.get(word, 0)}
