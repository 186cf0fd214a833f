"""Qwen Code's sessions (`~/.qwen/projects/<folder>/chats/<id>.jsonl`).

A compaction records the new list: the summary, a generated answer to it, recently read files with their whole content,
and the open call with its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from msgspec import field

from inspector.stores.assembly import CUT, missing_lines
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.qwen.forms import wires_of
from inspector.stores.session_lists import SessionLists, SessionReader, SessionScanner, hash_of
from inspector.stores.values import count_at, count_of, mapping_at, mappings_in, text_at, usage_of

_COMPRESSED = 1
#: The start of the name of a request for a manual compaction.
_COMPRESSES = "compress-"
_TRIGGERS = {"token_limit": "auto", "manual": "manual"}
_WHY = {
    2: "the summary was larger than what it replaces",
    3: "tokens could not be counted",
    4: "there was nothing to compress",
}


class QwenReader(SessionReader):
    """See Reader for the methods."""

    agent = "qwen"
    limits = (
        "Qwen Code does not record the system prompt or the tools. The size after a compaction is its own estimate "
        "and may be far from the reported size.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether lines are in Qwen Code's envelope: like Claude Code's, with parts."""
        first = head.first
        if not {"uuid", "sessionId", "type"} <= first.keys():
            return False
        message = first.get("message")
        return "systemPayload" in first or (isinstance(message, Mapping) and "parts" in message)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        return _Scanner(Entries(path, wires_of), shared=shared).run()


READER = QwenReader


