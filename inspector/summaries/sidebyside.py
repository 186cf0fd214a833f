"""Two texts beside each other, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from inspector.summaries.anchors import bounded_opcodes

#: Above this product of line counts the texts are cut at lines that occur once in both.
MATCH_LIMIT = 400_000
#: Inside a changed stretch lines are paired by likeness up to so many on either side, else by order.
PAIR_LINES = 40
_LIKE = 0.5
_LIKE_CHARACTERS = 400

Tag = Literal["equal", "changed", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row: line numbers from 0, None on a side that has nothing there."""

    tag: Tag
    old: int | None
    new: int | None


def side_by_side(old: Sequence[str], new: Sequence[str]) -> tuple[Row, ...]:
    """The lines of both, equal ones on the same row, each exactly once and in order on its side."""
    rows: list[Row] = []
    for tag, a_start, a_stop, b_start, b_stop in bounded_opcodes(old, new, MATCH_LIMIT):
        if tag == "equal":
            rows.extend(Row("equal", a_start + at, b_start + at) for at in range(a_stop - a_start))
        else:
            rows.extend(_changed(old, new, range(a_start, a_stop), range(b_start, b_stop)))
    return tuple(rows)


def _changed(old: Sequence[str], new: Sequence[str], ones: range, others: range) -> list[Row]:
    """A stretch that differs: lines that are alike share a row."""
    if not ones or not others:
        return [
            *(Row("removed", one, None) for one in ones),
            *(Row("added", None, other) for other in others),
        ]
    if len(ones) == len(others) or len(ones) > PAIR_LINES or len(others) > PAIR_LINES:
        return _in_order(ones, others)
    rows: list[Row] = []
    start = others.start
    for one in ones:
        likes = [(_like(old[one], new[other]), -other) for other in range(start, others.stop)]
        best = max(likes, default=(0.0, 0))
        if best[0] < _LIKE:
            rows.append(Row("removed", one, None))
            continue
        rows.extend(Row("added", None, other) for other in range(start, -best[1]))
        rows.append(Row("changed", one, -best[1]))
        start = -best[1] + 1
    rows.extend(Row("added", None, other) for other in range(start, others.stop))
    return rows


def _in_order(ones: range, others: range) -> list[Row]:
    both = min(len(ones), len(others))
    return [
        *(Row("changed", ones[at], others[at]) for at in range(both)),
        *(Row("removed", one, None) for one in ones[both:]),
        *(Row("added", None, other) for other in others[both:]),
    ]


def _like(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, one[:_LIKE_CHARACTERS], other[:_LIKE_CHARACTERS], autojunk=False)
    if matcher.real_quick_ratio() < _LIKE or matcher.quick_ratio() < _LIKE:
        return 0.0
    return matcher.ratio()
