"""Tokens over the steps of a conversation: what was recorded, and what other settings would have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from widgets import human
from widgets.inked import Inked
from widgets.strips import Row

_BLOCKS = " ▁▂▃▄▅▆▇█"
_LABEL = 7


@dataclass(frozen=True, slots=True)
class GraphState:
    """The curves, in tokens after each step, and the lines, in tokens (0 hides one).

    `kept` is the curve of settings that were kept to compare with. `recorded_events` and `whatif_events` are the steps
    of compactions, counted from 1; `step` is where the cursor is (0: nowhere).
    """

    recorded: tuple[int, ...] = ()
    whatif: tuple[int, ...] = ()
    threshold: int = 0
    hygiene: int = 0
    context: int = 0
    recorded_events: tuple[int, ...] = ()
    whatif_events: tuple[int, ...] = ()
    step: int = 0
    kept: tuple[int, ...] = ()


class TokenGraph(Inked, can_focus=True):
    """Recorded as blocks, the what-if as dots over them, a kept one as circles, threshold and hygiene as rules.

    The line below marks compactions: ▲ recorded, △ what-if, ◆ both in one column. Posts StepChosen.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "graph--recorded",
        "graph--whatif",
        "graph--kept",
        "graph--threshold",
        "graph--hygiene",
        "graph--cursor",
        "graph--muted",
    }
    DEFAULT_CSS = """
    TokenGraph {
        height: 1fr;
        min-height: 5;
        background: $surface;
        color: $foreground;
        & > .graph--recorded { color: $primary 60%; }
        & > .graph--whatif { color: $text-accent; text-style: bold; }
        & > .graph--kept { color: $text-success; text-style: bold; }
        & > .graph--threshold { color: $foreground; }
        & > .graph--hygiene { color: $text-error; }
        & > .graph--cursor { color: $text-warning; text-style: bold; }
        & > .graph--muted { color: $foreground 60%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("H", "step(-25)", "25 steps back", id="graph.far_back", show=False),
        Binding("L", "step(25)", "25 steps forward", id="graph.far_forward", show=False),
        Binding("home", "edge(1)", "First step", id="graph.first", show=False),
        Binding("end", "edge(-1)", "Last step", id="graph.last", show=False),
        Binding("J", "compaction(1)", "Next compaction", id="graph.next_compaction"),
        Binding("K", "compaction(-1)", "Earlier compaction", id="graph.earlier_compaction", show=False),
    ]
    TOOLTIP = (
        "Tokens after each step.  █ recorded  • what-if  ◦ kept as A  ╌ threshold  ┄ hygiene\n"
        "▲ recorded compaction  △ what-if  ◆ both.  Click or drag to go to a step."
    )

    state: reactive[GraphState] = reactive(GraphState())

    class StepChosen(Message):
        """A step was chosen, counted from 1."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tooltip = self.TOOLTIP

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return max(len(self.state.recorded), len(self.state.whatif))

    def column_of(self, step: int, width: int) -> int:
        """The column of a step, counted from 1."""
        return min(width - 1, max(0, (step - 1) * width // max(1, self.steps)))

    def step_at(self, column: int, width: int) -> int:
        """The last step that a column shows."""
        return max(1, min(self.steps, ((column + 1) * self.steps + width - 1) // width))

    # Drawing.

    def render_line(self, y: int) -> Strip:
        """A row of the graph, or the axis below it."""
        width, height = self.size.width - _LABEL, self.size.height - 1
        if width < 4 or height < 2 or self.steps == 0:
            text = "Reading the conversation …" if y == 0 else ""
            return Row().add(text, self.ink("graph--muted")).strip(self.size.width, self.base_style)
        if y >= height:
            return self._axis(width)
        return self._body(height - y, width, height)

    def _body(self, row: int, width: int, height: int) -> Strip:
        state = self.state
        top = max(1, state.threshold, max(state.recorded, default=0), max(state.whatif, default=0))
        top = max(top, max(state.kept, default=0))
        top = max(top, state.hygiene if state.hygiene <= top * 1.3 else 0)
        cell = top / height
        low, high = (row - 1) * cell, row * cell
        rules = {"threshold": low < state.threshold <= high, "hygiene": low < state.hygiene <= high}
        label = ""
        if rules["threshold"]:
            label = human.tokens(state.threshold)
        elif rules["hygiene"]:
            label = human.tokens(state.hygiene)
        elif row == height:
            label = human.tokens(round(top))
        line = Row().add(label.rjust(_LABEL - 1) + " ", self.ink("graph--muted"))
        recorded = _columns(state.recorded, width, self.steps)
        whatif = _columns(state.whatif, width, self.steps)
        kept = _columns(state.kept, width, self.steps) if state.kept else ()
        cursor = self.column_of(state.step, width) if state.step else -1
        styles = {
            name: self.ink(f"graph--{name}")
            for name in ("recorded", "whatif", "kept", "threshold", "hygiene", "cursor")
        }
        for column in range(width):
            text, style = " ", styles["recorded"]
            filled = min(8, max(0, int((recorded[column] - low) / cell * 8)))
            if low < whatif[column] <= high and whatif[column] != recorded[column]:
                text, style = "•", styles["whatif"]
            elif kept and low < kept[column] <= high and kept[column] != recorded[column]:
                text, style = "◦", styles["kept"]
            elif filled:
                text = _BLOCKS[filled]
            elif rules["threshold"]:
                text, style = "╌", styles["threshold"]
            elif rules["hygiene"]:
                text, style = "┄", styles["hygiene"]
            if column == cursor:
                text, style = (text if text not in " ╌┄" else "│"), styles["cursor"]
            line.add(text, style)
        return line.strip(self.size.width, self.base_style)

    def _axis(self, width: int) -> Strip:
        state = self.state
        marks = [" "] * width
        for step in state.recorded_events:
            marks[self.column_of(step, width)] = "▲"
        for step in state.whatif_events:
            column = self.column_of(step, width)
            marks[column] = "◆" if marks[column] in "▲◆" else "△"
        line = Row().add(" " * _LABEL, Style())
        cursor = self.column_of(state.step, width) if state.step else -1
        for column, mark in enumerate(marks):
            name = "cursor" if column == cursor else "recorded" if mark == "▲" else "whatif"
            line.add(mark if mark != " " or column != cursor else "┴", self.ink(f"graph--{name}"))
        return line.strip(self.size.width, self.base_style)

    # Choosing.

    def _choose(self, step: int) -> None:
        if self.steps:
            self.post_message(self.StepChosen(max(1, min(self.steps, step))))

    def action_step(self, by: int) -> None:
        """Move by so many steps."""
        self._choose((self.state.step or self.steps) + by)

    def action_edge(self, step: int) -> None:
        """The first step (1) or the last (-1)."""
        self._choose(step if step > 0 else self.steps)

    def action_compaction(self, direction: int) -> None:
        """The next recorded or what-if compaction, or the one before."""
        places = sorted({*self.state.recorded_events, *self.state.whatif_events})
        at = self.state.step or (0 if direction > 0 else self.steps + 1)
        ahead = [step for step in places if (step > at if direction > 0 else step < at)]
        if ahead:
            self._choose(ahead[0] if direction > 0 else ahead[-1])

    def on_click(self, event: events.Click) -> None:
        """Go to the step under the mouse."""
        self._choose_at(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Dragging goes through the steps."""
        if event.button == 1:
            self._choose_at(event.x)

    def _choose_at(self, x: int) -> None:
        width = self.size.width - _LABEL
        if x >= _LABEL and width > 0 and self.steps:
            self._choose(self.step_at(x - _LABEL, width))


def _columns(tokens: Sequence[int], width: int, steps: int) -> list[int]:
    """The highest tokens of each column; 0 where a curve has ended."""
    found = []
    for column in range(width):
        start = column * steps // width
        stop = max(start + 1, (column + 1) * steps // width)
        found.append(max(tokens[start:stop], default=0))
    return found
