"""Common parts of the engines of all releases: their numbers, when they fire, and what a plan decides."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from inspector.core.shares import plural
from inspector.engines.base import Budgets, DerivationStep, Plan, Settings, TokenIndex
from inspector.engines.hermes.budgets import BUDGETED, budgets
from inspector.engines.hermes.policies import Policies
from inspector.engines.settings import SETTING_NAMES
from inspector.engines.sizes import Refusal

ALL_STAYS = "everything fits into the head and the tail"
#: Assumed characters in front of a summary if the release's wording is unknown.
_PREFIX = 60
_READ_BY_PLANS = tuple(name for name in SETTING_NAMES if name not in BUDGETED)


class Cut(NamedTuple):
    """The fields of a `Plan` that decide the list after it. If `reason` is not empty, the list is not compacted, and
    the other fields have no meaning."""

    reason: str = ""
    refusal: Refusal | None = None
    raises: str = ""
    head_end: int = 0
    tail_start: int = 0
    prune_before: int = 0
    summarized_from: int = 0
    summary_budget: int = 0
    role: str = ""
    merged: bool = False

    def regions(self, length: int) -> tuple[int, int]:
        """Return head_end and tail_start inside a list of this length, as `Plan.regions`."""
        head = min(self.head_end, length)
        return head, max(head, min(self.tail_start, length))


def too_few(length: int, head: int) -> str:
    """Return the reason why a short list is not compacted."""
    verb = "is" if length == 1 else "are"
    return f"{plural(length, 'message')} {verb} too few: a head of {head} and 4 more are needed at least"


def firing(tokens: int, numbers: Budgets) -> str | None:
    """Return "agent" or "hygiene" if a list of this size is compacted before the next call, else None."""
    if tokens >= numbers.threshold_tokens:
        return "agent"
    return "hygiene" if tokens >= numbers.hygiene_tokens else None


class ReleaseEngine:
    """One release of Hermes' compressor. Pure: every method depends on its arguments alone."""

    def __init__(self, policies: Policies) -> None:
        self.policies = policies
        self.name, self.summary, self.loop = policies.name, policies.summary, policies.loop

    def budgets(self, settings: Settings) -> Budgets:
        """Return threshold, tail budget and summary ceiling in tokens, each explained."""
        return budgets(self.policies, settings)

    def fires(self, tokens: int, settings: Settings) -> str | None:
        """Return "agent" or "hygiene" if a list of this size is compacted before the next call, else None."""
        return firing(tokens, self.budgets(settings))


class ReleaseReplayable:
    """Common parts of running conversations under the rules of a release."""

    def __init__(self, engine: ReleaseEngine) -> None:
        self.engine = engine
        self.policies = engine.policies
        self.loop = self.policies.loop
        self.summary_prefix = self.policies.wordings[0].length if self.policies.wordings else _PREFIX

    def fires(self, tokens: int, settings: Settings, budgets: Budgets) -> str | None:
        """Return the same as `ReleaseEngine.fires`, from known budgets."""
        return firing(tokens, budgets)

    def decisive(self, settings: Settings, budgets: Budgets) -> Hashable:
        """Return the derived numbers, and the settings that plans read themselves."""
        return (
            budgets.threshold_tokens,
            budgets.tail_token_budget,
            budgets.tail_ceiling_tokens,
            budgets.round_tokens,
            budgets.max_summary_tokens,
            budgets.hygiene_tokens,
            budgets.hygiene_messages,
            budgets.lean_tail,
            *(getattr(settings, name) for name in _READ_BY_PLANS),
        )


def plan_of(
    profile: str,
    numbers: Budgets,
    token_index: TokenIndex,
    system: int,
    cut: Cut,
    tokens: tuple[int, int, int] | None = None,
    pruned: Sequence[int] = (),
    steps: Sequence[DerivationStep] = (),
) -> Plan:
    """Return the plan for these decisions, with the `tokens` of head, middle and tail (None: the list is not
    compacted), and the `system` tokens of the system prompt."""
    length, total = len(token_index), token_index.total()
    if tokens is None:
        cut, tokens = cut._replace(head_end=length, tail_start=length, summarized_from=length), (total, 0, 0)
    head, middle, tail = tokens
    return Plan(
        profile=profile,
        budgets=numbers,
        length=length,
        compacts=not cut.reason,
        head_tokens=head,
        middle_tokens=middle,
        tail_tokens=tail,
        tokens_before=total + system,
        tokens_after=head + cut.summary_budget + tail + system,
        summary_tokens=cut.summary_budget,
        pruned=tuple(pruned),
        steps=tuple(steps),
        **cut._asdict(),
    )
