"""pi's sessions (`~/.pi/agent/sessions/**/*.jsonl`), versions 1 to 3.

Version 1 is a list of entries; a compaction names the index of the first kept entry. From version 2 on each entry has a
parent, and the session is the path to the last entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from inspector.core.conversations import ROLE_NAMES
from inspector.core.patterns import late_pattern
from inspector.core.shares import plural
from inspector.stores.assembly import ABANDONED, CUT, FAILED_CALLS, count_note, missing_lines
from inspector.stores.entries import Entries, Wire
from inspector.stores.head import Head
from inspector.stores.lines import Line, read_lines
from inspector.stores.pi.forms import edited, entry_wires, prompt_in
from inspector.stores.session_lists import SessionLists, SessionReader
from inspector.stores.values import count_at, count_of, mapping_at, seconds_of, text_at, usage_of

#: The types of entries with which a file may begin if its first part is missing.
_ENTRIES = frozenset(
    ["message", "custom", "custom_message", "compaction", "model_change", "thinking_level_change", "session_info",
     "branch_summary", "label"]
)  # fmt: skip
_USAGE = ("input", "output", "cacheRead", "cacheWrite")
#: Match an error about a request that is too large, the window in it, and the size of the request.
_TOO_LARGE = late_pattern(
    r"context.(?:window|length)|(?:prompt|input|request) (?:is )?too (?:long|large)|input length should be",
    re.IGNORECASE,
)
_EXCEEDED = late_pattern(
    r"(?:context length is |too long: \d{4,9} tokens > |input length should be \[1, )(\d{4,9})\b"
)
_SENT = late_pattern(r"(?:you requested|too long:) (\d{4,9}) tokens\b")


class Node(Struct):
    """An entry: its parent, its messages, and its answer's usage or its compaction."""

    place: int
    name: str
    parent: str | None
    at: float
    messages: tuple[int, ...] = ()
    #: Its messages in the list after edits by later entries.
    shown: tuple[int, ...] = ()
    model: str = ""
    answer: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    compaction: Mapping[str, Any] | None = None
    #: Whether it is a message of the user, and whether it is an answer with an error of the API.
    asks: bool = False
    failed: bool = False
    #: Why an answer ended.
    stopped: str = ""
    #: The error of a failed request.
    error: str = ""
    #: Whether the request did not fit into the window, and its size in tokens as the error says, 0 if unknown.
    exceeded: bool = False
    sent: int = 0
    #: Whether the entry is a copy from the session that this session was forked from.
    copied: bool = False
    #: Whether the entry repeats an earlier entry of this session.
    repeated: bool = False
    #: Whether the agent began a new list with this entry, because it has no link to the entries before.
    broken: bool = False
    #: The id of the entry whose message this entry removes from the list, or replaces by its own message.
    target: str = ""
    #: Whether its call does not continue the list: it keeps the cache alive, summarizes a branch, or classifies a text.
    aside: bool = False


class PiReader(SessionReader):
    """See Reader for the methods."""

    agent = "pi"
    limits = ("pi records neither what started a compaction nor the size after it.",)

    def recognises(self, head: Head) -> bool:
        """Return whether the file begins with pi's line about the session, or with entries after a lost beginning."""
        first = head.first
        if first.get("type") != "session":
            return bool(head.mappings) and all(map(_is_entry, head.mappings))
        # Another agent's line has the time under another name.
        return "cwd" in first and isinstance(first.get("id"), str) and "createdAt" not in first

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        return PiScanner(Entries(path, convert), shared=shared).run(read_lines(path))


def _is_entry(value: Mapping[str, Any]) -> bool:
    """Return whether a line is an entry with a place in the tree of a session."""
    named = (
        isinstance(value.get("id"), str) and isinstance(value.get("timestamp"), str) and "parentId" in value
    )
    return named and value.get("type") in _ENTRIES


READER = PiReader


def convert(lines: list[dict[str, Any]]) -> list[Wire]:
    """Return the messages in a line. An edited message has two lines: the edit, then the original."""
    return entry_wires(edited(lines[1], lines[0]) if len(lines) > 1 else lines[0])


