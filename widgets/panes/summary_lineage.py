"""All items of all summaries as rows, compactions as columns, and the history of the chosen item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from inspector.core.places import nearest
from inspector.summaries.lineage import Lineage, LineageRow, State
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.intents import ChooseCompaction
from widgets.lists.lineage_list import LineageList
from widgets.panes.lineage_lines import LineageView, head_lines, item_lines
from widgets.panes.part import Part
from widgets.panes.text_view import TextView

FILTERS = (
    Mode("all", "all", "Every item of every summary"),
    Mode("dropped", "dropped", "Items that a summary dropped"),
    Mode("reworded", "reworded", "Items whose words changed, or that were split or merged"),
    Mode("moved", "moved", "Items that moved to another section, or were done"),
    Mode("back", "back", "Items that were gone and came back"),
    Mode("meaning", "meaning", "Items whose meaning changed: another number, path or “not”"),
    Mode("stale", "stale", "Open items that are done, or that do not change"),
)
_SHOWN: dict[str, frozenset[State]] = {
    "dropped": frozenset({"dropped"}),
    "reworded": frozenset({"reworded", "split", "merged"}),
    "moved": frozenset({"moved", "done"}),
    "back": frozenset({"back"}),
}


class SummaryLineage(Part[LineageView]):
    """Shows a LineageView; None while it is computed.

    Posts CellChosen for an item to be seen where it changed, ChooseCompaction for a column.
    """

    DEFAULT_CSS = """
    SummaryLineage > ModeBar { margin: 0 0 1 0; }
    SummaryLineage > LineageList { height: 1fr; }
    SummaryLineage > TextView { margin: 1 0 0 0; }
    SummaryLineage.-low > ModeBar, SummaryLineage.-empty > ModeBar, SummaryLineage.-empty > TextView { display: none; }
    SummaryLineage.-low > TextView { height: 3; margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter(1)", "Filter", id="lineage.filter", tooltip="All items, dropped, reworded …"),
        Binding("F", "filter(-1)", "Previous filter", id="lineage.previous_filter", show=False),
        Binding("J", "section(1)", "Next section", id="lineage.next_section", show=False),
        Binding("K", "section(-1)", "Previous section", id="lineage.previous_section", show=False),
    ]

    @dataclass
    class CellChosen(Message):
        """A request to show an item among the changes of a compaction."""

        compaction: int
        text: str

    LOW = 18
    NEEDY = frozenset({"filter", "section"})

    def __init__(self) -> None:
        self._filters = ModeBar(FILTERS)
        self.head, self.items, self.body = Headline(5), LineageList(), TextView()
        super().__init__(self.head, self._filters, self.items, self.body)

    @property
    def filter(self) -> str:
        """The filter: all, dropped, reworded, moved, back, meaning or stale."""
        return self._filters.mode

    @property
    def column(self) -> int:
        """The column of the chosen compaction, from 0."""
        return self.items.column

    def show_view(self) -> None:
        """Show drift, filters, items and the chosen item."""
        # An empty list stays displayed, so that it keeps the focus.
        self.set_class(not self.filled, "-empty")
        if self.view is not None:
            self.items.set_column(max(0, min(self.view.column, len(self.view.lineage.columns) - 1)))
        self._filter()

    @property
    def filled(self) -> bool:
        """Whether there is an item."""
        return self.view is not None and bool(self.view.lineage.rows)

    def set_filter(self, name: str) -> None:
        """Show only some items; see `filter`."""
        self._filters.choose(name)

    def action_filter(self, by: int) -> None:
        """Show other items."""
        self._filters.step(by)

    def action_section(self, by: int) -> None:
        """Go to the first item of the next or previous section."""
        rows = range(self.items.row_count)
        first = [row for row in rows if self.items.row_at(self.items.line_of(row) - 1) is None]
        self.items.move_cursor(nearest(first, self.items.cursor, by))

    @on(ModeBar.ModeChosen)
    def _filter_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._filter()

    @on(LineageList.Selected)
    def _selected(self, event: LineageList.Selected) -> None:
        event.stop()
        self._explain()

    @on(LineageList.ColumnPointed)
    def _column_pointed(self, event: LineageList.ColumnPointed) -> None:
        event.stop()
        if self.view is not None:
            self.items.set_column(event.column)
            self.fit()
            self.post_message(ChooseCompaction(self.view.lineage.columns[event.column].compaction))

    @on(LineageList.Opened)
    def _opened(self, event: LineageList.Opened) -> None:
        event.stop()
        item = self.items.entry
        if self.view is not None and item is not None:
            column = self.view.lineage.columns[self.items.column]
            cell = item.cells[self.items.column]
            self.post_message(self.CellChosen(column.compaction, cell.text if cell is not None else ""))

    def _filter(self) -> None:
        view = self.view
        self.items.set_rows(view.lineage if view else Lineage(), self._passes, view.flags if view else {})
        self.fit()

    def _passes(self, row: LineageRow) -> bool:
        if self.view is None or self.filter == "all":
            return True
        if self.filter == "meaning":
            return self.view.has_changed_meaning(row.number)
        if self.filter == "stale":
            return row.number in self.view.stale
        states = _SHOWN[self.filter]
        return any(cell is not None and cell.state in states for cell in row.cells)

    def fit(self) -> None:
        """Fit into the size: a low part drops gaps, filters and figures."""
        self.head.set_lines(self._head(self.low))
        # The list is as high as its lines, at most two thirds of the room.
        lines = self.items.line_count + self.items.header_height
        self.items.styles.height = "1fr" if self.low else max(4, min(lines, 2 * (self.size.height - 7) // 3))
        self._explain()

    def _head(self, low: bool) -> list[TextLine]:
        if self.view is None:
            return [TextLine("Following the items of the summaries …", "muted")]
        only = [TextLine(f"only {self.filter}", "muted")] if low and self.filter != "all" else []
        return [*head_lines(self.view, self.items.column, self.size.width - 2, low), *only]

    def _explain(self) -> None:
        item = self.items.entry
        if self.view is None or item is None:
            self.body.set_lines([TextLine("No item passes this filter.", "muted")])
            return
        lines, place = item_lines(self.view, item, self.items.column)
        self.body.set_lines(lines)
        self.body.set_active(place)
