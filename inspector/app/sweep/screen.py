"""A sweep: a grid over two settings as a heat map, over one conversation or many, and the curve of a cell."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Event
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive

from inspector.answers.scheduling import Progress
from inspector.app.job_screen import JobScreen
from inspector.app.overwriting import Overwriting
from inspector.app.sweep.cells import CellView
from inspector.app.sweep.grid import best_words, heat_state, settings_words
from inspector.app.sweep.subject import Subject, SweepState
from inspector.app.sweep.sweeping import key_of, sweep_in_thread
from inspector.config.agent_folders import expanded
from inspector.engines.base import Settings
from inspector.quality.facts.risk import FactSteps
from inspector.replay.axes import axes_of
from inspector.replay.metrics import BY_NAME, METRICS
from inspector.replay.reproducing import left_out_words
from inspector.replay.sweep import Sweep
from widgets.bars.key_line import KeyLine
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.bars.title_bar import TitleBar, TitlePart
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.lists.heat_map import ALIKE, BEST, FORCE, NOW, SAME, STUCK, HeatMap

#: Text while facts are being read.
READING = "The facts are being read; they are counted afterwards."
#: The share of facts has the same map as their number, so it is not offered.
_OFFERED = tuple(metric for metric in METRICS if metric.name != "facts_at_risk_share")


class SweepScreen(JobScreen):
    """A sweep with a cursor. Enter calls `take` with the settings of the cell."""

    CSS_PATH = "sweep.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Cancel, back", id="sweep.back"),
        Binding("m", "metric(1)", "Metric", id="sweep.metric"),
        Binding("M", "metric(-1)", "Previous metric", id="sweep.metric_back", show=False),
        Binding("o", "scope", "Scope", id="sweep.scope"),
        Binding("x", "axis('columns')", "Columns", id="sweep.columns"),
        Binding("y", "axis('rows')", "Rows", id="sweep.rows"),
        Binding("r", "ranges", "Type ranges", id="sweep.ranges"),
        Binding("W", "write", "Write CSV or JSON", id="sweep.write"),
    ]
    HELP_TITLE = "Sweep"
    HELP: ClassVar[str] = (
        "Each cell is a run of the conversations under two settings. A darker cell has a higher value. "
        f"{NOW} the settings on screen, {FORCE} the settings in force, {BEST} the best cell by this metric, "
        f"{ALIKE} may be as good with smaller or larger summaries, {SAME} identical to an earlier cell. "
        "Next to the map is the curve of the open conversation in the selected cell."
    )

    #: The place of the user; an action assigns the next one.
    state: reactive[SweepState] = reactive(SweepState.of(Settings()), init=False)

    def __init__(self, subject: Subject, take: Callable[[Settings], None]) -> None:
        super().__init__()
        self.subject = subject
        self.take = take
        self.set_reactive(SweepScreen.state, SweepState.of(subject.settings))
        self.swept: Sweep | None = None
        #: The facts of the conversation on screen, once they have been read.
        self.facts = subject.facts
        self.running = False
        self.map = HeatMap(id="sweep-map")
        self.cell = CellView(subject, self.jobs, id="sweep-right")
        self._notes_shown = ""
        self._overwriting = Overwriting()
        self._placed = False
        self._stop = Event()

    def compose(self) -> ComposeResult:
        """Yield metric and scope, the map and the cell's curve, progress."""
        yield TitleBar(id="header")
        yield ModeBar(self._metrics(), title="metric", id="sweep-metric")
        yield ModeBar(self._scopes(), title="over", id="sweep-scope")
        with Horizontal(id="sweep-body"):
            with Vertical(id="sweep-left"):
                yield self.map
            yield self.cell
        yield Headline(6, id="sweep-text")
        yield KeyLine()

    def on_mount(self) -> None:
        """Begin."""
        self.map.focus()
        self.begin()

    def on_resize(self) -> None:
        """Narrow terminals show the curve below the map."""
        self.set_class(self.size.width < 110, "narrow")

    def _metrics(self) -> list[Mode]:
        # The title has the whole name of the metric. The bar has room for all names in 160 cells.
        return [
            Mode(m.name, m.label.removesuffix(" request"), m.label, m.short or m.label.split()[0])
            for m in _OFFERED
        ]

    def _scopes(self) -> list[Mode]:
        subject = self.subject
        modes = [Mode("this", "this conversation")]
        if set(subject.filtered) != set(subject.every):
            modes.append(Mode("filter", f"the filter's {len(subject.filtered):,}"))
        return [*modes, Mode("all", f"all {len(subject.every):,}")]

    # Sweeping.

    def watch_state(self, before: SweepState, after: SweepState) -> None:
        """Sweep again for other cells, conversations or facts; else show the results."""
        elsewhere = (before.scope, before.rows, before.columns) != (after.scope, after.rows, after.columns)
        counted = self.swept is not None and "facts_at_risk" in self.swept.cells
        if elsewhere or (after.scope != "this" and after.counts_facts and not counted):
            self.begin()
        else:
            self._show()
            self._tell(self._notes_shown)
            self._tell_of_facts()
            self._show_cell()

    def begin(self, again: bool = False) -> None:
        """Start a sweep; with `again` the old results stay on screen until then."""
        if not again:
            self.swept, self._placed = None, False
        self.running = True
        self._show()
        self._tell("sweeping …")
        self._stop = Event()
        self.jobs.cancel("sweep")
        values = (self.subject, key_of(self.state, self.facts), self._stop)
        self.jobs.run("sweep", values, sweep_in_thread, self._swept, some=self._how_far)
        self._show_cell()

    def take_facts(self, facts: FactSteps) -> None:
        """Count the facts of the conversation on screen, which have been read."""
        self.facts = facts
        if not self.is_mounted:
            return  # the sweep begins with them
        if self.state.scope == "this" and (self.running or (self.swept is not None and self.swept.complete)):
            self.begin(again=True)
        else:
            self._show_cell()

    def _how_far(self, progress: Progress) -> None:
        if self.running:
            what = "cells" if self.state.scope == "this" else "conversations"
            self._tell(f"sweeping {what}: {progress.text}; escape cancels and keeps the results")

    def _swept(self, swept: Sweep) -> None:
        self.running = False
        self.swept = swept
        self._show()
        conversations = human.plural(swept.conversations, "conversation")
        rows, columns = swept.rows.values, swept.columns.values
        over = f"{len(rows)} × {len(columns)} cells over {conversations}"
        summary = over if swept.complete else f"Cancelled. Done: {over}."
        self._tell("  ".join([summary, *_agreement(swept), *swept.unused]))
        self._tell_of_facts()
        if swept.conversations and not self._placed:
            place = self.map.state.now
            if place is not None:
                self.map.move_to(place)
            self._placed = True
        self._show_cell()

    # Showing.

    def show_notes(self, *sentences: str) -> None:
        """Show a problem in place of the progress."""
        self.running = False
        self._tell(" ".join(sentences))

    def _tell(self, text: str, *, keep: bool = True) -> None:
        """Show the meaning of the marks, then progress; kept texts are shown again with another metric."""
        if keep:
            self._notes_shown = text
        swept, metric = self.swept, self.state.metric
        subject = self.subject
        marks = f"{settings_words(self.state, subject.settings, subject.resolved.settings)}  "
        marks += best_words(swept if swept is not None and metric in swept.cells else None, metric)
        if swept is not None and swept.unpriced:
            text += f"  {swept.cost_note}"
        if self.map.state.stuck and STUCK not in marks:
            marks += f"  {STUCK} gives up, or compacts at every call"
        if self.map.state.same:
            marks += f"  {SAME} identical"
        line = self.query_one("#sweep-text", Headline)
        line.set_lines([TextLine(marks, "muted"), TextLine(text, "muted")])
        # A low screen cuts a long text.
        line.tooltip = line.text

    def _tell_of_facts(self) -> None:
        if self.state.scope == "this" and BY_NAME[self.state.metric].facts and self.facts is None:
            self._tell(READING, keep=False)

    def _show(self) -> None:
        """Hand bars and map their values."""
        state, subject = self.state, self.subject
        self.map.state = heat_state(state, self.swept, subject.settings, subject.resolved.settings)
        words = BY_NAME[state.metric].label
        self.query_one(TitleBar).parts = (TitlePart(f"Sweep: {words}", 9), TitlePart(subject.title, 8))
        self.query_one("#sweep-metric", ModeBar).set_modes(self._metrics(), state.metric)
        self.query_one("#sweep-scope", ModeBar).set_modes(self._scopes(), state.scope)

    @on(HeatMap.CellChosen)
    def _show_cell(self) -> None:
        self.cell.show(self.state, self.swept, self.facts, self.map.cursor)

    def settings_of(self, row: int, column: int) -> Settings:
        """The settings of a cell."""
        return self.state.settings_of(self.subject.settings, (row, column))

    @on(HeatMap.CellTaken)
    def _cell_taken(self, event: HeatMap.CellTaken) -> None:
        settings = self.settings_of(event.row, event.column)
        self._stop.set()
        self.dismiss()
        self.take(settings)

    # Actions.

    def action_back(self) -> None:
        """Close the prompt, else cancel a running sweep, else go back."""
        if self.question.display:
            self.question.close()
        elif self.running:
            self._stop.set()
            self._tell("cancelling …")
        else:
            self.dismiss()

    def action_metric(self, by: int) -> None:
        """Another metric."""
        self.query_one("#sweep-metric", ModeBar).step(by)

    @on(ModeBar.ModeChosen, "#sweep-metric")
    def _metric_chosen(self, event: ModeBar.ModeChosen) -> None:
        self.state = replace(self.state, metric=event.mode)

    def action_scope(self) -> None:
        """Take the next scope: this conversation, filtered ones, all."""
        self.query_one("#sweep-scope", ModeBar).step(1)

    @on(ModeBar.ModeChosen, "#sweep-scope")
    def _scope_chosen(self, event: ModeBar.ModeChosen) -> None:
        self.state = replace(self.state, scope=event.mode)

    def action_axis(self, which: str) -> None:
        """Choose the next setting for the rows or the columns."""
        self.state = self.state.with_next(which, self.subject.settings)

    def action_ranges(self) -> None:
        """Type the ranges of both settings."""
        self.question.ask("threshold=0.3:0.9:0.05 protect_last_n=5,10,20,40", self._set_ranges, back=self.map)

    def _set_ranges(self, text: str) -> None:
        rows, columns = axes_of(text)
        self.state = replace(self.state, rows=rows, columns=columns)

    def action_write(self) -> None:
        """Type a file for the table."""
        if self.swept is None:
            self.notify("There is nothing to write yet.", timeout=2)
        else:
            hint = "a new file: .csv for a table, .json for the document"
            self.question.ask(hint, self._write, back=self.map)

    def _write(self, name: str) -> None:
        from inspector.export.whatif import sweep_csv, sweep_document

        path = expanded(name)
        if self.swept is None:
            return
        if path.suffix.lower() == ".csv":
            text = sweep_csv(self.swept)
        else:
            text = json.dumps(sweep_document(self.swept), indent=2) + "\n"
        self._overwriting.write(path, text, self.subject.answers.paths())
        self.notify(f"Wrote the sweep to {path}.", timeout=3, markup=False)


def _agreement(swept: Sweep) -> tuple[str, ...]:
    """Short sentences about the recorded compactions that the settings in force reproduce, and about the others."""
    agreement = swept.reproduces
    if agreement is None:
        return ()
    matched = f"The settings in force reproduce {agreement.matched}." if agreement.recorded else ""
    return tuple(filter(None, (matched, left_out_words(agreement.unseen))))
