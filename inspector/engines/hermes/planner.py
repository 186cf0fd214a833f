"""The plan of a release for one list: the phases of its compaction, in order."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from inspector.engines.base import Budgets, DerivationStep, Plan, Settings
from inspector.engines.hermes import boundaries
from inspector.engines.hermes.assembly import summary_role
from inspector.engines.hermes.budgets import summary_budget
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.release import ALL_STAYS, Cut, plan_of, too_few
from inspector.engines.hermes.token_index import HermesTokenIndex


class Planner(NamedTuple):
    """The phases of the release for one plan, in order. The release may fail in any phase."""

    policies: Policies
    token_index: HermesTokenIndex
    settings: Settings
    compactions: int
    budgets: Budgets

    def cut(self, steps: list[DerivationStep] | None) -> Cut:
        """Return the boundaries of the list. Append the rules that moved them to `steps`."""
        token_index, policies, settings = self.token_index, self.policies, self.settings
        length, budget = len(token_index), self.budgets.tail_token_budget
        head = boundaries.head_size(token_index, policies, settings.protect_first_n, self.compactions)
        if length <= head + 4:
            return Cut(too_few(length, head), "too few")
        pruned_to = (
            boundaries.prune_boundary(token_index, settings.protect_last_n, budget) if policies.prunes else 0
        )
        raises = self._pruning_fails(pruned_to, budget)
        if raises:
            return Cut(f"the release fails while it prunes: {raises}", "fails", raises)
        head_end = boundaries.past_results(token_index.roles, head)
        if steps is not None:
            steps.append(DerivationStep("head", head, f"the first {head} messages are protected"))
            if head_end != head:
                steps.append(
                    DerivationStep(
                        "tool group", head_end, "the head keeps the results of its calls", bound=True
                    )
                )
        raises = self._walk_fails(head_end, pruned_to, budget)
        if raises:
            return Cut(f"the release fails while it looks for the tail: {raises}", "fails", raises)
        last_n = settings.protect_last_n
        start = boundaries.tail_start(token_index, policies, head_end, budget, last_n, pruned_to, steps)
        if head_end >= start:
            return Cut(ALL_STAYS, "fits")
        return self._summarized(head_end, start, pruned_to)

    def _summarized(self, head_end: int, tail_start: int, pruned_to: int) -> Cut:
        token_index, policies = self.token_index, self.policies
        length = len(token_index)
        earlier = boundaries.latest_summary(token_index, head_end, min(tail_start, length), pruned_to)
        start = max(head_end, earlier + 1) if earlier >= 0 else head_end
        raises = (
            f"IndexError at message {length}"
            if tail_start > length
            else self._trouble("summary", start, tail_start)
        )
        if raises:
            return Cut(f"the release fails while it serializes the middle: {raises}", "fails", raises)
        raises = self._trouble("mend", 0, head_end) or self._trouble("mend", tail_start, length)
        if raises:
            return Cut(f"the release fails while it repairs tool pairs: {raises}", "fails", raises)
        if not policies.summarizes:
            return Cut("", None, "", head_end, tail_start, pruned_to, tail_start)
        middle = token_index.rough_between(start, tail_start, pruned_to)
        budget = summary_budget(middle, self.budgets)
        role, merged = summary_role(token_index, policies, head_end, tail_start)
        return Cut("", None, "", head_end, tail_start, pruned_to, start, budget, role, merged)

    def plan(self, system: int) -> Plan:
        """Return the whole plan. `system` are the tokens of the system prompt, which count in addition to the list."""
        token_index, name = self.token_index, self.policies.name
        steps: list[DerivationStep] = []
        cut = self.cut(steps)
        if cut.reason:
            return plan_of(name, self.budgets, token_index, system, cut)
        head, middle, tail = (
            token_index.rough_between(start, stop, cut.prune_before)
            for start, stop in pairwise((0, cut.head_end, cut.tail_start, len(token_index)))
        )
        pruned = boundaries.pruned_indexes(token_index, cut.prune_before)
        return plan_of(name, self.budgets, token_index, system, cut, (head, middle, tail), pruned, steps)

    def _pruning_fails(self, pruned_to: int, budget: int) -> str:
        if not self.token_index.troubles:
            return ""
        # The release reads every call, then walks back to the start of the protected end, then prunes.
        walked = pruned_to if budget > 0 else len(self.token_index)
        return (
            self._trouble("prune", 0, len(self.token_index))
            or self._trouble("walk", walked, len(self.token_index), last=True)
            or self._trouble("prune_result", 0, pruned_to)
            or self._trouble("arguments", 0, pruned_to)
        )

    def _walk_fails(self, head_end: int, pruned_to: int, budget: int) -> str:
        if not self.token_index.troubles:
            return ""
        floor = boundaries.tail_floor(
            self.policies, len(self.token_index), head_end, self.settings.protect_last_n
        )
        lowest = boundaries.lowest_walked(self.token_index, self.policies, head_end, budget, floor, pruned_to)
        return self._trouble("walk", lowest, len(self.token_index), last=True)

    def _trouble(self, phase: str, start: int, stop: int, last: bool = False) -> str:
        if not self.token_index.troubles:
            return ""
        errors = [
            (index, name) for index, name in self.token_index.troubles.get(phase, ()) if start <= index < stop
        ]
        if not errors:
            return ""
        index, name = errors[-1 if last else 0]
        return f"{name} at message {index}"
