"""Phase 2: the end of the head and the start of the tail (releases from 0.20.0 on, `compress`,
`_find_tail_cut_by_tokens`)."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.engines.base import DerivationStep, Settings
from inspector.engines.hermes.boundaries import tail_floor
from inspector.engines.hermes.direct.rows import DirectRow, last_user, totals_within
from inspector.engines.hermes.policies import Policies

#: Number of messages after the protected ones that are searched for a handoff: it shows an earlier compaction.
_PROBED = 4
#: Current sources: if the budget has this many tokens for each message of the floor, the floor does not apply.
_ROOMY = 10


def head_size(rows: Sequence[DirectRow], protect_first_n: int, compactions: int) -> int:
    """Return the number of messages of the head, before its end moves past tool results."""
    system = int(bool(rows) and rows[0].role == "system")
    if compactions or protect_first_n <= 0:
        return system
    probed = rows[system : system + protect_first_n + _PROBED]
    return system if any(row.handoff for row in probed) else system + protect_first_n


def past_results(rows: Sequence[DirectRow], index: int) -> int:
    """Return the first index from `index` on without a tool result."""
    while index < len(rows) and rows[index].role == "tool":
        index += 1
    return index


def before_group(rows: Sequence[DirectRow], index: int) -> int:
    """Return `index`. If it is within a group of a call and its results, return the start of the group."""
    if index <= 0 or index >= len(rows):
        return index
    check = index - 1
    while check >= 0 and rows[check].role == "tool":
        check -= 1
    if check >= 0 and rows[check].role == "assistant" and rows[check].calls:
        return check
    return index


class TailCut:
    """The search for the tail's start in one list; every rule that moved it is appended to `steps`."""

    def __init__(
        self,
        rows: Sequence[DirectRow],
        policies: Policies,
        settings: Settings,
        head_end: int,
        budget: int,
        soft: int,
    ) -> None:
        self.rows, self.policies, self.settings = rows, policies, settings
        self.head_end, self.budget, self.soft = head_end, budget, soft
        self.steps: list[DerivationStep] = []
        self.cut = len(rows)

    def find(self) -> int:
        """Return the start of the tail. Raise the errors of the release."""
        rows, length, head = self.rows, len(self.rows), self.head_end
        floor = tail_floor(self.policies, length, head, self.settings.protect_last_n)
        held = 0 if self.policies.lean_tail and self.soft >= _ROOMY * floor else floor
        self.cut, used = self._walk(self.soft, held, whole=False)
        self.steps.append(
            DerivationStep(
                "walk", self.cut, f"walking back from the end until {self.soft:,} tokens are used", bound=True
            )
        )
        if self.cut <= head and 0 < used <= self.soft:
            again, _ = self._walk(self.budget, held, whole=True)
            self._move(
                "second walk", again, f"the whole list fits, so a second walk uses {self.budget:,} tokens"
            )
        fallback = length - floor
        least = max(held, 1) if self.policies.lean_tail else floor
        self._move("floor", min(self.cut, length - least), f"at least the last {least} messages")
        if self.cut <= head:
            self._move("middle", max(fallback, head + 1), "something has to be summarized")
        self._move("tool group", before_group(rows, self.cut), "a call stays with its results")
        self._move("last user message", self._with_user(), "the last user message stays in the tail")
        self._move("last answer", self._with_answer(), "the last answer that the user saw stays in the tail")
        count = self.settings.min_tail_user_messages
        if count > 1:
            self._move(
                "user messages", self._with_users(count), f"the last {count} user messages stay in the tail"
            )
        forward = past_results(rows, max(self.cut, head + 1))
        self._move("forward", min(length, forward), "the tail never starts with a tool result")
        return self.cut

    def _move(self, rule: str, to: int, why: str) -> None:
        if to != self.cut:
            self.cut = to
            self.steps.append(DerivationStep(rule, to, why, bound=True))

    def _walk(self, ceiling: int, floor: int, whole: bool) -> tuple[int, int]:
        """Return the start of the last `ceiling` tokens, and the number of used tokens. `whole` includes the message
        that exceeds the ceiling."""
        rows = self.rows[self.head_end :]
        fit = totals_within(rows, ceiling, floor)
        count = len(fit) + (whole and len(fit) < len(rows))
        return len(self.rows) - count, fit[-1] if fit else 0

    def _region_is_large(self, start: int) -> bool:
        """Return whether a tail from `start` on has calls and exceeds the soft ceiling (current sources)."""
        if not self.policies.lean_tail:
            return False
        region = self.rows[start : self.cut] if start < self.cut else ()
        if not any(row.calls for row in region):
            return False
        return sum(row.old_tokens for row in self.rows[start:]) > self.soft

    def _with_user(self) -> int:
        last = last_user(self.rows, self.head_end)
        if last < 0 or last >= self.cut:
            return self.cut
        opener = self.rows[last]
        text_only = isinstance(opener.content, str)
        if text_only and self._region_is_large(last) and opener.tokens <= self.soft:
            return self.cut
        moved = max(last, self.head_end + 1)
        return max(self._pair_end(last), self.head_end + 1) if moved > last else moved

    def _pair_end(self, user: int) -> int:
        index = user + 1
        if index >= len(self.rows) or self.rows[index].role != "assistant":
            return index
        return past_results(self.rows, index + 1)

    def _with_answer(self) -> int:
        last = self._last_answer()
        if last < 0 or last >= self.cut or self._region_is_large(last):
            return self.cut
        return max(before_group(self.rows, last), self.head_end + 1)

    def _last_answer(self) -> int:
        any_last = -1
        for index in range(len(self.rows) - 1, self.head_end - 1, -1):
            row = self.rows[index]
            if row.role != "assistant" or row.handoff:
                continue
            any_last = index if any_last < 0 else any_last
            if row.has_text:
                return index
        return any_last

    def _with_users(self, count: int) -> int:
        indexes = range(len(self.rows) - 1, self.head_end - 1, -1)
        users = [index for index in indexes if self.rows[index].is_personal]
        if not users:
            return self.cut
        target = users[min(count, len(users)) - 1]
        return self.cut if target >= self.cut else max(target, self.head_end + 1)


def bridged(rows: Sequence[DirectRow], head_end: int, cut: int, user: int) -> int:
    """Return the start of the tail. A tail from the last user message on also gets the agent's work before it."""
    if cut != user:
        return cut
    bridge = user - 1
    if bridge < 0:
        return cut
    if rows[bridge].role == "tool":
        bridge = before_group(rows, user)
    elif rows[bridge].role != "assistant":
        return cut
    return bridge if bridge > head_end else cut
