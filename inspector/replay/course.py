"""A conversation, ready to run under any settings of one engine. `run.py` runs it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import accumulate
from typing import Any, NamedTuple

from inspector.core.conversations import ASSISTANT, USER
from inspector.core.rough import list_tokens
from inspector.engines.base import Budgets, Settings
from inspector.engines.failures import failures_named
from inspector.engines.loop import Loop
from inspector.engines.replayable import ReadList, Replayable, least_firing
from inspector.quality.facts.risk import FactSteps
from inspector.replay.check_points import Check, check_points
from inspector.replay.clearing import Cleared
from inspector.replay.context_scale import ContextScale
from inspector.replay.earlier import EarlierSettings
from inspector.replay.pricing import CostBasis
from inspector.replay.transcript import calls

#: A threshold that no list reaches.
_NEVER = 1 << 60


class Period(NamedTuple):
    """Settings that a run uses until a step, their budgets, and the lowest size in tokens that fires a compaction."""

    until: int
    settings: Settings
    budgets: Budgets
    threshold: int


class Course:
    """A conversation, ready to run under any settings of one engine.

    `messages` has each message once; their sizes are rough tokens as the engine estimates them. `scale` converts rough
    sizes to reported sizes. Runs return reported sizes and compare them with the threshold at requests. `cleared` has
    the recorded clearings of tool results. `gateway`: a gateway checks the list between turns. `loop` has the points at
    which the agent checks the list, None for the loop of the engine. `ahead[n]` is the agent's own estimate of the
    request after n messages minus the reported size of this request, in tokens. `recorded_calls` has the steps of
    calls; if it is empty, the messages show the calls. `manual` has the steps of manual compactions, `compacted_at` the
    steps of other recorded compactions. `earlier` has the settings before the current settings, each with its last
    step. `reasoning` has the reasoning tokens of each message, empty if unknown. `facts` and `costs` are None if
    unknown; then runs leave these metrics out.
    """

    def __init__(
        self,
        rules: Replayable[Any],
        messages: ReadList,
        system_tokens: int,
        scale: ContextScale | None = None,
        cleared: Sequence[Cleared] = (),
        gateway: bool = False,
        loop: Loop | None = None,
        ahead: Sequence[int] = (),
        recorded_calls: Sequence[int] = (),
        manual: Sequence[int] = (),
        compacted_at: Sequence[int] = (),
        earlier: Sequence[tuple[int, EarlierSettings]] = (),
        reasoning: Sequence[int] = (),
    ) -> None:
        self.ahead = ahead
        # A repeated request has the same step as the first, so its settings were in force for no message.
        furthest = accumulate((step for step, _ in earlier), max, initial=0)
        self.earlier = [entry for entry, before in zip(earlier, furthest, strict=False) if entry[0] > before]
        self.rules = rules
        self.messages = messages
        self.system = system_tokens
        self.scale = scale or ContextScale()
        self.cleared = cleared
        self.gateway = gateway
        self.loop = loop or rules.loop
        #: Tokens of reasoning that only the agent counts: of each message, and of all before the last message of the
        #: user after the first 0, 1, ... messages. Empty if there are none.
        self.reasoning = [int(self.loop.reasoning * tokens) for tokens in reasoning if self.loop.reasoning]
        self.past_reasoning = _past(self.reasoning, messages.roles) if self.reasoning else []
        self.facts: FactSteps | None = None
        self.costs: CostBasis | None = None
        self._largest: int | None = None
        self.calls = list(recorded_calls) or calls(messages.roles)
        self._reported_calls = frozenset(recorded_calls)
        self.checks = check_points(messages.roles, self.calls, manual, compacted_at)
        kinds = [check for _, check in self.checks]
        self.manual = [place for place, check in enumerate(kinds) if check is Check.MANUAL]
        #: Number of calls, and number of user messages, before each check.
        self.calls_before = list(accumulate((check >= Check.CALL for check in kinds), initial=0))
        self.turns_before = list(accumulate((check is Check.TURN for check in kinds), initial=0))
        #: Characters and pictures of the first 0, 1, ... messages.
        self.chars = list(accumulate(messages.chars, initial=0))
        self.images = list(accumulate(messages.images, initial=0))
        self.check_chars = [self.chars[step] for step, _ in self.checks]
        self.users = [index for index, role in enumerate(messages.roles) if role == USER]
        #: Number of user messages among the first 0, 1, ... messages.
        self.users_before = list(accumulate((role == USER for role in messages.roles), initial=0))

    def is_sized(self, step: int) -> bool:
        """Return whether the agent knows the size of the list at the end of a turn after `step` messages.

        It does not if the last answer has no reported size, as after an abort. Text that no model wrote may follow the
        answer.
        """
        roles, at = self.messages.roles, step
        while at > 0 and roles[at - 1] == ASSISTANT:
            at -= 1
            if at in self._reported_calls:
                return True
        return at == step or not self._reported_calls

    def with_facts(self, facts: FactSteps | None) -> Course:
        """Return the course with these facts."""
        return self._with(facts=facts)

    def with_costs(self, costs: CostBasis | None) -> Course:
        """Return the course with these costs."""
        return self._with(costs=costs)

    def _with(self, **values: Any) -> Course:
        """Return the course with other attributes."""
        if all(getattr(self, name) is value for name, value in values.items()):
            return self
        changed = copy(self)
        vars(changed).update(values)
        return changed

    def rough(self, step: int) -> int:
        """Return the rough tokens of a request with the first `step` messages and the system prompt."""
        return list_tokens(self.chars[step], self.images[step]) + self.system

    def largest(self) -> int:
        """Return the largest size in tokens that a check compares with the threshold, in a run without compactions."""
        if self._largest is None:
            steps = [step for step, _ in self.checks] or [0]
            self._largest = max(
                max(self.compared(step, self.reported(step)), self.rough(step) + self.scale.tools)
                for step in steps
            )
        return self._largest

    def compared(self, step: int, reported: int, left: int = 0) -> int:
        """Return the agent's own estimate of a request after `step` messages, from its reported size.

        `left` is the reasoning of removed messages, in tokens.
        """
        past = max(0, self.past_reasoning[step] - left) if self.past_reasoning else 0
        return reported + past + (self.ahead[step] if self.ahead else 0)

    def reported(self, step: int) -> int:
        """Return the reported tokens of a request with the first `step` messages."""
        return self.scale.reported(self.rough(step), step)

    def budgets(self, settings: Settings) -> Budgets:
        """Return the derived numbers of settings. Raises EngineError if the engine fails."""
        with failures_named(self.rules.engine):
            return self.rules.engine.budgets(settings)

    def periods(self, settings: Settings) -> list[Period]:
        """Return the settings of a run in the order of their use. Raises EngineError if an engine fails."""
        periods = []
        earlier = [(step, changed.of(settings)) for step, changed in self.earlier]
        for until, chosen in [*earlier, (_NEVER, settings)]:
            budgets = self.budgets(chosen)
            least = least_firing(self.rules, chosen, budgets)
            periods.append(Period(until, chosen, budgets, _NEVER if least is None else least))
        return periods


def _past(reasoning: Sequence[int], roles: Sequence[int]) -> list[int]:
    """Return, after the first 0, 1, ... messages, the reasoning tokens before the last message of the user."""
    past, before = [0], 0
    for tokens, total, role in zip(reasoning, accumulate(reasoning), roles, strict=True):
        before = total - tokens if role == USER else before
        past.append(before)
    return past
