"""Numbers that follow from settings alone, each with the rules that changed it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType

from inspector.engines.base import Budgets, DerivationStep, Settings
from inspector.engines.hermes.policies import (
    HYGIENE_SHARE,
    RATIO_CLAMP,
    SUMMARY_FLOOR,
    SUMMARY_RATIO,
    SUMMARY_SHARE,
    Policies,
)

#: The lean tail: a share of the window, with a minimum and a maximum in tokens. In the current sources any tail, and an
#: unanswered round of calls, are at most a share of the window.
_LEAN_SHARE, _LEAN_RANGE = 0.025, (10_000, 25_000)
_TAIL_SHARE = _ROUND_SHARE = 0.20
#: Settings that plans read only as derived numbers.
BUDGETED = frozenset(
    {"threshold", "target_ratio", "context_length", "max_tokens", "summary_context", "threshold_cap", "tail_mode",
     "message_limit", "tail_tokens"}
)  # fmt: skip


#: Cache the result: the plan, the gauge, the knobs and every run ask for the same settings.
@lru_cache(maxsize=256)
def budgets(policies: Policies, settings: Settings) -> Budgets:
    """Return the threshold, the tail budget, the summary ceiling and the hygiene mark in tokens.

    Source: releases 0.13.0 and 0.19.0, `ContextCompressor.__init__`; the documentation's "Computed values".
    """
    threshold, threshold_steps = _threshold(policies, settings)
    in_force = threshold
    if policies.uses_summary_window and settings.summary_context and settings.summary_context < threshold:
        # The releases lower the threshold when the agent starts, after the tail budget was derived from it.
        in_force = settings.summary_context
        why = f"the summary model's context of {in_force:,} tokens is smaller than the threshold"
        threshold_steps.append(DerivationStep("summary model", in_force, why, bound=True))
    why = f"a list of {in_force:,} tokens or more is compacted"
    threshold_steps.append(DerivationStep("in force", in_force, why))
    tail, tail_steps = _tail(policies, settings, threshold)
    soft = int(tail * policies.soft_ceiling)
    if policies.lean_tail:
        soft = max(tail, min(soft, int(settings.context_length * _TAIL_SHARE)))
    ceiling, ceiling_steps = _summary_ceiling(policies, settings)
    hygiene = int(settings.context_length * HYGIENE_SHARE)
    return Budgets(
        threshold_tokens=in_force,
        tail_token_budget=tail,
        max_summary_tokens=ceiling,
        hygiene_tokens=hygiene,
        hygiene_messages=settings.message_limit or policies.message_limit,
        steps=MappingProxyType(
            {
                "threshold_tokens": tuple(threshold_steps),
                "tail_token_budget": tuple(tail_steps),
                **({"max_summary_tokens": ceiling_steps} if policies.summarizes else {}),
                "hygiene_tokens": (
                    DerivationStep(
                        "hygiene",
                        hygiene,
                        f"{settings.context_length:,} tokens of context × {HYGIENE_SHARE:g}",
                    ),
                ),
            }
        ),
        tail_ceiling_tokens=soft,
        round_tokens=int(_window(settings) * _ROUND_SHARE) if policies.lean_tail else 0,
        lean_tail=_is_lean(policies, settings),
        also_used=tuple(
            name
            for name, heeded in (
                ("threshold_cap", policies.uses_cap),
                ("min_tail_user_messages", policies.reads_texts),
                ("tail_mode", policies.lean_tail),
            )
            if heeded
        ),
        unused_reasons=MappingProxyType(dict(_unused(policies, settings))),
    )


def _is_lean(policies: Policies, settings: Settings) -> bool:
    return policies.lean_tail and settings.tail_mode == "lean"


def _unused(policies: Policies, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the settings that these rules do not use, each with the reason."""
    if _is_lean(policies, settings):
        yield "target_ratio", "a lean tail is a share of the window"
    if not policies.reserves_output:
        yield "max_tokens", "the answer is not subtracted from the window"
    if not policies.uses_summary_window:
        yield "summary_context", "the threshold does not depend on the summary model"


def summary_budget(middle: int, numbers: Budgets) -> int:
    """Return the maximum tokens of the summary of a middle of this size."""
    return max(SUMMARY_FLOOR, min(int(middle * SUMMARY_RATIO), numbers.max_summary_tokens))


def _window(settings: Settings) -> int:
    """Return the window minus the tokens reserved for the answer."""
    window = settings.context_length - (settings.max_tokens or 0)
    return window if window > 0 else settings.context_length


