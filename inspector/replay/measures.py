"""What a sweep measures of each run. Another measure is another entry here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from inspector.replay.whatif import Course, WhatIf


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that a run of a conversation gets.

    `combine` says how those of several conversations become one: summed, the highest, or their mean weighted by API
    calls. `form` writes it. `of` must be importable by name, since sweeps run in several processes.
    """

    name: str
    words: str
    of: Callable[[Course, WhatIf], float]
    combine: Literal["sum", "max", "mean"] = "sum"
    more_is_better: bool = False
    form: Literal["count", "tokens", "share", "steps"] = "count"


class _Figure:
    """One of the figures that every run has."""

    def __init__(self, name: str) -> None:
        self.read = attrgetter(f"metrics.{name}")

    def __call__(self, course: Course, run: WhatIf) -> float:
        found: float = self.read(run)
        return found


MEASURES: tuple[Measure, ...] = (
    Measure("compactions", "compactions", _Figure("compactions")),
    Measure("calls", "API calls", _Figure("calls")),
    Measure("peak_tokens", "peak context", _Figure("peak_tokens"), "max", form="tokens"),
    Measure("mean_tokens", "mean context", _Figure("mean_tokens"), "mean", form="tokens"),
    Measure("input_tokens", "input, all calls", _Figure("input_tokens"), form="tokens"),
    Measure("summarized_share", "summarized", _Figure("summarized_share"), "mean", form="share"),
    Measure("resummarized_share", "more than once", _Figure("resummarized_share"), "mean", form="share"),
    Measure("user_steps", "user verbatim", _Figure("user_steps"), "mean", True, "steps"),
)
BY_NAME = {measure.name: measure for measure in MEASURES}


def scores(course: Course, run: WhatIf) -> tuple[float, ...]:
    """Every measure of a run, in the order of MEASURES."""
    return tuple(measure.of(course, run) for measure in MEASURES)
