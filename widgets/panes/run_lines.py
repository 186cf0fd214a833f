"""Runs of a whole conversation in numbers: the recorded one, a what-if, one that was kept to compare with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.shares import dollars
from widgets.base import human
from widgets.base.text_lines import TextLine, line_of
from widgets.panes.token_graph import CURVES, MARKS, GraphState

if TYPE_CHECKING:
    from inspector.replay.metrics import Metric
    from inspector.replay.whatif import Metrics

#: A figure that is not known yet.
_READ = "being read"
#: Width of the names of figures, in cells.
_LABELS = 20


class NamedRun(Struct, frozen=True):
    """A run under its name. `alternative_costs` have another time to live or layout."""

    name: str
    metrics: Metrics
    alternative_costs: tuple[tuple[str, float], ...] = ()


class ReplayView(Struct, frozen=True):
    """The graph, the runs to compare, and sentences about them. `priced`: their costs are read.

    `left_out` is a sentence about recorded compactions that no run has.
    """

    graph: GraphState
    runs: tuple[NamedRun, ...] = ()
    notes: tuple[str, ...] = ()
    priced: bool = True
    left_out: str = ""


def _in_a_line(run: Metrics, *, short: bool = False, facts: bool = True) -> str:
    """A run on one line, without facts until they are read."""
    text = f"{_shortest(run, 'peak' if short else 'peak request')}, "
    if run.cost is None or not short:
        # In a narrow pane the cost stands for the input too.
        text += f"input {human.figure('tokens', run.input_tokens)}, "
    if run.cost is not None:
        text += f"{dollars(run.cost)} {'USD' if short else 'US dollars'}, "
    text += f"{human.percent(run.summarized_share)} summarized"
    if not facts or run.facts is None or run.facts_at_risk is None:
        return text
    return f"{text}, {run.facts_at_risk:,}{'' if short else f' of {run.facts:,}'} facts at risk"


def _shorter(run: Metrics, peak: str = "peak") -> str:
    cost = "" if run.cost is None else f", {dollars(run.cost)} USD"
    return f"{_shortest(run, peak)}{cost}"


def _shortest(run: Metrics, peak: str = "peak") -> str:
    size = human.figure("tokens", run.peak_tokens)
    return f"{human.plural(run.compactions, 'compaction')}, {peak} {size}"


_brief = partial(_shortest, peak="peak request")

#: Descriptions of a run on one line, longest first.
_WAYS: tuple[Callable[[Metrics], str], ...] = (
    _in_a_line,
    partial(_in_a_line, short=True),
    partial(_in_a_line, facts=False),
    partial(_in_a_line, short=True, facts=False),
    partial(_shorter, peak="peak request"),
    _shorter,
    _brief,
    _shortest,
)


def run_lines(view: ReplayView, room: int) -> list[TextLine]:
    """A line for each run, with as much as `room` cells hold of every one, and a line about compactions that are left
    out. The shortest may need two rows."""
    names = {run.name: f"{CURVES[run.name]}{MARKS.get(run.name, '')} {run.name}" for run in view.runs}
    width = max(map(len, names.values()), default=0)
    longest = [max((width + 2 + len(way(run.metrics)) for run in view.runs), default=0) for way in _WAYS]
    way = next((way for way, cells in zip(_WAYS, longest, strict=True) if cells <= room), _brief)
    lines = [
        line_of((names[run.name].ljust(width) + "  ", "muted"), (way(run.metrics), "")) for run in view.runs
    ]
    return [*lines, *([TextLine(view.left_out, "warning")] if view.left_out else [])]


def _costs(view: ReplayView) -> list[tuple[str, list[str]]]:
    """Costs of the runs, also with another time to live or layout."""
    unknown = "–" if view.priced else _READ
    rows = [
        (
            "cost, US dollars",
            [unknown if (cost := run.metrics.cost) is None else dollars(cost) for run in view.runs],
        )
    ]
    for name in dict.fromkeys(name for run in view.runs for name, _ in run.alternative_costs):
        costs = [dict(run.alternative_costs).get(name) for run in view.runs]
        rows.append((f"  {name}", ["–" if cost is None else dollars(cost) for cost in costs]))
    return rows


def run_table(view: ReplayView) -> list[TextLine]:
    """Table of the runs, one row for each figure, and the sentences about the runs; empty without a run."""
    from inspector.replay.metrics import METRICS

    if not view.runs:
        return [TextLine(note, "muted") for note in view.notes]
    width = max((len(text) for run in view.runs for text in (run.name, _READ)), default=0) + 2
    lines = [line_of((" " * _LABELS, "muted"), *((run.name.rjust(width), "strong") for run in view.runs))]
    rows = [
        (metric.label, [_figure(metric, run.metrics) for run in view.runs])
        for metric in METRICS
        if metric.form != "money"
    ]
    for label, values in [*rows, *_costs(view)]:
        same = len(set(values)) <= 1
        lines.append(
            line_of(
                (label.ljust(_LABELS), "muted"),
                *((value.rjust(width), "" if same else "accent") for value in values),
            )
        )
    return [*lines, *(TextLine(note, "muted") for note in view.notes)]


def _figure(metric: Metric, run: Metrics) -> str:
    value = getattr(run, metric.name)
    return _READ if value is None else human.figure(metric.form, value)
