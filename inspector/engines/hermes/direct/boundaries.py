"""Phase 2: the end of the head and the start of the tail (releases from 0.20.0 on, `compress`,
`_find_tail_cut_by_tokens`)."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.conversations import ASSISTANT, TOOL
from inspector.engines.base import DerivationStep, Settings
from inspector.engines.hermes.boundaries import before_group, pair_end, past_results, tail_floor, walk_step
from inspector.engines.hermes.direct.rows import CALLS, CODE, DirectRow, RowNumbers, last_user, totals_within
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


class TailCut:
    """The search for the tail's start in one list; every rule that moved it is appended to `steps`.

    The first `protected` messages and the results of their calls are the head.
    """

    def __init__(
        self,
        rows: Sequence[DirectRow],
        policies: Policies,
        settings: Settings,
        protected: int,
        budget: int,
        soft: int,
    ) -> None:
        self.rows, self.policies, self.settings = rows, policies, settings
        self.roles, self.calls = RowNumbers(rows, CODE), RowNumbers(rows, CALLS)
        self.head_end = past_results(self.roles, protected)
        self.budget, self.soft = budget, soft
        self.steps: list[DerivationStep] = []
        self.cut = len(rows)

    def find(self) -> int:
        """Return the start of the tail. Raise the errors of the release."""
        length, head = len(self.rows), self.head_end
        floor = tail_floor(self.policies, length, head, self.settings.protect_last_n)
        held = 0 if self.policies.lean_tail and self.soft >= _ROOMY * floor else floor
        self.cut, used = self._walk(self.soft, held, whole=False)
        self.steps.append(walk_step(self.cut, self.soft, self.budget))
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
        self._move(
            "tool group", before_group(self.roles, self.calls, self.cut), "a call stays with its results"
        )
        self._move("last user message", self._with_user(), "the last user message stays in the tail")
        self._move("last answer", self._with_answer(), "the last answer that the user saw stays in the tail")
        count = self.settings.min_tail_user_messages
        if count > 1:
            self._move(
                "user messages", self._with_users(count), f"the last {count} user messages stay in the tail"
            )
        forward = past_results(self.roles, max(self.cut, head + 1))
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
        return max(pair_end(self.roles, last), self.head_end + 1) if moved > last else moved

    def _with_answer(self) -> int:
        last = self._last_answer()
        if last < 0 or last >= self.cut or self._region_is_large(last):
            return self.cut
        return max(before_group(self.roles, self.calls, last), self.head_end + 1)

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

    def bridged(self, user: int) -> int:
        """Return the start of the tail. A tail from the last user message on also gets the agent's work before it."""
        if self.cut != user or not user:
            return self.cut
        bridge = user - 1
        if self.roles[bridge] == TOOL:
            bridge = before_group(self.roles, self.calls, user)
        elif self.roles[bridge] != ASSISTANT:
            return self.cut
        return bridge if bridge > self.head_end else self.cut
