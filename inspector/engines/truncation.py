"""The baseline to compare with: keep head and tail, drop what is between, write no summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.core.messages import Message
from inspector.engines.base import Budgets, Output, Plan, Settings
from inspector.engines.hermes.assembly import mended
from inspector.engines.hermes.cut import Cut
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.replayable import HermesReplayable
from inspector.engines.hermes.token_index import HermesTokenIndex

_RULES = Policies(
    name="truncation",
    release="no release",
    summary="Naive truncation: head and tail stay, the middle is dropped without a summary.",
    counts_system=True,
    soft_ceiling=1.0,
    tail_floor="protect_last_n",
    anchor_user=False,
    prunes=False,
    deduplicates=False,
    shrinks_arguments=False,
)


class TruncationEngine:
    """Head + tail, nothing between. The boundaries are the documented ones of an unpruned list."""

    def __init__(self) -> None:
        self._rules = HermesEngine(_RULES)

    @property
    def name(self) -> str:
        """The name that --profile takes."""
        return _RULES.name

    @property
    def summary(self) -> str:
        """One sentence about the engine."""
        return _RULES.summary

    def budgets(self, settings: Settings) -> Budgets:
        """The documented threshold and tail budget; there is no summary."""
        numbers = self._rules.budgets(settings)
        steps = {name: steps for name, steps in numbers.steps.items() if name != "max_summary_tokens"}
        return replace(numbers, max_summary_tokens=0, steps=steps)

    def measure(self, messages: Iterable[Message]) -> HermesTokenIndex:
        """One pass over the bodies."""
        return self._rules.measure(messages)

    def plan(
        self, token_index: HermesTokenIndex, settings: Settings, compactions: int = 0, system_tokens: int = 0
    ) -> Plan:
        """The list that dropping the middle now would leave."""
        plan = self._rules.plan(token_index, settings, 0, system_tokens)
        return replace(
            plan,
            budgets=self.budgets(settings),
            summary_budget=0,
            summary_tokens=0,
            role="",
            merged=False,
            summarized_from=plan.tail_start,
            tokens_after=plan.tokens_after - plan.summary_tokens,
        )

    def cut(
        self, token_index: HermesTokenIndex, settings: Settings, numbers: Budgets, compactions: int = 0
    ) -> Cut:
        """The decisions of the plan, from known budgets."""
        cut = self._rules.cut(token_index, settings, numbers)
        return cut._replace(summary_budget=0, role="", merged=False, summarized_from=cut.tail_start)

    def fires(self, tokens: int, settings: Settings) -> str | None:
        """As documented."""
        return self._rules.fires(tokens, settings)

    def prune(self, messages: Sequence[Message], plan: Plan) -> tuple[Mapping[str, Any], ...]:
        """Nothing is pruned."""
        return tuple(message.wire for message in messages)

    def assemble(self, messages: Sequence[Message], plan: Plan, summary: str) -> tuple[Output, ...]:
        """Head and tail with their tool pairs mended; `summary` is left out."""
        head, tail = plan.regions()
        kept = [*range(head), *range(tail, len(messages))] if plan.compacts else range(len(messages))
        return tuple(mended([Output(messages[index].wire, index) for index in kept], _RULES))

    def replayable(self) -> HermesReplayable:
        """Runs of whole conversations by arithmetic over columns."""
        return HermesReplayable(self, _RULES)
