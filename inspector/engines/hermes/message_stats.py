"""Stats of a message without its text, and columns of stats for a list."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import NamedTuple

from inspector.core.conversations import ASSISTANT
from inspector.engines.sizes import MessageSize

#: Code of a message without the key `role`.
NO_ROLE = 5

#: Errors that the release would raise, by phase: (index, exception name).
Troubles = Mapping[str, list[tuple[int, str]]]


class MessageStats(NamedTuple):
    """A message without its text.

    `role` is a code of inspector.core.conversations, NO_ROLE if the key is missing. `calls`: it makes tool calls. `now`
    is its current size, `short` its size after pruning, None if pruning leaves it unchanged. `digest` is the hash of a
    result's text, None if repetitions are not replaced; `repeated` is its size as a reference to a later result with
    this text. `handoff`: the release takes it for a summary. `erasable`: pruning would remove this sign of a summary.
    `has_text`: it is an assistant's message with text.
    """

    role: int
    calls: bool
    now: MessageSize
    short: MessageSize | None = None
    repeated: MessageSize | None = None
    digest: bytes | None = None
    handoff: bool = False
    erasable: bool = False
    has_text: bool = False


class Sizes:
    """The sizes of messages, one column for each kind of size."""

    __slots__ = ("chars", "images", "walk")

    def __init__(self) -> None:
        self.walk, self.chars, self.images = array("q"), array("q"), array("q")

    @property
    def columns(self) -> tuple[array[int], array[int], array[int]]:
        """The columns in the order of MessageSize."""
        return self.walk, self.chars, self.images

    def extend(self, other: Sizes, start: int, stop: int) -> None:
        """Append the sizes of [start:stop] of another list."""
        for column, more in zip(self.columns, other.columns, strict=True):
            column.extend(more[start:stop])

    def append(self, numbers: MessageSize) -> None:
        """Append the sizes of the next message."""
        self.walk.append(numbers.walk)
        self.chars.append(numbers.chars)
        self.images.append(numbers.images)

    def replace(self, index: int, numbers: MessageSize) -> None:
        """Replace the sizes of a message."""
        self.walk[index], self.chars[index], self.images[index] = numbers

    def of(self, index: int) -> MessageSize:
        """Return the sizes of a message."""
        return MessageSize(self.walk[index], self.chars[index], self.images[index])


#: The part of a handoff that a message is.
NO_HANDOFF, HANDOFF, ERASABLE = 0, 1, 2
_COLUMNS = ("roles", "calls", "speaking", "shorts", "hands", "digests")


class ListStats:
    """The stats of a list as columns: some 80 bytes a message.

    `speaking` marks assistants with text, `shorts` messages that pruning shortens, `hands` the parts of a handoff.
    `short` and `repeated` are the final sizes if a message's stats have None; `digests` is -1 there.
    """

    def __init__(self) -> None:
        self.roles, self.calls, self.speaking = bytearray(), bytearray(), bytearray()
        self.shorts, self.hands, self.digests = bytearray(), bytearray(), array("q")
        self.now, self.short, self.repeated = Sizes(), Sizes(), Sizes()

    def __len__(self) -> int:
        return len(self.roles)

    def append(self, stats: MessageStats) -> None:
        """Append the next message."""
        self.roles.append(stats.role)
        self.calls.append(stats.calls)
        self.speaking.append(stats.has_text and stats.role == ASSISTANT)
        self.shorts.append(stats.short is not None)
        self.hands.append(ERASABLE if stats.erasable else HANDOFF if stats.handoff else NO_HANDOFF)
        self.digests.append(-1 if stats.digest is None else int.from_bytes(stats.digest))
        self.now.append(stats.now)
        self.short.append(stats.short or stats.now)
        self.repeated.append(stats.repeated or stats.now)

    def extend(self, other: ListStats, start: int, stop: int) -> None:
        """Append the messages [start:stop] of another list."""
        for name in _COLUMNS:
            getattr(self, name).extend(getattr(other, name)[start:stop])
        self.now.extend(other.now, start, stop)
        self.short.extend(other.short, start, stop)
        self.repeated.extend(other.repeated, start, stop)

    def shorten(self, index: int, short: MessageSize) -> None:
        """Set the size of a message after pruning."""
        self.shorts[index] = 1
        self.short.replace(index, short)
