"""Evidence for tests: a healthy conversation; each test changes one place."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from inspector.core.conversations import Compaction, role_code
from inspector.engines.base import Plan, Settings
from inspector.engines.registry import engine
from inspector.quality.evidence import CompactionEvidence, ConversationEvidence, LiveEvidence, SystemPrompt
from inspector.summaries.parse import parse_summary

FIRST = """## Goal
Move the checkout to the new API.

## Constraints & Preferences
- Keep stripe-node pinned to 14.21.0.
- Ask before posting anything.

## Completed Actions
1. Read the client, two calls to replace.
2. Patched the pool, six connections a pod.
3. Load test at 300 requests a second, p99 322 ms.

## Remaining Work
- Replace the second call.
"""
SECOND = """## Goal
Move the checkout to the new API.

## Constraints & Preferences
- Keep stripe-node pinned to 14.21.0.
- Ask before posting anything.

## Completed Actions
1. Replaced both calls in routes.py.
2. Ran the canary at 25 percent for a day.
3. Removed the row lock on promotions.

## Remaining Work
- Announce the date in the channel.
"""


def roles(*names: str) -> bytes:
    return bytes(map(role_code, names))


def plan(profile: str = "hermes-0.19", **changes: Any) -> Plan:
    settings = changes.pop("settings", Settings(profile=profile))
    values: dict[str, Any] = {
        "profile": profile, "budgets": engine(profile).budgets(settings), "length": 100, "compacts": True, "reason": "",
        "head_end": 3, "tail_start": 60, "prune_before": 0, "pruned": (), "summarized_from": 3, "summary_budget": 6_000,
        "role": "user", "merged": False, "head_tokens": 1_000, "middle_tokens": 110_000, "tail_tokens": 30_000,
        "tokens_before": 141_000, "tokens_after": 37_000, "summary_tokens": 6_000,
    }  # fmt: skip
    return Plan(**(values | changes))


def compaction(index: int = 1, **changes: Any) -> Compaction:
    values: dict[str, Any] = {
        "index": index, "session": "s", "before": 100, "after": 44, "head_end": 3, "tail_start": 60, "head_after": 3,
        "tail_after": 4, "summary_at": 3, "summary": FIRST if index == 1 else SECOND, "merged": False,
        "fallback": False, "tokens_before": 151_000, "tokens_after": 50_000, "at": 1.7e9 + index,
    }  # fmt: skip
    return Compaction(**(values | changes))


def compaction_evidence(
    index: int = 1, recorded: dict[str, Any] | None = None, **changes: Any
) -> CompactionEvidence:
    found = compaction(index, **(recorded or {}))
    values: dict[str, Any] = {
        "recorded": found, "planned": plan(), "middle_tokens": 110_000, "tail_tokens": 30_000, "largest": (70, 2_000),
        "last_request": 80, "system_after": 100, "answered": True,
        "summary": None if found.summary is None else parse_summary(found.summary),
    }  # fmt: skip
    return CompactionEvidence(**(values | changes))


def evidence(
    *compactions: CompactionEvidence, settings: Settings | None = None, **changes: Any
) -> ConversationEvidence:
    """Return a conversation with these compactions (by default two good compactions); `changes` replace fields."""
    settings = settings or Settings(profile="hermes-0.19", threshold=0.8)
    made = compactions or (
        compaction_evidence(1),
        compaction_evidence(2, {"head_end": 0, "head_after": 0}, planned=plan(head_end=0)),
    )
    number = len(made) + 1
    values: dict[str, Any] = {
        "conversation": "c", "source": "cli", "settings": settings, "sources": {},
        "budgets": engine(settings.profile).budgets(settings),
        "live": LiveEvidence(number, roles("user", "assistant") * 50, plan()),
        "compactions": made, "prompts": (SystemPrompt(1, 100, "You are Hermes."),),
        "rows": {n: range(1_000 * n, 1_000 * n + 100) for n in range(1, number + 1)},
    }  # fmt: skip
    return ConversationEvidence(**(values | changes))


def live(found: ConversationEvidence, **changes: Any) -> ConversationEvidence:
    """Return evidence with a changed live list."""
    return replace(found, live=replace(found.live, **changes))
