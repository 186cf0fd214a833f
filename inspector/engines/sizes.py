"""Messages and compactions of a run, for every engine."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Literal, NamedTuple

from inspector.core.conversations import TOOL

#: Reason why a list is not compacted: too few messages, all messages stay, or the release fails.
Refusal = Literal["too few", "fits", "fails"]


class MessageSize(NamedTuple):
    """Size of a message: tokens in the engine's own estimate (`walk`), and characters and pictures."""

    walk: int
    chars: int
    images: int


class Compacted(NamedTuple):
    """A compaction of a live list: the boundaries in the list before, and the removed messages of the transcript."""

    head_end: int
    tail_start: int
    removed: list[int]


def results_without_call(roles: Iterable[int]) -> int:
    """Return the number of results at the start of a tail. Their calls left the list, so a release drops them."""
    return sum(1 for _ in takewhile(TOOL.__eq__, roles))
