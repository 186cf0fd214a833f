"""Anchors of two long sequences: they can be matched piece by piece between anchors, in bounded time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import Literal

Tag = Literal["equal", "replace", "delete", "insert"]
#: Matching element by element costs up to the product of both lengths; above this limit, sequences are cut at anchors.
_LIMIT = 60_000
#: Number of elements of an anchor.
_RUN = 3
#: tag, old start, old stop, new start, new stop: half-open, as in difflib.
Opcode = tuple[Tag, int, int, int, int]


def opcodes(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Opcode]:
    """Return difflib's opcodes. Common ends are split off first, which is much cheaper."""
    head, least = 0, min(len(old), len(new))
    while head < least and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < least - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    opcodes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    first, second = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(first) == 1 == len(second):
        opcodes.append(("replace", head, head + 1, head, head + 1))
    elif first and second:
        matcher = SequenceMatcher(None, first, second, autojunk=False)
        for tag, a_start, a_stop, b_start, b_stop in matcher.get_opcodes():
            opcodes.append((tag, a_start + head, a_stop + head, b_start + head, b_stop + head))
    elif first or second:
        opcodes.append(("delete" if first else "insert", head, head + len(first), head, head + len(second)))
    if tail:
        opcodes.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return opcodes


def bounded_opcodes(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Opcode]:
    """Return the same opcodes for sequences of any length.

    Long sequences are cut at anchors. A stretch between two anchors that is still too long counts as replaced.
    """
    if len(old) * len(new) <= _LIMIT:
        return opcodes(old, new)
    joined: list[Opcode] = []
    before = (0, 0)
    for at, other in (*_anchors(old, new), (len(old), len(new))):
        low, start = before
        if (at - low) * (other - start) <= _LIMIT:
            inner = opcodes(old[low:at], new[start:other])
            joined.extend((tag, a + low, b + low, c + start, d + start) for tag, a, b, c, d in inner)
        else:
            joined.append(("replace", low, at, start, other))
        before = (at, other)
    return joined


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the starts (old, new) of runs that occur once in both, in the longest shared order."""
    starts = _single_runs(new)
    return rising([(at, starts[run]) for run, at in _single_runs(old).items() if run in starts])


def _single_runs(sequence: Sequence[Hashable]) -> dict[Hashable, int]:
    """Return run → start for the runs that occur once, in order."""
    starts: dict[Hashable, int] = {}
    repeated: set[Hashable] = set()
    for at in range(len(sequence) - _RUN + 1):
        run = tuple(sequence[at : at + _RUN])
        if run in starts:
            repeated.add(run)
        else:
            starts[run] = at
    return {run: at for run, at in starts.items() if run not in repeated}


def rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subset of pairs that rises on both sides (patience sorting); the first side rises already."""
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for at, (_, other) in enumerate(pairs):
        pile = bisect_left(ends, other)
        before.append(tops[pile - 1] if pile else -1)
        if pile == len(ends):
            ends.append(other)
            tops.append(at)
        else:
            ends[pile], tops[pile] = other, at
    chain = []
    at = tops[-1] if tops else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]
