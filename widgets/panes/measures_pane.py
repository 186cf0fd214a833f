"""What each compaction kept, measure by measure: a table, and the chosen measure with its curve and its evidence."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from widgets.base.headline import Headline
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.evidence_list import EvidenceList
from widgets.lists.fact_list import FactPlace
from widgets.lists.measure_table import (
    FALLBACK,
    MISSING,
    MeasureCell,
    MeasureRow,
    MeasuresView,
    MeasureTable,
)

#: Below this height gaps, headings and all but the first words of a definition go.
LOW = 24
#: Below this one the curve goes too, and the list of evidence is a few lines.
LOWEST = 12
#: What a curve is called, where there is room and where there is less.
_SO_FAR = ("of all so far", "so far")
#: Cells for three numbers beside a curve.
_NUMBERS = 60
_BLOCKS = "▁▂▃▄▅▆▇█"
_WAITING = "Looking for facts to measure …"
_COLUMNS = Binding.Group("Compaction ", compact=True)
_NOTHING = "Nothing was compacted so far, so there is nothing to measure."


class MeasuresPane(Vertical):
    """Shows a MeasuresView. Posts PlaceChosen for the place of a thing that the user wants to see."""

    DEFAULT_CSS = """
    MeasuresPane { background: $surface; }
    MeasuresPane > Headline { padding: 0 1; }
    MeasuresPane > .told { margin: 1 0; }
    MeasuresPane > EvidenceList { height: 1fr; }
    MeasuresPane.-low > .told { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left_square_bracket,left,h", "column(-1)", "Earlier compaction", id="measures.earlier",
            key_display="[", tooltip="The measures of an earlier compaction", group=_COLUMNS,
        ),
        Binding(
            "right_square_bracket,right,l", "column(1)", "Later compaction", id="measures.later",
            key_display="]", tooltip="The measures of a later compaction, at last of all together", group=_COLUMNS,
        ),
        Binding("J", "next(1)", "Next evidence", id="measures.next", show=False),
        Binding("K", "next(-1)", "Earlier evidence", id="measures.previous", show=False),
        Binding("s", "found", "Where found", id="measures.found", tooltip="Go to where the evidence is found"),
    ]  # fmt: skip

    class PlaceChosen(Message):
        """The user wants to see where a thing was said, or where it is found."""

        def __init__(self, place: FactPlace) -> None:
            super().__init__()
            self.place = place

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: MeasuresView | None = None
        self._column: int | None = None
        self._headline = Headline(3)
        self._table = MeasureTable()
        self._told = Headline(9, classes="told")
        self._evidence = EvidenceList()

    def compose(self) -> ComposeResult:
        """The compaction, the table, the chosen measure, its evidence."""
        yield self._headline
        yield self._table
        yield self._told
        yield self._evidence

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self.set_view(self._view)

    @property
    def table(self) -> MeasureTable:
        """The table."""
        return self._table

    @property
    def evidence(self) -> EvidenceList:
        """The evidence of the chosen measure and compaction."""
        return self._evidence

    @property
    def headline(self) -> str:
        """What stands on top."""
        return self._headline.text

    @property
    def told(self) -> str:
        """The definition, the curve and the parts of the chosen measure."""
        return self._told.text

    @property
    def column(self) -> int | None:
        """The chosen compaction, from 0; one more than there are for all together. None before any are known."""
        return self._column

    @property
    def measure(self) -> str:
        """The id of the chosen measure; "" where there is none."""
        row = self._row()
        return row.id if row is not None else ""

    def set_view(self, view: MeasuresView | None, column: int = 0) -> None:
        """Show measures; None while they are worked out. `column` is the one to begin with; a chosen one stays."""
        whole = self._filled and self._is_whole()
        before, self._view = self._filled, view
        if self.is_mounted and before != self._filled:
            self.refresh_bindings()
        if view is not None and view.columns:
            # A compaction that is no longer there gives its place to the last one; all of them stay all of them.
            last = len(view.columns) - 1
            if self._column is None:
                self._column = max(0, min(column, last + 1))
            else:
                self._column = last + 1 if whole else min(self._column, last)
        if not self.is_mounted:
            return
        self._table.set_view(view if view is not None else MeasuresView())
        self._table.set_column(self._column or 0)
        self._show_evidence()
        self._arrange()

    @property
    def _filled(self) -> bool:
        return self._view is not None and bool(self._view.columns)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a compaction there is nothing to go through. Arrows stay here: elsewhere they replay."""
        return self._filled or action not in ("next", "found")

    def set_column(self, column: int) -> None:
        """Choose a compaction, as far as there is one."""
        if self._view is None or not self._view.columns:
            return
        column = max(0, min(column, len(self._view.columns)))
        if column != self._column:
            self._column = column
            self._table.set_column(column)
            self._show_evidence()
            self._arrange()

    def set_measure(self, identity: str) -> None:
        """Choose a measure by its id; an unknown one changes nothing."""
        rows = self._view.rows if self._view is not None else ()
        at = next((number for number, row in enumerate(rows) if row.id == identity), None)
        if at is not None:
            self._table.move_cursor(at)

    def action_column(self, by: int) -> None:
        """Choose the next compaction, or the one before."""
        self.set_column((self._column or 0) + by)

    def action_next(self, by: int) -> None:
        """Go to the next piece of evidence, or the one before."""
        self._evidence.move_cursor(self._evidence.cursor + by)

    def action_found(self) -> None:
        """Go to where the chosen thing is found in the list after."""
        entry = self._evidence.entry
        if entry is None:
            return
        if entry.found is None:
            self.app.notify("It stands nowhere in that list.", timeout=2)
        else:
            self.post_message(self.PlaceChosen(entry.found))

    def on_resize(self) -> None:
        """Fit into the new size."""
        self._arrange()

    @on(MeasureTable.Selected)
    def _selected(self, event: MeasureTable.Selected) -> None:
        event.stop()
        self._show_evidence()
        self._arrange()

    @on(MeasureTable.ColumnPointed)
    def _pointed(self, event: MeasureTable.ColumnPointed) -> None:
        event.stop()
        self.set_column(event.column)

    @on(MeasureTable.Opened)
    def _to_evidence(self, event: MeasureTable.Opened) -> None:
        event.stop()
        if self._evidence.row_count:
            self._evidence.focus()

    @on(EvidenceList.Opened)
    def _opened(self, event: EvidenceList.Opened) -> None:
        event.stop()
        entry = self._evidence.entry
        place = None if entry is None else entry.said or entry.found
        if place is not None:
            self.post_message(self.PlaceChosen(place))

    def _row(self) -> MeasureRow | None:
        rows = self._view.rows if self._view is not None else ()
        return rows[self._table.cursor] if self._table.cursor < len(rows) else None

    def _cell(self) -> MeasureCell | None:
        if self._view is None or self._row() is None or self._column is None:
            return None
        return self._view.cell(self._table.cursor, self._column)

    def _is_whole(self) -> bool:
        return self._view is not None and self._column == len(self._view.columns)

    def _show_evidence(self) -> None:
        cell = self._cell()
        self._evidence.set_entries(cell.evidence if cell is not None else (), numbered=self._is_whole())

    def _arrange(self) -> None:
        """The table is as high as it needs to be, at most half of the pane; where room is short, words go."""
        height = self.size.height
        low, lowest = height < LOW, height < LOWEST
        self.set_class(low, "-low")
        self._table.set_grouped(not low)
        self._evidence.set_low(low)
        some = self._view is not None and bool(self._view.columns)
        lines = self._table.line_count + self._table.header_height
        table = min(lines, max(3, height // 2))
        self._told.display = self._evidence.display = some
        self._headline.set_lines(self._head(low))
        if some:
            # Where room is short, a definition is told when it takes none from the evidence.
            spare = height - table - self._evidence.line_count - 3
            self._told.set_lines(self._told_lines(low, lowest, defined=not low or spare > 2))
        self._table.styles.height = table if some else "1fr"

    def _head(self, low: bool) -> list[TextLine]:
        view = self._view
        if view is None:
            return [TextLine(_WAITING, "muted")]
        if not view.columns or self._column is None:
            return [TextLine(_NOTHING, "muted")]
        if self._is_whole():
            count = len(view.columns)
            parts = [
                ("the only compaction" if count == 1 else f"all {count:,} compactions together", "strong")
            ]
        else:
            column = view.columns[self._column]
            parts = [(f"compaction {column.number} of {len(view.columns):,}", "strong")]
            if column.fallback:
                parts.append((f"   {FALLBACK} a fallback text, which no model wrote", "warning"))
            elif not column.summary:
                parts.append((f"   {MISSING} no summary was found", "warning"))
        legend = []
        if any(column.fallback for column in view.columns):
            legend.append(f"{FALLBACK} fallback text")
        if any(not column.summary and not column.fallback for column in view.columns):
            legend.append(f"{MISSING} no summary found")
        if low:
            return [line_of(*parts)]
        return [line_of(*parts), TextLine("   ".join((*legend, "– nothing to measure")), "muted")]

    def _told_lines(self, low: bool, lowest: bool, defined: bool) -> list[TextLine]:
        row, cell = self._row(), self._cell()
        if row is None or cell is None:
            return []
        title = [(one_line(row.title), "strong"), (f"   {cell.told or 'nothing to measure'}", "accent")]
        if low:
            parts = [(f"   {what} {number}", "muted") for what, number in cell.parts]
            # A second line for them would take one from the evidence.
            if sum(len(text) for text, _ in title + parts) <= self.size.width - 2:
                title += parts
        lines = [line_of(*title)]
        if defined:
            lines.append(TextLine(row.counts, "muted"))
        if cell.parts and not low:
            lines.append(line_of(*_parts(cell)))
        curve = [] if lowest else self._curve(row)
        if curve:
            lines.append(line_of(*curve))
        if not cell.evidence and cell.told and not low:
            lines.append(TextLine("It is counted in tokens; there is nothing to list.", "muted"))
        return lines

    def _curve(self, row: MeasureRow) -> list[tuple[str, str]]:
        """What is known of everything so far, after each compaction: a block each, and the numbers."""
        assert self._view is not None
        points = [
            (column, cell)
            for column, cell in enumerate(row.cells)
            if cell.so_far is not None and cell.so_far_told
        ]
        if not points:
            return []
        width = self.size.width - 2
        told = [
            (f"  {self._view.columns[column].head} {_block(cell.so_far)} {cell.so_far_told}", column)
            for column, cell in points
        ]
        room = width - sum(len(text) for text, _ in told)
        if room >= len(_SO_FAR[-1]):
            lead = next(lead for lead in _SO_FAR if len(lead) <= room)
            return [(lead, "muted"), *((text, _style(column == self._column)) for text, column in told)]
        # As many blocks as leave room for three of the numbers: the first, the chosen and the last.
        every = -(-len(points) // max(8, width - _NUMBERS))
        parts = [(_SO_FAR[-1] + "  ", "muted")]
        parts += [(_block(cell.so_far), _style(column == self._column)) for column, cell in points[::every]]
        ends = (points[0][0], self._column, points[-1][0])
        for column, cell in points:
            if column in ends:
                head = self._view.columns[column].head
                parts.append((f"  {head} {cell.so_far_told}", _style(column == self._column)))
        return parts


def _block(share: float | None) -> str:
    """A block as high as a share; the lowest one is for nothing at all."""
    return _BLOCKS[max(0, min(len(_BLOCKS) - 1, round((share or 0.0) * (len(_BLOCKS) - 1))))]


def _style(here: bool) -> str:
    return "strong" if here else "kept"


def _parts(cell: MeasureCell) -> list[tuple[str, str]]:
    return [
        part
        for at, (what, number) in enumerate(cell.parts)
        for part in ((f"{'   ' if at else ''}{what} ", "muted"), (number, ""))
    ]
