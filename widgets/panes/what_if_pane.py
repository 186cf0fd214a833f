"""Pane of the what-if: knobs, the curve of the whole conversation, the derived numbers and their reasons."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace
from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.budget_lines import budget_lines
from widgets.panes.knob_values import TuneState
from widgets.panes.knobs import Knobs
from widgets.panes.run_lines import ReplayView, run_lines, run_table
from widgets.panes.text_view import TextView
from widgets.panes.token_graph import GraphState, TokenGraph

#: Minimum width for knobs left of the graph. A pane lower than LOW rows needs only LOW_WIDE.
WIDE, LOW, LOW_WIDE = 110, 24, 70


class WhatIfPane(Container):
    """Knobs above the curve and the numbers. A low pane shows the knobs next to either."""

    VIEWS: ClassVar[tuple[Mode, ...]] = (
        Mode("curve", "curve", "Tokens over the steps: recorded, what-if, and what was kept as A"),
        Mode("numbers", "numbers", "The derived numbers, with the reasons"),
    )
    DEFAULT_CSS = """
    WhatIfPane { background: $surface; layout: vertical; }
    WhatIfPane > .knobs {
        height: auto;
        width: 1fr;
        background: $surface;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
        scrollbar-color: $foreground 25%;
    }
    WhatIfPane > .rest { height: 1fr; width: 1fr; }
    WhatIfPane ModeBar { padding: 0 1; }
    WhatIfPane Headline { padding: 0 1; }
    WhatIfPane TokenGraph { height: 1fr; margin: 0 1 0 0; }
    WhatIfPane TextView { height: 1fr; padding: 0 0 0 1; margin: 1 0 0 0; }
    WhatIfPane.-beside { layout: horizontal; }
    WhatIfPane.-beside > .knobs { width: 64; height: 1fr; }
    WhatIfPane.-low > .knobs { max-height: 40%; }
    WhatIfPane.-low.-beside > .knobs { width: 42; max-height: 100%; }
    WhatIfPane.-low TextView { margin: 0; }
    WhatIfPane.-low TokenGraph { min-height: 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "view(1)", "Next view", id="what_if.next_view", tooltip="The curve, or the numbers"),
        Binding("M", "view(-1)", "Previous view", id="what_if.previous_view", show=False),
        Binding("J", "compaction(1)", "Next compaction", id="what_if.next_compaction", show=False),
        Binding("K", "compaction(-1)", "Earlier compaction", id="what_if.earlier_compaction", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        self._state: TuneState | None = None
        #: The runs on screen.
        self.run: ReplayView | None = None
        self._failure = ""
        self._step = 0
        self.knobs, self._views, self.figures = Knobs(), ModeBar(self.VIEWS), Headline(6)
        self.graph, self.body = TokenGraph(legend=True), TextView()
        rest = Vertical(self._views, self.figures, self.graph, self.body, classes="rest")
        super().__init__(Container(self.knobs, classes="knobs"), rest, id=id)

    def on_mount(self) -> None:
        """Show the values that were set before."""
        self._show_run()
        self._show_numbers()
        self._arrange()

    @property
    def view_name(self) -> str:
        """The chosen view, curve or numbers. A low pane shows only this view."""
        return self._views.mode

    def set_settings(self, state: TuneState) -> None:
        """Show settings and their derived numbers. Equal settings only reset knobs that differ."""
        same, self._state = state == self._state, state
        self.knobs.set_state(state)
        if self.is_mounted and not same:
            self._show_numbers()

    def set_run(self, run: ReplayView | None) -> None:
        """Show runs; None while the conversation is being read, or if that failed."""
        if run == self.run:
            return
        self.run = run
        if self.is_mounted:
            self._show_run()
            self._show_numbers()
            self._arrange()

    def set_failure(self, sentence: str) -> None:
        """Show why the conversation cannot be read, until there is a run; "" if it is being read."""
        if sentence != self._failure:
            self._failure = sentence
            if self.is_mounted:
                self._show_run()

    def set_step(self, step: int) -> None:
        """Move the graph's cursor to a step, counted from 1 (0: nowhere)."""
        if step != self._step:
            self._step = step
            if self.run is not None:
                self.graph.state = replace(self.graph.state, step=step)

    def show(self, name: str) -> None:
        """Choose the curve or the numbers, for a pane that has room for a single view."""
        self._views.choose(name)

    def _show_run(self) -> None:
        if self.run is None:
            words = self._failure or "Reading the conversation …"
            self.figures.set_lines([TextLine(words, "warning" if self._failure else "muted")])
            self.graph.state = GraphState()
        else:
            notes = (
                []
                if self._views.display
                else [TextLine(note, "muted") for note in self.run.notes[: max(1, len(self.run.runs) - 1)]]
            )
            self.figures.set_lines([*run_lines(self.run, self.figures.size.width), *notes])
            self.graph.state = replace(self.run.graph, step=self._step)

    def _show_numbers(self) -> None:
        lines: list[TextLine] = []
        state = self._state
        about, *written = state.taken_over if state is not None and state.taken_over else ("",)
        parts = (
            [TextLine(text) for text in state.outcome] if state is not None else [],
            [TextLine(about, "muted"), *(TextLine(line, prefix="  ") for line in written)] if about else [],
            budget_lines(state.budgets) if state is not None and state.budgets is not None else [],
            run_table(self.run) if self.run is not None else [],
        )
        for part in parts:
            lines += [TextLine(""), *part] if lines and part else part
        self.body.set_lines(lines, keep_place=True)

    def on_resize(self, event: events.Resize) -> None:
        """Arrange the parts in columns if they fit, else in rows. A low pane shows one of two views."""
        self._arrange()
        self.call_after_refresh(self._show_run)

    def _arrange(self) -> None:
        width, height = self.size
        low = height < LOW
        self.set_class(low, "-low")
        self.set_class(width >= (LOW_WIDE if low else WIDE), "-beside")
        if low != self._views.display:
            self._views.display = low
            self.refresh_bindings()
        curve = not low or self.view_name == "curve"
        self.figures.display = curve
        self.graph.display = curve
        self.body.display = not low or not curve
        for part, other in ((self.graph, self.body), (self.body, self.graph)):
            if part.has_focus and not part.display:
                self.screen.set_focus(other if other.display else self.knobs)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable changing views if all are on screen, and going to compactions without a run."""
        if action == "view":
            return bool(self._views.display)
        return self.run is not None if action == "compaction" else True

    def action_view(self, by: int) -> None:
        """Show the curve, or the numbers."""
        self._views.step(by)

    def action_compaction(self, direction: int) -> None:
        """Go to the next or previous compaction of the curve."""
        self.graph.action_compaction(direction)

    @on(ModeBar.ModeChosen)
    def _mode_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._arrange()
        # Figures that were hidden have no width before they are laid out.
        self.call_after_refresh(self._show_run)
