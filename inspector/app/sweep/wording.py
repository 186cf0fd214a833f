"""Values and scores of a sweep as a person reads them."""

from __future__ import annotations

from inspector.engines.settings import SETTINGS
from inspector.replay.metrics import Metric
from widgets.base import human


def written(metric: Metric, value: float) -> str:
    """A score."""
    return human.figure(metric.form, value).removeprefix("~")


def value_words(name: str, value: float) -> str:
    """A value of a setting, short enough for a column."""
    return human.tokens(int(value)) if value >= 10_000 else SETTINGS[name].words(value)
