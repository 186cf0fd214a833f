"""Gemini CLI's sessions (`~/.gemini/tmp/<project>/chats/session-*.jsonl`, older ones `.json`).

Records are messages, and changes (`$set`) that replace the whole list. A change is a compaction if a message of the
user in it is a new snapshot of the state. When a session is resumed, a change repeats the same list. Other changes
shorten results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.stores.assembly import CUT, named
from inspector.stores.entries import Entries, Wire
from inspector.stores.gemini.forms import SNAPSHOT, message_wires, messages_in, wires_of
from inspector.stores.head import Head
from inspector.stores.index import FileDigest, FileIndex
from inspector.stores.lines import Line, first_mappings, head_of, mapping, read_file
from inspector.stores.recorded import Source
from inspector.stores.session_lists import SessionLists, SessionReader, SessionScanner, hash_of
from inspector.stores.values import mapping_at, seconds_of, text_at, usage_of

#: Keys of the line about the session, and of records that change the list; types of messages.
_SESSION = {"sessionId", "projectHash"}
_CHANGES = {"$set", "$rewindTo"}
_MESSAGES = {"user", "gemini", "info", "warning", "error"}


class GeminiReader(SessionReader):
    """See Reader for the methods."""

    agent = "gemini"
    limits = (
        "Gemini CLI records neither what started a compaction nor its sizes, nor the requests for the summary. The "
        "system prompt and the tools are not recorded.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file begins with Gemini's line about the session, or with records after a lost beginning,
        or is an older document of a session."""
        if head.first.keys() >= _SESSION:
            return True
        if head.mappings and all(map(_is_record, head.mappings)):
            return any(value.keys() & _CHANGES or value.get("type") == "gemini" for value in head.mappings)
        start = head.raw[:4096]
        return start.lstrip().startswith(b"{") and b'"projectHash"' in start and b'"sessionId"' in start

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        return _Scanner(Entries(path, wires_of)).run()

    def sources(self, digests: Sequence[FileDigest], memory: FileIndex | None = None) -> tuple[Source, ...]:
        """Return a conversation for each session.

        Earlier releases gave all lists of one run of the program the same id. The last main list keeps it, and the
        others are named after their files.
        """
        # A resume begins another file with only the context, and then goes on in the session's file.
        used = {digest.row.id for digest in digests if _has_work(digest)}
        # Two files of a list that began at the same time are copies.
        newest: dict[tuple[str, float], FileDigest] = {}
        for digest in sorted(digests, key=lambda digest: digest.row.last_active):
            if _has_work(digest) or digest.row.id not in used:
                newest[digest.row.id, digest.row.started_at] = digest
        lists = sorted(newest.values(), key=lambda digest: digest.row.last_active)
        main = {digest.row.id: digest for digest in lists if digest.row.parent != digest.row.id}
        apart = (digest for digest in lists if digest is not main.get(digest.row.id))
        return super().sources((*main.values(), *map(_named_after_file, apart)), memory)


READER = GeminiReader


def _is_record(value: Mapping[str, Any]) -> bool:
    """Return whether a line is a message, a change of the list, or about the session, as a resume writes it again."""
    is_message = {"id", "timestamp", "content"} <= value.keys() and text_at(value, "type") in _MESSAGES
    return is_message or not _CHANGES.isdisjoint(value) or value.keys() >= _SESSION


def _named_after_file(digest: FileDigest) -> FileDigest:
    name = f"{digest.row.id}-{Path(digest.path).stem}"
    return digest._replace(row=digest.row._replace(**named(name, digest.row.parent)))


def _has_work(digest: FileDigest) -> bool:
    """Return whether a file has more than the context, which is one message without the user's words."""
    return bool(digest.row.title or digest.largest) or digest.row.messages > 1


