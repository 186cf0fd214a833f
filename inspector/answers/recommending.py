"""Recommended settings for an agent: their effect compared with the settings in force, and its certainty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isnan, nan
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.costing import costing_of
from inspector.answers.fact_reading import facts_without_fates
from inspector.answers.recordings import shared_recording
from inspector.answers.replaying import reproduced
from inspector.core.errors import UsageProblem
from inspector.core.shares import dollars, percent
from inspector.engines.base import Settings
from inspector.engines.capabilities import default_threshold
from inspector.engines.registry import engine
from inspector.engines.settings import SETTINGS, difference
from inspector.quality.facts.risk import FactSteps
from inspector.replay.course import Course
from inspector.replay.recording import recorded_metrics
from inspector.replay.reproducing import Reproduction, total_reproduction
from inspector.replay.run import half_and_double, run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import Axis, Grid, Sweep, cells, parse_axis, sweep
from inspector.replay.whatif import Metrics, Range, range_of

Goal = Literal["cost", "facts", "few-compactions"]
#: Metrics that a recommendation shows.
FIGURES = ("compactions", "input_tokens", "cost", "facts_at_risk", "constraints_at_risk", "peak_tokens")
#: The values of both settings that are tried, as axes of a sweep.
_THRESHOLDS, _RATIOS = "0.3:0.9:0.1", "0.1:0.6:0.1"
_Number = TypeVar("_Number", int, float)


class Recommendation(Struct, frozen=True):
    """The recommended settings for the conversations of one agent.

    `force` has the settings in force. `settings` has the recommended settings, which are the settings in force if no
    others are certainly better. The figures have the names in FIGURES, NaN for an unknown figure: `recorded` of the
    recorded compactions, `in_force` of a what-if under the settings in force, `recommended` of a what-if under the
    recommended settings. `ranges` has the ranges of the two what-ifs with summaries of half and twice the size. `why`
    are sentences. `reproduces` is the fit of the settings in force to the record of all conversations.
    """

    agent: str
    conversations: tuple[str, ...]
    goal: Goal
    force: Settings
    settings: Settings
    recorded: dict[str, float]
    in_force: dict[str, float]
    recommended: dict[str, float]
    ranges: tuple[Range, Range]
    reproduces: Reproduction
    why: tuple[str, ...]

    @property
    def changes(self) -> bool:
        """Whether the recommended settings differ from the settings in force."""
        return self.settings != self.force


class _Subject(Struct, frozen=True):
    """A conversation that a what-if can run, and the metrics of its recorded compactions."""

    recorded: Metrics
    course: Course
    model: SummaryModel
    force: Settings
    reproduces: Reproduction


def recommend(answers: Answers, names: Sequence[str], goal: Goal = "cost") -> Recommendation:
    """Find the settings that serve a goal best over the named conversations of one agent, or over all in the store.

    `cost`: the cheapest settings that put no more facts and no more constraints at risk than the settings in force.
    `facts`: the fewest facts at risk. `few-compactions`: the fewest compactions. Raises UsageProblem if there is no
    conversation, or if they are of several agents. Raises UnknownConversation, StoreErrors, EngineErrors.
    """
    rows = {row.id: row for row in answers.store.conversations()}
    chosen = list(dict.fromkeys(map(answers.store.resolve, names))) or list(rows)
    agents = list(dict.fromkeys(rows[name].agent for name in chosen))
    if not agents:
        raise UsageProblem("There is no conversation to recommend settings for.")
    if len(agents) > 1:
        listed = ", ".join(agents)
        raise UsageProblem(
            f"These are conversations of several agents ({listed}); name conversations of one agent."
        )
    subjects = [_subject(answers, name) for name in chosen]
    force = subjects[0].force
    axes = _axes(force)
    grid = sweep(*axes, [_cells(item, axes) for item in subjects], facts=True)
    own_cells = [_cells(item, _only_cell(item.force)) for item in subjects]
    in_force = _figures(sweep(*_only_cell(force), own_cells, facts=True), (0, 0))
    total = total_reproduction(item.reproduces for item in subjects)
    best = _least_changed(grid, _best(grid, goal, in_force), force)
    settings, figures = force, in_force
    if best is not None:
        settings = force.with_(threshold=grid.rows.values[best[0]], target_ratio=grid.columns.values[best[1]])
        figures = _figures(grid, best)
    ranges = _range(subjects, None), _range(subjects, None if best is None else settings)
    why, is_certain = _why(goal, in_force, figures, ranges, total, best is not None)
    if best is not None and not is_certain:
        changed = difference(settings, force)
        tried = ", ".join(f"{name} {SETTINGS[name].words(value)}" for name, value in changed.items())
        why.insert(0, f"The best of the tried settings would be {tried}:")
    if not is_certain:
        settings, figures, ranges = force, in_force, (ranges[0], ranges[0])
    return Recommendation(
        agents[0],
        tuple(chosen),
        goal,
        force,
        settings,
        _recorded([item.recorded for item in subjects]),
        in_force,
        figures,
        ranges,
        total,
        tuple(why),
    )


def _subject(answers: Answers, name: str) -> _Subject:
    inspection, resolved = answers.opened(name)
    settings = resolved.settings
    recording = shared_recording(inspection, settings.profile)
    course = recording.course.with_costs(
        costing_of(inspection, resolved, recording, with_alternatives=False).basis
    )
    course = course.with_facts(FactSteps(facts_without_fates(inspection)))
    recorded = recorded_metrics(replace(recording, course=course), inspection.compactions(), course.facts)
    return _Subject(recorded, course, recording.model, settings, reproduced(inspection))


def _axes(force: Settings) -> tuple[Axis, Axis]:
    """Return the tried settings: thresholds up to the default, and shares of the tail if the profile uses them."""
    thresholds = parse_axis("threshold", _THRESHOLDS).values
    default = default_threshold(engine(force.profile), force.context_length)
    if default is not None:
        thresholds = tuple(value for value in thresholds if value <= default)
    ratios: tuple[float, ...] = (force.target_ratio,)
    if not engine(force.profile).budgets(force).why_unused("target_ratio"):
        ratios = parse_axis("target_ratio", _RATIOS).values
    return (
        Axis("threshold", tuple(sorted({*thresholds, force.threshold}))),
        Axis("target_ratio", tuple(sorted({*ratios, force.target_ratio}))),
    )


def _only_cell(force: Settings) -> tuple[Axis, Axis]:
    return Axis("threshold", (force.threshold,)), Axis("target_ratio", (force.target_ratio,))


def _cells(item: _Subject, axes: tuple[Axis, Axis]) -> Grid:
    return cells(item.course, item.model, item.force, *axes)


def _figures(result: Sweep, cell: tuple[int, int]) -> dict[str, float]:
    figures = {name: result.cells[name][cell[0]][cell[1]] for name in FIGURES}
    # The sum lacks the costs of conversations without prices.
    return {**figures, "cost": nan} if result.unpriced else figures


def _recorded(metrics: Sequence[Metrics]) -> dict[str, float]:
    """Return the recorded figures over all conversations: the largest peak, and the sum of each other figure."""
    combine: dict[str, Callable[[Iterable[float]], float]] = {"peak_tokens": max}
    return {
        name: combine.get(name, sum)(
            nan if (value := getattr(metric, name)) is None else value for metric in metrics
        )
        for name in FIGURES
    }


def _price(figures: dict[str, float]) -> float:
    """Return the cost, or the input tokens if the cost is unknown."""
    return figures["input_tokens"] if isnan(figures["cost"]) else figures["cost"]


def _best(grid: Sweep, goal: Goal, in_force: dict[str, float]) -> tuple[int, int] | None:
    """Return (row, column) of the best cell for a goal; None if no cell serves the goal better than the settings in
    force."""
    risks = "facts_at_risk", "constraints_at_risk"

    def key(figures: dict[str, float]) -> tuple[float, ...]:
        facts, constraints = (figures[name] for name in risks)
        price = _price(figures)
        if goal == "cost":
            return price, facts, constraints
        return (facts, constraints, price) if goal == "facts" else (figures["compactions"], price)

    places = [
        (row, column)
        for row in range(len(grid.rows.values))
        for column in range(len(grid.columns.values))
        if not grid.stuck(row, column)
    ]
    if goal == "cost":
        places = [
            place for place in places if all(_figures(grid, place)[name] <= in_force[name] for name in risks)
        ]
    best = min(places, key=lambda place: key(_figures(grid, place)), default=None)
    # Settings that only cost less do not serve another goal.
    return None if best is None or key(_figures(grid, best))[0] >= key(in_force)[0] else best


def _least_changed(grid: Sweep, best: tuple[int, int] | None, force: Settings) -> tuple[int, int] | None:
    """Return the cell that changes the fewest settings, among the best cell and the cells with identical runs."""
    if best is None:
        return None
    first = grid.identical_to[best[0]][best[1]] or best
    equal_cells = [
        (row, column)
        for row, line in enumerate(grid.identical_to)
        for column, other in enumerate(line)
        if (other or (row, column)) == first
    ]
    values = grid.rows.values, grid.columns.values
    now = force.threshold, force.target_ratio

    def changes(cell: tuple[int, int]) -> int:
        return sum(axis[at] != value for axis, at, value in zip(values, cell, now, strict=True))

    return min(equal_cells, key=changes)


def _range(subjects: Sequence[_Subject], settings: Settings | None) -> Range:
    """Return the range of the sums over all conversations, under `settings`, or under their own settings if None."""
    ranges = []
    for item in subjects:
        chosen = (
            item.force
            if settings is None
            else replace(item.force, threshold=settings.threshold, target_ratio=settings.target_ratio)
        )
        run = run_course(item.course, chosen, item.model, steps=False)
        ranges.append(range_of([run, *half_and_double(item.course, chosen, item.model, steps=False)]))
    costs = [part.cost for part in ranges if part.cost is not None]
    return Range(
        _sums(part.compactions for part in ranges),
        _sums(part.input_tokens for part in ranges),
        _sums(costs) if len(costs) == len(ranges) else None,
        _sums(part.facts_at_risk for part in ranges if part.facts_at_risk is not None),
    )


def _sums(pairs: Iterable[tuple[_Number, _Number]]) -> tuple[_Number, _Number]:
    """Return the sum of the first numbers, and of the second ones."""
    first, second = zip(*pairs, strict=True)
    return sum(first), sum(second)


def _why(
    goal: Goal,
    in_force: dict[str, float],
    best: dict[str, float],
    ranges: tuple[Range, Range],
    reproduces: Reproduction,
    is_better: bool,
) -> tuple[list[str], bool]:
    """Return sentences about a recommendation, and whether it is certain enough."""
    unpriced = "The cost is unknown, so input tokens are compared, without the calls for summaries."
    notes = [unpriced] if goal == "cost" and isnan(in_force["cost"]) else []
    if not is_better:
        serve = {
            "cost": "cost less than the settings in force without more facts or constraints at risk",
            "facts": "put fewer facts at risk than the settings in force",
            "few-compactions": "make fewer compactions than the settings in force",
        }[goal]
        return [*notes, f"No tried settings {serve}."], False
    why = notes
    if not isnan(best["cost"]):
        why.append(_less("cost", in_force["cost"], best["cost"], lambda cost: f"{dollars(cost)} US dollars"))
    why.append(_less("input", in_force["input_tokens"], best["input_tokens"], "{:,.0f} tokens".format))
    why.append(_changed("Compactions", in_force["compactions"], best["compactions"]))
    why.append(_changed("Facts at risk", in_force["facts_at_risk"], best["facts_at_risk"]))
    if best["constraints_at_risk"] != in_force["constraints_at_risk"]:
        why.append(
            _changed("Constraints at risk", in_force["constraints_at_risk"], best["constraints_at_risk"])
        )
    if not reproduces.trusted:
        why.append(
            "The settings in force do not reproduce the recording well enough, so nothing is recommended: "
            f"{reproduces.agreement}."
        )
        return why, False
    if alike := _may_be_alike(goal, *ranges):
        why.append(
            f"With summaries of half or twice the size, both settings may {alike}, so nothing is recommended."
        )
        return why, False
    at_risk = [part.facts_at_risk for part in ranges if part.facts_at_risk is not None]
    if goal == "cost" and at_risk[1][1] > at_risk[0][1]:
        why.append(
            "With summaries of half or twice the size, they may put more facts at risk, so nothing is recommended."
        )
        return why, False
    return why, True


def _may_be_alike(goal: Goal, in_force: Range, recommended: Range) -> str:
    """Return what both settings may do alike with smaller or larger summaries; "" if the better ones stay better."""
    if goal == "cost":
        return "cost the same" if in_force.overlaps(recommended) else ""
    if goal == "few-compactions":
        return "compact as often" if recommended.compactions[1] >= in_force.compactions[0] else ""
    now, then = in_force.facts_at_risk, recommended.facts_at_risk
    assert now is not None
    assert then is not None
    return "put as many facts at risk" if then[1] >= now[0] else ""


def _changed(label: str, before: float, after: float) -> str:
    old, new = f"{before:,.0f}", f"{after:,.0f}"
    return f"{label}: {new}, as now." if new == old else f"{label}: {new} instead of {old}."


def _less(label: str, before: float, after: float, form: Callable[[float], str]) -> str:
    change = "less" if after <= before else "more"
    share = percent(abs(before - after), before) if before else "0%"
    return f"{label.capitalize()}: {form(after)} instead of {form(before)}, {share} {change}."


def confidence(recommendation: Recommendation) -> str:
    """Return the confidence of a recommendation, in words."""
    total = recommendation.reproduces
    if not total.recorded:
        return "unknown: no automatic compaction is recorded"
    level = "good" if total.trusted else "poor"
    inferred = "; settings in force are inferred from the same compactions" if total.inferred else ""
    return f"{level}: reproduces {total.matched}{inferred}"