class PiScanner(SessionLists, kw_only=True):
    """Joins the entries to a session. For a branch (`shared`), it leaves out the copied part."""

    copies: bool = False
    #: The version of the session's form; "" until it is known.
    form: str = ""
    shared: bool
    nodes: list[Node] = field(default_factory=list)
    by_name: dict[str, Node] = field(default_factory=dict)
    #: The nodes without abandoned branches, and the index of each in this list by its place in the file.
    path: Sequence[Node] = ()
    index_of: Mapping[int, int] = field(default_factory=dict)
    #: The places of these nodes by name.
    place_of_name: Mapping[str, int] = field(default_factory=dict)
    began: float = 0.0
    #: Whether the last answer has the field that releases from 0.83.0 on write; None without an answer.
    newer: bool | None = None
    #: The windows of models, as errors say.
    windows: dict[str, int] = field(default_factory=dict)
    #: Number of entries on the path whose parent is not in the file.
    missing_parents: int = 0
    #: Number of messages that edits removed from the list or replaced.
    edited: int = 0

    def run(self, lines: Iterable[Line]) -> SessionLists:
        """Return the session in these lines."""
        for value in self.records(lines):
            kind = text_at(value, "type")
            self._about(value, kind)
            self._node(value, kind)
        if not self.form:
            # Entries of version 1 have no names.
            self.form = "2 or later" if self.by_name else "1"
        self.started_at = self.began or self.started_at
        self.version = f"{self.release()}session version {self.form}"
        self.path = self._path()
        if self.path and self.path[0].name and self.path[0].parent:
            # The first entry continues an entry that is not in the file.
            self.cut = CUT
        self.index_of = {node.place: place for place, node in enumerate(self.path)}
        self.place_of_name = {node.name: node.place for node in self.path if node.name}
        self._requests(self.join())
        abandoned = {number for node in self.nodes for number in node.messages}
        self.notes += count_note(
            len(abandoned.difference(*(node.messages for node in self.path))), *ABANDONED
        )
        self.notes += count_note(
            sum(node.failed and self._is_own(node) for node in self.nodes), *FAILED_CALLS
        )
        if self.edited:
            verb = "was" if self.edited == 1 else "were"
            self.notes.append(
                f"{plural(self.edited, 'message')} {verb} removed from the context or replaced in it by an edit. The "
                "lists show the result."
            )
        self.gaps += missing_lines(self.missing_parents - self.unreadable)
        return self

    def release(self) -> str:
        """Return the newest release that may have written the last answer, with a comma; "" if it may be the newest."""
        return "0.82 or earlier, " if self.newer is False else ""

    def _about(self, value: dict[str, Any], kind: str) -> None:
        if kind == "session":
            self.session = self.session or text_at(value, "id")
            self.folder = text_at(value, "cwd")
            self.form = str(count_at(value, "version") or 1)
            self.began = self.began or seconds_of(value.get("timestamp"))
            self.forked_from = text_at(value, "parentSession")
        if kind in ("session", "model_change"):
            self.provider, self.model = text_at(value, "provider"), text_at(value, "modelId")
        elif kind == "session_info":
            self.title = text_at(value, "name") or self.title
        self.prompt = prompt_in(value.get("message")) or prompt_in(value.get("systemMessage")) or self.prompt

    def _node(self, value: dict[str, Any], kind: str) -> None:
        parent = value.get("parentId")
        node = Node(
            place=len(self.nodes),
            name=text_at(value, "id") if kind != "session" else "",
            parent=parent if isinstance(parent, str) else None,
            at=seconds_of(value.get("timestamp")),
        )
        if node.name in self.by_name:
            return
        if node.name:
            self.by_name[node.name] = node
        self.nodes.append(node)
        self.note_time(node.at)
        node.copied = bool(self.forked_from) and 0 < node.at < self.began
        wires = entry_wires(value)
        node.messages = self.messages(node, value, wires)
        if kind == "context_edit":
            node.target = text_at(value, "targetId")
            node.messages = self._replacement(node, value)
        if kind in ("usage", "branch_summary") and (usage := mapping_at(value, "usage")):
            node.answer, node.usage = node.name, usage
            node.model, node.aside = text_at(value, "model"), True
        if kind == "compaction":
            node.compaction = value
        message = mapping_at(value, "message")
        if kind == "message" and message.get("role") == "assistant":
            node.model = text_at(message, "model")
            self.note_model(node, message)
            node.answer = text_at(message, "responseId") or node.name or str(node.place)
            node.usage = mapping_at(message, "usage")
            node.stopped = text_at(message, "stopReason")
            node.failed = node.stopped == "error"
            if node.failed:
                self._note_error(node, text_at(message, "errorMessage"))
            elif node.stopped == "length":
                self._note_full(node)
            if node.stopped in ("stop", "toolUse"):
                self.newer = "rawStopReason" in message
        elif kind == "message":
            node.asks = message.get("role") == "user"
            self.note_first_words(wires)

    def _replacement(self, node: Node, value: Mapping[str, Any]) -> tuple[int, ...]:
        """Make the message that replaces the message of the target. Return () if the edit only removes a message."""
        target = self.by_name.get(node.target)
        if target is None or not target.messages or not isinstance(value.get("replacement"), Mapping):
            return ()
        original = self.entries.items[target.messages[0]]
        numbers = self.make([{"role": ROLE_NAMES[original.role], "content": ""}], original.at)
        self.entries.items[numbers[0]].lines += original.lines[-1:]
        return numbers

    def _note_error(self, node: Node, error: str) -> None:
        """Note an error about a request that does not fit into the window, with the sizes in it."""
        node.error, node.exceeded = error, bool(_TOO_LARGE.search(error))
        if exceeded := _EXCEEDED.search(error):
            self.windows[self.model] = int(exceeded[1])
        if sent := _SENT.search(error):
            node.sent = int(sent[1])

    def _note_full(self, node: Node) -> None:
        """Note a request that left no room for an answer: some servers cut it to the window."""
        sent = usage_of(node.usage, *_USAGE)
        if sent.context and not sent.output:
            node.exceeded = True
            self.windows.setdefault(self.model, sent.context)

    def note_model(self, node: Node, message: Mapping[str, Any]) -> None:
        """Note the model of an answer as the model of the session."""
        self.model = node.model or self.model
        self.provider = text_at(message, "provider") or self.provider

    def trigger_of(self, node: Node) -> str | None:
        """Return what started a compaction; None if it is not recorded."""
        return None

    def failed_before(self, place: int) -> str:
        """Return the error of the request before a place of the path, if the agent compacts after it, else ""."""
        return ""

    def breaks(self, node: Node) -> bool:
        """Return whether the agent began a new list with an entry whose parent is not in the file."""
        return False

    def messages(self, node: Node, value: dict[str, Any], wires: list[Wire]) -> tuple[int, ...]:
        """Make the messages of an entry, and return their numbers."""
        return self.make(wires, node.at, value.get("type") == "compaction")

    def _path(self) -> list[Node]:
        """Return the entries of the session, without abandoned branches.

        If a parent is missing, the previous entry of the file takes its place.
        """
        if self.form == "1" or not self.by_name:
            return self.nodes
        path: list[Node] = []
        seen: set[str] = set()
        # A line with neither a name nor a parent does not continue the conversation.
        node = next((node for node in reversed(self.nodes) if node.name or node.parent), None)
        while node is not None and node.name not in seen:
            seen.add(node.name)
            path.append(node)
            above = self.by_name.get(node.parent or "")
            if above is None and node.place:
                node.broken = self.breaks(node)
                if node.broken or node.parent:
                    above = self.nodes[node.place - 1]
                    self.missing_parents += not node.broken
            node = above
        return path[::-1]

    def join(self) -> dict[int, int]:
        """Build the lists. Return the number of the list after each entry, by the entry's place."""
        number_of: dict[int, int] = {}
        for place, node in enumerate(self.path):
            if node.broken:
                self.names.append(f"before {node.name}")
                self.compact((), None, node.at, broken=True)
            if node.compaction is not None:
                self._compact(place, node, node.compaction)
            elif node.target:
                self._edit(node)
            else:
                node.shown = node.messages
                self.live.extend(node.messages)
            number_of[node.place] = len(self.lists)
        return number_of

    def _edit(self, node: Node) -> None:
        """Remove the message of the target from the live list, or put the message of the edit in its place."""
        target = self.by_name.get(node.target)
        if target is not None and target.shown and target.shown[0] in self.live:
            at = self.live.index(target.shown[0])
            self.live[at : at + len(target.shown)] = node.messages
            target.shown = node.messages
            self.edited += 1

    def _compact(self, place: int, node: Node, data: Mapping[str, Any]) -> None:
        name, number = text_at(data, "firstKeptEntryId"), count_of(data, "firstKeptEntryIndex")
        first = self.place_of_name.get(name, number)
        start = place if first is None else self.index_of.get(first, place)
        start_known = first is not None and (start < place or first >= place)
        # An earlier summary does not stay, even if messages before it stay.
        staying = {
            number for other in self.path[start:place] if other.compaction is None for number in other.shown
        }
        after = [*node.messages, *(number for number in self.live if number in staying)]
        if self.shared and node.copied:
            self.lists = [after]
            return
        summary, usage = data.get("summary"), data.get("usage")
        last = next((other for other in reversed(self.path[:place]) if other.messages), node)
        following = next((other for other in self.path[place + 1 :] if other.asks or other.answer), node)
        # After other errors the agent waits for the user.
        overflow = last.exceeded or (last.failed and bool(following.answer))
        tokens_before = count_of(data, "tokensBefore") or 0
        if self._is_no_size(tokens_before, place):
            tokens_before = 0
        self.names.append(node.name or str(node.place))
        note = ""
        if not start_known:
            note = "The first kept entry is missing from the file."
        self.compact(
            after, node.messages[0] if node.messages else None, node.at,
            text=summary if isinstance(summary, str) else None, exact=start_known,
            note=note,
            tokens_before=max(tokens_before, last.sent) or None,
            tokens_after=count_of(data, "tokensAfter") or None,
            # The usage of the summarizing calls; there are two if a turn was split.
            usage=usage_of(usage, *_USAGE) if isinstance(usage, Mapping) else None,
            trigger=self.trigger_of(node), by_hook=data.get("fromHook") is True, overflow=overflow,
            failed_request="" if overflow else self.failed_before(place),
        )  # fmt: skip

    def _is_no_size(self, size: int, place: int) -> bool:
        """Return whether a size before a compaction does not count the list.

        The agent takes the size that the last answer in its list reports, and adds an estimate of later messages. A
        kept answer from before the previous compaction may be the last. If the provider reports 0 for every answer, the
        size is only the estimate of the last messages.
        """
        compacted = answered = False
        for other in reversed(self.path[:place]):
            compacted = compacted or other.compaction is not None
            if other.usage and not other.aside:
                if reported := sum(usage_of(other.usage, *_USAGE)[:4]):
                    return compacted and size >= reported
                answered = True
        return answered

    def _is_own(self, node: Node) -> bool:
        """Return whether the calls of an entry belong to this session, and not to one that it copied."""
        return not node.repeated and not (self.shared and node.copied)

    def _requests(self, number_of: Mapping[int, int]) -> None:
        """Add every call with recorded usage, also on abandoned branches, because it was paid for."""
        number, last = 1, max(number_of.values(), default=1)
        numbers: dict[str, int] = {}
        for node in self.nodes:
            # The requests after an abandoned compaction belong to the next list.
            above = numbers.get(node.parent or "", number) + (node.compaction is not None)
            number = numbers[node.name] = number_of.get(node.place, min(above, last))
            if node.usage and self._is_own(node):
                self.window = self.windows.get(node.model or self.model)
                self.call(
                    node.answer, node.at,
                    usage_of(node.usage, *_USAGE, cost=mapping_at(node.usage, "cost").get("total")),
                    model=node.model, generation=number,
                    cache_write_1h=count_of(node.usage, "cacheWrite1h"), unsized=node.aside,
                    ends_turn=node.stopped == "stop" if node.stopped else None,
                )  # fmt: skip
        self.window = self.windows.get(self.model)
