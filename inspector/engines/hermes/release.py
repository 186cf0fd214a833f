"""Common parts of the engines of all releases: their numbers, when they fire, and what a plan decides."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from inspector.engines.base import Budgets, Plan, Settings
from inspector.engines.hermes.budgets import BUDGETED, budgets
from inspector.engines.hermes.policies import Policies
from inspector.engines.loop import Loop
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
        """head_end and tail_start inside a list of that length, as `Plan.regions`."""
        head = min(self.head_end, length)
        return head, max(head, min(self.tail_start, length))


def too_few(length: int, head: int) -> str:
    """Why so short a list is not compacted."""
    return f"{length} messages are too few: a head of {head} and 4 more are needed at least"


def firing(tokens: int, numbers: Budgets) -> str | None:
    """ "agent" or "hygiene" where a list of that many tokens is compacted before the next call."""
    if tokens >= numbers.threshold_tokens:
        return "agent"
    return "hygiene" if tokens >= numbers.hygiene_tokens else None


class ReleaseEngine:
    """One release of Hermes' compressor. Pure: every method depends on its arguments alone."""

    def __init__(self, policies: Policies) -> None:
        self.policies = policies

    @property
    def name(self) -> str:
        """The name that --profile takes."""
        return self.policies.name

    @property
    def summary(self) -> str:
        """One sentence about the release."""
        return self.policies.summary

    @property
    def loop(self) -> Loop:
        """When the release looks at the size of its list."""
        return self.policies.loop

    def budgets(self, settings: Settings) -> Budgets:
        """Threshold, tail budget and summary ceiling in tokens, each explained."""
        return budgets(self.policies, settings)

    def fires(self, tokens: int, settings: Settings) -> str | None:
        """ "agent" or "hygiene" where a list of that many tokens is compacted before the next call."""
        return firing(tokens, self.budgets(settings))


class ReleaseReplayable:
    """Common parts of running conversations under the rules of a release."""

    def __init__(self, engine: ReleaseEngine) -> None:
        self.engine = engine
        self.policies = engine.policies
        self.loop = self.policies.loop
        self.summary_prefix = self.policies.wordings[0].length if self.policies.wordings else _PREFIX

    def fires(self, tokens: int, settings: Settings, budgets: Budgets) -> str | None:
        """ "agent" or "hygiene" where a list of that many tokens is compacted before the next call."""
        return firing(tokens, budgets)

    def decisive(self, settings: Settings, budgets: Budgets) -> Hashable:
        """The derived numbers, and the settings that plans read themselves."""
        return (
            budgets.threshold_tokens,
            budgets.tail_token_budget,
            budgets.tail_ceiling_tokens,
            budgets.round_tokens,
            budgets.max_summary_tokens,
            budgets.hygiene_tokens,
            budgets.hygiene_messages,
            bool(budgets.unbound),
            *(getattr(settings, name) for name in _READ_BY_PLANS),
        )


def not_compacted(
    profile: str,
    numbers: Budgets,
    length: int,
    total: int,
    system: int,
    reason: str,
    refusal: Refusal | None,
    raises: str,
) -> Plan:
    """The plan of a list of `total` tokens that stays as it is, with `system` tokens of the system prompt."""
    return Plan(
        profile=profile,
        budgets=numbers,
        length=length,
        compacts=False,
        reason=reason,
        head_end=length,
        tail_start=length,
        prune_before=0,
        pruned=(),
        summarized_from=length,
        summary_budget=0,
        role="",
        merged=False,
        head_tokens=total,
        middle_tokens=0,
        tail_tokens=0,
        tokens_before=total + system,
        tokens_after=total + system,
        summary_tokens=0,
        raises=raises,
        refusal=refusal,
    )
