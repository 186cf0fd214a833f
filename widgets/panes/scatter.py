"""Runs as points: across one figure, up another; those that no other beats on both are marked."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.core.scatter import placed
from widgets.base.inked import Inked
from widgets.base.strips import Row, fit, one_line
from widgets.lists.heat_map import BEST, FORCE, NOW, Cell

#: The signs of a point that no other beats, and of any other.
UNBEATEN, BEATEN = "◆", "·"
_LABEL = 10


@dataclass(frozen=True, slots=True)
class PointView:
    """A cell as a point: its figures, how it is called, whether no other beats it on both."""

    cell: Cell
    across: float
    up: float
    name: str = ""
    unbeaten: bool = False


@dataclass(frozen=True, slots=True)
class ScatterState:
    """What is shown. `lowest` and `highest` are the ends of the axis up in words, `left` and `right` those of the
    other; `now`, `force` and `best` are cells; `note` says why there is nothing to show."""

    points: tuple[PointView, ...] = ()
    across_name: str = ""
    up_name: str = ""
    lowest: str = ""
    highest: str = ""
    left: str = ""
    right: str = ""
    now: Cell | None = None
    force: Cell | None = None
    best: Cell | None = None
    note: str = ""


class Scatter(Inked, can_focus=True):
    """Posts PointChosen when the cursor moves, PointTaken for enter and double click."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "scatter--axis", "scatter--point", "scatter--unbeaten", "scatter--mark", "scatter--cursor",
    }  # fmt: skip
    DEFAULT_CSS = """
    Scatter {
        height: 1fr;
        min-height: 4;
        background: $surface;
        color: $foreground;
        & > .scatter--axis { color: $foreground 60%; }
        & > .scatter--point { color: $foreground 70%; }
        & > .scatter--unbeaten { color: $primary; text-style: bold; }
        & > .scatter--mark { color: $text-warning; text-style: bold; }
        & > .scatter--cursor { text-style: bold reverse; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,down,l,j", "move(1)", "Next point", id="scatter.next", show=False),
        Binding("left,up,h,k", "move(-1)", "Point before", id="scatter.previous", show=False),
        Binding("J", "unbeaten(1)", "Next unbeaten", id="scatter.next_unbeaten", tooltip="The next ◆"),
        Binding("K", "unbeaten(-1)", "Unbeaten before", id="scatter.previous_unbeaten", show=False),
        Binding("end,G", "best", "The best point", id="scatter.best", show=False),
        Binding("enter", "take", "Take these settings", id="scatter.take"),
    ]
    TOOLTIP = (
        "A point for each run: facts at risk across, cost up; down and to the left is better.\n"
        f"{UNBEATEN} no other beats it on both  {NOW} the settings on screen  {FORCE} those in force  "
        f"{BEST} the best beside them."
    )

    state: reactive[ScatterState] = reactive(ScatterState())

    class PointChosen(Message):
        """The cursor came to a point."""

        def __init__(self, row: int, column: int) -> None:
            super().__init__()
            self.row = row
            self.column = column

    class PointTaken(PointChosen):
        """A point's settings are wanted."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tooltip = self.TOOLTIP
        self._cursor: Cell = (0, 0)
        self._grid: tuple[tuple[int, int], dict[tuple[int, int], list[PointView]]] | None = None

    @property
    def cursor(self) -> Cell:
        """The cell under the cursor: row, column."""
        return self._cursor

    def move_to(self, cell: Cell, *, notify: bool = True) -> None:
        """Put the cursor on a cell's point."""
        self._cursor = cell
        self.refresh()
        if notify:
            self.post_message(self.PointChosen(*cell))

    def watch_state(self) -> None:
        """Other points stand elsewhere."""
        self._grid = None

    def on_resize(self) -> None:
        """In another room too."""
        self._grid = None

    # Drawing.

    def _placed(self) -> dict[tuple[int, int], list[PointView]]:
        """The points by (column, row) of the picture."""
        size = max(1, self.size.width - _LABEL - 1), max(1, self.size.height - 3)
        if self._grid is None or self._grid[0] != size:
            found: dict[tuple[int, int], list[PointView]] = {}
            points = self.state.points
            for point, place in zip(points, placed([(p.across, p.up) for p in points], *size), strict=True):
                found.setdefault(place, []).append(point)
            self._grid = size, found
        return self._grid[1]

    def render_line(self, y: int) -> Strip:
        """What the cursor stands on, the points, the axis below."""
        state, width, high = self.state, self.size.width, self.size.height - 3
        axis = self.ink("scatter--axis")
        if not state.points:
            text = one_line(state.note, 200) if y == 0 else ""
            return Row().add(text, axis).strip(width, self.base_style)
        if y == 0:
            here = [point.name for point in state.points if point.cell == self._cursor]
            text = f"{state.up_name} ↑  {state.across_name} →   {here[0] if here else ''}"
            return Row().add(one_line(text, 200), axis).strip(width, self.base_style)
        if y <= high:
            label = state.highest if y == 1 else state.lowest if y == high else ""
            row = Row().add(fit(label, _LABEL - 1, right=True) + "│", axis)
            self._draw_points(row, y - 1)
            return row.strip(width, self.base_style)
        if y == high + 1:
            room = max(1, width - _LABEL - 1)
            return Row().add(" " * (_LABEL - 1) + "└" + "─" * room, axis).strip(width, self.base_style)
        room = max(1, width - _LABEL - 1 - len(state.left) - len(state.right))
        text = " " * _LABEL + state.left + " " * room + state.right
        return Row().add(text, axis).strip(width, self.base_style)

    def _draw_points(self, row: Row, line: int) -> None:
        here = {column: points for (column, at), points in self._placed().items() if at == line}
        end = 0
        for column in sorted(here):
            row.add(" " * (column - end), Style())
            sign, style = self._sign(here[column])
            row.add(sign, style)
            end = column + 1

    def _sign(self, points: list[PointView]) -> tuple[str, Style]:
        state, cells = self.state, {point.cell for point in points}
        marks = ((BEST, state.best), (NOW, state.now), (FORCE, state.force))
        sign = next((sign for sign, cell in marks if cell in cells), "")
        unbeaten = any(point.unbeaten for point in points)
        ink = "scatter--mark" if sign else "scatter--unbeaten" if unbeaten else "scatter--point"
        style = self.ink(ink)
        if self._cursor in cells:
            style += self.get_component_rich_style("scatter--cursor").without_color
        return sign or (UNBEATEN if unbeaten else BEATEN), style

    # Keys and mouse.

    def _step(self, by: int, among: list[PointView]) -> None:
        places = sorted((point.across, point.up, point.cell) for point in among)
        here = [
            (point.across, point.up, point.cell) for point in self.state.points if point.cell == self._cursor
        ]
        if not here:
            at = 0
        elif by > 0:
            at = bisect_right(places, here[0])
        else:
            at = bisect_left(places, here[0]) - 1
        if places:
            self.move_to(places[max(0, min(at, len(places) - 1))][2])

    def action_move(self, by: int) -> None:
        """Go to the next point, from left to right."""
        self._step(by, list(self.state.points))

    def action_unbeaten(self, by: int) -> None:
        """Go to the next point that no other beats."""
        self._step(by, [point for point in self.state.points if point.unbeaten])

    def action_best(self) -> None:
        """Go to the best point."""
        if self.state.best is not None:
            self.move_to(self.state.best)

    def action_take(self) -> None:
        """Tell that the point's settings are wanted."""
        if self.state.points:
            self.post_message(self.PointTaken(*self._cursor))

    def on_click(self, event: events.Click) -> None:
        """A click goes to the nearest point, a double click takes it."""
        offset = event.get_content_offset(self)
        if offset is None or not self.state.points:
            return
        event.stop()
        at = offset.x - _LABEL, offset.y - 1
        places = self._placed()
        # A cell of a terminal is twice as high as it is wide.
        nearest = min(places, key=lambda place: (place[0] - at[0]) ** 2 + 4 * (place[1] - at[1]) ** 2)
        self.move_to(places[nearest][0].cell)
        if event.chain == 2:
            self.action_take()
