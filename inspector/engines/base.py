"""The Engine protocol and its values. Tokens are estimates of the release, indexes half-open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, field

from inspector.core.conversations import Compaction
from inspector.core.messages import Message
from inspector.core.shares import plural
from inspector.engines.settings import SETTINGS, Settings
from inspector.engines.sizes import Refusal

__all__ = [
    "Budgets",
    "DerivationStep",
    "Engine",
    "Output",
    "Plan",
    "Settings",
    "TokenIndex",
    "agreement_words",
    "overridden_words",
]


class DerivationStep(Struct, frozen=True):
    """One step in the derivation of a number: the name of the `rule`, the `value` after it, and a sentence (`why`).

    `bound`: this step changed the number.
    """

    rule: str
    value: int | float
    why: str
    bound: bool = False


#: Rules that only state the setting.
_OWN_RULES = frozenset({"configured", "observed", "output reserve"})
#: The derived numbers of every engine, in words.
BUDGET_NAMES: Mapping[str, str] = {
    "threshold_tokens": "threshold",
    "tail_token_budget": "tail budget",
    "max_summary_tokens": "largest summary",
    "hygiene_tokens": "hygiene",
}


class Budgets(Struct, frozen=True):
    """Numbers that follow from settings alone, in tokens. `steps` explains each by name.

    `hygiene_tokens` and `hygiene_messages` are the sizes at which a gateway compacts before a turn; 0 without this
    rule. `tail_ceiling_tokens` is the maximum size of a tail, `round_tokens` the maximum size of unanswered results
    that are not pruned; 0 without this rule. `lean_tail`: the tail is a share of the window, and most long results in
    it become lines. `also_used` are settings that count here but not with most engines; `unused_reasons` are settings
    that count with most engines but not here, with the reason. `observed`: the numbers were seen in records, so a
    different record is not a problem.
    """

    threshold_tokens: int
    tail_token_budget: int
    max_summary_tokens: int
    hygiene_tokens: int
    steps: Mapping[str, tuple[DerivationStep, ...]]
    tail_ceiling_tokens: int = 0
    round_tokens: int = 0
    hygiene_messages: int = 0
    lean_tail: bool = False
    also_used: tuple[str, ...] = ()
    unused_reasons: Mapping[str, str] = field(default_factory=dict)
    observed: bool = False

    @property
    def summary_limit(self) -> int | None:
        """Maximum size of a summary; None if only its usual size was observed."""
        return None if self.observed else self.max_summary_tokens

    def binding(self, setting: str) -> str:
        """Return the rule that overrides a setting, or ""."""
        steps = self.steps.get(SETTINGS[setting].number, ())
        rules = [step.why for step in steps if step.bound and step.rule not in _OWN_RULES]
        return rules[-1] if rules else ""

    def why_unused(self, setting: str) -> str:
        """Return the reason if a setting has no effect here, or ""."""
        seldom = SETTINGS[setting].seldom and setting not in self.also_used
        return self.unused_reasons.get(setting, "there is no such rule" if seldom else "")


def overridden_words(rule: str, setting: str = "it") -> str:
    """Return that a rule overrides a setting, as a sentence."""
    return f"A rule of the profile overrides {setting}: {rule}."


class Marks(Struct, frozen=True):
    """The cache breakpoints in requests to Anthropic's API, of an agent's releases up to `until`.

    `before` names the parts of a request before its messages that have a breakpoint at their end. `last` is the number
    of last messages with a breakpoint; all results of a turn count as one message. `newest_user`: the newest message of
    the user has one too. Without any, requests have no breakpoints at any provider. `why` is the evidence.
    """

    why: str
    before: tuple[str, ...] = ()
    last: int = 0
    newest_user: bool = False
    until: tuple[int, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self.before or self.last or self.newest_user)


class Limits(Struct, frozen=True):
    """Limits that a user wants, for the configuration of the agent.

    The agent compacts at `threshold` tokens, as `comment` says. By default it leaves `reserve` tokens of the window
    free.
    """

    settings: Settings
    threshold: int
    reserve: int
    comment: str


class Plan(Struct, frozen=True):
    """Plan of an engine for a list that is compacted now.

    `head_end` and `tail_start` are computed as in the release (tail_start may be one past the end of the list);
    `regions()` clamps them. If `compacts` is false, `reason` says why, the head is the whole list, and nothing is
    pruned. Tool results and arguments before `prune_before` are pruned; `pruned` are the indexes whose content or
    calls change. The summary model gets the messages from `summarized_from` on, which is after an earlier summary.
    `role` is the role of the summary, "" if it is `merged` into the first tail message. Tokens are rough estimates of
    the release; `tokens_after` assumes a summary of `summary_tokens`. `raises` names the exception of the release,
    `refusal` is the reason in a word. `kept` are messages of the middle that stay after the head.
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

    def agrees_with(self, recorded: Compaction) -> bool:
        """Return whether the plan has the boundaries of a recorded compaction of the same list."""
        return (self.head_end, self.tail_start) == (recorded.head_end, recorded.tail_start)

    @property
    def length_after(self) -> int:
        """The number of messages after the compaction, without repaired tool pairs."""
        head, tail = self.regions()
        summary = bool(self.role) and not self.merged
        return head + len(self.kept) + summary + self.length - tail if self.compacts else self.length

    def regions(self) -> tuple[int, int]:
        """Return head_end and tail_start inside the list: 0 <= head_end <= tail_start <= length."""
        head = min(self.head_end, self.length)
        return head, max(head, min(self.tail_start, self.length))

    def region(self, index: int) -> str:
        """Return head, middle or tail; kept messages of the middle count as tail."""
        head, tail = self.regions()
        return "head" if index < head else "middle" if index < tail and index not in self.kept else "tail"


