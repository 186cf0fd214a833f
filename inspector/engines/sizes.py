"""Messages and compactions of a run, for every engine."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
    left: list[int]
