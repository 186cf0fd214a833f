"""The metrics of a run. A new metric is a new entry here."""

from __future__ import annotations

from math import nan
from typing import Literal

from msgspec import Struct

from inspector.engines.base import Settings
from inspector.replay.course import Course
from inspector.replay.run import half_and_double, run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.whatif import WhatIf


class Metric(Struct, frozen=True):
    """A figure of a run of a conversation.

    `combine` says how to combine several conversations: the sum, the highest, or the mean weighted by `weight`
    (API calls or facts). Conversations with an unknown value (NaN) are skipped. `form` formats it, `short` is a
    short name for narrow screens. With `facts` it needs the facts of the conversation. `name` is its attribute in
    `Metrics`.
    """

    name: str
    label: str
    combine: Literal["sum", "max", "mean"] = "sum"
    more_is_better: bool = False
    form: Literal["count", "tokens", "share", "steps", "money"] = "count"
    weight: Literal["calls", "facts"] = "calls"
    facts: bool = False
    short: str = ""

    def of(self, run: WhatIf) -> float:
        """Return the figure of a run; NaN if it is unknown."""
        value: float | None = getattr(run.metrics, self.name)
        return nan if value is None else value


METRICS: tuple[Metric, ...] = (
    Metric("compactions", "compactions"),
    Metric("calls", "requests", short="req."),
    Metric("peak_tokens", "peak request", "max", form="tokens", short="peak"),
    Metric("mean_tokens", "mean request", "mean", form="tokens", short="mean"),
    Metric("input_tokens", "input", form="tokens"),
    Metric("summarized_share", "summarized", "mean", form="share", short="summ."),
    Metric("resummarized_share", "summarized again", "mean", form="share", short="again"),
    Metric("user_steps", "user message lasts", "mean", True, "steps"),
    Metric("cost", "cost, USD", form="money", short="USD"),
    Metric("facts_at_risk", "facts at risk", facts=True),
    Metric("facts_at_risk_share", "share at risk", "mean", form="share", weight="facts", facts=True),
    Metric("constraints_at_risk", "constraints at risk", facts=True, short="constr."),
)
BY_NAME = {metric.name: metric for metric in METRICS}


def metrics_for(facts: bool) -> tuple[Metric, ...]:
    """Return every metric; metrics of facts only with `facts`."""
    return METRICS if facts else tuple(metric for metric in METRICS if not metric.facts)


class Scores(Struct, frozen=True):
    """The metrics of a run in their order, and its weight in API calls and in facts.

    `gives_up` and `every_call` say how the run is stuck (see `WhatIf`). `half_and_double` are the metrics with
    summaries of half and twice the size, empty if nothing was summarized or the run is stuck. Cells of a grid with the
    same `run` are one run.
    """

    values: tuple[float, ...]
    calls: float
    facts: float
    gives_up: bool = False
    every_call: bool = False
    half_and_double: tuple[tuple[float, ...], ...] = ()
    run: int = 0

    def weight(self, metric: Metric) -> float:
        """Return the weight of the run in a mean of this metric."""
        return self.facts if metric.weight == "facts" else max(self.calls, 1.0)


def scores(course: Course, settings: Settings, model: SummaryModel, run: int = 0) -> Scores:
    """Run a conversation, and return every metric; metrics of facts only if the course has facts."""
    wanted = metrics_for(course.facts is not None)
    result = run_course(course, settings, model, steps=False)
    stuck = result.gives_up is not None, result.every_call is not None
    # A stuck run is never compared with others, and it compacts thousands of times.
    runs = [result]
    if result.events and not any(stuck):
        runs += half_and_double(course, settings, model, steps=False)
    values, *others = (tuple(metric.of(each) for metric in wanted) for each in runs)
    return Scores(values, result.metrics.calls, result.metrics.facts or 0, *stuck, tuple(others), run)
