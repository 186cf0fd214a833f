"""The engine of a release: joins budgets, token index, boundaries and assembly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspector.core.messages import Message
from inspector.core.rough import wires_tokens
from inspector.engines.base import Output, Plan, Settings
from inspector.engines.hermes.assembly import assemble, prune, pruned_wire
from inspector.engines.hermes.live_columns import measure
from inspector.engines.hermes.planner import Planner
from inspector.engines.hermes.pruning import fallback_raises
from inspector.engines.hermes.release import ReleaseEngine
from inspector.engines.hermes.replayable import HermesReplayable
from inspector.engines.hermes.summary_input import summary_input
from inspector.engines.hermes.token_index import HermesTokenIndex
from inspector.engines.summary_input import Mask, SummaryInput


class SizesEngine(ReleaseEngine):
    """Rules whose plan follows from the sizes of messages."""

    def measure(self, messages: Iterable[Message]) -> HermesTokenIndex:
        """Read the bodies once. Plans need only the index."""
        return measure(messages, self.policies)

    def plan(
        self, token_index: HermesTokenIndex, settings: Settings, compactions: int = 0, system_tokens: int = 0
    ) -> Plan:
        """Plan a compaction now, after `compactions` earlier ones. `system_tokens` count for the gauge only."""
        numbers = self.budgets(settings)
        return Planner(self.policies, token_index, settings, compactions, numbers).plan(system_tokens)

    def prune(self, messages: Sequence[Message], plan: Plan) -> tuple[Mapping[str, Any], ...]:
        """Return every message after pruning."""
        return prune(messages, plan, self.policies)

    def assemble(self, messages: Sequence[Message], plan: Plan, summary: str) -> tuple[Output, ...]:
        """Return the list after the compaction, with `summary` as the text of the handoff."""
        return assemble(messages, plan, self.policies, summary)

    def replayable(self) -> HermesReplayable:
        """Return a replayable that runs whole conversations by arithmetic over columns."""
        return HermesReplayable(self)


class HermesEngine(SizesEngine):
    """A release up to 0.19.0."""

    def pruned_wire(self, message: Message, caller: Message | None) -> Mapping[str, Any]:
        """Return a message after pruning. `caller` is the assistant message whose call it answers."""
        return pruned_wire(message, caller, self.policies)

    def fallback_raises(self, messages: Sequence[Message], plan: Plan) -> str:
        """Return the error that the release raises without a summary, with its message; empty if it continues."""
        if not plan.compacts:
            return ""
        wires = self.prune(messages, plan)
        return fallback_raises(wires, plan.summarized_from, plan.tail_start, self.policies)

    def summary_input(self, messages: Sequence[Message], plan: Plan, focus: str, mask: Mask) -> SummaryInput:
        """Return the input of the summary model."""
        pruned = self.prune(messages, plan)
        turns = pruned[plan.summarized_from : plan.tail_start]
        return summary_input(messages, pruned, turns, plan, wires_tokens(turns), self.policies, focus, mask)