class _Scanner(SessionScanner, kw_only=True):
    shared: bool
    #: The usage of an API response whose answer is not recorded yet.
    waiting: Mapping[str, Any] | None = None
    #: The failed request for a manual compaction: its name, its error and its time. Qwen Code tries it again.
    refused: tuple[str, str, float] | None = None
    #: By line: the list and its number of messages. A line whose parent is an earlier line goes back there.
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)
    last: str = ""
    #: Number of lines whose parent is not in the file.
    missing_parents: int = 0
    #: The lines of the answer that is the last message of the list.
    answer: list[dict[str, Any]] = field(default_factory=list)

    def run(self) -> Self:
        super().run()
        self._add_refused()
        self.gaps += missing_lines(self.missing_parents - self.unreadable)
        return self

    def record(self, line: dict[str, Any], at: float) -> None:
        parent = text_at(line, "parentUuid")
        if not self.marks and parent and line.get("isSidechain") is not True:
            self.cut = CUT
        self.missing_parents += bool(self.marks and parent) and parent not in self.marks
        if not self.session:
            self.session, agent = text_at(line, "sessionId"), text_at(line, "agentId")
            if agent and line.get("isSidechain") is True:
                # The lines of a sub-agent name the session that started it.
                self.parent, self.session = self.session, f"{self.session}-{agent}"
        self.folder = text_at(line, "cwd") or self.folder
        self.version = text_at(line, "version") or self.version
        self.forked_from = text_at(line, "forkedFrom", "sessionId") or self.forked_from
        rewinds = text_at(line, "subtype") == "rewind"
        if rewinds or text_at(line, "type") != "system":
            self._go_back(parent, rewinds)
        self._line(line, at)
        self.last = text_at(line, "uuid")
        self.marks[self.last] = (len(self.lists), len(self.live))

    def _go_back(self, parent: str, rewinds: bool) -> None:
        """Continue after the line `parent`, or at the beginning if a rewind names none."""
        beginning = (1, 0) if rewinds and not parent else None
        mark = self.marks.get(parent, beginning)
        if mark is None or parent == self.last or mark[0] > len(self.lists):
            return
        self.answer = []
        self.return_to(*mark)

    def _line(self, line: dict[str, Any], at: float) -> None:
        kind, subtype = text_at(line, "type"), text_at(line, "subtype")
        if kind == "assistant" and self.answer and _only_calls(line):
            # In the file of a sub-agent the calls of an answer have a line of their own.
            self.answer.append(line)
            self.entries.extend(self.live[-1])
            if self.copies:
                self.hashes[self.live[-1]] = hash_of(wires_of(self.answer)[0])
        elif kind != "system":
            self._add_refused()
            added = self.add(wires_of([line]), at)
            self.answer = [line] if kind == "assistant" and added else []
            if kind == "assistant":
                self._answered(line, at)
        elif subtype == "ui_telemetry":
            self._called(line, at)
        elif subtype == "chat_compression":
            self._compressed(line, at)
        elif subtype == "agent_bootstrap":
            # A sub-agent may begin with the list of its session.
            self.add(wires_of([line]), at)
        elif subtype == "custom_title":
            self.title = text_at(line, "systemPayload", "customTitle") or self.title
        elif subtype == "parent_session":
            self.parent = text_at(line, "systemPayload", "parentSessionId")

    def _called(self, line: Mapping[str, Any], at: float) -> None:
        event = mapping_at(line, "systemPayload", "uiEvent")
        kind, name = text_at(event, "event.name"), text_at(event, "prompt_id")
        if kind.endswith("api_response"):
            self.waiting = event
            if self.refused is not None and self.refused[0] == name:
                self.refused = None
        elif kind.endswith("api_error") and name.startswith(_COMPRESSES) and not self._is_copied(line):
            if self.refused is not None and self.refused[0] != name:
                self._add_refused()
            self.refused = name, text_at(event, "error_message"), at

    def _add_refused(self) -> None:
        if self.refused is not None:
            _, error, at = self.refused
            self.fail(error, at, trigger="manual")
            self.refused = None

    def _answered(self, line: dict[str, Any], at: float) -> None:
        self.model = text_at(line, "model") or self.model
        self.window = count_of(line, "contextWindowSize") or self.window
        usage = line.get("usageMetadata")
        name = text_at(self.waiting, "response_id") if self.waiting else ""
        self.waiting = None
        if isinstance(usage, dict) and not self._is_copied(line):
            total = count_of(usage, "totalTokenCount") or 0
            names = "promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount"
            tokens = usage_of(usage, *names, input_has_cache=True)
            sent = tokens.input + tokens.cache_read
            if total > sent:
                tokens = tokens._replace(output=total - sent)
            self.call(name or text_at(line, "uuid"), at, tokens)

    def _compressed(self, line: dict[str, Any], at: float) -> None:
        waiting = self.waiting
        self.waiting = None
        is_copied = self._is_copied(line)
        if waiting is not None and not is_copied:
            # An API response without an answer in the list wrote the summary.
            names = "input_token_count", "output_token_count", "cached_content_token_count"
            usage = usage_of(waiting, *names, input_has_cache=True)
            self.call(
                text_at(waiting, "response_id"), at, usage, model=text_at(waiting, "model"), summarizes=True
            )
        info = mapping_at(line, "systemPayload", "info")
        trigger = _TRIGGERS.get(text_at(info, "triggerReason"))
        before, status = count_at(info, "originalTokenCount"), count_of(info, "compressionStatus")
        wires = wires_of([line])
        if status != _COMPRESSED or not wires:
            if is_copied:
                return
            error = _WHY.get(status or 0, f"compression status {status}")
            self.fail(error, at, trigger=trigger, tokens_before_reported=before)
            return
        self.answer = []
        numbers = self.make(wires, at)
        self.entries.items[numbers[0]].summary = True
        if is_copied:
            self.lists = [list(numbers)]
            return
        self.names.append(text_at(line, "uuid"))
        self.compact(
            numbers, numbers[0], at, text=str(wires[0]["content"]), trigger=trigger, tokens_before=before,
            tokens_after=count_at(info, "newTokenCount"),
        )  # fmt: skip

    def _is_copied(self, line: Mapping[str, Any]) -> bool:
        """Return whether a line of a branch is a copy that is counted in the other session."""
        return self.shared and bool(mapping_at(line, "forkedFrom"))


def _only_calls(line: Mapping[str, Any]) -> bool:
    """Return whether a line has only calls and no usage."""
    parts = mappings_in(mapping_at(line, "message").get("parts"))
    return "usageMetadata" not in line and bool(parts) and all("functionCall" in part for part in parts)
