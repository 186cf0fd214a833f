"""DeepSeek Harness' sessions (`~/.dsh/sessions/--<path>--/<session>/session*.jsonl`, mostly compressed by zstd).

Each record has a number (`seq`) and is appended to the list or replaces a range of it. A compaction replaces a range
by a checkpoint with the summary. A prune replaces a long result by a shorter one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.stores.dsh.forms import is_checkpoint, summary_text, wires_of
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.session_lists import SessionLists, SessionReader, SessionScanner
from inspector.stores.values import count_of, mapping_at, seconds_of, text_at, usage_of

#: The known formats of sessions.
_FORMATS = (0, 4)
_MESSAGES = frozenset({"user/message", "assistant/message", "tool/result"})


class DshReader(SessionReader):
    """Reads sessions; see Reader for the methods."""

    agent = "dsh"
    limits = (
        "DeepSeek Harness records no triggers and no sizes of compactions. Of a failed attempt it records only the "
        "error.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file begins with the line about the session; unlike pi's it has no `timestamp`."""
        first = head.first
        return first.get("type") == "session" and "createdAt" in first and "timestamp" not in first

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        return _Scanner(Entries(path, wires_of), shared=shared).run()


READER = DshReader


class _Scanner(SessionScanner, kw_only=True):
    #: Whether the session that seeded this session is known, so that copied compactions do not count.
    shared: bool
    #: The message of each record, and the shorter result that replaces a message.
    number_of: dict[int, int] = field(default_factory=dict)
    pruned: dict[int, int] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    #: Whether the records are still copies from another session, and their number if it is known.
    seeded: bool = False
    seed: int = 0

    def time_of(self, record: Mapping[str, Any]) -> float:
        return seconds_of(record.get("time") or record.get("createdAt"))

    def record(self, record: dict[str, Any], at: float) -> None:
        data, kind = mapping_at(record, "data"), text_at(record, "type")
        if 0 < self.seed <= (count_of(record, "seq") or 0):
            self.seeded = False
        if kind == "session":
            self.session, self.folder = text_at(record, "id"), text_at(record, "cwd")
            version = count_of(record, "version")
            self.version = str(version or "")
            if version not in (None, *_FORMATS):
                self.gaps.append(f"Format {version} of sessions is unknown, so the lists may be wrong.")
            names = "parentSessionId", "seededFrom", "parentSession"
            self.parent = next(filter(None, (text_at(record, name) for name in names)), "")
            self.seed = count_of(record, "seedLength") or 0
            self.seeded = record.get("isSeeded") is True or self.seed > 0
            if self.seeded:
                self.forked_from, self.copied = self.parent, record.get("origin") != "subagent"
            if self.copied:
                self.parent = ""
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
            # Formats before 4 have the system prompt here.
            self.prompt = text_at(data, "header", "system") or self.prompt
        elif kind == "compaction/summary":
            self.summary = data
            self._usage(f"summary {text_at(data, 'compactionId')}", data, at, summarizes=True)
        elif kind == "compaction/end" and (error := text_at(data, "error")) and not self._is_copy():
            self.fail(error, at)
        elif kind in _MESSAGES:
            self._message(record, data, at)

    def _message(self, record: dict[str, Any], data: Mapping[str, Any], at: float) -> None:
        seq = count_of(record, "seq")
        operation = mapping_at(record, "surfaceOp")
        checkpoint = is_checkpoint(data)
        wires = wires_of([record])
        if not operation and not checkpoint:
            (number,) = self.add(wires, at)
            if record.get("type") == "assistant/message":
                self._usage(text_at(data, "message", "id"), data, at)
        else:
            (number,) = self.make(wires, at, summary=checkpoint)
            # Formats before 4 name the range of an operation like the range of a summary.
            shadowed = operation or mapping_at(self.summary, "shadowedRange")
            start = count_of(shadowed, "startSeq" if "startSeq" in shadowed else "start")
            end = count_of(shadowed, "endSeq" if "endSeq" in shadowed else "end")
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
        if self._is_copy():
            self.lists = [after]
        else:
            self.names.append(text_at(self.summary, "compactionId") or str(len(self.lists)))
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
        if not self._is_copy():
            self.clear([place], at, trigger="auto", left=(remaining,))
        return pruned

    def _is_copy(self) -> bool:
        return self.shared and self.seeded

    def _usage(self, name: str, data: Mapping[str, Any], at: float, summarizes: bool = False) -> None:
        usage = mapping_at(data, "usage")
        if not self.seeded and usage:
            self.call(
                name, at, usage_of(usage, "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"),
                model=text_at(data, "message", "source", "model") or text_at(data, "model"), summarizes=summarizes,
            )  # fmt: skip
