"""Text that was copied from a terminal: an agent's program sets every line in by two, and cuts lines where it ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# So many lines that are set in, most of those from the first on, were copied.
_COPIED, _MOSTLY = 3, 0.7
_ITEMIZED = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_FIRST_WORD = re.compile(r"\s*(?P<word>\S+)")
# What an agent's program puts before an answer.
_SIGNED = re.compile(r"\s*[⏺●]\s")
# What somebody says before what they show.
_LEADING = (":", "：", "?", "？")
# No terminal that anybody reads in is narrower, in cells.
_NARROW = 50
# A line may end so many cells early where a wide sign or a mark would not have fitted.
_EARLY = 3


@dataclass(frozen=True, slots=True)
class Copied:
    """The numbers of the lines of a text that were copied, and of those that go on with the line before. `whole`: the
    text is nothing else, so that it is what somebody hands on rather than shows."""

    lines: frozenset[int] = frozenset()
    wrapped: frozenset[int] = frozenset()
    whole: bool = False


def copied(lines: Sequence[str]) -> Copied:
    """Which lines were copied from a terminal; none where people set in a few of their own."""
    inset = [number for number, line in enumerate(lines) if line.startswith("  ") and line.strip()]
    if sum(_ITEMIZED.match(lines[number]) is None for number in inset) < _COPIED:
        return Copied()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    behind = sum(number >= inset[0] for number in filled)
    if len(inset) < _MOSTLY * behind:
        return Copied()
    # What is copied begins behind the sign of the program, at the edge.
    edge = [lines[number] for number in filled if number not in inset]
    signed = any(_SIGNED.match(line) for line in edge)
    # Who begins with it adds what else is to be done; who shows it says so first.
    handed = edge == [lines[filled[0]]] or filled[0] in inset
    # Around what an agent answered people say what is to be done with it, or ask about it.
    whole = (handed or signed) and not any(line.rstrip(" \\").endswith(_LEADING) for line in edge)
    return Copied(frozenset(inset), _wrapped(lines, filled if whole else inset), whole)


def _wrapped(lines: Sequence[str], numbers: Sequence[int]) -> frozenset[int]:
    """The lines whose first word would not have fitted on the line before."""
    widths = {number: _cells(lines[number].rstrip()) for number in numbers}
    widest = max(widths.values(), default=0)
    found = set()
    for number in numbers:
        word = _FIRST_WORD.match(lines[number])
        if word is None or number - 1 not in widths or _ITEMIZED.match(lines[number]) or widest < _NARROW:
            continue
        if widths[number - 1] + 1 + _cells(_unbroken(word["word"])) > widest - _EARLY:
            found.add(number)
    return frozenset(found)


def _unbroken(word: str) -> str:
    """So much of a word as stands in one line: scripts without spaces are broken anywhere."""
    return word[:1] if not word[:1].isascii() and _cells(word[:1]) == 2 else word


def _cells(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
