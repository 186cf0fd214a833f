"""DeepSeek Harness' sessions (`~/.dsh/sessions/--<path>--/<session>/session*.jsonl`, mostly compressed by zstd).

Each record has a number (`seq`) and is appended to the list or replaces a range of it. A compaction replaces a range
by a checkpoint with the summary. A prune replaces a long result by a shorter one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.stores.dsh.forms import CHECKPOINT, summary_text, wires_of
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.lines import count_of, mapping_at, read_lines, seconds_of, text_at, usage_of
from inspector.stores.session_lists import SessionLists, SessionReader

_MESSAGES = frozenset({"user/message", "assistant/message", "tool/result"})


class DshReader(SessionReader):
    """Reads sessions; see Reader for the methods."""

    agent = "dsh"
    limits = (
        "DeepSeek Harness records no triggers and no sizes of compactions. Of a failed attempt it records the error, "
        "not the request.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file begins with the line about the session; unlike pi's it has no `timestamp`."""
        first = head.first
        return first.get("type") == "session" and "createdAt" in first and "timestamp" not in first

    def scan(self, path: Path, part: str) -> SessionLists:
        """Read the session of a file."""
        return _Scanner(path).run()


READER = DshReader


class _Scanner:
    def __init__(self, path: Path) -> None:
        self.session = SessionLists(Entries(path, wires_of))
        #: The message of each record, and the shorter result that replaces a message.
        self.number_of: dict[int, int] = {}
        self.pruned: dict[int, int] = {}
        self.summary: Mapping[str, Any] = {}
        #: Records before the end of the seed were copied from another session.
        self.seeded = False

    def run(self) -> SessionLists:
        session = self.session
        for record in session.records(read_lines(session.entries.path)):
            at = seconds_of(record.get("time") or record.get("createdAt"))
            session.seen(at)
            self._record(record, mapping_at(record, "data"), at)
        return session

    def _record(self, record: dict[str, Any], data: Mapping[str, Any], at: float) -> None:
        session, kind = self.session, text_at(record, "type")
        if kind == "session":
            session.session, session.folder = text_at(record, "id"), text_at(record, "cwd")
            session.version = str(count_of(record, "version") or "")
            session.parent = text_at(record, "parentSessionId") or text_at(record, "seededFrom")
            session.copied = self.seeded = record.get("isSeeded") is True
        elif kind == "session/title" and text_at(data, "source", "kind") != "fallback":
            session.title = text_at(data, "title") or session.title
        elif kind == "session/end-seed":
            self.seeded = False
        elif kind == "system/message":
            message = wires_of([{**record, "type": "user/message", "data": mapping_at(data, "message")}])
            session.prompt = str(message[0]["content"]) if message else session.prompt
        elif kind == "request/context":
            session.window = count_of(data, "contextWindow") or session.window
            session.model = text_at(data, "model") or session.model
            session.provider = text_at(data, "provider") or session.provider
        elif kind == "request/header":
            session.max_tokens = count_of(mapping_at(data, "header", "config"), "maxTokens")
        elif kind == "compaction/summary":
            self.summary = data
            self._usage(f"summary {text_at(data, 'compactionId')}", data, at, summarizes=True)
        elif kind == "compaction/end" and (error := text_at(data, "error")):
            session.fail(error, at)
        elif kind in _MESSAGES:
            self._message(record, data, at)

    def _message(self, record: dict[str, Any], data: Mapping[str, Any], at: float) -> None:
        session, seq = self.session, count_of(record, "seq")
        operation = mapping_at(record, "surfaceOp")
        checkpoint = text_at(data, "source", "kind") == CHECKPOINT
        wires = wires_of([record])
        if not operation and not checkpoint:
            (number,) = session.add(wires, at)
            if record.get("type") == "assistant/message":
                self._usage(text_at(data, "message", "id"), data, at)
        else:
            (number,) = session.make(wires, at, summary=checkpoint)
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
        session = self.session
        first, last = self._place(start), self._place(end)
        known = first is not None and last is not None
        before = session.live[: first or 0] if known else []
        behind = session.live[(last or 0) + 1 :] if known else []
        after = [self.pruned.get(one, one) for one in (*before, number, *behind)]
        note = "" if known else "The records that it names as replaced are not in the file."
        session.compact(after, number, at, text=summary_text(self.summary), note=note)
        self.summary = {}
        for one in (*before, *behind):
            # A record is found by its number, or by the number of the shorter result that replaces it.
            if one in self.pruned:
                self.number_of.update(
                    (seq, self.pruned[one]) for seq, made in [*self.number_of.items()] if made == one
                )

    def _place(self, seq: int | None) -> int | None:
        number = self.number_of.get(seq) if seq is not None else None
        return self.session.live.index(number) if number in self.session.live else None

    def _prune(self, number: int, start: int | None, left: int, at: float) -> int:
        """Replace a message by a shorter result. The list shows the message until the next compaction."""
        session, place = self.session, self._place(start)
        if place is None:
            session.live.append(number)
            return number
        pruned = session.live[place]
        self.pruned[pruned] = number
        session.hashes[number] = session.hashes.get(pruned, -pruned)
        session.clear([place], at, trigger="auto", left=(left,))
        return pruned

    def _usage(self, name: str, data: Mapping[str, Any], at: float, summarizes: bool = False) -> None:
        usage = mapping_at(data, "usage")
        if not self.seeded and usage:
            self.session.call(
                name, at, usage_of(usage, "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"),
                model=text_at(data, "message", "source", "model") or text_at(data, "model"), summarizes=summarizes,
            )  # fmt: skip
