"""DeepSeek Harness' sessions (`~/.dsh/sessions/--<path>--/<session>/session*.jsonl`, mostly compressed by zstd).

Each record has a number (`seq`) and is appended to the list or replaces a range of it. A compaction replaces a range
by a checkpoint with the summary. A prune replaces a long result by a shorter one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.stores.dsh.forms import CHECKPOINT, summary_text, wires_of
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.lines import count_of, mapping_at, seconds_of, text_at, usage_of
from inspector.stores.session_lists import SessionLists, SessionReader, SessionScanner

_MESSAGES = frozenset({"user/message", "assistant/message", "tool/result"})


class DshReader(SessionReader):
    """Reads sessions; see Reader for the methods."""

    agent = "dsh"
    limits = (
        "DeepSeek Harness records no triggers and no sizes of compactions, and only the error of a failed attempt.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file begins with the line about the session; unlike pi's it has no `timestamp`."""
        first = head.first
        return first.get("type") == "session" and "createdAt" in first and "timestamp" not in first

    def scan(self, path: Path, part: str) -> SessionLists:
        """Read the session of a file."""
        return _Scanner(Entries(path, wires_of)).run()


READER = DshReader


class _Scanner(SessionScanner):
    #: The message of each record, and the shorter result that replaces a message.
    number_of: dict[int, int] = field(default_factory=dict)
    pruned: dict[int, int] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    #: Whether the records are still copies from another session.
    seeded: bool = False

    def time_of(self, record: Mapping[str, Any]) -> float:
        return seconds_of(record.get("time") or record.get("createdAt"))

    def record(self, record: dict[str, Any], at: float) -> None:
        data, kind = mapping_at(record, "data"), text_at(record, "type")
        if kind == "session":
            self.session, self.folder = text_at(record, "id"), text_at(record, "cwd")
            self.version = str(count_of(record, "version") or "")
            self.parent = text_at(record, "parentSessionId") or text_at(record, "seededFrom")
            self.copied = self.seeded = record.get("isSeeded") is True
        elif kind == "session/title" and text_at(data, "source", "kind") != "fallback":
            self.title = text_at(data, "title") or self.title
        elif kind == "session/end-seed":
            self.seeded = False
        elif kind == "system/message":
            message = wires_of([{**record, "type": "user/message", "data": mapping_at(data, "message")}])
            self.prompt = str(message[0]["content"]) if message else self.prompt
        elif kind == "request/context":
            self.window = count_of(data, "contextWindow") or self.window
            self.model = text_at(data, "model") or self.model
            self.provider = text_at(data, "provider") or self.provider
        elif kind == "request/header":
            self.max_tokens = count_of(mapping_at(data, "header", "config"), "maxTokens")
        elif kind == "compaction/summary":
            self.summary = data
            self._usage(f"summary {text_at(data, 'compactionId')}", data, at, summarizes=True)
        elif kind == "compaction/end" and (error := text_at(data, "error")):
            self.fail(error, at)
        elif kind in _MESSAGES:
            self._message(record, data, at)

    def _message(self, record: dict[str, Any], data: Mapping[str, Any], at: float) -> None:
        seq = count_of(record, "seq")
        operation = mapping_at(record, "surfaceOp")
        checkpoint = text_at(data, "source", "kind") == CHECKPOINT
        wires = wires_of([record])
        if not operation and not checkpoint:
            (number,) = self.add(wires, at)
            if record.get("type") == "assistant/message":
                self._usage(text_at(data, "message", "id"), data, at)
        else:
            (number,) = self.make(wires, at, summary=checkpoint)
            shadowed = mapping_at(self.summary, "shadowedRange")
            start = count_of(operation, "startSeq") if operation else count_of(shadowed, "start")
            end = count_of(operation, "endSeq") if operation else count_of(shadowed, "end")
            if checkpoint:
                self._compacted(number, start, end, at)
            else:
                number = self._prune(number, start, len(str(wires[0]["content"])), at)
        if seq is not None:
            self.number_of[seq] = number

    def _compacted(self, number: int, start: int | None, end: int | None, at: float) -> None:
        """Replace the records from `start` to `end` by the checkpoint."""
        first, last = self._place(start), self._place(end)
        is_known = first is not None and last is not None
        before = self.live[: first or 0] if is_known else []
        behind = self.live[(last or 0) + 1 :] if is_known else []
        after = [self.pruned.get(kept, kept) for kept in (*before, number, *behind)]
        note = "" if is_known else "The records that it names as replaced are not in the file."
        self.compact(after, number, at, text=summary_text(self.summary), note=note)
        self.summary = {}
        # From now on the list has the shorter results.
        shorter = {number: self.pruned[number] for number in (*before, *behind) if number in self.pruned}
        self.number_of = {seq: shorter.get(number, number) for seq, number in self.number_of.items()}

    def _place(self, seq: int | None) -> int | None:
        number = self.number_of.get(seq) if seq is not None else None
        return self.live.index(number) if number in self.live else None

    def _prune(self, number: int, start: int | None, remaining: int, at: float) -> int:
        """Replace a message by a shorter result. The list shows the message until the next compaction."""
        place = self._place(start)
        if place is None:
            self.live.append(number)
            return number
        pruned = self.live[place]
        self.pruned[pruned] = number
        self.hashes[number] = self.hashes.get(pruned, -pruned)
        self.clear([place], at, trigger="auto", left=(remaining,))
        return pruned

    def _usage(self, name: str, data: Mapping[str, Any], at: float, summarizes: bool = False) -> None:
        usage = mapping_at(data, "usage")
        if not self.seeded and usage:
            self.call(
                name, at, usage_of(usage, "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"),
                model=text_at(data, "message", "source", "model") or text_at(data, "model"), summarizes=summarizes,
            )  # fmt: skip
