"""One pass over the bodies of a list. Afterwards its texts are not needed."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspector.core.conversations import ASSISTANT, OTHER, TOOL, role_code
from inspector.core.messages import Message, text_of
from inspector.core.rough import message_chars, message_images
from inspector.engines.hermes import pruning
from inspector.engines.hermes.direct.handoffs import BELOW, starts_as_handoff
from inspector.engines.hermes.estimates import (
    call_id,
    call_tokens,
    check_serializable,
    content_chars,
    has_text,
)
from inspector.engines.hermes.message_stats import NO_ROLE, ListStats, MessageStats, Troubles
from inspector.engines.hermes.policies import MESSAGE_OVERHEAD, PRUNE_OVER, Policies
from inspector.engines.sizes import MessageSize


def read_stats(messages: Iterable[Message], policies: Policies) -> tuple[ListStats, Troubles]:
    """Read every message once, in order."""
    reader = _Reader(policies)
    for index, message in enumerate(messages):
        reader.stats.append(reader.message(index, message.wire))
    reader.finish()
    return reader.stats, reader.troubles


class _Reader:
    """Reads the stats of messages. The call of a result is known only at the end, so results are finished then. No
    text is kept, only the length of the line about a call, and the part of it that a result adds.
    """

    def __init__(self, policies: Policies) -> None:
        self.policies = policies
        self.stats = ListStats()
        self.troubles: dict[str, list[tuple[int, str]]] = {}
        self._unknown = pruning.extent_of(pruning.UNKNOWN_TOOL, policies)
        self._tools: dict[Any, pruning.Extent] = {}
        #: Equal extents are one.
        self._extents: dict[pruning.Extent, pruning.Extent] = {}
        #: The long results: the call of each; its index, tokens besides the content, characters around it, and
        #: four lengths of facts.
        self._answers: list[Any] = []
        self._results = array("q")

    def message(self, index: int, wire: Mapping[str, Any]) -> MessageStats:
        """Read a message. `finish` adds the one-line forms of results."""
        role = wire.get("role")
        code = role_code(role) if "role" in wire else NO_ROLE
        content = wire.get("content")
        calls = bool(wire.get("tool_calls"))
        # Most contents are plain texts, which raise nothing.
        plain = isinstance(content, str)
        if isinstance(content, str):
            text_chars = len(content)
        else:
            text_chars = self._guard(index, "walk", lambda: content_chars(content or ""), 0)
        call_size = 0
        if calls or self.policies.counts_reasoning:
            call_size = self._guard(index, "walk", lambda: call_tokens(wire, self.policies), 0)
        now = MessageSize(
            text_chars // 4 + MESSAGE_OVERHEAD + call_size, message_chars(wire), message_images(wire)
        )
        handoff = is_handoff(content, self.policies)
        if calls or not plain or code in (OTHER, NO_ROLE):
            self._guard(index, "summary", lambda: check_serializable(wire, self.policies), None)
        if code == ASSISTANT:
            short = self._calls(index, wire, now) if calls else None
            return MessageStats(code, calls, now, short, handoff=handoff, has_text=has_text(content))
        if code != TOOL:
            return MessageStats(code, calls, now, handoff=handoff)
        if not isinstance(wire.get("tool_call_id"), str):
            self._guard(index, "mend", lambda: hash(wire.get("tool_call_id")), None)
        if not isinstance(content, str):
            changed = self._guard(index, "prune_result", lambda: self._short(content), content)
            short = None if changed is content else self._with_content(wire, changed, call_size)
            return MessageStats(code, calls, now, short, handoff=handoff)
        shell = now.chars - len(repr(content))
        key, repeated = None, None
        if self.policies.deduplicates and len(content) >= PRUNE_OVER:
            key = pruning.digest(content)
            repeated = self._text_size(pruning.DUPLICATE, call_size, shell, now.images)
        prunable = pruning.is_prunable(content)
        if prunable:
            self._answers.append(wire.get("tool_call_id", ""))
            self._results.extend((index, call_size, shell, *pruning.lengths(pruning.facts_of(content))))
        return MessageStats(code, calls, now, None, repeated, key, handoff, handoff and prunable)

    def finish(self) -> None:
        """Give every long result its pruned size."""
        columns = iter(self._results)
        for call, index, call_size, shell, *added in zip(self._answers, *[columns] * 7, strict=True):
            extent = self._extent(index, call)
            growth = extent.growth(*added)
            walk = (extent.chars + growth) // 4 + MESSAGE_OVERHEAD + call_size
            images = self.stats.now.images[index]
            self.stats.shorten(index, MessageSize(walk, shell + extent.printed + growth, images))

    def _calls(self, index: int, wire: Mapping[str, Any], now: MessageSize) -> MessageSize | None:
        self._guard(index, "mend", lambda: [hash(call_id(call)) for call in wire["tool_calls"]], None)
        tools = self._guard(index, "prune", lambda: pruning.called_tools(wire), [])
        self._guard(index, "prune", lambda: self._learn(tools), None)
        if not self.policies.shrinks_arguments:
            return None
        calls = self._guard(index, "arguments", lambda: pruning.short_calls(wire), wire["tool_calls"])
        if calls is wire["tool_calls"]:
            return None
        after = {**wire, "tool_calls": calls}
        walk = (
            content_chars(wire.get("content") or "") // 4
            + MESSAGE_OVERHEAD
            + call_tokens(after, self.policies)
        )
        return MessageSize(walk, message_chars(after), now.images)

    def _learn(self, calls: Iterable[tuple[Any, pruning.Tool]]) -> None:
        for call, tool in calls:
            extent = pruning.extent_of(tool, self.policies)
            self._tools[call] = self._extents.setdefault(extent, extent)

    def _short(self, content: Any) -> Any:
        return pruning.short_result(content, pruning.UNKNOWN_TOOL, self.policies)

    @staticmethod
    def _with_content(wire: Mapping[str, Any], content: Any, call_size: int) -> MessageSize:
        after = {**wire, "content": content}
        walk = content_chars(content or "") // 4 + MESSAGE_OVERHEAD + call_size
        return MessageSize(walk, message_chars(after), message_images(after))

    @staticmethod
    def _text_size(text: str, call_size: int, shell: int, images: int) -> MessageSize:
        return MessageSize(len(text) // 4 + MESSAGE_OVERHEAD + call_size, shell + len(repr(text)), images)

    def _extent(self, index: int, call: Any) -> pruning.Extent:
        """Return the extent of the line about the call that a result answers."""
        if self.policies.placeholder:
            return self._unknown
        extent: pruning.Extent = self._guard(
            index, "prune_result", lambda: self._tools.get(call, self._unknown), pruning.NO_LINE
        )
        if extent.raises:
            self.troubles.setdefault("prune_result", []).append((index, extent.raises))
        return extent

    def _guard(self, index: int, phase: str, work: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return work()
        except pruning.RELEASE_ERRORS as error:
            self.troubles.setdefault(phase, []).append((index, type(error).__name__))
            return otherwise


def is_handoff(content: Any, policies: Policies) -> bool:
    """Return whether the release takes a message for a handoff summary: by its own wordings only."""
    if not isinstance(content, str | list):
        return False
    text = text_of(content)
    if policies.merges_behind and BELOW in text:
        text = text.split(BELOW, 1)[1]
    return starts_as_handoff(text.lstrip(), policies)