def _tail(policies: Policies, settings: Settings, threshold: int) -> tuple[int, list[DerivationStep]]:
    length = settings.context_length
    if not _is_lean(policies, settings):
        ratio, steps = _ratio(settings.target_ratio)
        tail = int(threshold * ratio)
        steps.append(DerivationStep("budget", tail, f"{threshold:,} tokens × {ratio:g}"))
        if not policies.lean_tail:
            return tail, steps
    else:
        share = int(length * _LEAN_SHARE)
        low, high = _LEAN_RANGE
        tail = max(low, min(high, share))
        steps = [
            DerivationStep(
                "lean", share, f"{length:,} tokens of context × {_LEAN_SHARE:g}; target_ratio is not used"
            ),
            DerivationStep("clamp", tail, f"kept between {low:,} and {high:,} tokens", bound=tail != share),
        ]
    most = max(1, int(length * _TAIL_SHARE))
    why = f"at most {_TAIL_SHARE:.0%} of the window"
    return min(tail, most), [*steps, DerivationStep("budget", min(tail, most), why, bound=most < tail)]


def _threshold(policies: Policies, settings: Settings) -> tuple[int, list[DerivationStep]]:
    ratio = settings.threshold
    steps = [DerivationStep("configured", ratio, f"the threshold is set to {ratio:g} of the window")]
    length = settings.context_length
    if policies.raise_below and length < policies.raise_below:
        raised = max(ratio, policies.raise_to)
        why = f"{policies.raise_to:.0%} at least, because the window is below {policies.raise_below:,} tokens"
        steps.append(DerivationStep("raise", raised, why, bound=raised != ratio))
        ratio = raised
    window = length
    if policies.reserves_output:
        reserved = settings.max_tokens or 0
        window = length - reserved
        if window <= 0:
            window = length
            why = f"an output of {reserved:,} tokens leaves no window, so it is not subtracted"
        elif reserved:
            why = f"the window of {length:,} minus {reserved:,} for the answer"
        else:
            why = f"the window of {length:,}; no tokens are reserved for the answer"
        steps.append(DerivationStep("output reserve", window, why, bound=window != length))
    tokens = int(window * ratio)
    steps.append(DerivationStep("share", tokens, f"{window:,} tokens × {ratio:g}"))
    if policies.floor:
        floored = max(tokens, policies.floor)
        why = f"at least {policies.floor:,} tokens"
        most = int(window * policies.window_share)
        if policies.eases_floor and tokens < floored and most < floored:
            floored = max(tokens, most)
            why = f"at least {policies.floor:,} tokens, or {policies.window_share:.0%} of the window of {window:,}"
        steps.append(DerivationStep("floor", floored, why, bound=floored != tokens))
        tokens = floored
    if policies.window_share and window > 0 and tokens >= window:
        capped = max(1, min(int(window * policies.window_share), window - 1))
        share = f"{policies.window_share:.0%} of the window of {window:,}"
        why = f"{share}, because a threshold of {tokens:,} would fill it"
        steps.append(DerivationStep("cap", capped, why, bound=True))
        tokens = capped
    if policies.uses_cap and settings.threshold_cap is not None:
        cap = min(settings.threshold_cap, length)
        steps.append(
            DerivationStep(
                "threshold cap",
                min(tokens, cap),
                f"at most the {cap:,} tokens that are set",
                bound=cap < tokens,
            )
        )
        tokens = min(tokens, cap)
    return tokens, steps


def _ratio(configured: float) -> tuple[float, list[DerivationStep]]:
    low, high = RATIO_CLAMP
    ratio = max(low, min(configured, high))
    steps = [
        DerivationStep("configured", configured, f"target_ratio is set to {configured:g} of the threshold")
    ]
    if ratio != configured:
        steps.append(DerivationStep("clamp", ratio, f"kept between {low:.0%} and {high:.0%}", bound=True))
    return ratio, steps


def _summary_ceiling(policies: Policies, settings: Settings) -> tuple[int, tuple[DerivationStep, ...]]:
    if not policies.summarizes:
        return 0, ()
    share = int(settings.context_length * SUMMARY_SHARE)
    tokens = min(share, policies.summary_ceiling)
    return tokens, (
        DerivationStep("share", share, f"{settings.context_length:,} tokens of context × {SUMMARY_SHARE:g}"),
        DerivationStep(
            "ceiling", tokens, f"never over {policies.summary_ceiling:,} tokens", bound=tokens != share
        ),
    )
