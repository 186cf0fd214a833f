"""Kimi CLI's sessions (`~/.kimi/sessions/<folder>/<session>/`).

`context.jsonl` is the current list. A compaction moves it to `context_1.jsonl`, `context_2.jsonl`, ... and begins
it again with the summary. Going back and clearing move it too. Times and usage are in `wire.jsonl`.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.core.conversations import ROLE_NAMES
from inspector.core.errors import StoreError
from inspector.core.shares import plural
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.kimi.forms import summary_in, wires_of
from inspector.stores.lines import (
    count_of,
    mapping,
    mapping_at,
    read_lines,
    read_spans,
    seconds_of,
    text_at,
    usage_of,
)
from inspector.stores.recorded import FileDigest
from inspector.stores.session_lists import SessionLists, SessionReader

_MAIN = "context.jsonl"
_EARLIER = re.compile(r"context_(\d+)\.jsonl")
#: A place in several files: the place in a file, with the number of the file above these bits.
_BITS = 44


class KimiReader(SessionReader):
    """See Reader for the methods."""

    agent = "kimi"
    limits = (
        "Kimi CLI does not record the model, what started a compaction, the sizes before and after it, and the request "
        "for the summary.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file is a context of Kimi CLI, the live one or an earlier one."""
        return text_at(head.first, "role") in ("_system_prompt", "_checkpoint", "_usage")

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return the digest of a session's folder. Earlier contexts belong to the live context."""
        if path.name != _MAIN and path.with_name(_MAIN).exists():
            return ()
        return super().digests(path)

    def scan(self, path: Path, part: str) -> SessionLists:
        """Return the session with this live context."""
        files = [*_earlier_contexts(path), path] if path.name == _MAIN else [path]
        return _Scanner(Entries(path, wires_of, fetch=partial(_fetch, files)), files=files).run()


READER = KimiReader


class _Scanner(SessionLists, kw_only=True):
    files: Sequence[Path]
    #: Times of the messages by role, for the list before each compaction and the last list.
    times: list[dict[str, deque[float]]] = field(default_factory=lambda: [{}])
    #: Times of the compactions.
    ends: list[float] = field(default_factory=list)
    #: How often the list was cleared or rewound.
    moved: int = 0

    def run(self) -> SessionLists:
        path = self.entries.path
        self.session = path.parent.name if path.name == _MAIN else path.stem
        self._read_wire(path.with_name("wire.jsonl"))
        for number, file in enumerate(self.files):
            self._read_context(number, file)
        state = _document(path.with_name("state.json"))
        title = text_at(state, "custom_title")
        # A shortened title is only the beginning of the first words.
        self.title = "" if title.endswith("…") else title
        self.folder = _folder(path)
        if self.moved:
            self.notes.append(
                f"The list was cleared or rewound {plural(self.moved, 'time')}; removed messages are in no list."
            )
        return self

    def _read_context(self, number: int, file: Path) -> None:
        """Read a file: the list after a compaction, or the list again after the user went back."""
        numbers: list[int] = []
        summary: tuple[int, str] | None = None
        # Number of messages that the compaction wrote: those before the first count of tokens.
        written: int | None = None
        for line in read_lines(file):
            if line.value is None:
                self.unreadable += 1
                continue
            if line.value.get("role") == "_system_prompt":
                self.prompt = text_at(line.value, "content")
                continue
            if line.value.get("role") == "_usage" and written is None:
                written = len(numbers)
            self.begin_record((number << _BITS) + line.start, line.length)
            wires = wires_of([line.value])
            text = summary_in(line.value)
            numbers_of_line = self.make(wires, 0.0, summary=text is not None)
            if text is None:
                self.note_first_words(wires)
            else:
                summary = (numbers_of_line[0], text)
            numbers += numbers_of_line
        first = number == 0
        if summary is not None and not first and self.live:
            ended = len(self.lists) - 1
            at = self.ends[ended] if ended < len(self.ends) else 0.0
            self.compact(numbers[:written], summary[0], at, text=summary[1])
            self.live.extend(numbers[len(self.live) :])
        else:
            if not first:
                self.moved += 1
            self.lists[-1] = numbers
        self._set_times(numbers, len(self.lists))

    def _set_times(self, numbers: list[int], generation: int) -> None:
        """Set the times of a list's messages from the wire, newest first. Copies of earlier messages get no time."""
        times = self.times[generation - 1] if generation <= len(self.times) else {}
        times_left = {role: list(queue) for role, queue in times.items()}
        for number in reversed(numbers):
            entry = self.entries.items[number]
            queue = times_left.get(ROLE_NAMES[entry.role])
            if queue and not entry.summary:
                entry.at = queue.pop()

    def _read_wire(self, path: Path) -> None:
        """Read times and usage of the session."""
        for at, kind, payload in _messages(path):
            self.note_time(at)
            times = self.times[-1]
            if kind == "CompactionEnd":
                self.ends.append(at)
                self.times.append({})
            elif kind == "TurnBegin":
                times.setdefault("user", deque()).append(at)
            elif kind == "ToolResult":
                times.setdefault("tool", deque()).append(at)
            elif kind == "StatusUpdate":
                usage = mapping_at(payload, "token_usage")
                self.window = count_of(payload, "max_context_tokens") or self.window
                if usage:
                    times.setdefault("assistant", deque()).append(at)
                    names = "input_other", "output", "input_cache_read", "input_cache_creation"
                    name, generation = text_at(payload, "message_id"), len(self.times)
                    self.call(name, at, usage_of(usage, *names), generation=generation)


def _fetch(files: Sequence[Path], path: Path, places: list[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the records at these places of the files."""
    lines: list[dict[str, Any] | None] = []
    for place, length in places:
        file, start = files[place >> _BITS], place & ((1 << _BITS) - 1)
        lines += read_spans(file, [(start, length)])
    return lines


def _messages(path: Path) -> Iterator[tuple[float, str, dict[str, Any]]]:
    """Yield the time, type and payload of each record of the wire; nothing if the file is missing."""
    try:
        for line in read_lines(path):
            message = mapping_at(line.value or {}, "message")
            payload = message.get("payload")
            yield (
                seconds_of((line.value or {}).get("timestamp")),
                text_at(message, "type"),
                (payload if isinstance(payload, dict) else {}),
            )
    except StoreError:
        return


def _earlier_contexts(path: Path) -> list[Path]:
    matches = ((_EARLIER.fullmatch(other.name), other) for other in path.parent.iterdir())
    return [other for _, other in sorted((int(match[1]), other) for match, other in matches if match)]


def _document(path: Path) -> dict[str, Any]:
    try:
        return mapping(path.read_bytes()) or {}
    except OSError:
        return {}


def _folder(path: Path) -> str:
    """Return the project's folder. A hash of it names the session's folder, and `kimi.json` lists the folders."""
    if len(path.parents) < 4:
        return ""
    folders = _document(path.parents[3] / "kimi.json").get("work_dirs")
    for entry in folders if isinstance(folders, list) else ():
        folder = text_at(entry, "path") if isinstance(entry, dict) else ""
        if folder and hashlib.md5(folder.encode(), usedforsecurity=False).hexdigest() == path.parents[1].name:
            return folder
    return ""