class _Scanner(SessionScanner):
    #: By the id of a record, the numbers of its messages; the ids of snapshots; by key, the first of equal messages.
    numbers_of: dict[str, tuple[int, ...]] = field(default_factory=dict)
    snapshots: set[str] = field(default_factory=set)
    first_equal: dict[int, int] = field(default_factory=dict)
    #: For each message in the live list, the id of its record.
    names_in_list: list[str] = field(default_factory=list)
    #: By call, its newest result and the characters of it. By shortened result, the full result.
    newest_result: dict[str, tuple[int, int]] = field(default_factory=dict)
    full_result_of: dict[int, int] = field(default_factory=dict)
    counted_answers: set[str] = field(default_factory=set)
    #: The first time of each message by its name: a resume writes the list again with new times.
    times: dict[str, float] = field(default_factory=dict)

    def read(self, path: Path) -> Iterable[Line]:
        if path.suffix != ".json" and next(first_mappings(head_of(path)), None) is not None:
            return super().read(path)
        # An older file is one document.
        raw = read_file(path)
        return [Line(0, len(raw), mapping(raw))]

    def record(self, value: dict[str, Any], at: float) -> None:
        if len(self.entries.spans) == 1 and not text_at(value, "sessionId"):
            self.cut = CUT
        if text_at(value, "sessionId"):
            self.session = self.session or text_at(value, "sessionId")
            self.note_time(seconds_of(value.get("startTime")))
            self.parent = text_at(value, "parentSessionId")
            folder = self.entries.path.parent.name
            if not self.parent and text_at(value, "kind") == "subagent":
                # A sub-agent's file is in a folder named after the session that started it. Earlier it had its id.
                self.parent = self.session if folder == "chats" else folder
        messages = messages_in(value)
        if messages is not None:
            self._replace(messages, seconds_of(mapping_at(value, "$set").get("lastUpdated")))
        elif text_at(value, "$rewindTo"):
            self._rewind(text_at(value, "$rewindTo"))
        elif "type" in value:
            self._message(value, at)

    def _message(self, message: dict[str, Any], at: float) -> None:
        name = text_at(message, "id")
        self.times.setdefault(name, at)
        self._usage(message, name, at)
        wires = message_wires(message)
        numbers_before = self.numbers_of.get(name)
        if numbers_before and message.get("type") == "gemini":
            # The same answer again, now with more calls and results.
            self.entries.extend(numbers_before[0])
            numbers = (numbers_before[0], *self.entries.add(wires, at)[1:])
            self.hashes.update(zip(numbers, map(hash_of, wires), strict=True))
            self._remove(numbers_before[1:])
            self._append(wires[1:], numbers[1:], name)
        else:
            # An answer already has the results of its calls.
            new = [
                place
                for place, wire in enumerate(wires)
                if wire["role"] != "tool" or wire["tool_call_id"] not in self.newest_result
            ]
            all_numbers = self.make(wires, at) if new else ()
            wires, numbers = [wires[place] for place in new], tuple(all_numbers[place] for place in new)
            self.note_first_words(wires)
            self._append(wires, numbers, name)
        for wire, number in zip(wires, numbers, strict=True):
            self.first_equal.setdefault(_key(wire), number)
        self.numbers_of[name] = numbers

    def _append(self, wires: Sequence[Wire], numbers: Sequence[int], name: str) -> None:
        """Add messages with this name to the live list."""
        self.live.extend(numbers)
        self.names_in_list += [name] * len(numbers)
        self._note_results(wires, numbers)

    def _note_results(self, wires: Sequence[Wire], numbers: Sequence[int]) -> None:
        for wire, number in zip(wires, numbers, strict=True):
            if wire["role"] == "tool":
                self.newest_result[wire["tool_call_id"]] = (number, len(str(wire["content"])))

    def _remove(self, numbers: Sequence[int]) -> None:
        """Remove messages from the live list."""
        for place in reversed(range(len(self.live) if numbers else 0)):
            if self.live[place] in numbers:
                del self.live[place], self.names_in_list[place]

    def _rewind(self, name: str) -> None:
        """Remove the message with this name and all later messages from the live list; all if it is not there."""
        stop = self.names_in_list.index(name) if name in self.names_in_list else 0
        self.return_to(len(self.lists), stop)
        del self.names_in_list[stop:]

    def _replace(self, messages: Sequence[Mapping[str, Any]], at: float) -> None:
        """Replace the live list by the messages of a change. A message that equals an earlier message is that message.

        Of several equal messages in the live list, the last in the change is the last in the live list, and so on.
        A change without a new snapshot only shortens results. The list keeps the full results until the next
        compaction.
        """
        numbers: list[int] = []
        wires_in_list: list[Wire] = []
        names: list[str] = []
        #: Place, text and time of the new snapshot.
        summary: tuple[int, str, float] | None = None
        for message in messages:
            wires, name = message_wires(message), text_at(message, "id")
            written = seconds_of(message.get("timestamp"))
            self.note_time(written)
            if name:
                written = self.times.setdefault(name, written)
            self._usage(message, name, written)
            fresh = self.make(wires, written)
            for wire, number in zip(wires, fresh, strict=True):
                # All messages of the change are parts of one record.
                self.entries.items[number].part = len(numbers)
                text = wire["content"]
                if wire["role"] == "user" and isinstance(text, str) and text.lstrip().startswith(SNAPSHOT):
                    self.entries.items[number].summary = True
                    if name not in self.snapshots:
                        summary = (len(numbers), text, written)
                    self.snapshots.add(name)
                numbers.append(self.first_equal.setdefault(_key(wire), number))
                names.append(name)
            wires_in_list += wires
        equal: dict[int, list[int]] = {}
        for number in self.live:
            equal.setdefault(self.hashes[number], []).append(number)
        for place in reversed(range(len(numbers))):
            if same := equal.get(hash_of(wires_in_list[place])):
                numbers[place] = same.pop()
        if summary is None:
            self.note_first_words(wires_in_list)
            shortened = self._shortened(wires_in_list, numbers)
            self.lists[-1] = [self.full_result_of.get(number, number) for number in numbers]
            if shortened:
                self.clear(list(shortened), at, trigger="auto", left=tuple(shortened.values()))
        else:
            place, text, written = summary
            self.compact(numbers, numbers[place], written, text=text)
            self._note_results(wires_in_list, numbers)
        self.names_in_list = names

    def _shortened(self, wires: Sequence[Wire], numbers: Sequence[int]) -> dict[int, int]:
        """Return the remaining characters of the results that are newly shortened, by place in the list."""
        shortened, live = {}, set(self.live)
        for place, (wire, number) in enumerate(zip(wires, numbers, strict=True)):
            if wire["role"] != "tool" or number in self.full_result_of:
                continue
            remaining = len(str(wire["content"]))
            full, characters = self.newest_result.get(wire["tool_call_id"], (number, 0))
            if full in live and remaining < characters:
                self.full_result_of[number] = full
                self.hashes[number] = self.hashes[full]
                shortened[place] = remaining
        return shortened

    def _usage(self, message: Mapping[str, Any], name: str, at: float) -> None:
        """Add an answer's usage once, also if the answer is written several times."""
        usage = message.get("tokens")
        if not isinstance(usage, dict) or name in self.counted_answers:
            return
        self.counted_answers.add(name)
        self.model = text_at(message, "model") or self.model
        tokens = usage_of(usage, "input", "output", "cached", thoughts="thoughts", input_has_cache=True)
        self.call(name, at, tokens)


def _key(wire: Wire) -> int:
    """Return a number that is equal for equal messages; equal results of two calls are two messages."""
    return hash((hash_of(wire), wire.get("tool_call_id", "")))
