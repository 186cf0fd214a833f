"""A sweep: a grid over two settings as a heat map, over one conversation or many, and the curve of a cell."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isnan
from pathlib import Path
from threading import Event
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from inspector.answers.sweeping import Progress, all_equal
from inspector.app.conversation.overwriting import Overwriting
from inspector.app.job_screen import JobScreen
from inspector.app.sweep import frontier
from inspector.app.sweep.cells import CellView, Subject, value_words, written
from inspector.app.sweep.sweeping import SweepKey, best_told, sweep_in_thread
from inspector.core.errors import InspectorError
from inspector.engines.base import Settings
from inspector.quality.facts.risk import FactSteps
from inspector.replay.axes import SWEPT, axes_of, cell_of, default_axis
from inspector.replay.metrics import BY_NAME, METRICS
from inspector.replay.sweep import Axis, Sweep
from widgets.bars.key_line import KeyLine
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.bars.title_bar import TitleBar, TitlePart
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.prompt import Prompt
from widgets.base.text_lines import TextLine
from widgets.lists.heat_map import BEST, FORCE, NOW, STUCK, HeatMap, HeatState
from widgets.panes.scatter import UNBEATEN, Scatter
from widgets.panes.token_graph import TokenGraph

#: The share of facts draws the map of their number.
_OFFERED = tuple(metric for metric in METRICS if metric.name != "facts_at_risk_share")
_READING = "The facts are being read; they are counted as soon as they are there."


class SweepScreen(JobScreen):
    """Moves over the grid; posts nothing until a cell is taken, then calls `take` with its settings."""

    CSS_PATH = "sweep.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Cancel, back", id="sweep.back"),
        Binding("m", "metric(1)", "Metric", id="sweep.metric"),
        Binding("M", "metric(-1)", "Metric before", id="sweep.metric_back", show=False),
        Binding(
            "c",
            "points",
            "Cost and facts",
            id="sweep.points",
            tooltip="Cost against facts at risk, as points",
        ),
        Binding("o", "scope", "Over what", id="sweep.scope"),
        Binding("x", "axis('columns')", "Columns", id="sweep.columns"),
        Binding("y", "axis('rows')", "Rows", id="sweep.rows"),
        Binding("n", "conversation(1)", "Next conversation", id="sweep.next", show=False),
        Binding("p", "conversation(-1)", "Conversation before", id="sweep.previous", show=False),
        Binding("r", "ranges", "Type ranges", id="sweep.ranges"),
        Binding("W", "write", "Write CSV or JSON", id="sweep.write"),
    ]
    HELP: ClassVar[str] = (
        "Every cell is a run of the whole conversation, or of all of them, under two settings. The darker, the more. "
        f"{NOW} the settings on screen, {FORCE} those in force, {BEST} the best cell by this metric. "
        "Beside the map is the cell's curve over one conversation, which is named: over several, first the one with "
        "the most compactions there; n and p go to the others. c draws every cell as a point, its cost against its "
        f"facts at risk: {UNBEATEN} is one that no other beats on both, {BEST} the best beside the settings in force."
    )

    def __init__(self, subject: Subject, take: Callable[[Settings], None]) -> None:
        super().__init__()
        self.subject = subject
        self.rows = default_axis("threshold", subject.settings)
        self.columns = default_axis("target_ratio", subject.settings)
        self.scope = "this"
        self.found: Sweep | None = None
        self.facts = subject.facts
        self.map = HeatMap(id="sweep-map")
        self.scatter = Scatter(id="sweep-points")
        self.cell = CellView(self, subject)
        self.take = take
        self.metric = METRICS[0].name
        self.running = False
        self._prompt = ""
        self._told = ""
        self._overwriting = Overwriting()
        self._placed = False
        self._stop = Event()

    def compose(self) -> ComposeResult:
        """Metric and scope; the map and the cell's curve; what is going on."""
        yield TitleBar(id="header")
        yield ModeBar(self._metrics(), title="metric", id="sweep-metric")
        yield ModeBar(self._scopes(), title="over", id="sweep-scope")
        with Horizontal(id="sweep-body"):
            with Vertical(id="sweep-left"):
                yield self.map
                yield self.scatter
            with Vertical(id="sweep-right"):
                yield Headline(15, id="sweep-cell")
                yield TokenGraph(id="sweep-graph")
        yield Headline(3, id="sweep-told")
        yield Prompt(id="sweep-prompt", compact=True)
        yield KeyLine()

    def on_mount(self) -> None:
        """Begin."""
        self.query_one("#sweep-prompt").display = self.scatter.display = False
        self.query_one("#sweep-graph").can_focus = False
        self.query_one(TitleBar).set_parts((TitlePart("Sweep", 9), TitlePart(self.subject.title, 8)))
        self.map.focus()
        self.begin()

    def on_resize(self) -> None:
        """Narrow terminals show the curve below the map."""
        self.set_class(self.size.width < 110, "narrow")
        self.query_one("#sweep-metric", ModeBar).set_modes(self._metrics(), self.metric)
        if self.running or self.found is not None:
            self.jobs.cancel("cell")
            self.cell.show()

    def _metrics(self) -> list[Mode]:
        room = self.size.width - 12 - sum(len(metric.words) + 1 for metric in _OFFERED)
        return [
            Mode(m.name, m.words if room >= 0 else m.short or m.name.split("_")[0], m.words) for m in _OFFERED
        ]

    def _scopes(self) -> list[Mode]:
        subject = self.subject
        modes = [Mode("this", "this conversation")]
        if set(subject.filtered) != set(subject.every):
            modes.append(Mode("filter", f"the filter's {len(subject.filtered):,}"))
        return [*modes, Mode("all", f"all {len(subject.every):,}")]

    # Sweeping.

    def begin(self, again: bool = False) -> None:
        """Sweep over the axes and the scope on screen; `again` over the same, which stays on screen until then."""
        if not again:
            self.found, self._placed = None, False
        self.running = True
        self._show()
        self._tell("sweeping …")
        self._stop = Event()
        self.jobs.cancel("sweep")
        values = (self.subject, self._key(), self._stop)
        self.jobs.run("sweep", values, sweep_in_thread, self._swept, some=self._how_far)
        self.cell.show()

    def _key(self) -> SweepKey:
        facts: FactSteps | bool = self._counts_facts
        if self.scope == "this":
            facts = False if self.facts is None else self.facts
        return self.scope, self.rows, self.columns, facts

    @property
    def _counts_facts(self) -> bool:
        """Whether what is on screen needs facts."""
        return BY_NAME[self.metric].facts or self.scatter.display

    def take_facts(self, facts: FactSteps) -> None:
        """The facts of the conversation on screen have been read: count them."""
        self.facts = facts
        if not self.is_mounted:
            return  # the sweep begins with them
        if self.scope == "this" and (self.running or (self.found is not None and self.found.complete)):
            self.begin(again=True)
        else:
            self.cell.show()

    def _how_far(self, progress: Progress) -> None:
        if self.running:
            what = "cells" if self.scope == "this" else "conversations"
            self._tell(f"sweeping … {progress.words} {what}; escape cancels and keeps what is done")

    def _swept(self, found: Sweep) -> None:
        self.running = False
        self.found = found
        self._show()
        conversations = human.plural(found.conversations, "conversation")
        over = f"{len(self.rows.values)} × {len(self.columns.values)} cells over {conversations}"
        self._tell(over if found.complete else f"Cancelled. What was done: {over}.")
        self._tell_of_facts()
        if found.conversations and not self._placed:
            place = self.map.state.now
            if place is not None:
                self.map.move_to(place)
            self._placed = True
        self.cell.show()

    def tell(self, *sentences: str) -> None:
        """What went wrong stands where the sweep would say how far it is."""
        self.running = False
        self._tell(" ".join(sentences))

    @on(HeatMap.CellChosen)
    def _cell_chosen(self) -> None:
        self.cell.show()

    def action_conversation(self, by: int) -> None:
        """The cell's curve over the next conversation, or the one before."""
        self.cell.next_conversation(by)

    def _tell_of_facts(self) -> None:
        if self.scope == "this" and BY_NAME[self.metric].facts and self.facts is None:
            self._tell(_READING, keep=False)

    # Showing.

    def _tell(self, text: str, *, keep: bool = True) -> None:
        """Say what is going on, and what the marks mean; what is kept is said again under another metric."""
        if keep:
            self._told = text
        marks = f"   {NOW} on screen  {FORCE} in force  "
        if self.scatter.display:
            text = frontier.told(self.found, self._cell_of(self.subject.force)) or text
            marks += f"{UNBEATEN} not beaten  {BEST} best"
        else:
            marks += best_told(self.found if self._counted() else None, self.metric)
        if self.map.state.stuck and STUCK not in marks:
            marks += f"  {STUCK} gives up, or compacts at every call"
        self.query_one("#sweep-told", Headline).set_lines([TextLine(text + marks, "muted")])

    def _show(self) -> None:
        metric = BY_NAME[self.metric]
        found, heat = self.found, self.map
        lines = found.cells.get(self.metric, ()) if found is not None else ()
        known = [[None if isnan(cell) else cell for cell in line] for line in lines]
        best = None
        run = any(cell is not None for line in known for cell in line)
        if found is not None and run and not all_equal(found, self.metric):
            place = found.best(self.metric)
            best = (place.row, place.column) if place is not None else None
        heat.state = HeatState(
            self.rows.name,
            self.columns.name,
            tuple(value_words(self.rows.name, value) for value in self.rows.values),
            tuple(value_words(self.columns.name, value) for value in self.columns.values),
            tuple(tuple(line) for line in known)
            or tuple((None,) * len(self.columns.values) for _ in self.rows.values),
            tuple(tuple("" if cell is None else written(metric, cell) for cell in line) for line in known),
            self._cell_of(self.subject.settings),
            self._cell_of(self.subject.force),
            best,
            frozenset(
                (row, column)
                for row in range(len(self.rows.values))
                for column in range(len(self.columns.values))
                if found is not None and found.stuck(row, column)
            ),
        )
        self.scatter.state = frontier.scatter_state(found, heat.state.now, heat.state.force)
        self.query_one("#sweep-metric", ModeBar).set_modes(self._metrics(), self.metric)
        self.query_one("#sweep-scope", ModeBar).set_modes(self._scopes(), self.scope)

    def _cell_of(self, settings: Settings) -> tuple[int, int] | None:
        return cell_of(self.rows, self.columns, settings)

    def settings_of(self, row: int, column: int) -> Settings:
        """The settings of a cell."""
        changes = {self.rows.name: self.rows.values[row], self.columns.name: self.columns.values[column]}
        return self.subject.settings.with_(**changes)

    @on(Scatter.PointChosen)
    def _point_chosen(self, event: Scatter.PointChosen) -> None:
        self.map.move_to((event.row, event.column))

    @on(HeatMap.CellTaken)
    @on(Scatter.PointTaken)
    def _cell_taken(self, event: HeatMap.CellTaken | Scatter.PointTaken) -> None:
        settings = self.settings_of(event.row, event.column)
        self._stop.set()
        self.dismiss()
        self.take(settings)

    # Actions.

    def action_back(self) -> None:
        """The prompt is put away; a sweep that runs is cancelled; else back."""
        box = self.query_one("#sweep-prompt", Input)
        if box.display:
            self._close_prompt()
        elif self.running:
            self._stop.set()
            self._tell("cancelling …")
        else:
            self.dismiss()

    def action_metric(self, by: int) -> None:
        """Another metric."""
        self.query_one("#sweep-metric", ModeBar).step(by)

    def action_points(self) -> None:
        """The cells as points, their cost against their facts at risk; or the map again."""
        self.map.display, self.scatter.display = self.scatter.display, not self.scatter.display
        (self.scatter if self.scatter.display else self.map).focus()
        self.scatter.move_to(self.map.cursor, notify=False)
        if self.scope != "this" and self._counts_facts and not self._knows_facts:
            self.begin()
        else:
            self._show()
            self._tell(self._told)

    @property
    def _knows_facts(self) -> bool:
        return self.found is not None and "facts_at_risk" in self.found.cells

    def action_scope(self) -> None:
        """Over this conversation, those of the filter, all."""
        self.query_one("#sweep-scope", ModeBar).step(1)

    @on(ModeBar.ModeChosen, "#sweep-metric")
    def _metric_chosen(self, event: ModeBar.ModeChosen) -> None:
        self.metric = event.mode
        if self.scope != "this" and BY_NAME[self.metric].facts and not self._counted():
            self.begin()
        else:
            self._show()
            self._tell(self._told)
            self._tell_of_facts()
            self.cell.show()

    def _counted(self) -> bool:
        return self.found is not None and self.metric in self.found.cells

    @on(ModeBar.ModeChosen, "#sweep-scope")
    def _scope_chosen(self, event: ModeBar.ModeChosen) -> None:
        self.scope = event.mode
        self.begin()

    def action_axis(self, which: str) -> None:
        """Another setting along the rows or the columns."""
        now, other = (self.rows, self.columns) if which == "rows" else (self.columns, self.rows)
        at = SWEPT.index(now.name)
        names = [SWEPT[(at + step) % len(SWEPT)] for step in range(1, len(SWEPT))]
        self._set_axes(
            which, default_axis(next(name for name in names if name != other.name), self.subject.settings)
        )
        self.begin()

    def _set_axes(self, which: str, axis: Axis) -> None:
        if which == "rows":
            self.rows = axis
        else:
            self.columns = axis

    def action_ranges(self) -> None:
        """Type the ranges of both settings."""
        self._ask("ranges", "threshold=0.3:0.9:0.05 protect_last_n=5,10,20,40")

    def action_write(self) -> None:
        """Type a file for the table."""
        if self.found is None:
            self.notify("There is nothing to write yet.", timeout=2)
        else:
            self._ask("write", "a new file: .csv for a table, .json for the document")

    def _ask(self, what: str, hint: str) -> None:
        box = self.query_one("#sweep-prompt", Input)
        self._prompt, box.placeholder, box.display = what, hint, True
        box.focus()

    @on(Prompt.Left)
    def _close_prompt(self) -> None:
        box = self.query_one("#sweep-prompt", Input)
        box.value, box.display = "", False
        (self.scatter if self.scatter.display else self.map).focus()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        text, what = event.value.strip(), self._prompt
        try:
            if text and what == "write":
                self._write(Path(text).expanduser())
            elif text:
                self.rows, self.columns = axes_of(text)
        except InspectorError as error:
            # The prompt stays, so that what was typed can be mended.
            self.notify(str(error), severity="error", markup=False, timeout=8)
            return
        self._close_prompt()
        if text and what == "ranges":
            self.begin()

    def _write(self, path: Path) -> None:
        if self.found is None:
            return
        from inspector.export.documents.whatif import sweep_csv, sweep_document

        if path.suffix.lower() == ".csv":
            text = sweep_csv(self.found)
        else:
            text = json.dumps(sweep_document(self.found), indent=2) + "\n"
        self._overwriting.write(path, text, self.subject.answers.paths())
        self.notify(f"Wrote the sweep to {path}.", timeout=3, markup=False)
