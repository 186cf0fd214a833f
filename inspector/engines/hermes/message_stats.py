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

    `now` is its current size. `short` is its size after pruning, None if pruning leaves it unchanged. `same` is a later
    result with the same text, and `repeated` the size of a reference to it. `role` is a code of
    inspector.core.conversations, 5 if the key is missing. `calls`: it makes tool calls. `speaks`: it is an assistant's
    message with text.
    `handoff`: the release takes it for a summary. `erasable`: pruning would remove this sign of a summary.
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

    @property
    def columns(self) -> tuple[array[int], array[int], array[int]]:
        """The columns in the order of MessageSize."""
        return self.walk, self.chars, self.images

    def extend(self, other: Sizes, start: int, stop: int) -> None:
        """Append the sizes of [start:stop] of another list."""
        for own, more in zip(self.columns, other.columns, strict=True):
            own.extend(more[start:stop])

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


#: The part of a handoff that a message is.
NO_HANDOFF, HANDOFF, ERASABLE = 0, 1, 2
_COLUMNS = ("roles", "calls", "speaking", "shorts", "hands", "same")


class ListStats:
    """The stats of a list as columns: some 80 bytes a message.

    `speaking` marks assistants with text, `shorts` messages that pruning shortens, `hands` the parts of a handoff.
    `short` and `repeated` are the final sizes if a message's stats have None; `same` is -1 there.
    """

    def __init__(self) -> None:
        self.roles, self.calls, self.speaking = bytearray(), bytearray(), bytearray()
        self.shorts, self.hands, self.same = bytearray(), bytearray(), array("q")
        self.now, self.short, self.repeated = Sizes(), Sizes(), Sizes()

    def __len__(self) -> int:
        return len(self.roles)

    def append(self, found: MessageStats) -> None:
        """The next message."""
        self.roles.append(found.role)
        self.calls.append(found.calls)
        self.speaking.append(found.speaks and found.role == ASSISTANT)
        self.shorts.append(found.short is not None)
        self.hands.append(ERASABLE if found.erasable else HANDOFF if found.handoff else NO_HANDOFF)
        self.same.append(-1 if found.same is None else int.from_bytes(found.same))
        self.now.append(found.now)
        self.short.append(found.short or found.now)
        self.repeated.append(found.repeated or found.now)

    def extend(self, other: ListStats, start: int, stop: int) -> None:
        """[start:stop] of another list come next."""
        for name in _COLUMNS:
            getattr(self, name).extend(getattr(other, name)[start:stop])
        self.now.extend(other.now, start, stop)
        self.short.extend(other.short, start, stop)
        self.repeated.extend(other.repeated, start, stop)

    def shorten(self, index: int, short: MessageSize) -> None:
        """A message has this size after pruning."""
        self.shorts[index] = 1
        self.short.put(index, short)
