"""Tokens over the steps of a conversation, as recorded and under other settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip

from inspector.core.places import nearest
from widgets.base import human
from widgets.base.inked import Inked
from widgets.base.signs import Sign
from widgets.base.strips import Row
from widgets.intents import GoToStep

if TYPE_CHECKING:
    from inspector.replay.recording import Recording
    from inspector.replay.whatif import WhatIf

_BLOCKS = " ▁▂▃▄▅▆▇█"
LABEL_WIDTH = 7
#: Signs of the curves. A what-if next to the settings kept as A is B.
CURVES = {"recorded": "█", "what-if": "•", "A": "◦", "B": "•"}
#: On the line of the threshold, if the curves leave room.
THRESHOLD = "threshold"
#: Signs of compactions on the axis.
MARKS = {"recorded": "▲", "what-if": "△", "B": "△"}
_COMPACTIONS = {"▲": "recorded", "△": "of the what-if", "*": "both"}


class GraphState(Struct, frozen=True):
    """The curves, in tokens after each step, and the lines, in tokens (0 hides one).

    `kept` is the curve of settings that were kept to compare with; `low` and `high` bound the what-if where summaries
    are smaller or larger. `recorded_events` and `whatif_events` are the steps of compactions, counted from 1, and
    `left_out` those of recorded compactions that no run has. `step` is where the cursor is (0: nowhere).
    """

    recorded: tuple[int, ...] = ()
    whatif: tuple[int, ...] = ()
    threshold: int = 0
    hygiene: int = 0
    recorded_events: tuple[int, ...] = ()
    whatif_events: tuple[int, ...] = ()
    step: int = 0
    kept: tuple[int, ...] = ()
    low: tuple[int, ...] = ()
    high: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    @classmethod
    def of(cls, recording: Recording, run: WhatIf, **more: Any) -> GraphState:
        """Return the graph of a recording and a run of it, with more values."""
        return cls(
            recording.tokens,
            run.tokens,
            run.budgets.threshold_tokens,
            run.budgets.hygiene_tokens,
            tuple(event.step for event in recording.events),
            tuple(event.step for event in run.events),
            left_out=tuple(event.step for event in recording.events if not event.before),
            **more,
        )


class TokenGraph(Inked, can_focus=True):
    """Recorded as blocks, the what-if as dots over them, a kept one as circles, threshold and hygiene as rules.

    The line below marks compactions: ▲ recorded, △ what-if, * both in one column, ▽ recorded but in no run. Posts
    GoToStep.
    """

    DEFAULT_CSS = """
    TokenGraph {
        height: 1fr;
        min-height: 5;
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
        "Tokens after each step.  █ recorded  • what-if  ░ with other summaries  ◦ kept as A  ─ threshold  ┄ hygiene\n"
        "▲ recorded compaction  △ what-if  * both.  Click or drag to go to a step."
    )

    state: reactive[GraphState] = reactive(GraphState())

    def __init__(self, *, legend: bool = False, id: str | None = None) -> None:
        """`legend`: words next to the graph name its curves."""
        super().__init__(id=id)
        self._legend = legend
        self.tooltip = self.TOOLTIP
        #: The curves as columns, and their rows as last drawn without a cursor: a step moves nothing else.
        self._curves: _Curves | None = None
        self._rows: dict[int, Strip] = {}

    def signs(self) -> Iterator[Sign]:
        """The signs of the curves and of the line below."""
        state = self.state
        if state.recorded and not self._legend:
            yield CURVES["recorded"], "recorded tokens after each step"
        if state.whatif and state.whatif != state.recorded and not self._legend:
            yield CURVES["what-if"], "tokens of the what-if"
        if state.kept and not self._legend:
            yield CURVES["A"], "tokens of the settings kept as A"
        if state.low != state.high:
            yield "░", "tokens with smaller or larger summaries"
        if state.threshold and THRESHOLD not in "".join(
            self.render_line(y).text for y in range(self.size.height)
        ):
            yield "─", "threshold, with its size at the left"
        if state.step:
            yield "│", "step of the message under the cursor, or of the replay"
        if state.hygiene:
            yield "┄", "size at which the gateway compacts (hygiene)"
        marks = set(self._marks(max(1, self.size.width - LABEL_WIDTH)))
        shown = {
            sign: word
            for sign, word in _COMPACTIONS.items()
            if sign in marks and not (self._legend and sign in MARKS.values())
        }
        if shown:
            yield " ".join(shown), f"compaction: {', '.join(shown.values())}"
        if state.left_out:
            yield "▽", "recorded compaction that no run has, because the list before is not recorded"

    @property
    def steps(self) -> int:
        """Number of steps."""
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
        width, height = self.size.width - LABEL_WIDTH, self.size.height - 1
        if width < 4 or height < 2 or self.steps == 0:
            return Strip.blank(self.size.width, self.base_style)
        curves = self._curves
        bare = replace(self.state, step=0)
        if curves is None or (curves.state, curves.width, curves.height) != (bare, width, height):
            curves = self._curves = _Curves.of(bare, width, height, self.steps)
            self._rows.clear()
        strip = self._rows.get(y)
        if strip is None:
            strip = self._axis(width) if y >= height else self._body(height - y, curves)
            self._rows[y] = strip
        if not self.state.step:
            return strip
        return self._with_cursor(strip, LABEL_WIDTH + self.column_of(self.state.step, width), y >= height)

    def notify_style_update(self) -> None:
        """Colours changed."""
        self._rows.clear()
        super().notify_style_update()

    def _with_cursor(self, strip: Strip, column: int, axis: bool) -> Strip:
        """Return a row with its cell in the cursor's colour, or with the cursor's line in an empty cell."""
        before, cell, after = strip.divide([column, column + 1, strip.cell_length])
        text = cell.text
        style = self.base_style + self.ink("warning")
        if text in " ─┄":
            text = "│"
            style += self.ink("chosen") if self.has_focus else Style()
        return Strip.join([before, Strip([Segment(text, style)], 1), after])

    def _body(self, row: int, curves: _Curves) -> Strip:
        state, height, cell = self.state, curves.height, curves.top / curves.height
        low, high = (row - 1) * cell, row * cell
        rules = {"threshold": low < state.threshold <= high, "hygiene": low < state.hygiene <= high}
        label = ""
        if rules["threshold"]:
            label = human.tokens(state.threshold)
        elif rules["hygiene"]:
            label = human.tokens(state.hygiene)
        elif row == height:
            label = human.tokens(round(curves.top))
        line = Row().add(label.rjust(LABEL_WIDTH - 1) + " ", self.ink("muted"))
        cells = []
        columns = zip(curves.recorded, curves.whatif, curves.kept, curves.low, curves.high, strict=True)
        for recorded, whatif, kept, least, most in columns:
            filled = min(8, max(0, int((recorded - low) / cell * 8)))
            if low < whatif <= high and whatif != recorded:
                cells.append(("mark", "•"))
            elif low < kept <= high and kept != recorded:
                cells.append(("good", "◦"))
            elif least <= high and most > low and most - least > cell:
                cells.append(("muted", "░"))
            elif filled:
                cells.append(("curve", _BLOCKS[filled]))
            elif rules["threshold"]:
                cells.append(("", "─"))
            elif rules["hygiene"]:
                cells.append(("removed", "┄"))
            else:
                cells.append(("curve", " "))
        room = len(THRESHOLD) + 2
        if rules["threshold"] and all(cell == ("", "─") for cell in cells[:room]):
            cells[1 : room - 1] = [("", letter) for letter in THRESHOLD]
        for name, run in groupby(cells, key=itemgetter(0)):
            line.add("".join(text for _, text in run), self.ink(name))
        return line.strip(self.size.width, self.base_style)

    def _marks(self, width: int) -> list[str]:
        """Marks of the compactions, by column."""
        state = self.state
        marks = [" "] * width
        for step in state.recorded_events:
            marks[self.column_of(step, width)] = "▲"
        for step in state.whatif_events:
            column = self.column_of(step, width)
            marks[column] = "*" if marks[column] in "▲*" else "△"
        for step in state.left_out:
            marks[self.column_of(step, width)] = "▽"
        return marks

    def _axis(self, width: int) -> Strip:
        line = Row().add(" " * LABEL_WIDTH, Style())
        for mark in self._marks(width):
            line.add(mark, self.ink("curve" if mark == "▲" else "mark"))
        return line.strip(self.size.width, self.base_style)

    # Choosing.

    def _choose(self, step: int) -> None:
        if self.steps:
            self.post_message(GoToStep(max(1, min(self.steps, step))))

    def action_step(self, by: int) -> None:
        """Move by a number of steps."""
        self._choose((self.state.step or self.steps) + by)

    def action_edge(self, step: int) -> None:
        """The first step (1) or the last (-1)."""
        self._choose(step if step > 0 else self.steps)

    def action_compaction(self, direction: int) -> None:
        """Go to the next or previous compaction, recorded or what-if."""
        places = sorted({*self.state.recorded_events, *self.state.whatif_events})
        at = self.state.step or (0 if direction > 0 else self.steps + 1)
        step = nearest(places, at, direction)
        if step != at:
            self._choose(step)

    def on_click(self, event: events.Click) -> None:
        """Go to the step under the mouse."""
        self._choose_at(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Dragging goes through the steps."""
        if event.button == 1:
            self._choose_at(event.x)

    def _choose_at(self, x: int) -> None:
        width = self.size.width - LABEL_WIDTH
        if x >= LABEL_WIDTH and width > 0 and self.steps:
            self._choose(self.step_at(x - LABEL_WIDTH, width))


class _Curves(Struct, frozen=True):
    """The highest tokens of each column by curve, and of all; `state` is what they are of, without its step."""

    state: GraphState
    width: int
    height: int
    recorded: list[int]
    whatif: list[int]
    kept: list[int]
    low: list[int]
    high: list[int]
    top: int

    @classmethod
    def of(cls, state: GraphState, width: int, height: int, steps: int) -> _Curves:
        """Return the curves of a state over a number of columns."""
        recorded, whatif, kept, low, high = (
            _columns(tokens, width, steps)
            for tokens in (state.recorded, state.whatif, state.kept, state.low, state.high)
        )
        top = max(1, state.threshold, *recorded, *whatif, *kept)
        top = max(top, state.hygiene if state.hygiene <= top * 1.3 else 0)
        return cls(state, width, height, recorded, whatif, kept, low, high, top)


def _columns(tokens: Sequence[int], width: int, steps: int) -> list[int]:
    """The highest tokens of each column; 0 if a curve has ended."""
    highest = []
    for column in range(width):
        start = column * steps // width
        stop = max(start + 1, (column + 1) * steps // width)
        highest.append(max(tokens[start:stop], default=0))
    return highest
