"""Phase 1: shorten old tool results and arguments, also in a protected end that is too large (releases from
0.20.0 on, `_prune_old_tool_results`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.engines.base import Budgets
from inspector.engines.hermes import pruning
from inspector.engines.hermes.direct.estimates import arguments_of, message_tokens
from inspector.engines.hermes.policies import PRUNE_OVER, Policies

#: The most messages that protect_last_n holds back from pruning.
_FLOOR = 8
#: The last messages that pressure leaves alone at first.
_RECENT = 3
#: Number of last messages whose loaded skills keep their text; longer lost skills than this many characters are named.
_SKILL_WINDOW, _SKILL_OVER = 10, 5_000
#: Pictures of tool results that stay under the current sources, the newest.
_PICTURES_KEPT = 3
Wire = Mapping[str, Any]


def prune_boundary(wires: Sequence[Wire], policies: Policies, budgets: Budgets, protect_last_n: int) -> int:
    """Start of the protected end. Raises as the release does."""
    work = _Pruner(list(wires), policies)
    return max(
        0, min(work.boundary(budgets.tail_token_budget, protect_last_n), work.spared(budgets.round_tokens))
    )


def prune(wires: Sequence[Wire], policies: Policies, budgets: Budgets, boundary: int) -> list[Wire]:
    """The list with its old results shortened. Raises as the release does."""
    work = _Pruner(list(wires), policies)
    spared = work.spared(budgets.round_tokens)
    work.deduplicate()
    protected = _protected_skills(work.wires, boundary)
    for index in range(boundary):
        work.shorten(index, protected)
    if policies.shrinks_arguments:
        for index in range(boundary):
            work.shrink(index)
    else:
        work.drop_pictures()
    if budgets.tail_token_budget > 0 and work.wires:
        work.relieve(boundary, budgets.tail_ceiling_tokens, spared)
    return work.wires


class _Pruner:
    def __init__(self, wires: list[Wire], policies: Policies) -> None:
        self.wires = wires
        self.policies = policies
        self.tools: dict[Any, pruning.Tool] = {}
        for wire in wires:
            if wire.get("role") == "assistant":
                self.tools.update(pruning.called_tools(wire))
        last = (at for at in range(len(wires) - 1, -1, -1) if wires[at].get("role") == "assistant")
        self.newest = next(last, 0)

    def tokens(self, index: int) -> int:
        return message_tokens(self.wires[index], self.policies, index >= self.newest)

    def boundary(self, budget: int, protect_last_n: int) -> int:
        """Start of the messages protected by the budget or by their number."""
        length = len(self.wires)
        if budget <= 0:
            return length - protect_last_n
        floor = min(protect_last_n, length, _FLOOR)
        used, start = 0, length
        for index in range(length - 1, -1, -1):
            tokens = self.tokens(index)
            start = index
            if used + tokens > budget and length - index >= floor:
                break
            used += tokens
        return length - max(length - start, floor)

    def spared(self, ceiling: int) -> int:
        """Start of a last, unanswered round of calls of at most `ceiling` tokens."""
        length = len(self.wires)
        if not ceiling or not length or self.wires[-1].get("role") != "tool":
            return length
        first = length - 1
        while first > 0 and self.wires[first - 1].get("role") == "tool":
            first -= 1
        first -= first > 0 and self.wires[first - 1].get("role") == "assistant"
        return first if sum(map(self.tokens, range(first, length))) <= ceiling else length

    def deduplicate(self) -> None:
        newest: set[bytes] = set()
        for index in range(len(self.wires) - 1, -1, -1):
            wire = self.wires[index]
            content = wire.get("content")
            if wire.get("role") != "tool" or not isinstance(content, str) or len(content) < PRUNE_OVER:
                continue
            key = pruning.digest(content)
            if key in newest:
                self.wires[index] = {**wire, "content": pruning.DUPLICATE}
            newest.add(key)

    def shorten(self, index: int, protected: frozenset[str] = frozenset()) -> bool:
        """Replace a long result by a line about it; whether something changed."""
        wire = self.wires[index]
        if wire.get("role") != "tool":
            return False
        content = wire.get("content", "")
        if isinstance(content, str):
            if len(content) <= PRUNE_OVER or _is_short_already(content):
                return False
            tool = self.tools.get(wire.get("tool_call_id", ""), pruning.UNKNOWN_TOOL)
            if protected and _skill_of(tool).lower() in protected:
                return False
            short: Any = _with_marker(pruning.short_result(content, tool, self.policies), content, tool)
        else:
            short = pruning.short_result(content, pruning.UNKNOWN_TOOL, self.policies)
            if short is content:
                return False
        self.wires[index] = {**wire, "content": short}
        return True

    def shrink(self, index: int) -> bool:
        """Shorten a message's long arguments; whether something changed."""
        wire = self.wires[index]
        if wire.get("role") != "assistant" or not wire.get("tool_calls"):
            return False
        calls = pruning.short_calls(wire)
        if calls is wire["tool_calls"]:
            return False
        self.wires[index] = {**wire, "tool_calls": calls}
        return True

    def drop_pictures(self) -> None:
        """Only the newest results keep their pictures."""
        kept = 0
        for index in range(len(self.wires) - 1, -1, -1):
            wire = self.wires[index]
            content = wire.get("content")
            if wire.get("role") != "tool" or not isinstance(content, list):
                continue
            if pruning.without_pictures(content) is not content:
                kept += 1
                if kept > _PICTURES_KEPT:
                    self.wires[index] = {**wire, "content": pruning.without_pictures(content)}

    def relieve(self, boundary: int, soft: int, spared: int) -> None:
        """Shorten results of the protected end, oldest first, until it fits; the newest result goes last of all."""
        length = len(self.wires)
        stop = length - min(_RECENT, length)
        if stop <= boundary:
            return
        used = sum(self.tokens(index) for index in range(boundary, length))
        if used <= soft:
            return
        for index in range(boundary, min(stop, spared)):
            used += self._relieved(index)
            if used <= soft:
                return
        last = next((at for at in range(length - 1, -1, -1) if self.wires[at].get("role") == "tool"), -1)
        for index in range(boundary, min(length, spared)):
            if index != last:
                used += self._relieved(index)
        if boundary <= last < spared and used > soft:
            self.shorten(last)

    def _relieved(self, index: int) -> int:
        """Shorten a message; by how many tokens it changed."""
        before = self.wires[index]
        changed = self.shorten(index)
        if self.policies.shrinks_arguments:
            changed = self.shrink(index) or changed
        if not changed:
            return 0
        return self.tokens(index) - message_tokens(before, self.policies, index >= self.newest)


