"""The Engine protocol and the values it speaks in. Tokens are estimates of the release, indexes half-open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Protocol

from inspector.core.errors import UsageProblem
from inspector.core.messages import Message
from inspector.engines.sizes import Refusal


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user can set. `context_length`, `max_tokens` (the output reservation) and `summary_context` (the context
    of the summary model, None where it is the agent's own) are in tokens, and so is `threshold_cap`, which the
    threshold never exceeds (None: no cap). `tail_mode` says what the tail's budget is a share of: the window, or the
    threshold."""

    threshold: float = 0.50
    target_ratio: float = 0.20
    protect_first_n: int = 3
    protect_last_n: int = 20
    context_length: int = 200_000
    max_tokens: int | None = None
    summary_context: int | None = None
    profile: str = "documented"
    threshold_cap: int | None = None
    tail_mode: Literal["lean", "legacy"] = "lean"
    min_tail_user_messages: int = 1

    def with_(self, **changes: Any) -> Settings:
        """These settings with some changed. Raises UsageProblem where one is out of its range."""
        changed = replace(self, **changes)
        changed.check()
        return changed

    def check(self) -> None:
        """Raise UsageProblem where a setting is out of the range that the tool accepts."""
        for name in RANGES:
            value = getattr(self, name)
            if value is not None:
                check_range(name, value, name)


#: The range in which each number is accepted, both ends included.
RANGES: Mapping[str, tuple[float, float]] = {
    "threshold": (0.0, 1.0),
    # The releases clamp it to 0.10–0.80, which the budgets' steps then say.
    "target_ratio": (0.0, 1.0),
    "protect_first_n": (0, 1_000),
    "protect_last_n": (1, 10_000),
    "context_length": (1_000, 10_000_000),
    "max_tokens": (0, 10_000_000),
    "summary_context": (1_000, 10_000_000),
    "threshold_cap": (1, 10_000_000),
    "min_tail_user_messages": (1, 1_000),
}


def check_range(name: str, value: float, called: str) -> None:
    """Raise UsageProblem where a setting, `called` so where the user wrote it, is out of the range that is accepted."""
    low, high = RANGES[name]
    if not low <= value <= high:
        hint = (
            f" Write a share, such as {value / 100:g}." if (low, high) == (0, 1) and 1 < value <= 100 else ""
        )
        raise UsageProblem(
            f"{called} is {value:,.12g}; it must lie between {low:,.12g} and {high:,.12g}.{hint}"
        )


SETTING_NAMES: tuple[str, ...] = tuple(f.name for f in fields(Settings))


@dataclass(frozen=True, slots=True)
class DerivationStep:
    """One step of how a number came to be: `rule` names it, `value` is the number after it, `why` says why.

    `bound` is true where this step changed the number.
    """

    rule: str
    value: float
    why: str
    bound: bool = False


#: Settings that most engines have no rule for: those that do name them among what they heed.
SELDOM_HEEDED = frozenset({"threshold_cap", "tail_mode", "min_tail_user_messages"})


#: The number that a setting leads to, and the rules by which it does.
_NUMBERS = {"threshold": "threshold_tokens", "target_ratio": "tail_token_budget"}
_OWN_RULES = frozenset({"configured", "observed", "output reserve"})


@dataclass(frozen=True, slots=True)
class Budgets:
    """The numbers that follow from settings alone, in tokens. `steps` explains each by name.

    `hygiene_tokens` is where a gateway compacts before a turn, 0 where there is none.
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
    heeds: frozenset[str] = frozenset()
    unbound: Mapping[str, str] = field(default_factory=dict)
    observed: bool = False

    @property
    def summary_limit(self) -> int | None:
        """The most that a summary may have; None where only its usual size was observed."""
        return None if self.observed else self.max_summary_tokens

    def binding(self, setting: str) -> str:
        """Why a setting is not in force as it is set: the rule that binds in its place; "" where it is in force."""
        steps = self.steps.get(_NUMBERS.get(setting, ""), ())
        rules = [step.why for step in steps if step.bound and step.rule not in _OWN_RULES]
        return rules[-1] if rules else ""

    def unused(self, setting: str) -> str:
        """Why a setting changes nothing here; "" where it may."""
        seldom = setting in SELDOM_HEEDED and setting not in self.heeds
        return self.unbound.get(setting, "there is no such rule" if seldom else "")


@dataclass(frozen=True, slots=True)
class Plan:
    """What an engine would do with a list if it compacted now.

    `head_end` and `tail_start` are as the release computes them (tail_start may lie one past the end of the
    list); `regions()` clamps them. Where `compacts` is false, `reason` says why, the head is the whole list
    and nothing is pruned. `prune_before`: tool results and arguments before this index are pruned;
    `pruned` are the indexes whose content or calls change. `summarized_from` is where the text that goes
    to the summary model starts (behind an earlier summary). `role` is that of the summary, "" when it is
    `merged` into the first tail message. Token fields are the release's rough estimates; `summary_tokens`
    is the size that the estimate after assumes. `raises` says where the release itself would fail, `refusal`
    in a word why nothing is compacted. `kept` are messages of the middle that stay all the same, behind the head.
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
    """What an engine keeps of a list so that planning is arithmetic: no text, some numbers a message."""

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
        """What --profile takes."""
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
        """What a compaction now would do, `compactions` having gone before in this conversation."""
        ...

    def fires(self, tokens: int, settings: Settings) -> str | None:
        """ "agent" or "hygiene" where a list of that many tokens would be compacted before the next call."""
        ...
