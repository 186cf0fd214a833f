"""Stats of a message without its text, and columns of stats for a list."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import NamedTuple

from inspector.core.conversations import ROLE_CODES
from inspector.engines.sizes import MessageSize

OTHER, NO_ROLE = 4, 5
USER, ASSISTANT, TOOL, SYSTEM = (ROLE_CODES[name] for name in ("user", "assistant", "tool", "system"))

#: Errors that the release would raise, by phase: (index, exception name).
Troubles = Mapping[str, list[tuple[int, str]]]


class MessageStats(NamedTuple):
    """A message without its text.

    `now` is its current size, `short` its size after pruning (None if pruning leaves it alone), `repeated` its
    size as a back-reference to `same`, a later result with the same text. `role` is a code of
    inspector.core.conversations (5 where the key is missing); `calls` says that it makes tool calls, `speaks`
    that an assistant's text is not empty, `handoff` that the release takes it for a summary, `erasable` that
    pruning would take that away.
    """

    role: int
    calls: bool
    now: MessageSize
    short: MessageSize | None = None
    repeated: MessageSize | None = None
    same: bytes | None = None
    handoff: bool = False
    erasable: bool = False
    speaks: bool = False


class Sizes:
    """A number of each kind a message, in columns."""

    __slots__ = ("chars", "images", "walk")

    def __init__(self) -> None:
        self.walk, self.chars, self.images = array("q"), array("q"), array("q")

    def extend(self, other: Sizes, start: int, stop: int) -> None:
        """The sizes of [start:stop] of another list come next."""
        self.walk += other.walk[start:stop]
        self.chars += other.chars[start:stop]
        self.images += other.images[start:stop]

    def append(self, numbers: MessageSize) -> None:
        """The sizes of the next message."""
        self.walk.append(numbers.walk)
        self.chars.append(numbers.chars)
        self.images.append(numbers.images)

    def put(self, index: int, numbers: MessageSize) -> None:
        """Other sizes of a message."""
        self.walk[index], self.chars[index], self.images[index] = numbers

    def of(self, index: int) -> MessageSize:
        """The sizes of a message."""
        return MessageSize(self.walk[index], self.chars[index], self.images[index])


#: Flags of a message as bits: see MessageStats.
CALLS, SHORT, HANDOFF, ERASABLE, SPEAKS = 1, 2, 4, 8, 16
_IS_SET = {
    flag: bytes(int(bool(flags & flag)) for flags in range(256))
    for flag in (CALLS, SHORT, HANDOFF, ERASABLE, SPEAKS)
}


class ListStats:
    """The stats of a list as columns: some 80 bytes a message.

    `short` and `repeated` are the sizes as they stand where a message's stats have None; `same` is -1 there.
    """

    def __init__(self) -> None:
        self.roles = bytearray()
        self.flags = bytearray()
        self.same = array("q")
        self.now, self.short, self.repeated = Sizes(), Sizes(), Sizes()

    def __len__(self) -> int:
        return len(self.roles)

    def append(self, found: MessageStats) -> None:
        """The next message."""
        self.roles.append(found.role)
        self.flags.append(
            found.calls * CALLS
            | (found.short is not None) * SHORT
            | found.handoff * HANDOFF
            | found.erasable * ERASABLE
            | found.speaks * SPEAKS
        )
        self.same.append(-1 if found.same is None else int.from_bytes(found.same))
        self.now.append(found.now)
        self.short.append(found.short or found.now)
        self.repeated.append(found.repeated or found.now)

    def extend(self, other: ListStats, start: int, stop: int) -> None:
        """[start:stop] of another list come next."""
        self.roles += other.roles[start:stop]
        self.flags += other.flags[start:stop]
        self.same += other.same[start:stop]
        self.now.extend(other.now, start, stop)
        self.short.extend(other.short, start, stop)
        self.repeated.extend(other.repeated, start, stop)

    def with_flag(self, flag: int) -> bytes:
        """1 for messages with a flag set, 0 for the others."""
        return bytes(self.flags.translate(_IS_SET[flag]))

    def shorten(self, index: int, short: MessageSize) -> None:
        """A message has this size after pruning."""
        self.flags[index] |= SHORT
        self.short.put(index, short)
