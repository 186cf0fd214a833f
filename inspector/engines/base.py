"""The Engine protocol and the values it speaks in. Tokens are estimates of the release, indexes half-open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from inspector.core.messages import Message
from inspector.engines.settings import SETTINGS, Settings
from inspector.engines.sizes import Refusal

__all__ = ["Budgets", "DerivationStep", "Engine", "Output", "Plan", "Settings", "TokenIndex"]


@dataclass(frozen=True, slots=True)
class DerivationStep:
    """One step of how a number came to be: `rule` names it, `value` is the number after it, `why` says why.

    `bound` is true where this step changed the number.
    """

    rule: str
    value: float
    why: str
    bound: bool = False


#: Rules that are the setting itself.
_OWN_RULES = frozenset({"configured", "observed", "output reserve"})


@dataclass(frozen=True, slots=True)
class Budgets:
    """The numbers that follow from settings alone, in tokens. `steps` explains each by name.

    `hygiene_tokens` is where a gateway compacts before a turn, `hygiene_messages` the number of messages at which it
    does so whatever their size; 0 where there is none.
    `tail_ceiling_tokens` is what a tail may grow to before a large message is left out of it, `round_tokens` the most
    that results nobody has answered yet are spared for; 0 where an engine has no such rule. `heeds` are settings that
    bind here and not with most engines, `unbound` those that do not bind although they mostly do, with the reason.
    `observed`: they were seen in records, no release promises them, so nothing is wrong where a record differs.
    """

    threshold_tokens: int
    tail_token_budget: int
    max_summary_tokens: int
    hygiene_tokens: int
    steps: Mapping[str, tuple[DerivationStep, ...]]
    tail_ceiling_tokens: int = 0
    round_tokens: int = 0
    hygiene_messages: int = 0
    heeds: frozenset[str] = frozenset()
    unbound: Mapping[str, str] = field(default_factory=dict)
    observed: bool = False

    @property
    def summary_limit(self) -> int | None:
        """The most that a summary may have; None where only its usual size was observed."""
        return None if self.observed else self.max_summary_tokens

    def binding(self, setting: str) -> str:
        """Why a setting is not in force as it is set: the rule that binds in its place; "" where it is in force."""
        steps = self.steps.get(SETTINGS[setting].number, ())
        rules = [step.why for step in steps if step.bound and step.rule not in _OWN_RULES]
        return rules[-1] if rules else ""

    def unused(self, setting: str) -> str:
        """Why a setting changes nothing here; "" where it may."""
        seldom = SETTINGS[setting].seldom and setting not in self.heeds
        return self.unbound.get(setting, "there is no such rule" if seldom else "")


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of an engine for a list that is compacted now.

    `head_end` and `tail_start` are as the release computes them (tail_start may be one past the end of the
    list); `regions()` clamps them. Where `compacts` is false, `reason` says why, the head is the whole list and
    nothing is pruned. `prune_before`: tool results and arguments before this index are pruned; `pruned` are the
    indexes whose content or calls change. `summarized_from` is where the text that goes to the summary model
    starts (behind an earlier summary). `role` is that of the summary, "" when it is `merged` into the first
    tail message. Token fields are the release's rough estimates; `summary_tokens` is the size that the estimate
    after assumes. `raises` says where the release itself would fail, `refusal` in a word why nothing is
    compacted. `kept` are messages of the middle that stay all the same, behind the head.
    """

    profile: str
    budgets: Budgets
    length: int
    compacts: bool
    reason: str
    head_end: int
    tail_start: int
    prune_before: int
    pruned: Sequence[int]
    summarized_from: int
    summary_budget: int
    role: str
    merged: bool
    head_tokens: int
    middle_tokens: int
    tail_tokens: int
    tokens_before: int
    tokens_after: int
    summary_tokens: int
    steps: tuple[DerivationStep, ...] = ()
    raises: str = ""
    refusal: Refusal | None = None
    kept: frozenset[int] = frozenset()

    @property
    def length_after(self) -> int:
        """How many messages the list has then; tool pairs that are mended are not counted."""
        head, tail = self.regions()
        summary = bool(self.role) and not self.merged
        return head + len(self.kept) + summary + self.length - tail if self.compacts else self.length

    def regions(self) -> tuple[int, int]:
        """head_end and tail_start inside the list: 0 <= head_end <= tail_start <= length."""
        head = min(self.head_end, self.length)
        return head, max(head, min(self.tail_start, self.length))

    def region(self, index: int) -> str:
        """head, middle or tail; what stays of the middle is of the tail."""
        head, tail = self.regions()
        return "head" if index < head else "middle" if index < tail and index not in self.kept else "tail"


@dataclass(frozen=True, slots=True)
class Output:
    """A message of the assembled list. `source` indexes the list before, or is "summary", "stub", or
    "restated": a request that is said again."""

    wire: Mapping[str, Any]
    source: int | str
    merged: bool = False

    @property
    def role(self) -> str:
        """The role, an empty string where the message has none."""
        role = self.wire.get("role")
        return role if isinstance(role, str) else ""


class TokenIndex(Protocol):
    """Columns of a list that make planning arithmetic: some numbers a message, without text."""

    def __len__(self) -> int: ...

    def tokens(self, index: int) -> int:
        """The engine's estimate of one message, in tokens."""
        ...

    def pruned_tokens(self, index: int) -> int:
        """The same after pruning."""
        ...

    def total(self) -> int:
        """The release's rough estimate of the whole list, without the system prompt."""
        ...

    def rough_until(self, stop: int) -> int:
        """The same of the first `stop` messages."""
        ...


class Engine(Protocol):
    """How a context engine decides. Pure: the same arguments always give the same answer."""

    @property
    def name(self) -> str:
        """The name that --profile takes."""
        ...

    @property
    def summary(self) -> str:
        """One sentence about the engine."""
        ...

    def budgets(self, settings: Settings) -> Budgets:
        """The derived numbers, each explained."""
        ...

    def measure(self, messages: Iterable[Message]) -> TokenIndex:
        """One pass over the bodies, after which they are not needed to plan."""
        ...

    def plan(
        self, token_index: Any, settings: Settings, compactions: int = 0, system_tokens: int = 0
    ) -> Plan:
        """Plan a compaction now, after `compactions` earlier ones in this conversation."""
        ...

    def fires(self, tokens: int, settings: Settings) -> str | None:
        """ "agent" or "hygiene" where a list of that many tokens would be compacted before the next call."""
        ...
