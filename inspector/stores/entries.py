"""Messages in the lines of a file. Their places stay in memory; their texts are read on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from inspector.core.conversations import ROLE_NAMES, role_code
from inspector.core.messages import Message
from inspector.stores.lines import read_spans

Wire = dict[str, Any]
#: Makes one or more messages from some lines.
Convert = Callable[[list[dict[str, Any]]], list[Wire]]
#: Reads the records of a file at these places (start and length).
Fetch = Callable[[Path, list[tuple[int, int]]], list[dict[str, Any] | None]]

_CHANGED = "This message can no longer be read: its part of the file was changed."
_ODD_TIME = "Its recorded time is not a valid date, so it is not shown."
#: Names of the time in a record.
_TIMES = ("timestamp", "time", "createdAt")


class Entry(Struct):
    """A message: its lines, and its number among the messages in these lines."""

    lines: list[int]
    part: int
    role: int
    at: float
    summary: bool = False


class Entries(Struct):
    """The messages of a file, in order. `spans` are the lines (start and length in bytes)."""

    path: Path
    convert: Convert
    #: Returns the file with the full text of a message; "" if the message has its full text.
    full_text_file: Callable[[Wire], str] = lambda wire: ""
    #: Another function to read records, for files without one record per line.
    fetch: Fetch = read_spans
    spans: list[tuple[int, int]] = field(default_factory=list)
    items: list[Entry] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.items)

    def add(self, wires: Sequence[Wire], at: float, summary: bool = False) -> tuple[int, ...]:
        """Add the messages that begin in the last line, and return their numbers."""
        first = len(self.items)
        line = len(self.spans) - 1
        for part, wire in enumerate(wires):
            self.items.append(Entry([line], part, role_code(wire["role"]), at, summary))
        return tuple(range(first, len(self.items)))

    def extend(self, number: int) -> None:
        """Add the last line to an earlier message."""
        self.items[number].lines.append(len(self.spans) - 1)

    def bodies(self, numbers: Sequence[int], session: str = "", first: int = 0) -> dict[int, Message]:
        """Read messages by number. `first` is the id of the first message of the file. Raises StoreErrors."""
        wanted = sorted({line for number in numbers for line in self.items[number].lines})
        values = dict(zip(wanted, self.fetch(self.path, [self.spans[at] for at in wanted]), strict=True))
        converted: dict[tuple[int, ...], list[Wire]] = {}
        messages: dict[int, Message] = {}
        for number in numbers:
            entry = self.items[number]
            key = tuple(entry.lines)
            if key not in converted:
                records = [value for at in key if (value := values[at]) is not None]
                converted[key] = self.convert(records) if records else []
            wires = converted[key]
            if entry.part < len(wires):
                wire = wires[entry.part]
                odd = not entry.at and any((values[at] or {}).get(name) for at in key for name in _TIMES)
                messages[number] = Message(
                    wire,
                    first + number,
                    session,
                    entry.at,
                    summary=entry.summary,
                    whole=self.full_text_file(wire),
                    note=_ODD_TIME if odd else "",
                )
            else:
                wire = {"role": ROLE_NAMES[entry.role], "content": ""}
                messages[number] = Message(wire, first + number, session, entry.at, note=_CHANGED)
        return messages
