"""One cell of a sweep: the settings in it, and the curve of a conversation that is run under them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from inspector.answers.answers import Answers
from inspector.app.sweep.curves import Curve, Curves
from inspector.core.watching import Watch
from inspector.engines.base import Settings
from inspector.quality.facts.risk import FactSteps
from inspector.replay.metrics import BY_NAME, METRICS, Metric
from inspector.replay.recording import Recording
from inspector.replay.sweep import Axis
from inspector.replay.whatif import SummaryModel, WhatIf, stuck
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of
from widgets.panes.token_graph import GraphState, TokenGraph

if TYPE_CHECKING:
    from inspector.app.sweep.screen import SweepScreen


@dataclass(frozen=True, slots=True)
class Subject:
    """What is swept over: the conversation on screen with its recording, `force` being the settings in force for it;
    and the ids of those that the filter leaves and of all. `changed` are the settings that the user changed."""

    title: str
    recording: Recording
    settings: Settings
    force: Settings
    model: SummaryModel
    answers: Answers
    changed: dict[str, object]
    filtered: tuple[str, ...]
    every: tuple[str, ...]
    #: None: each conversation's own.
    size: SummaryModel | None = None
    #: The facts of the conversation on screen; None while they are being read.
    facts: FactSteps | None = None
    #: The id of the conversation on screen.
    name: str = ""


@dataclass(frozen=True, slots=True)
class CellRun:
    """A conversation that was run under the settings of a cell."""

    curve: Curve
    run: WhatIf


def run_cell(
    subject: Subject,
    curves: Curves,
    name: str,
    facts: FactSteps | None,
    counted: bool,
    axes: tuple[Axis, Axis],
    cell: tuple[int, int],
    watch: Watch,
) -> CellRun:
    """Run a conversation under the settings of a cell (row, column); `facts` are those of the conversation on screen,
    and those of another are read where they are `counted`. Raises StoreErrors, EngineErrors."""
    if name == subject.name:
        curve = Curve(name, subject.title, subject.recording, subject.settings, subject.model)
        course = curve.recording.course.with_facts(facts)
    else:
        curve = curves.of(name, counted)
        course = curve.recording.course
    changed = {axis.name: axis.values[place] for axis, place in zip(axes, cell, strict=True)}
    return CellRun(curve, course.run(curve.settings.with_(**changed), curve.model))


class CellView:
    """What stands beside the cell under the cursor: the curve of a conversation, and its figures."""

    def __init__(self, screen: SweepScreen, subject: Subject) -> None:
        self._screen = screen
        self._subject = subject
        answers = subject.answers
        flags = {**answers.flags, **subject.changed}
        self._curves = Curves(answers.store, flags, answers.config, subject.size)
        #: The conversation whose curves are shown; "" for the one with the most compactions in each cell.
        self._followed = ""

    def offered(self) -> tuple[str, ...]:
        """The conversations whose curve the cell under the cursor can show, those with the most compactions first."""
        screen = self._screen
        if screen.scope == "this" or screen.found is None:
            return (self._subject.name,)
        return screen.found.most_compacted(*screen.map.cursor) or (self._subject.name,)

    def shown(self) -> str:
        """The conversation whose curve is shown: the one that was chosen as long as it is there, else the first."""
        offered = self.offered()
        return self._followed if self._followed in offered else offered[0]

    def next_conversation(self, by: int) -> None:
        """The cell's curve over the next conversation, or the one before; other cells show that one from now on."""
        offered = self.offered()
        if len(offered) < 2:
            alone = "The sweep is over this conversation alone; o takes more."
            words = alone if self._screen.scope == "this" else "There is no other conversation yet."
            self._screen.notify(words, timeout=2)
            return
        self._followed = offered[(offered.index(self.shown()) + by) % len(offered)]
        self.show()

    def show(self) -> None:
        """Run a conversation under the settings of the cell under the cursor."""
        screen = self._screen
        row, column = screen.map.cursor
        if row < len(screen.rows.values) and column < len(screen.columns.values):
            axes = (screen.rows, screen.columns)
            counted = BY_NAME[screen.metric].facts
            values = (self._subject, self._curves, self.shown(), screen.facts, counted, axes, (row, column))
            screen.jobs.run("cell", values, run_cell, lambda ran: self._ran(ran, axes, (row, column)))

    def _ran(self, ran: CellRun, axes: tuple[Axis, Axis], cell: tuple[int, int]) -> None:
        screen, recording, run = self._screen, ran.curve.recording, ran.run
        screen.query_one(TokenGraph).state = GraphState(
            recorded=recording.tokens,
            whatif=run.tokens,
            threshold=run.budgets.threshold_tokens,
            hygiene=run.budgets.hygiene_tokens,
            context=run.settings.context_length,
            recorded_events=tuple(event.step for event in recording.events),
            whatif_events=tuple(event.step for event in run.events),
        )
        whose = self._whose(ran.curve)
        # Where it is narrow the map needs the room: the cell's own figures are those that the metrics show.
        lines = [whose] if screen.has_class("narrow") else [_head(axes, cell), whose, *self._figures(ran)]
        screen.query_one("#sweep-cell", Headline).set_lines(lines)

    def _figures(self, ran: CellRun) -> list[TextLine]:
        lines = []
        for metric in METRICS:
            known = not metric.facts or ran.run.metrics.facts is not None
            unknown = "being read" if ran.curve.name == self._subject.name else "not read"
            number = written(metric, metric.of(ran.curve.recording.course, ran.run)) if known else unknown
            lines.append(line_of((metric.words.ljust(18), "muted"), (number.rjust(10), "")))
        if stuck(ran.run):
            lines.append(TextLine(stuck(ran.run), "warning"))
        return lines

    def _whose(self, curve: Curve) -> TextLine:
        """Whose curve and figures these are."""
        offered = self.offered()
        if len(offered) < 2:
            return line_of(("of ", "muted"), (curve.title, ""))
        place = f"{offered.index(curve.name) + 1:,} of {len(offered):,}"
        return line_of((f"n p  {place}, ", "muted"), (curve.title, ""))


def _head(axes: tuple[Axis, Axis], cell: tuple[int, int]) -> TextLine:
    values = [(axis.name, axis.values[place]) for axis, place in zip(axes, cell, strict=True)]
    return line_of((", ".join(f"{name} {value_words(name, value)}" for name, value in values), "strong"))


def written(metric: Metric, value: float) -> str:
    """A score as a person reads it."""
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
    """A value of a setting as a person reads it."""
    if name in ("threshold", "target_ratio"):
        return f"{value * 100:.4g}%"
    return human.tokens(int(value)) if value >= 10_000 else f"{int(value):,}"
