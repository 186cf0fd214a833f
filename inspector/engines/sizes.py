"""Messages and compactions of a run, for every engine."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Literal, NamedTuple

from inspector.core.conversations import ROLE_CODES

_TOOL = ROLE_CODES["tool"]

#: Why a list is not compacted: it has too few messages, all of it stays, or the release fails on it.
Refusal = Literal["too few", "fits", "fails"]


class MessageSize(NamedTuple):
    """A message's size: tokens in the engine's own estimate of a message, characters and pictures of the rough one."""

    walk: int
    chars: int
    images: int


class Compacted(NamedTuple):
    """A compaction of a live list: the boundaries in the list before, and which of the messages said left it."""

    head_end: int
    tail_start: int
    removed: list[int]


def results_without_call(roles: Iterable[int]) -> int:
    """The number of results at the start of a tail, whose call left the list: a release leaves them out."""
    return sum(1 for _ in takewhile(_TOOL.__eq__, roles))
