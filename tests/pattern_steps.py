"""Count the steps that a regular expression takes on a text, with a backtracking matcher over Python's own parse tree.

It tries the same alternatives as the matcher of `re`, in the same order, and counts each tested character. The count
is the same on every machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

#: Takes the position after a match; returns whether the rest matches.
Next = Callable[[int], bool]
Matcher = Callable[[int, Next], bool]
_POSSESSIVE = getattr(op, "POSSESSIVE_REPEAT", None)
_ATOMIC = getattr(op, "ATOMIC_GROUP", None)
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, _POSSESSIVE)
_SINGLE = (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY)


class TooManySteps(Exception):
    """A pattern took more steps than allowed."""


#: Maximum of a bounded repetition here, because only growth with the length of the text matters. A larger bound
#: than `_LARGE` counts as none: a text of some hundred kilobytes takes as long as without it.
_BOUND, _LARGE = 6, 1_000


class Counter:
    """A pattern, matched step by step."""

    def __init__(self, pattern: re.Pattern[str], most: int) -> None:
        self.most = most
        self.steps = 0
        self.text = ""
        self._groups: dict[int, tuple[int, int]] = {}
        tree = parser.parse(pattern.pattern, pattern.flags)
        self._match = self._sequence(tree, pattern.flags | tree.state.flags)

    def search_all(self, text: str) -> int:
        """Return the steps that `finditer` takes over a text. Raises TooManySteps."""
        self.text, self.steps = text, 0
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(1_000_000)
        try:
            at = 0
            while at <= len(text):
                self._groups = {}
                end: list[int] = []
                self._step()
                found = self._match(at, lambda stop, end=end: end.append(stop) or True)  # type: ignore[misc]
                at = max(end[0], at + 1) if found else at + 1
        finally:
            sys.setrecursionlimit(before)
        return self.steps

    def match_once(self, text: str) -> int:
        """Return the steps that `match` takes at the beginning of a text. Raises TooManySteps."""
        self.text, self.steps, self._groups = text, 0, {}
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(1_000_000)
        try:
            self._match(0, lambda stop: True)
        finally:
            sys.setrecursionlimit(before)
        return self.steps

    def _step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > self.most:
            raise TooManySteps

    def _sequence(self, items: Any, flags: int) -> Matcher:
        signs = [_fits(*item, flags) if item[0] in _SINGLE else None for item in items]
        parts = [None if fits else self._item(item, flags) for item, fits in zip(items, signs, strict=True)]
        count = len(parts)

        def go(number: int, at: int, then: Next) -> bool:
            while number < count:
                fits, part = signs[number], parts[number]
                number += 1
                if part is not None:
                    if number == count:
                        return part(at, then)
                    return part(at, partial(go, number, then=then))
                self.steps += 1
                if fits is None or at >= len(self.text) or not fits(self.text[at]):
                    self._step(0)
                    return False
                at += 1
            return then(at)

        return lambda at, then: go(0, at, then)

    def _item(self, item: Any, flags: int) -> Matcher:
        kind, value = item
        if kind in _REPEATS:
            return self._repeat(kind, *value, flags)
        if kind is op.BRANCH:
            ways = [self._sequence(way, flags) for way in value[1]]

            def branch(at: int, then: Next) -> bool:
                for way in ways:  # noqa: SIM110 (a generator takes longer)
                    if way(at, then):
                        return True
                return False

            return branch
        if kind is op.SUBPATTERN:
            return self._group(*value, flags)
        if kind is _ATOMIC:
            inside = self._sequence(value, flags)
            return lambda at, then: (stop := self._first(inside, at)) is not None and then(stop)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, tree = value
            inside, wanted = self._sequence(tree, flags), kind is op.ASSERT
            back = tree.getwidth()[0] if direction < 0 else 0
            return lambda at, then: (
                (at >= back and self._first(inside, at - back) is not None) is wanted and then(at)
            )
        if kind is op.AT:
            return lambda at, then: self._at(value, at, flags) and then(at)
        if kind is op.GROUPREF:
            return lambda at, then: self._again(value, at, then)
        if kind is op.GROUPREF_EXISTS:
            number, yes, no = value
            way = self._sequence(yes, flags)
            other = self._sequence(no, flags) if no else (lambda at, then: then(at))
            return lambda at, then: (way if number in self._groups else other)(at, then)
        raise NotImplementedError(str(kind))

    def _group(self, number: int | None, add: int, drop: int, tree: Any, flags: int) -> Matcher:
        inside = self._sequence(tree, (flags | add) & ~drop)
        if number is None:
            return inside

        def match(at: int, then: Next) -> bool:
            def close(stop: int) -> bool:
                before = self._groups.get(number)
                self._groups[number] = (at, stop)
                if then(stop):
                    return True
                if before is None:
                    self._groups.pop(number, None)
                else:
                    self._groups[number] = before
                return False

            return inside(at, close)

        return match

    def _repeat(self, kind: Any, least: int, most: int, tree: Any, flags: int) -> Matcher:
        if most <= _LARGE:
            least, most = min(least, _BOUND), min(most, _BOUND)
        if len(tree) == 1 and tree[0][0] in _SINGLE:
            return self._run(kind, least, most, _fits(*tree[0], flags))
        inside = self._sequence(tree, flags)

        def greedy(at: int, then: Next, count: int = 0) -> bool:
            self._step()
            more = count < most and inside(
                at, lambda stop: (stop > at or count < least) and greedy(stop, then, count + 1)
            )
            return more or (count >= least and then(at))

        def lazy(at: int, then: Next, count: int = 0) -> bool:
            self._step()
            return (count >= least and then(at)) or (
                count < most
                and inside(at, lambda stop: (stop > at or count < least) and lazy(stop, then, count + 1))
            )

        if kind is _POSSESSIVE:
            return lambda at, then: (stop := self._first(greedy, at)) is not None and then(stop)
        return greedy if kind is op.MAX_REPEAT else lazy

    def _run(self, kind: Any, least: int, most: int, fits: Callable[[str], bool]) -> Matcher:
        def match(at: int, then: Next) -> bool:
            text, end = (
                self.text,
                len(self.text) if most >= len(self.text) else min(len(self.text), at + most),
            )
            if kind is op.MIN_REPEAT:
                stop = at
                while True:
                    if stop - at >= least and then(stop):
                        return True
                    self._step()
                    if stop >= end or not fits(text[stop]):
                        return False
                    stop += 1
            stop = at
            while stop < end and fits(text[stop]):
                stop += 1
            self._step(stop - at + 1)
            for back in range(stop, at + least - 1, -1):
                if then(back):
                    return True
                self._step()
                if kind is _POSSESSIVE:
                    return False
            return False

        return match

    def _first(self, inside: Matcher, at: int) -> int | None:
        end: list[int] = []
        return end[0] if inside(at, lambda stop: end.append(stop) or True) else None  # type: ignore[func-returns-value]

    def _again(self, number: int, at: int, then: Next) -> bool:
        if number not in self._groups:
            return False
        start, stop = self._groups[number]
        self._step(stop - start)
        piece = self.text[start:stop]
        return self.text.startswith(piece, at) and then(at + len(piece))

    def _at(self, place: Any, at: int, flags: int) -> bool:
        text = self.text
        before = at > 0 and _is_word(text[at - 1])
        after = at < len(text) and _is_word(text[at])
        if place is op.AT_BOUNDARY:
            return before is not after
        if place is op.AT_NON_BOUNDARY:
            return before is after
        if place is op.AT_BEGINNING:
            return at == 0 or (bool(flags & re.MULTILINE) and text[at - 1] == "\n")
        if place is op.AT_BEGINNING_STRING:
            return at == 0
        if place is op.AT_END_STRING:
            return at == len(text)
        last = at == len(text) or (at == len(text) - 1 and text[at] == "\n")
        return last or (bool(flags & re.MULTILINE) and at < len(text) and text[at] == "\n")


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    op.CATEGORY_DIGIT: str.isdecimal,
    op.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdecimal(),
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    op.CATEGORY_WORD: _is_word,
    op.CATEGORY_NOT_WORD: lambda sign: not _is_word(sign),
}


def _fits(kind: Any, value: Any, flags: int) -> Callable[[str], bool]:
    """Return a test for one character, which keeps its results."""
    if kind is op.ANY:
        return (lambda sign: True) if flags & re.DOTALL else (lambda sign: sign != "\n")
    plain = _fits_plain(kind, value)
    if not flags & re.IGNORECASE:
        return cache(plain)
    return cache(lambda sign: plain(sign) or plain(sign.lower()) or plain(sign.upper()))


def _fits_plain(kind: Any, value: Any) -> Callable[[str], bool]:
    if kind is op.LITERAL:
        return lambda sign: sign == chr(value)
    if kind is op.NOT_LITERAL:
        return lambda sign: sign != chr(value)
    wanted = not (value and value[0][0] is op.NEGATE)
    parts = [_part(*part) for part in value if part[0] is not op.NEGATE]
    return lambda sign: any(part(sign) for part in parts) is wanted


def _part(kind: Any, value: Any) -> Callable[[str], bool]:
    if kind is op.LITERAL:
        return lambda sign: ord(sign) == value
    if kind is op.RANGE:
        return lambda sign: value[0] <= ord(sign) <= value[1]
    return _CATEGORIES[value]


def hostile_texts(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Return texts of at least `size` characters on which a pattern may be slow: its pieces repeated, without its end.

    A text has a piece more often than `_BOUND`.
    """
    tree = parser.parse(pattern.pattern, pattern.flags)
    pieces = {"a", " ", "\n", "-", "1", "."}
    for whole in (_sample(tree, 1), _sample(tree, 3)):
        for stop in {len(whole), len(whole) - 1, (len(whole) + 1) // 2, 1}:
            pieces.add(whole[:stop])
    pieces.update(_runs(tree))
    for opening in _openings(tree):
        pieces |= {opening, f"{opening}\n"}
    for piece in sorted(filter(None, pieces)):
        times = max(size // len(piece) + 1, size // 2)
        yield piece * times
        yield piece * times + "§"
    begin = _sample(tree, 1)
    for run in sorted(_runs(tree)):
        at = begin.find(run)
        if at >= 0:
            yield begin[:at] + run * size


def _openings(tree: Any, before: str = "") -> Iterator[str]:
    """Yield the beginning of each way through a pattern, up to a part that may repeat often."""
    for kind, value in tree:
        if kind in _REPEATS:
            if value[1] > 40:
                yield before + _sample(value[2], 1)
            yield from _openings(value[2], before)
        elif kind is op.SUBPATTERN:
            yield from _openings(value[3], before)
        elif kind is op.BRANCH:
            for way in value[1]:
                yield from _openings(way, before)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            yield from _openings(value[1], before)
        elif kind is _ATOMIC:
            yield from _openings(value, before)
        before += _sample([(kind, value)], 1)


def _runs(tree: Any) -> set[str]:
    """Return a character of each part of a pattern that may repeat often."""
    found: set[str] = set()
    for kind, value in tree:
        if kind in _REPEATS:
            if value[1] > 40:
                found.add(_sample(value[2], 1))
            found |= _runs(value[2])
        elif kind is op.SUBPATTERN:
            found |= _runs(value[3])
        elif kind is op.BRANCH:
            for way in value[1]:
                found |= _runs(way)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            found |= _runs(value[1])
        elif kind is _ATOMIC:
            found |= _runs(value)
    return found


def _sample(tree: Any, times: int) -> str:
    """Return a text that matches a pattern, with at most that many extra repetitions."""
    text = ""
    for kind, value in tree:
        if kind in _SINGLE:
            fits = _fits(kind, value, 0)
            text += next(
                (sign for sign in "ax1 -._:/@\"'`(<[{|#*=,;\n\\%~!?+&$^>]})中あ한яé\u200b" if fits(sign)), ""
            )
            if (not text and kind is op.LITERAL) or (
                kind is op.LITERAL and (not text or text[-1] != chr(value))
            ):
                text += chr(value)
        elif kind in _REPEATS:
            text += _sample(value[2], times) * min(value[1], max(value[0], times))
        elif kind is op.SUBPATTERN:
            text += _sample(value[3], times)
        elif kind is op.BRANCH:
            text += _sample(value[1][0], times)
        elif kind is _ATOMIC:
            text += _sample(value, times)
        elif kind is op.GROUPREF_EXISTS:
            text += _sample(value[1], times)
    return text