def _is_short_already(content: str) -> bool:
    if content == pruning.PLACEHOLDER or content.startswith((pruning.DUPLICATE_START, "[screenshot removed")):
        return True
    return content.startswith("[") and " chars)" in content and len(content) < 400


def _with_marker(line: Any, content: str, tool: pruning.Tool) -> Any:
    """A skill whose text is lost is named with how to load it again."""
    if tool[0] != "skill_view" or len(content) <= _SKILL_OVER or not isinstance(line, str):
        return line
    arguments = arguments_of(tool[1])
    name = arguments.get("name", "?") if isinstance(arguments, dict) else "?"
    return f"{line} [SKILL_PRUNED: content lost in compression; reload with skill_view(name='{name}')]"


def _skill_of(tool: pruning.Tool) -> str:
    if tool[0] != "skill_view":
        return ""
    arguments = arguments_of(tool[1])
    name = arguments.get("name", "") if isinstance(arguments, dict) else ""
    return name if isinstance(name, str) else ""


def _protected_skills(wires: Sequence[Wire], boundary: int) -> frozenset[str]:
    """Skills that were loaded lately, or that a user message of the protected end names."""
    start = max(0, boundary)
    recent = min(max(0, len(wires) - _SKILL_WINDOW), start)
    texts = [
        wire["content"].lower()
        for wire in wires[start:]
        if wire.get("role") == "user" and isinstance(wire.get("content"), str)
    ]
    found = set()
    for index, wire in enumerate(wires):
        for tool in _skill_calls(wire):
            name = _skill_of(tool).lower()
            if name and (index >= recent or any(name in text for text in texts)):
                found.add(name)
    return frozenset(found)


def _skill_calls(wire: Wire) -> list[pruning.Tool]:
    if wire.get("role") != "assistant":
        return []
    found = []
    for call in wire.get("tool_calls") or []:
        function = call.get("function", {}) if isinstance(call, dict) else {}
        if not isinstance(function, dict) or function.get("name") != "skill_view":
            continue
        arguments = function.get("arguments", "")
        if isinstance(arguments, str):
            found.append(("skill_view", arguments))
    return found
