"""What happens around the agent's own threshold: gateway hygiene, pressure warnings, and state put back in.

Source: releases 0.13.0 and 0.19.0, `gateway/run.py` (session hygiene); the documentation (pressure warnings, which the
releases no longer give).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.engines.base import Budgets

#: At this share of the threshold the documentation has a warning come up.
PRESSURE_SHARE = 0.85
#: Lists shorter than this are left alone, in messages.
FEWEST = 4
#: From so many messages on hygiene compacts whatever the tokens say (0: no such limit is documented).
HARD_LIMITS = {"documented": 0, "hermes-0.13": 400, "hermes-0.19": 5_000}
#: How the to-do list starts that is put back behind a compacted list, as a user message.
TODO_START = "[Your active task list was preserved across context compression]"


@dataclass(frozen=True, slots=True)
class Hygiene:
    """Whether gateway hygiene compacts before the next message.

    `tokens` are what it looked at, `source` says whether the provider reported them or they are a rough estimate.
    """

    fires: bool
    tokens: int
    source: Literal["reported", "rough"]
    why: str


def hygiene(
    budgets: Budgets, messages: int, rough: int, reported: int = 0, hard_limit: int = 0, enabled: bool = True
) -> Hygiene:
    """Hygiene's verdict on a list of so many messages. Reported tokens of the last response come before rough ones;
    `hard_limit` is in messages, 0 for none."""
    tokens, source = (reported, "reported") if reported > 0 else (rough, "rough")
    found: Literal["reported", "rough"] = "reported" if source == "reported" else "rough"
    if not enabled:
        return Hygiene(False, tokens, found, "compression is switched off")
    if messages < FEWEST:
        return Hygiene(False, tokens, found, f"lists of fewer than {FEWEST} messages are left alone")
    if tokens >= budgets.hygiene_tokens:
        return Hygiene(True, tokens, found, f"{tokens:,} {found} tokens reach {budgets.hygiene_tokens:,}")
    if hard_limit and messages >= hard_limit:
        return Hygiene(True, tokens, found, f"{messages:,} messages reach the limit of {hard_limit:,}")
    return Hygiene(False, tokens, found, f"{tokens:,} {found} tokens are under {budgets.hygiene_tokens:,}")


@dataclass(frozen=True, slots=True)
class Pressure:
    """The documented warning before a compaction: whether it stands, and its words where it has just come up."""

    warned: bool = False
    text: str = ""


def pressure(before: Pressure, tokens: int, threshold_tokens: int) -> Pressure:
    """The warning after a response of so many tokens: given once at 85% of the threshold, cleared below it, and kept
    where a compaction fails to get below it."""
    if threshold_tokens <= 0 or tokens < int(threshold_tokens * PRESSURE_SHARE):
        return Pressure()
    if before.warned:
        return Pressure(warned=True)
    share = tokens * 100 // threshold_tokens
    return Pressure(
        True, f"Context is {share}% to compaction threshold ({tokens:,}/{threshold_tokens:,} tokens)"
    )
