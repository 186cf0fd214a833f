"""Counts, shares and money as text, the same on screen and in print."""

from __future__ import annotations

from math import isnan

from inspector.core.signs import FATE_SIGNS


def percent(part: float, whole: float = 1.0) -> str:
    """Return a share as a rounded percentage: 78%, <1% for a trace, 0%; – without a whole.

    Never returns 100% for a smaller share: a list of 99,900 tokens is below a threshold of 100,000. A negative share,
    of a list that grew, has a sign.
    """
    if whole <= 0:
        return "–"
    share = part / whole * 100
    if share < 0:
        return f"−{percent(-part, whole)}"
    if share == 0:
        return "0%"
    if share < 1 - 1e-9:
        return "<1%"
    return "99%" if 99 < share < 100 - 1e-9 else f"{share:,.0f}%"


def plural(number: int, noun: str, many: str = "") -> str:
    """Return a count with its noun: 1 message, 214 messages, 2 replies."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def kept_of(kept: int, of: int, weakened: int = 0, unsure: int = 0) -> str:
    """Return how many facts can be read: 4/6, followed by the weakened and the uncertain ones: 4/8 ↓1 ±1."""
    weak = f" {FATE_SIGNS['weakened']}{weakened:,}" if weakened else ""
    open_ones = f" {FATE_SIGNS['uncertain']}{unsure:,}" if unsure else ""
    return f"{kept:,}/{of:,}{weak}{open_ones}"


def share_of(part: int, whole: int, unsure: int = 0) -> str:
    """Return a share with its counts, then the uncertain facts, which are in neither: 67% 6/9 ±2; – without any."""
    uncertain = f"{FATE_SIGNS['uncertain']}{unsure:,}" if unsure else ""
    return f"{percent(part, whole)} {kept_of(part, whole, unsure=unsure) if whole else uncertain}".rstrip()


def dollars(amount: float) -> str:
    """Return US dollars: 1,234.50, 0.42; below ten cents with a third place, <0.001 for a trace."""
    if amount < 0:
        return f"−{dollars(-amount)}"
    if 0 < amount < 0.001:
        return "<0.001"
    return f"{amount:.3f}" if 0 < amount < 0.0995 else f"{amount:,.2f}"


def figure(form: str, value: float | None) -> str:
    """Return a figure of a run by the form of its metric: 12, ~61,042, 45.0%, 3.2, 17.68; – if it is unknown."""
    if value is None or isnan(value):
        return "–"
    if form == "money":
        return dollars(value)
    return {"tokens": f"~{value:,.0f}", "share": f"{value:.1%}", "steps": f"{value:,.1f}"}.get(
        form, f"{value:,.0f}"
    )
