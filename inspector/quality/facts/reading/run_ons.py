"""Sentences that run on: somebody wrote in haste, or spoke, several of them without a mark between."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from inspector.quality.facts.fact import Span
from inspector.quality.facts.rules.lexicon import Language, Rules

#: A part of a sentence has so many characters at least.
PART = 24
# A sentence of more characters runs on where another may begin in it; one of more than that is data.
_RUN_ON, _DATA = 200, 3_360
_BRACKETED = re.compile(r"\((?P<inside>(?!i\.e|e\.g)[^()]{60,})(?:\)|$)")
_OPEN, _CLOSED = "([{", ")]}"
#: By which rules a sentence is read.
Spoken = Callable[[str], Rules]


def parted(text: str, start: int, end: int, spoken_in: Spoken | None) -> Iterator[Span]:
    """The span of a sentence of a safe text (in characters, half-open), or of each part of one that runs on;
    `spoken_in` tells by which rules it is read."""
    if spoken_in is None or not _RUN_ON < end - start <= _DATA:
        yield start, end
    else:
        yield from _run_on(text, start, end, spoken_in(text[start:end]).languages)


def _run_on(text: str, start: int, end: int, languages: Sequence[Language]) -> Iterator[Span]:
    """The parts of a sentence that runs on: each begins, behind a comma or a word that joins or in brackets, with
    somebody who does something, with what is asked for, or with a condition, which stays with what it is a condition
    of."""
    for a, b in _bracketed(text, start, end, languages):
        at = a
        for language in languages:
            for joint in language.joints.finditer(text, a, b):
                if min(joint.start() - at, b - joint.end()) < PART or not _begins(text, joint, b, language):
                    continue
                last = max(at, *(text.rfind(mark, at, joint.start()) + 1 for mark in ",:;"))
                if language.conditions.match(text, last) or _is_open(text, at, joint.start(), b):
                    continue
                yield at, joint.start()
                at = joint.end()
        yield at, b


def _bracketed(text: str, start: int, end: int, languages: Sequence[Language]) -> Iterator[Span]:
    """A sentence without the sentences that stand in brackets at the end of a part of it, and these."""
    at = start
    for found in _BRACKETED.finditer(text, start, end):
        a, b = found.span("inside")
        if found.start() - at >= PART and any(
            (found.end() >= end or language.joints.match(text, found.end(), end))
            and (language.subjects.match(text, a) or language.asks.match(text, a, b))
            for language in languages
        ):
            yield at, found.start()
            yield a, b
            at = found.end()
    yield at, end


def _begins(text: str, joint: re.Match[str], end: int, language: Language) -> bool:
    """Whether another sentence begins behind a joint."""
    at = joint.end()
    if language.subjects.match(text, at) or language.asks.match(text, at, end):
        return True
    return any(map(str.isalpha, joint.group())) and language.conditions.match(text, at) is not None


def _is_open(text: str, start: int, at: int, end: int) -> bool:
    """Whether a place is inside brackets, code marks or quotes of text[start:end]."""
    opened = sum(text.count(sign, start, at) for sign in _OPEN)
    if opened > sum(text.count(sign, start, at) for sign in _CLOSED):
        return True
    # A mark without its other one opens nothing.
    return any(text.count(mark, start, at) % 2 and not text.count(mark, start, end) % 2 for mark in '`"')
