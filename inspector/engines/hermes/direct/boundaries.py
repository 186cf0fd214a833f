"""Phase 2: the end of the head and the start of the tail (releases from 0.20.0 on, `compress`,
`_find_tail_cut_by_tokens`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.engines.base import DerivationStep, Settings
from inspector.engines.hermes.direct.estimates import message_tokens
from inspector.engines.hermes.direct.handoffs import is_blank, is_handoff, is_synthetic, last_user
from inspector.engines.hermes.policies import Policies

_FLOOR = 8
#: A handoff within this number of messages after the protected messages means a compaction before a restart.
_PROBED = 4
#: Under the current sources the floor yields to a budget of this many tokens for each of its messages.
_ROOMY = 10
Wire = Mapping[str, Any]


def head_size(wires: Sequence[Wire], policies: Policies, protect_first_n: int, compactions: int) -> int:
    """Messages of the head before it is moved past tool results."""
    system = int(bool(wires) and wires[0].get("role") == "system")
    if compactions or protect_first_n <= 0:
        return system
    probed = wires[system : system + protect_first_n + _PROBED]
    return system if any(is_handoff(wire, policies) for wire in probed) else system + protect_first_n


def past_results(wires: Sequence[Wire], index: int) -> int:
    """Return the first index from `index` on without a tool result."""
    while index < len(wires) and wires[index].get("role") == "tool":
        index += 1
    return index


def before_group(wires: Sequence[Wire], index: int) -> int:
    """`index`, or the start of the assistant message with its results that it would cut off from what follows."""
    if index <= 0 or index >= len(wires):
        return index
    check = index - 1
    while check >= 0 and wires[check].get("role") == "tool":
        check -= 1
    if check >= 0 and wires[check].get("role") == "assistant" and wires[check].get("tool_calls"):
        return check
    return index


class TailCut:
    """The search for the tail's start in one list; every rule that moved it is appended to `steps`."""

    def __init__(
        self,
        wires: Sequence[Wire],
        policies: Policies,
        settings: Settings,
        head_end: int,
        budget: int,
        soft: int,
    ) -> None:
        self.wires, self.policies, self.settings = wires, policies, settings
        self.head_end, self.budget, self.soft = head_end, budget, soft
        self.steps: list[DerivationStep] = []
        self.cut = len(wires)

    def find(self) -> int:
        """Return the start of the tail. Raise the errors of the release."""
        wires, length, head = self.wires, len(self.wires), self.head_end
        floor = self._floor()
        held = 0 if self.policies.lean_tail and self.soft >= _ROOMY * floor else floor
        self.cut, used = self._walk(self.soft, held, whole=False)
        self.steps.append(
            DerivationStep(
                "walk", self.cut, f"walking back from the end until {self.soft:,} tokens are used", bound=True
            )
        )
        if self.cut <= head and 0 < used <= self.soft:
            again, _ = self._walk(self.budget, held, whole=True)
            self._move("second walk", again, f"everything fits, so again with {self.budget:,} tokens")
        fallback = length - floor
        least = max(held, 1) if self.policies.lean_tail else floor
        self._move("floor", min(self.cut, length - least), f"at least the last {least} messages")
        if self.cut <= head:
            self._move("middle", max(fallback, head + 1), "something has to be summarized")
        self._move("tool group", before_group(wires, self.cut), "a call stays with its results")
        self._move("last user message", self._with_user(), "the last user message stays in the tail")
        self._move("last answer", self._with_answer(), "the last answer that the user saw stays in the tail")
        count = self.settings.min_tail_user_messages
        if count > 1:
            self._move(
                "user messages", self._with_users(count), f"the last {count} user messages stay in the tail"
            )
        forward = past_results(wires, max(self.cut, head + 1))
        self._move("forward", min(length, forward), "the tail never starts with a tool result")
        return self.cut

    def _move(self, rule: str, to: int, why: str) -> None:
        if to != self.cut:
            self.cut = to
            self.steps.append(DerivationStep(rule, to, why, bound=True))

    def _floor(self) -> int:
        available = max(0, len(self.wires) - self.head_end - 1)
        floor = max(3, min(self.settings.protect_last_n, _FLOOR))
        return min(floor, max(3, available - 2), available) if available > 1 else 0

    def _walk(self, ceiling: int, floor: int, whole: bool) -> tuple[int, int]:
        """How far back `ceiling` tokens reach, and how many were used; with `whole` the message that is too much
        counts."""
        length, cut, used = len(self.wires), len(self.wires), 0
        newest = True
        for index in range(length - 1, self.head_end - 1, -1):
            tokens = message_tokens(self.wires[index], self.policies, newest)
            newest = newest and self.wires[index].get("role") != "assistant"
            if used + tokens > ceiling and length - index >= floor:
                return (index if whole else cut), used
            used += tokens
            cut = index
        return cut, used

    def _region_is_large(self, start: int) -> bool:
        """Whether what a tail from `start` on would hold has calls and is over the soft ceiling (current sources)."""
        if not self.policies.lean_tail:
            return False
        region = self.wires[start : self.cut] if start < self.cut else ()
        if not any(wire.get("tool_calls") for wire in region):
            return False
        return sum(message_tokens(wire, self.policies, False) for wire in self.wires[start:]) > self.soft

    def _with_user(self) -> int:
        last = last_user(self.wires, self.head_end, self.policies)
        if last < 0 or last >= self.cut:
            return self.cut
        opener = self.wires[last]
        text_only = isinstance(opener.get("content"), str)
        if text_only and self._region_is_large(last) and message_tokens(opener, self.policies) <= self.soft:
            return self.cut
        moved = max(last, self.head_end + 1)
        return max(self._pair_end(last), self.head_end + 1) if moved > last else moved

    def _pair_end(self, user: int) -> int:
        index = user + 1
        if index >= len(self.wires) or self.wires[index].get("role") != "assistant":
            return index
        return past_results(self.wires, index + 1)

    def _with_answer(self) -> int:
        last = self._last_answer()
        if last < 0 or last >= self.cut or self._region_is_large(last):
            return self.cut
        return max(before_group(self.wires, last), self.head_end + 1)

    def _last_answer(self) -> int:
        any_last = -1
        for index in range(len(self.wires) - 1, self.head_end - 1, -1):
            wire = self.wires[index]
            if wire.get("role") != "assistant" or is_handoff(wire, self.policies):
                continue
            any_last = index if any_last < 0 else any_last
            if _speaks(wire.get("content")):
                return index
        return any_last

    def _with_users(self, count: int) -> int:
        users = [
            index
            for index in range(len(self.wires) - 1, self.head_end - 1, -1)
            if self.wires[index].get("role") == "user"
            and not is_blank(self.wires[index], self.policies)
            and not is_synthetic(self.wires[index], self.policies)
        ]
        if not users:
            return self.cut
        target = users[min(count, len(users)) - 1]
        return self.cut if target >= self.cut else max(target, self.head_end + 1)


def bridged(wires: Sequence[Wire], head_end: int, cut: int, user: int) -> int:
    """A tail that starts with the last thing a person said takes what the agent did before it along."""
    if cut != user:
        return cut
    bridge = user - 1
    if bridge < 0:
        return cut
    if wires[bridge].get("role") == "tool":
        bridge = before_group(wires, user)
    elif wires[bridge].get("role") != "assistant":
        return cut
    return bridge if bridge > head_end else cut


def _speaks(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    if not isinstance(content, list):
        return False
    texts = (part.get("text") or part.get("content") for part in content if isinstance(part, dict))
    return any(isinstance(text, str) and text.strip() for text in texts)
