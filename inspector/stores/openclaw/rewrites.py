"""Additions of OpenClaw to the entries of pi: answers to its own commands, windows, and rewrites of a branch.

To shorten tool results when the context is full, OpenClaw writes the entries from the first changed one on again, below
the same parent. The copies have other ids and the same messages, except the shortened results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import field

from inspector.core.patterns import late_pattern
from inspector.stores.entries import Wire
from inspector.stores.openclaw.windows import Windows
from inspector.stores.pi.reader import Node, PiScanner
from inspector.stores.values import mapping_at, mappings_in, text_at

#: Keys that differ between an entry and its copy.
_NAMES = frozenset(
    {"id", "parentId", "timestamp", "appendMode", "firstKeptEntryId", "targetId", "__openclaw"}
)
#: The type of an entry with the error of a request without an answer.
_PROMPT_ERROR = "openclaw:prompt-error"
#: Matches an answer to /compact.
_COMPACTED = late_pattern(r"\W*Compact(?:ed|ion (?:failed|skipped))\b")


class OpenClawScanner(PiScanner, kw_only=True):
    """See PiScanner. An entry that is written again counts as the original, so the list shows results in full."""

    #: The first entry of each content below a parent, and its place by the name of each copy.
    firsts: dict[tuple[int, str, str], Node] = field(default_factory=dict)
    place_of: dict[str, int] = field(default_factory=dict)
    #: The newest content of each entry, by place.
    newest: dict[int, int] = field(default_factory=dict)
    #: Shortened results by the place of the first copy of a rewrite: time, message and remaining characters.
    cuts: dict[int, list[tuple[float, int, int]]] = field(default_factory=dict)
    began_at: int = 0
    #: The places of OpenClaw's answers to /compact.
    compact_answers: set[int] = field(default_factory=set)
    #: The windows in OpenClaw's own texts.
    named: Windows = field(default_factory=Windows)

    def note_model(self, node: Node, message: Mapping[str, Any]) -> None:
        """Note the model of an answer. OpenClaw names itself as the provider of texts that no model wrote."""
        if text_at(message, "provider") != "openclaw":
            super().note_model(node, message)
            self.named.note_answer(message)
            return
        for part in mappings_in(message.get("content")):
            if _COMPACTED.match(text := text_at(part, "text")):
                self.compact_answers.add(node.place)
                self.named.note_text(text, self.model, self.provider)

    def trigger_of(self, node: Node) -> str | None:
        """Return "manual" if an answer to /compact is next to the compaction."""
        return None if self.compact_answers.isdisjoint((node.place - 1, node.place + 1)) else "manual"

    def failed_before(self, place: int) -> str:
        """Return the error of the request before a place of the path. After a timeout OpenClaw compacts and tries
        again."""
        before = (node for node in reversed(self.path[:place]) if node.stopped != "aborted")
        return next((node.error for node in before if node.error or node.messages), "")

    def breaks(self, node: Node) -> bool:
        """Return whether messages precede an entry without a parent in the file.

        OpenClaw sends only the entries that it reaches from the last one. Some releases wrote texts of their own
        without a parent.
        """
        return any(other.messages for other in self.nodes[: node.place])

    def release(self) -> str:
        return ""

    def messages(self, node: Node, value: dict[str, Any], wires: list[Wire]) -> tuple[int, ...]:
        """Return the messages of an entry. For a copy, return the messages of the original."""
        message, kind = mapping_at(value, "message"), text_at(value, "type")
        if text_at(value, "customType") == _PROMPT_ERROR:
            node.error = text_at(value, "data", "error")
        self.named.note_result(message, self.session)
        content = hash(repr(message or {key: inner for key, inner in value.items() if key not in _NAMES}))
        name = text_at(message, "toolCallId") or str(content)
        first = self.firsts.setdefault((self.place_of.get(node.parent or "", -1), kind, name), node)
        self.place_of[node.name] = first.place
        previous_content, self.newest[first.place] = self.newest.get(first.place), content
        if first is node:
            return super().messages(node, value, wires)
        if not self.nodes[node.place - 1].repeated:
            self.began_at = node.place
        if previous_content != content and first.messages:
            remaining = sum(len(text_at(part, "text")) for part in mappings_in(message.get("content")))
            self.cuts.setdefault(self.began_at, []).append((node.at, first.messages[0], remaining))
        node.repeated, node.at = True, first.at
        return first.messages

    def join(self) -> dict[int, int]:
        """Build the lists, and add the shortened results as cleared results. The windows that OpenClaw names win: it
        compares sizes with them."""
        number_of = super().join()
        self.windows.update(self.named.of)
        for cuts in self.cuts.values():
            at = cuts[0][0]
            generation = 1 + sum(compaction.at <= at for compaction in self.compactions)
            listed = self.lists[generation - 1]
            shortened = [(listed.index(number), left) for _, number, left in cuts if number in listed]
            if shortened:
                before = sum(self.entries.items[number].at <= at for number in listed)
                places, left = zip(*shortened, strict=True)
                self.clear(places, at, generation=generation, place=before, trigger="auto", left=left)
        return number_of
