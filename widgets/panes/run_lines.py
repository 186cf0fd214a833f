"""Runs of a whole conversation in numbers: the recorded one, a what-if, one that was kept to compare with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from widgets.base import human
from widgets.base.text_lines import TextLine, line_of
from widgets.panes.token_graph import GraphState


@dataclass(frozen=True, slots=True)
class RunView:
    """One run in numbers. Tokens are rough, shares between 0 and 1; facts are None while they are being read. `cost` is
    in US dollars, None where it is not known, `otherwise` what it would be by name of what is other."""

    name: str
    compactions: int
    peak: int
    mean: int
    input: int
    summarized: float
    resummarized: float
    user_steps: float
    facts: int | None = None
    facts_at_risk: int | None = None
    constraints_at_risk: int | None = None
    cost: float | None = None
    otherwise: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayView:
    """The graph, the runs to compare, and sentences about the runs. Until costs are read they are `priced` not."""

    graph: GraphState
    runs: tuple[RunView, ...] = ()
    notes: tuple[str, ...] = ()
    priced: bool = True


def _rough(tokens: int) -> str:
    return f"~{human.tokens(tokens)}"


def _of_facts(run: RunView) -> str:
    return (
        _READ if run.facts is None or run.facts_at_risk is None else f"{run.facts_at_risk:,} of {run.facts:,}"
    )


def _of_constraints(run: RunView) -> str:
    return _READ if run.constraints_at_risk is None else f"{run.constraints_at_risk:,}"


_READ = "being read"
_LABELS = 20
_ROWS: tuple[tuple[str, Callable[[RunView], str]], ...] = (
    ("compactions", lambda run: f"{run.compactions}"),
    ("peak request", lambda run: _rough(run.peak)),
    ("mean request", lambda run: _rough(run.mean)),
    ("input, all calls", lambda run: _rough(run.input)),
    ("summarized", lambda run: human.percent(run.summarized)),
    ("more than once", lambda run: human.percent(run.resummarized)),
    ("user verbatim", lambda run: f"{run.user_steps:.0f} steps"),
    ("facts at risk", _of_facts),
    ("of them constraints", _of_constraints),
)


def _in_a_line(run: RunView, *, short: bool = False, facts: bool = True) -> str:
    """A run on one line, without facts until they are read."""
    compactions = f"{run.compactions} comp." if short else human.plural(run.compactions, "compaction")
    text = f"{compactions}, peak request {_rough(run.peak)}, "
    if run.cost is None or not short:
        # Where room is short, what it cost tells of the input too.
        text += f"input {_rough(run.input)}, "
    if run.cost is not None:
        text += f"{run.cost:,.2f} {'USD' if short else 'US dollars'}, "
    text += f"{human.percent(run.summarized)} summarized"
    if not facts or run.facts is None or run.facts_at_risk is None:
        return text
    return f"{text}, {run.facts_at_risk:,}{'' if short else f' of {run.facts:,}'} facts at risk"


def _shorter(run: RunView) -> str:
    cost = "" if run.cost is None else f", {run.cost:,.2f} USD"
    return f"{_shortest(run)}{cost}"


def _shortest(run: RunView) -> str:
    return f"{run.compactions} comp., peak request {_rough(run.peak)}"


#: Descriptions of a run on one line, longest first.
_WAYS: tuple[Callable[[RunView], str], ...] = (
    _in_a_line,
    partial(_in_a_line, short=True),
    partial(_in_a_line, facts=False),
    partial(_in_a_line, short=True, facts=False),
    _shorter,
    _shortest,
)


def run_lines(view: ReplayView, room: int) -> list[TextLine]:
    """A line a run, with as much as `room` cells hold of every one."""
    width = max((len(run.name) for run in view.runs), default=0)
    longest = [max((width + 2 + len(way(run)) for run in view.runs), default=0) for way in _WAYS]
    way = next((way for way, cells in zip(_WAYS, longest, strict=True) if cells <= room), _shortest)
    return [line_of((run.name.ljust(width) + "  ", "muted"), (way(run), "")) for run in view.runs]


def _costs(view: ReplayView) -> list[tuple[str, list[str]]]:
    """Costs of the runs, also with another time to live or layout."""
    unknown = "–" if view.priced else _READ
    rows = [("cost, US dollars", [unknown if run.cost is None else f"{run.cost:,.2f}" for run in view.runs])]
    for name in dict.fromkeys(name for run in view.runs for name, _ in run.otherwise):
        costs = [dict(run.otherwise).get(name) for run in view.runs]
        rows.append((f"  {name}", ["–" if cost is None else f"{cost:,.2f}" for cost in costs]))
    return rows


def run_table(view: ReplayView) -> list[TextLine]:
    """Table of the runs, one row a figure, and the sentences about the runs; empty without a run."""
    if not view.runs:
        return [TextLine(note, "muted") for note in view.notes]
    width = max((len(text) for run in view.runs for text in (run.name, _READ)), default=0) + 2
    lines = [line_of((" " * _LABELS, "muted"), *((run.name.rjust(width), "strong") for run in view.runs))]
    rows = [(label, [show(run) for run in view.runs]) for label, show in _ROWS]
    for label, values in [*rows, *_costs(view)]:
        same = len(set(values)) <= 1
        lines.append(
            line_of(
                (label.ljust(_LABELS), "muted"),
                *((value.rjust(width), "" if same else "accent") for value in values),
            )
        )
    return [*lines, *(TextLine(note, "muted") for note in view.notes)]
