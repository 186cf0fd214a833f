"""The life of every item of the summaries: items as rows, compactions as columns, and the chosen item in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from inspector.summaries.lineage import Lineage, LineageRow, State
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.intents import ChooseCompaction
from widgets.lists.lineage_list import LineageList
from widgets.panes.life_lines import LineageView, head_lines, item_lines
from widgets.panes.text_view import TextView

LOW = 18
FILTERS = (
    Mode("all", "all", "Every item of every summary"),
    Mode("dropped", "dropped", "Items that a summary dropped"),
    Mode("reworded", "reworded", "Items whose words changed, or that were split or merged"),
    Mode("moved", "moved", "Items that moved to another section, or were done"),
    Mode("back", "back", "Items that were gone and came back"),
    Mode("otherwise", "otherwise", "Items that say something else: a number, a path or a “not” changed"),
    Mode("stale", "stale", "Open items that were done long ago, or that stay idle"),
)
_SHOWN: dict[str, frozenset[State]] = {
    "dropped": frozenset({"dropped"}),
    "reworded": frozenset({"reworded", "split", "merged"}),
    "moved": frozenset({"moved", "done"}),
    "back": frozenset({"back"}),
}


class SummaryLife(Vertical):
    """Shows a LineageView. Posts CellChosen for an item to be seen where it changed, ChooseCompaction for a column."""

    DEFAULT_CSS = """
    SummaryLife { background: $surface; }
    SummaryLife > Headline { padding: 0 1; }
    SummaryLife > ModeBar { padding: 0 1; margin: 0 0 1 0; }
    SummaryLife > LineageList { height: 1fr; }
    SummaryLife > TextView { height: 1fr; padding: 0 0 0 1; margin: 1 0 0 0; }
    SummaryLife.-low > ModeBar, SummaryLife.-empty > ModeBar, SummaryLife.-empty > TextView { display: none; }
    SummaryLife.-low > TextView { height: 3; margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter(1)", "Filter", id="life.filter", tooltip="All items, dropped, reworded …"),
        Binding("F", "filter(-1)", "Filter before", id="life.previous_filter", show=False),
        Binding("J", "section(1)", "Next section", id="life.next_section", show=False),
        Binding("K", "section(-1)", "Previous section", id="life.previous_section", show=False),
    ]

    @dataclass
    class CellChosen(Message):
        """The user wants to see an item among the changes of a compaction."""

        compaction: int
        text: str

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: LineageView | None = None
        self._pending = False
        self._headline = Headline(5)
        self._filters = ModeBar(FILTERS)
        self.items = LineageList()
        self.body = TextView()

    def compose(self) -> ComposeResult:
        """Drift, filters, items, the chosen one."""
        yield self._headline
        yield self._filters
        yield self.items
        yield self.body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self._fill()

    @property
    def headline(self) -> str:
        """What stands on top."""
        return self._headline.text

    @property
    def filter(self) -> str:
        """The filter: all, dropped, reworded, moved, back, otherwise or stale."""
        return self._filters.mode

    @property
    def column(self) -> int:
        """The column of the chosen compaction, from 0."""
        return self.items.column

    def set_view(self, view: LineageView | None, pending: bool = False) -> None:
        """Show a lineage; None where there is none, or while it is worked out (`pending`)."""
        if (view, pending) == (self._view, self._pending):
            return
        before = self._filled
        self._view, self._pending = view, pending
        if self.is_mounted:
            if before != self._filled:
                self.refresh_bindings()
            self._fill()

    def _fill(self) -> None:
        view = self._view
        # The list keeps its place, and so the focus, while nothing is in it.
        self.set_class(not self._filled, "-empty")
        if view is not None:
            self.items.set_column(max(0, min(view.column, len(view.lineage.columns) - 1)))
        self._filter()
        self._arrange()

    @property
    def _filled(self) -> bool:
        return self._view is not None and bool(self._view.lineage.rows)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without an item there is nothing to filter or to go through, and the keys are free for others."""
        return self._filled or action not in ("filter", "section")

    def set_filter(self, name: str) -> None:
        """Show only some items; see `filter`."""
        self._filters.choose(name)

    def action_filter(self, by: int) -> None:
        """Show other items."""
        self._filters.step(by)

    def action_section(self, by: int) -> None:
        """Go to the first item of the next or previous section."""
        rows = [
            row
            for row in range(self.items.row_count)
            if self.items.row_at(self.items.line_of(row) - 1) is None
        ]
        cursor = self.items.cursor
        near = [row for row in rows if (row > cursor if by > 0 else row < cursor)]
        if near:
            self.items.move_cursor(near[0] if by > 0 else near[-1])

    def on_resize(self) -> None:
        """Fit into the new size."""
        self._arrange()

    @on(ModeBar.ModeChosen)
    def _filter_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._filter()
        self._arrange()

    @on(LineageList.Selected)
    def _selected(self, event: LineageList.Selected) -> None:
        event.stop()
        self._explain()

    @on(LineageList.ColumnPointed)
    def _column_pointed(self, event: LineageList.ColumnPointed) -> None:
        event.stop()
        if self._view is not None:
            self.items.set_column(event.column)
            self._arrange()
            self.post_message(ChooseCompaction(self._view.lineage.columns[event.column].compaction))

    @on(LineageList.Opened)
    def _opened(self, event: LineageList.Opened) -> None:
        event.stop()
        item = self.items.item
        if self._view is not None and item is not None:
            column = self._view.lineage.columns[self.items.column]
            cell = item.cells[self.items.column]
            self.post_message(self.CellChosen(column.compaction, cell.text if cell is not None else ""))

    def _filter(self) -> None:
        view = self._view
        self.items.set_rows(view.lineage if view else Lineage(), self._passes, view.flags if view else {})

    def _passes(self, row: LineageRow) -> bool:
        if self._view is None or self.filter == "all":
            return True
        if self.filter == "otherwise":
            return self._view.says_otherwise(row.number)
        if self.filter == "stale":
            return row.number in self._view.stale
        states = _SHOWN[self.filter]
        return any(cell is not None and cell.state in states for cell in row.cells)

    def _arrange(self) -> None:
        """Fit into the size: a low pane drops gaps, filters and figures."""
        low = self.size.height < LOW
        self.set_class(low, "-low")
        self._headline.set_lines(self._head(low))
        # The list is as high as it needs to be, at most two thirds of what there is.
        lines = self.items.line_count + self.items.header_height
        self.items.styles.height = "1fr" if low else max(4, min(lines, 2 * (self.size.height - 7) // 3))
        self._explain()

    def _head(self, low: bool) -> list[TextLine]:
        if self._view is None and self._pending:
            return [TextLine("Following the items of the summaries …", "muted")]
        if self._view is None:
            return [TextLine("No compaction has left a summary to follow.", "muted")]
        only = [TextLine(f"only {self.filter}", "muted")] if low and self.filter != "all" else []
        return [*head_lines(self._view, self.items.column, self.size.width - 2, low), *only]

    def _explain(self) -> None:
        item = self.items.item
        if self._view is None or item is None:
            self.body.set_lines([TextLine("No item is like that.", "muted")])
            return
        lines, place = item_lines(self._view, item, self.items.column)
        self.body.set_lines(lines)
        self.body.set_active(place)
