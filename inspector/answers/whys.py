"""Why a compaction came about, as far as the agent recorded it."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.conversations import Compaction
from inspector.engines.base import Budgets


@dataclass(frozen=True, slots=True)
class Why:
    """The rule that fired ("threshold", "manual", "hygiene"; None where that is not known), the threshold in tokens
    that it goes by, and the whole as a sentence."""

    rule: str | None
    threshold_tokens: int | None
    text: str


def why_of(compaction: Compaction, profile: str, budgets: Budgets) -> Why:
    """Why a compaction came about; `budgets` are those of the settings in force, under `profile`."""
    threshold = budgets.threshold_tokens
    reported = compaction.tokens_before_reported
    tokens = compaction.tokens_before if reported is None else reported
    by = "the agent reported" if reported is not None else "estimated roughly"
    if compaction.trigger == "manual":
        return Why("manual", None, f"The user asked for it, at {tokens:,} tokens ({by}).")
    if compaction.trigger in ("hygiene", "overflow"):
        return Why(
            compaction.trigger, None, f"The agent says {compaction.trigger}, at {tokens:,} tokens ({by})."
        )
    if tokens >= threshold:
        return Why(
            "threshold", threshold, f"{tokens:,} tokens ({by}) reached {threshold:,}, {profile}'s threshold."
        )
    if compaction.trigger == "auto":
        fires = f"{profile} as set here fires at {threshold:,}"
        return Why(
            "threshold", None, f"The agent says it came by itself, at {tokens:,} tokens ({by}); {fires}."
        )
    return Why(
        None,
        threshold,
        f"Not recorded: {tokens:,} tokens ({by}) lie under {threshold:,}, {profile}'s threshold as set here.",
    )
