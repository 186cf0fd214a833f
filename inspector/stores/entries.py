"""Messages in the lines of a file: their places stay in memory, and their texts are read on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from inspector.core.conversations import ROLE_CODES, ROLE_NAMES
from inspector.core.messages import Message
from inspector.stores.lines import read_spans

Wire = dict[str, Any]
#: Makes messages of some lines, at least one.
Convert = Callable[[list[dict[str, Any]]], list[Wire]]
#: The records at these places of a file.
Fetch = Callable[[Path, list[tuple[int, int]]], list[dict[str, Any] | None]]

_OTHER = len(ROLE_NAMES) - 1
_CHANGED = "This message cannot be read any more: the file was changed in another way than by going on."
_ODD_TIME = "Its recorded time is not one that a calendar has, so it is not shown."
#: Names of the time in a record.
_TIMES = ("timestamp", "time", "createdAt")


class Entry(Struct):
    """A message: its lines, and its number among the messages of these lines."""

    lines: list[int]
    part: int
    role: int
    at: float
    summary: bool = False


class Entries(Struct):
    """The messages of a file, in order. `spans` are the lines (start and length in bytes)."""

    path: Path
    convert: Convert
    #: The file with the whole of a message's text, "" for most.
    whole: Callable[[Wire], str] = lambda wire: ""
    #: Reads the records at some places, if the places are not bytes of a file of lines.
    fetch: Fetch = read_spans
    spans: list[tuple[int, int]] = field(default_factory=list)
    found: list[Entry] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.found)

    def add(self, wires: Sequence[Wire], at: float, summary: bool = False) -> tuple[int, ...]:
        """Add the messages that begin in the last line, and return their numbers."""
        first = len(self.found)
        here = len(self.spans) - 1
        for part, wire in enumerate(wires):
            self.found.append(Entry([here], part, ROLE_CODES.get(wire["role"], _OTHER), at, summary))
        return tuple(range(first, len(self.found)))

    def extend(self, number: int) -> None:
        """The last line belongs to that message too."""
        self.found[number].lines.append(len(self.spans) - 1)

    def bodies(self, numbers: Sequence[int], session: str = "", first: int = 0) -> dict[int, Message]:
        """The messages of these numbers, as messages of a session; `first` is the id of the first message of the file.
        Raises StoreErrors."""
        wanted = sorted({line for number in numbers for line in self.found[number].lines})
        values = dict(zip(wanted, self.fetch(self.path, [self.spans[at] for at in wanted]), strict=True))
        made: dict[tuple[int, ...], list[Wire]] = {}
        answer: dict[int, Message] = {}
        for number in numbers:
            entry = self.found[number]
            key = tuple(entry.lines)
            if key not in made:
                known = [value for at in key if (value := values[at]) is not None]
                made[key] = self.convert(known) if known else []
            wires = made[key]
            if entry.part < len(wires):
                wire = wires[entry.part]
                odd = not entry.at and any((values[at] or {}).get(name) for at in key for name in _TIMES)
                answer[number] = Message(
                    wire,
                    first + number,
                    session,
                    entry.at,
                    summary=entry.summary,
                    whole=self.whole(wire),
                    note=_ODD_TIME if odd else "",
                )
            else:
                wire = {"role": ROLE_NAMES[entry.role], "content": ""}
                answer[number] = Message(wire, first + number, session, entry.at, note=_CHANGED)
        return answer
