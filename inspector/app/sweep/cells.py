"""One cell of a sweep: the settings in it, and the curve of a conversation that is run under them."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.app.jobs import Jobs
from inspector.app.sweep.curves import Curve, Curves
from inspector.app.sweep.subject import Subject, SweepState
from inspector.app.sweep.wording import value_words, written
from inspector.core.watching import Watch
from inspector.quality.facts.risk import FactSteps
from inspector.replay.metrics import BY_NAME, METRICS, Metric
from inspector.replay.sweep import Axis, Sweep
from inspector.replay.whatif import WhatIf, stuck
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.heat_map import Cell
from widgets.panes.token_graph import GraphState, TokenGraph


@dataclass(frozen=True, slots=True)
class CellAsked:
    """The cell under the cursor of a sweep. `facts` belong to the conversation on screen."""

    state: SweepState
    found: Sweep | None
    facts: FactSteps | None
    cell: Cell


@dataclass(frozen=True, slots=True)
class CellRun:
    """A conversation that was run under the settings of a cell (row, column) of the axes."""

    curve: Curve
    run: WhatIf
    cell: Cell
    axes: tuple[Axis, Axis]


def run_cell(
    subject: Subject,
    curves: Curves,
    name: str,
    facts: FactSteps | None,
    counted: bool,
    axes: tuple[Axis, Axis],
    cell: Cell,
    watch: Watch,
) -> CellRun:
    """Run a conversation under the settings of a cell (row, column).

    `facts` belong to the conversation on screen. Facts of other conversations are read only if they are `counted`.
    Raise StoreErrors and EngineErrors.
    """
    if name == subject.name:
        curve = Curve(name, subject.title, subject.recording, subject.settings, subject.model)
        course = curve.recording.course.with_facts(facts)
    else:
        curve = curves.of(name, counted)
        course = curve.recording.course
    changed = {axis.name: axis.values[place] for axis, place in zip(axes, cell, strict=True)}
    return CellRun(curve, course.run(curve.settings.with_(**changed), curve.model), cell, axes)


class CellView(Vertical):
    """The panel about the cell under the cursor: the curve of a conversation, and its figures."""

    def __init__(self, subject: Subject, jobs: Jobs, *, id: str) -> None:
        super().__init__(id=id)
        self._subject = subject
        self._jobs = jobs
        answers = subject.answers
        flags = {**answers.flags, **subject.changed}
        self._curves = Curves(answers.store, flags, answers.config, subject.size)
        #: The conversation whose curves are shown; "": in each cell the conversation with the most compactions.
        self._followed = ""
        self._asked: CellAsked | None = None
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

    def offered(self) -> tuple[str, ...]:
        """Return the conversations whose curve the cell can show, the most compacted first."""
        asked = self._asked
        if asked is None or asked.state.scope == "this" or asked.found is None:
            return (self._subject.name,)
        return asked.found.most_compacted(*asked.cell) or (self._subject.name,)

    def shown(self) -> str:
        """Return the conversation whose curve is shown: the chosen conversation if it is there, else the first."""
        offered = self.offered()
        return self._followed if self._followed in offered else offered[0]

    def next_conversation(self, by: int) -> None:
        """Show the curve of the next or previous conversation, in this cell and in the others."""
        offered = self.offered()
        if self._asked is None or len(offered) < 2:
            alone = self._asked is None or self._asked.state.scope == "this"
            words = "The sweep is over this conversation alone; o takes more."
            self.notify(words if alone else "There is no other conversation yet.", timeout=2)
            return
        self._followed = offered[(offered.index(self.shown()) + by) % len(offered)]
        self.show(self._asked)

    def show(self, asked: CellAsked) -> None:
        """Run a conversation under the settings of a cell. A cell outside the grid changes nothing."""
        self._asked = asked
        state, (row, column) = asked.state, asked.cell
        if row < len(state.rows.values) and column < len(state.columns.values):
            counted, axes = BY_NAME[state.metric].facts, (state.rows, state.columns)
            values = (self._subject, self._curves, self.shown(), asked.facts, counted, axes, asked.cell)
            self._jobs.run("cell", values, run_cell, self._came)

    def _came(self, ran: CellRun) -> None:
        self._ran = ran
        self._draw()

    def _draw(self) -> None:
        ran = self._ran
        if ran is None:
            return
        self.query_one(TokenGraph).state = GraphState.of(ran.curve.recording, ran.run)
        whose = self._whose(ran.curve)
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
            known = not metric.facts or ran.run.metrics.facts is not None
            unknown = "being read" if ran.curve.name == self._subject.name else "not read"
            number = written(metric, metric.of(ran.run)) if known else unknown
            reach = self._range(metric, ran.cell)
            lines.append(line_of((metric.words.ljust(18), "muted"), (number.rjust(10), ""), (reach, "muted")))
        if stuck(ran.run):
            lines.append(TextLine(stuck(ran.run), "warning"))
        return lines

    def _range(self, metric: Metric, cell: Cell) -> str:
        """The range of a figure with summaries of half and twice the size, in a sweep over one conversation."""
        asked = self._asked
        if asked is None or asked.found is None or asked.state.scope != "this":
            return ""
        ranges, (row, column) = asked.found.ranges.get(metric.name), cell
        if ranges is None or row >= len(ranges) or column >= len(ranges[row]):
            return ""
        low, high = (written(metric, value) for value in ranges[row][column])
        return "" if low == high else f"  {low} to {high}"

    def _same(self, ran: CellRun) -> list[TextLine]:
        """The settings of the earlier cell that this one is identical to."""
        found = None if self._asked is None else self._asked.found
        if found is None or ran.axes != (found.rows, found.columns):
            return []
        row, column = ran.cell
        first = found.same[row][column]
        return [] if first is None else [TextLine(f"identical to {_values(ran.axes, first)}", "muted")]

    def _whose(self, curve: Curve) -> TextLine:
        """Return the title: the conversation of the curve and the figures."""
        offered = self.offered()
        if len(offered) < 2 or curve.name not in offered:
            return line_of(("of ", "muted"), (curve.title, ""))
        place = f"{offered.index(curve.name) + 1:,} of {len(offered):,}"
        return line_of((f"n p  {place}, ", "muted"), (curve.title, ""))


def _values(axes: tuple[Axis, Axis], cell: Cell) -> str:
    values = [(axis.name, axis.values[place]) for axis, place in zip(axes, cell, strict=True)]
    return ", ".join(f"{name} {value_words(name, value)}" for name, value in values)