def agreement_words(planned: Collection[int], recorded: Collection[int]) -> str:
    """Return how a plan with the recorded boundaries agrees with the record.

    `planned` and `recorded` are the messages between the boundaries that stay.
    """
    both = len(set(planned) & set(recorded))
    if both == len(planned) == len(recorded):
        return "the same boundaries"
    shared = "" if both == min(len(planned), len(recorded)) else f", {both:,} in both"
    would = f"{plural(len(planned), 'message')} would stay and {len(recorded):,} stayed"
    return f"the same boundaries; between them, {would}{shared}"


class Output(Struct, frozen=True):
    """A message of the list after. `source` is its index in the list before, or "summary", "stub", or "restated" (a
    repeated request)."""

    wire: Mapping[str, Any]
    source: int | str
    merged: bool = False

    @property
    def role(self) -> str:
        """The role of the message; "" if it has none."""
        role = self.wire.get("role")
        return role if isinstance(role, str) else ""


class TokenIndex(Protocol):
    """Numbers of each message of a list, without text, so that a plan is arithmetic."""

    def __len__(self) -> int: ...

    def tokens(self, index: int) -> int:
        """Return the engine's estimate of a message, in tokens."""
        ...

    def pruned_tokens(self, index: int) -> int:
        """Return the estimate after pruning."""
        ...

    def total(self) -> int:
        """Return the rough estimate of the list, without the system prompt."""
        ...

    def rough_until(self, stop: int) -> int:
        """Return the rough estimate of the first `stop` messages."""
        ...


def region_tokens(recorded: Compaction, token_index: TokenIndex) -> tuple[int, int, int]:
    """Return the rough tokens of head, middle and tail of a recorded compaction, before pruning. Kept messages of the
    middle count as tail."""
    length = len(token_index)
    head, head_and_middle, total = (
        token_index.rough_until(min(stop, length))
        for stop in (recorded.head_end, recorded.tail_start, recorded.before)
    )
    kept = sum(token_index.tokens(index) for index, _ in recorded.kept)
    return head, head_and_middle - head - kept, total - head_and_middle + kept


class Engine(Protocol):
    """A context engine. All methods are pure."""

    @property
    def name(self) -> str:
        """The name that --profile takes."""
        ...

    @property
    def summary(self) -> str:
        """One sentence about the engine."""
        ...

    def budgets(self, settings: Settings) -> Budgets:
        """Return the derived numbers, with explanations."""
        ...

    def measure(self, messages: Iterable[Message]) -> TokenIndex:
        """Read the messages once. Plans need only the result."""
        ...

    def plan(
        self, token_index: Any, settings: Settings, compactions: int = 0, system_tokens: int = 0
    ) -> Plan:
        """Plan a compaction now, after `compactions` earlier ones in this conversation."""
        ...

    def fires(self, tokens: int, settings: Settings) -> str | None:
        """Return "agent" or "hygiene" if a list of this size is compacted before the next call, else None."""
        ...
