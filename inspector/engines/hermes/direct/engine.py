"""The engine of releases from 0.20.0 on. Their plans depend on texts, so it holds the list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspector.core.messages import Message
from inspector.engines.base import Output, Plan, Settings
from inspector.engines.hermes.assembly import pruned_wire
from inspector.engines.hermes.direct import pruning
from inspector.engines.hermes.direct.assembly import KeptRow, assembled, demoted
from inspector.engines.hermes.direct.replayable import DirectIndex, DirectReplayable
from inspector.engines.hermes.direct.restating import unfinished
from inspector.engines.hermes.direct.rows import ROUGH, DirectRow, rows_of
from inspector.engines.hermes.direct.window import NotCompacted, echoes_in, middle_of, window, without_echoes
from inspector.engines.hermes.release import Cut, ReleaseEngine, plan_of
from inspector.engines.hermes.summary_input import summary_input
from inspector.engines.summary_input import Mask, SummaryInput

Wire = Mapping[str, Any]


class DirectEngine(ReleaseEngine):
    """A release from 0.20.0 on, whose plan depends on texts."""

    def replayable(self) -> DirectReplayable:
        """Return the way to run conversations."""
        return DirectReplayable(self)

    def measure(self, messages: Iterable[Message]) -> DirectIndex:
        """Return the list with the size of each message."""
        return DirectIndex(rows_of(messages, self.policies), self.policies)

    def plan(
        self, token_index: DirectIndex, settings: Settings, compactions: int = 0, system_tokens: int = 0
    ) -> Plan:
        """Plan a compaction now, after `compactions` earlier ones. `system_tokens` count for the gauge only."""
        numbers = self.budgets(settings)
        try:
            planned = window(token_index.rows, self.policies, settings, numbers, compactions)
        except NotCompacted as failure:
            return plan_of(self.name, numbers, token_index, system_tokens, Cut(*failure.args))
        head_end, tail_start = planned.place(planned.head_end), planned.place(planned.tail_start)
        kept = planned.pruned[tail_start:]
        if numbers.lean_tail:
            kept = [row for _, row in demoted([KeptRow(at, row) for at, row in enumerate(kept)])]
        parts = planned.pruned[:head_end], planned.middle, kept
        head, middle, tail = (sum(map(ROUGH, part)) for part in parts)
        changed = [
            index
            for index, (old, new) in enumerate(zip(token_index.rows, planned.pruned, strict=True))
            if old is not new
        ]
        cut = Cut(
            head_end=head_end,
            tail_start=tail_start,
            prune_before=planned.boundary,
            summarized_from=planned.place(planned.summarized_from),
            summary_budget=planned.budget(numbers),
            role=planned.role,
            merged=not planned.role,
        )
        tokens = head, middle, tail
        return plan_of(self.name, numbers, token_index, system_tokens, cut, tokens, changed, planned.steps)

    def prune(self, messages: Sequence[Message], plan: Plan) -> tuple[Wire, ...]:
        """Return every message after pruning."""
        return tuple(row.wire for row in self._pruned(messages, plan))

    def _pruned(self, messages: Sequence[Message], plan: Plan) -> list[DirectRow]:
        rows = rows_of(messages, self.policies)
        return pruning.prune(rows, self.policies, plan.budgets, plan.prune_before) if plan.compacts else rows

    def pruned_wire(self, message: Message, caller: Message | None) -> Wire:
        """Return one message after pruning. `caller` is the assistant message with its call."""
        return pruned_wire(message, caller, self.policies)

    def assemble(self, messages: Sequence[Message], plan: Plan, summary: str) -> tuple[Output, ...]:
        """Return the list after the compaction, with `summary` as the text of the handoff."""
        pruned = self._pruned(messages, plan)
        if not plan.compacts:
            return tuple(Output(row.wire, index) for index, row in enumerate(pruned))
        echoes = echoes_in(pruned)
        rows = [KeptRow(index, row) for index, row in enumerate(pruned) if index not in echoes]
        head = [kept for kept in rows if kept.source < plan.head_end]
        tail = [kept for kept in rows if kept.source >= plan.tail_start]
        stays = _own(demoted(tail)) if plan.budgets.lean_tail else _own(tail)
        request = self._request(messages) if self.policies.restates else None
        headless = plan.head_end == 0
        return tuple(assembled(_own(head), stays, headless, summary, self.policies, request))

    def _request(self, messages: Sequence[Message]) -> KeptRow | None:
        wires = [message.wire for message in messages]
        at = unfinished(wires, self.policies)
        return None if at is None else KeptRow(at, DirectRow(wires[at], self.policies))

    def summary_input(self, messages: Sequence[Message], plan: Plan, focus: str, mask: Mask) -> SummaryInput:
        """Input of the summary model."""
        pruned = self._pruned(messages, plan)
        head, tail = plan.regions()
        left, kept = without_echoes(pruned)
        places = [sum(index < end for index in kept) for end in (head, tail)]
        first = int(bool(left) and left[0].role == "system")
        handoffs = [index for index in range(first, places[1]) if left[index].handoff]
        turns, _ = middle_of(left, places[0], places[1], handoffs)
        size = sum(row.rough for row in turns)
        wires, turned = ([row.wire for row in part] for part in (pruned, turns))
        return summary_input(messages, wires, turned, plan, size, self.policies, focus, mask)


def _own(part: Iterable[KeptRow]) -> list[KeptRow]:
    """Return the messages of a part without handoffs. If a handoff was merged into a message, the rest of the message
    stays."""
    return [KeptRow(index, remainder) for index, row in part if (remainder := row.remainder) is not None]
