"""Values and scores of a sweep as a person reads them."""

from __future__ import annotations

from math import isnan

from inspector.replay.metrics import Metric
from widgets.base import human


def written(metric: Metric, value: float) -> str:
    """A score."""
    if metric.form == "tokens":
        return human.tokens(round(value))
    if metric.form == "share":
        return f"{value:.1%}"
    if metric.form == "money":
        return "–" if isnan(value) else f"{value:,.2f}"
    if metric.form == "steps":
        return f"{value:,.1f}"
    return human.count(round(value))


def value_words(name: str, value: float) -> str:
    """A value of a setting."""
    if name in ("threshold", "target_ratio"):
        return f"{value * 100:.4g}%"
    return human.tokens(int(value)) if value >= 10_000 else f"{int(value):,}"
