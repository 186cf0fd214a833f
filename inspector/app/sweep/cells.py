"""One cell of a sweep: the settings in it, and the curve of a conversation that is run under them."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.answers.answers import Answers
from inspector.app.sweep.curves import Curve, Curves
from inspector.app.work import Failed
from inspector.app.working import WorkingScreen
from inspector.core.errors import InspectorError
from inspector.engines.base import Settings
from inspector.quality.facts.risk import FactSteps
from inspector.replay.axes import default_axis
from inspector.replay.metrics import METRICS, Metric
from inspector.replay.recording import Recording
from inspector.replay.sweep import Axis, Sweep
from inspector.replay.whatif import SummaryModel, WhatIf
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.heat_map import HeatMap
from widgets.panes.token_graph import GraphState, TokenGraph


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


class CellRan(TextualMessage):
    """A conversation was run under the settings of a cell, which is given by its row and column."""

    def __init__(self, asked: tuple[str, int, int], curve: Curve, run: WhatIf) -> None:
        super().__init__()
        self.asked = asked
        self.curve = curve
        self.run = run


class CellScreen(WorkingScreen):
    """The grid that a sweep is over, and what stands beside the cell under the cursor."""

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject
        self.rows = default_axis("threshold", subject.settings)
        self.columns = default_axis("target_ratio", subject.settings)
        self.scope = "this"
        self.found: Sweep | None = None
        self.facts = subject.facts
        answers = subject.answers
        flags = {**answers.flags, **subject.changed}
        self._curves = Curves(answers.store, flags, answers.config, subject.size)
        #: The conversation whose curves are shown; "" for the one with the most compactions in each cell.
        self.followed = ""

    @on(HeatMap.CellChosen)
    def _cell_chosen(self) -> None:
        self.show_cell()

    def offered(self) -> tuple[str, ...]:
        """The conversations whose curve the cell under the cursor can show, those with the most compactions first."""
        if self.scope == "this" or self.found is None:
            return (self.subject.name,)
        return self.found.most_compacted(*self.query_one(HeatMap).cursor) or (self.subject.name,)

    def shown(self) -> str:
        """The conversation whose curve is shown: the one that was chosen as long as it is there, else the first."""
        offered = self.offered()
        return self.followed if self.followed in offered else offered[0]

    def action_conversation(self, by: int) -> None:
        """The cell's curve over the next conversation, or the one before; other cells show that one from now on."""
        offered = self.offered()
        if len(offered) < 2:
            alone = "The sweep is over this conversation alone; o takes more."
            self.notify(alone if self.scope == "this" else "There is no other conversation yet.", timeout=2)
            return
        self.followed = offered[(offered.index(self.shown()) + by) % len(offered)]
        self.show_cell()

    def show_cell(self) -> None:
        row, column = self.query_one(HeatMap).cursor
        if row < len(self.rows.values) and column < len(self.columns.values):
            self.run_cell((self.shown(), row, column), self.rows, self.columns)

    @work(thread=True, group="cell", exclusive=True, exit_on_error=False, description="cell")
    def run_cell(self, asked: tuple[str, int, int], rows: Axis, columns: Axis) -> None:
        """Run a conversation under the settings of a cell."""
        name, row, column = asked
        subject = self.subject
        try:
            if name == subject.name:
                curve = Curve(name, subject.title, subject.recording, subject.settings, subject.model)
                course = curve.recording.course.with_facts(self.facts)
            else:
                curve = self._curves.of(name)
                course = curve.recording.course
            changed = {rows.name: rows.values[row], columns.name: columns.values[column]}
            run = course.run(curve.settings.with_(**changed), curve.model)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if not get_current_worker().is_cancelled:
            self.post_message(CellRan(asked, curve, run))

    @on(CellRan)
    def _cell_ran(self, event: CellRan) -> None:
        row, column = self.query_one(HeatMap).cursor
        if not self.is_current or event.asked != (self.shown(), row, column):
            return
        curve, run = event.curve, event.run
        self.query_one(TokenGraph).state = GraphState(
            recorded=curve.recording.tokens,
            whatif=run.tokens,
            threshold=run.budgets.threshold_tokens,
            hygiene=run.budgets.hygiene_tokens,
            context=run.settings.context_length,
            recorded_events=tuple(found.step for found in curve.recording.events),
            whatif_events=tuple(found.step for found in run.events),
        )
        names = ((self.rows.name, self.rows.values[row]), (self.columns.name, self.columns.values[column]))
        head = ", ".join(f"{name} {value_words(name, value)}" for name, value in names)
        lines = [line_of((head, "strong")), self._whose(curve)]
        if self.has_class("narrow"):
            # The map needs the room: the cell's own figures are those that the metrics show.
            self.query_one("#sweep-cell", Headline).set_lines(lines[1:])
            return
        for metric in METRICS:
            known = not metric.facts or run.metrics.facts is not None
            unknown = "being read" if curve.name == self.subject.name else "not read"
            number = written(metric, metric.of(curve.recording.course, run)) if known else unknown
            lines.append(line_of((metric.words.ljust(18), "muted"), (number.rjust(10), "")))
        if run.gave_up_at is not None:
            lines.append(TextLine(f"The agent would give up at step {run.gave_up_at:,}.", "warning"))
        self.query_one("#sweep-cell", Headline).set_lines(lines)

    def _whose(self, curve: Curve) -> TextLine:
        """Whose curve and figures these are."""
        offered = self.offered()
        if len(offered) < 2:
            return line_of(("of ", "muted"), (curve.title, ""))
        place = f"{offered.index(curve.name) + 1:,} of {len(offered):,}"
        return line_of((f"n p  {place}, ", "muted"), (curve.title, ""))


def written(metric: Metric, value: float) -> str:
    """A score as a person reads it."""
    if metric.form == "tokens":
        return human.tokens(round(value))
    if metric.form == "share":
        return f"{value:.1%}"
    if metric.form == "steps":
        return f"{value:,.1f}"
    return human.count(round(value))


def value_words(name: str, value: float) -> str:
    """A value of a setting as a person reads it."""
    if name in ("threshold", "target_ratio"):
        return f"{value * 100:.4g}%"
    return human.tokens(int(value)) if value >= 10_000 else f"{int(value):,}"
