"""One cell of a sweep: the settings in it, and the curve of the open conversation under them."""

from __future__ import annotations

from msgspec import Struct
from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.app.jobs import Jobs
from inspector.app.sweep.subject import Subject, SweepState
from inspector.app.sweep.wording import value_words, written
from inspector.core.watching import Watch
from inspector.quality.facts.risk import FactSteps
from inspector.replay.metrics import METRICS, Metric
from inspector.replay.run import run_course
from inspector.replay.sweep import Axis, Sweep
from inspector.replay.whatif import WhatIf, stuck
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.heat_map import Cell
from widgets.panes.token_graph import GraphState, TokenGraph


class CellRun(Struct, frozen=True):
    """The open conversation, run under the settings of a cell (row, column) of the axes."""

    run: WhatIf
    cell: Cell
    axes: tuple[Axis, Axis]


def run_cell(
    subject: Subject, facts: FactSteps | None, state: SweepState, cell: Cell, watch: Watch
) -> CellRun:
    """Run the open conversation under the settings of a cell. Raises EngineErrors."""
    course = subject.recording.course.with_facts(facts)
    run = run_course(course, state.settings_of(subject.settings, cell), subject.model)
    return CellRun(run, cell, (state.rows, state.columns))


class CellView(Vertical):
    """The panel about the cell under the cursor: the curve of the open conversation, and its figures."""

    def __init__(self, subject: Subject, jobs: Jobs, *, id: str) -> None:
        super().__init__(id=id)
        self._subject = subject
        self._jobs = jobs
        self._state: SweepState | None = None
        self._sweep: Sweep | None = None
        self._ran: CellRun | None = None

    def compose(self) -> ComposeResult:
        """Yield the figures and the curve."""
        yield Headline(15, id="sweep-cell")
        graph = TokenGraph(id="sweep-graph")
        graph.can_focus = False
        yield graph

    def on_resize(self) -> None:
        """Fit the figures into the width."""
        self._draw()

    def show(self, state: SweepState, sweep: Sweep | None, facts: FactSteps | None, cell: Cell) -> None:
        """Run the conversation, which has these facts, under the settings of a cell. A cell outside the grid changes
        nothing.
        """
        self._state, self._sweep, (row, column) = state, sweep, cell
        if row < len(state.rows.values) and column < len(state.columns.values):
            values = (self._subject, facts, state, cell)
            if not self._jobs.run("cell", values, run_cell, self._came):
                self._draw()

    def _came(self, ran: CellRun) -> None:
        self._ran = ran
        self._draw()

    def _draw(self) -> None:
        ran = self._ran
        if ran is None:
            return
        self.query_one(TokenGraph).state = GraphState.of(self._subject.recording, ran.run)
        whose = line_of(("in ", "muted"), (self._subject.title, ""))
        # In a narrow terminal the map needs the room, and the metrics show the figures of the cell.
        narrow = self.screen.has_class("narrow")
        lines = (
            [whose]
            if narrow
            else [line_of((_values(ran.axes, ran.cell), "strong")), whose, *self._figures(ran)]
        )
        lines += self._same(ran)
        self.query_one(Headline).set_lines(lines)

    def _figures(self, ran: CellRun) -> list[TextLine]:
        lines = []
        for metric in METRICS:
            is_read = not metric.facts or ran.run.metrics.facts is not None
            number = written(metric, metric.of(ran.run)) if is_read else "being read"
            reach = self._range(metric, ran.cell)
            lines.append(line_of((metric.label.ljust(18), "muted"), (number.rjust(10), ""), (reach, "muted")))
        if stuck(ran.run):
            lines.append(TextLine(stuck(ran.run), "warning"))
        return lines

    def _range(self, metric: Metric, cell: Cell) -> str:
        """The range of a figure with summaries of half and twice the size, in a sweep over one conversation."""
        if self._sweep is None or self._state is None or self._state.scope != "this":
            return ""
        ranges, (row, column) = self._sweep.ranges.get(metric.name), cell
        if ranges is None or row >= len(ranges) or column >= len(ranges[row]):
            return ""
        low, high = (written(metric, value) for value in ranges[row][column])
        return "" if low == high else f"  {low} to {high}"

    def _same(self, ran: CellRun) -> list[TextLine]:
        """The settings of the earlier cell that this one is identical to."""
        if self._sweep is None or ran.axes != (self._sweep.rows, self._sweep.columns):
            return []
        row, column = ran.cell
        first = self._sweep.identical_to[row][column]
        return [] if first is None else [TextLine(f"identical to {_values(ran.axes, first)}", "muted")]


def _values(axes: tuple[Axis, Axis], cell: Cell) -> str:
    values = [(axis.name, axis.values[place]) for axis, place in zip(axes, cell, strict=True)]
    return ", ".join(f"{name} {value_words(name, value)}" for name, value in values)
