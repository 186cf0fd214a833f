"""Gemini CLI's sessions (`~/.gemini/tmp/<project>/chats/session-*.jsonl`, older ones `.json`).

Records are messages, and changes (`$set`) that replace the whole list. A change is a compaction if its second message
is a snapshot of the state. When a session is resumed, a change repeats the same list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.stores.entries import Entries, Wire
from inspector.stores.gemini.forms import SNAPSHOT, message_wires, messages_in, wires_of
from inspector.stores.head import Head
from inspector.stores.lines import Line, mapping, read_file, seconds_of, text_at, usage_of
from inspector.stores.session_lists import SessionLists, SessionReader, SessionScanner, hash_of


class GeminiReader(SessionReader):
    """See Reader for the methods."""

    agent = "gemini"
    limits = (
        "Gemini CLI records neither what started a compaction nor its sizes, nor the requests for the summary. The "
        "system prompt and the tools are not recorded.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file begins with Gemini's line about the session, or is an older document of one."""
        if {"sessionId", "projectHash"} <= head.first.keys():
            return True
        start = head.raw[:4096]
        return start.lstrip().startswith(b"{") and b'"projectHash"' in start and b'"sessionId"' in start

    def scan(self, path: Path, part: str) -> SessionLists:
        """Return the session of a file."""
        return _Scanner(Entries(path, wires_of)).run()


READER = GeminiReader


class _Scanner(SessionScanner):
    #: The numbers of each message by name, the names of snapshots, and the first of equal messages by hash.
    numbers_of: dict[str, tuple[int, ...]] = field(default_factory=dict)
    snapshots: set[str] = field(default_factory=set)
    first_equal: dict[int, int] = field(default_factory=dict)
    #: Calls with results in the answer.
    answered: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)

    def read(self, path: Path) -> Iterable[Line]:
        if path.suffix != ".json":
            return super().read(path)
        # An older file is one document.
        raw = read_file(path)
        return [Line(0, len(raw), mapping(raw))]

    def record(self, value: dict[str, Any], at: float) -> None:
        if text_at(value, "sessionId"):
            self.session = self.session or text_at(value, "sessionId")
            self.note_time(seconds_of(value.get("startTime")))
            self.parent = text_at(value, "parentSessionId")
        messages = messages_in(value)
        if messages is not None:
            self._replace(messages)
        elif "type" in value:
            self._message(value, at)

    def _message(self, message: dict[str, Any], at: float) -> None:
        name = text_at(message, "id")
        self._usage(message, name, at)
        wires = message_wires(message)
        numbers_before = self.numbers_of.get(name)
        if numbers_before and message.get("type") == "gemini":
            # The same answer again, now with its calls.
            self.entries.extend(numbers_before[0])
            self.hashes[numbers_before[0]] = hash_of(wires[0])
            self._note_equal(wires[:1], numbers_before[:1])
            numbers = self.entries.add(wires, at)[1:]
            # The first message is the answer, which is already in the list.
            self.hashes.update(zip(numbers, map(hash_of, wires[1:]), strict=True))
            self.live.extend(numbers)
            self._note_equal(wires[1:], numbers)
            self.numbers_of[name] = (*numbers_before, *numbers)
        else:
            results = [wire for wire in wires if wire["role"] == "tool"]
            if results and all(wire["tool_call_id"] in self.answered for wire in results):
                return
            numbers = self.add(wires, at)
            self._note_equal(wires, numbers)
            self.numbers_of[name] = numbers
        self.answered.update(wire["tool_call_id"] for wire in wires if wire["role"] == "tool")

    def _note_equal(self, wires: Sequence[Wire], numbers: Sequence[int]) -> None:
        self.first_equal.update(zip(map(hash_of, wires), numbers, strict=True))

    def _replace(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Replace the live list. A message that equals an earlier message is the same message."""
        numbers: list[int] = []
        summary: tuple[int, str, float] | None = None
        place = 0
        for message in messages:
            wires, name = message_wires(message), text_at(message, "id")
            at = seconds_of(message.get("timestamp"))
            self.note_time(at)
            self._usage(message, name, at)
            fresh = self.make(wires, at)
            for wire, number in zip(wires, fresh, strict=True):
                # All messages of the change are parts of one record.
                self.entries.items[number].part = place
                place += 1
                earlier = self.first_equal.setdefault(hash_of(wire), number)
                numbers.append(earlier)
                text = wire["content"]
                if wire["role"] == "user" and isinstance(text, str) and text.lstrip().startswith(SNAPSHOT):
                    self.entries.items[number].summary = True
                    if name not in self.snapshots:
                        summary = (earlier, text, at)
                    self.snapshots.add(name)
        if summary is None:
            self.lists[-1] = numbers
            self.note_first_words(wire for message in messages for wire in message_wires(message))
            return
        number, text, at = summary
        self.compact(numbers, number, at, text=text)

    def _usage(self, message: Mapping[str, Any], name: str, at: float) -> None:
        """Add an answer's usage once, also if the answer is written several times."""
        usage = message.get("tokens")
        if not isinstance(usage, dict) or name in self.counted:
            return
        self.counted.add(name)
        self.model = text_at(message, "model") or self.model
        tokens = usage_of(usage, "input", "output", "cached", thoughts="thoughts", input_has_cache=True)
        self.call(name, at, tokens)
