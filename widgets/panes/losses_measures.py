"""What each compaction kept, measure by measure: a table, and the chosen measure with its curve and its evidence."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from widgets.base.headline import Headline
from widgets.lists.evidence_list import EvidenceList
from widgets.lists.measure_table import MeasureCell, MeasuresView, MeasureTable
from widgets.panes.choices import CompactionChosen, PlaceChosen
from widgets.panes.measure_lines import head_lines, measure_lines

#: Below this height gaps, headings and all but the first words of a definition go.
LOW = 24
#: Below this one the curve goes too, and the list of evidence is a few lines.
LOWEST = 12


class LossesMeasures(Vertical):
    """Shows a MeasuresView: the chosen compaction, or all together.

    Posts PlaceChosen for the place of a thing that the user wants to see, CompactionChosen for a column.
    """

    DEFAULT_CSS = """
    LossesMeasures { background: $surface; }
    LossesMeasures > Headline { padding: 0 1; }
    LossesMeasures > .told { margin: 1 0; }
    LossesMeasures > EvidenceList { height: 1fr; }
    LossesMeasures.-low > .told { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("J", "next(1)", "Next evidence", id="measures.next", show=False),
        Binding("K", "next(-1)", "Earlier evidence", id="measures.previous", show=False),
        Binding(
            "s", "found", "Where found", id="measures.found", tooltip="Go to where the evidence is found"
        ),
    ]

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: MeasuresView | None = None
        self._chosen = 0
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
        self._fill()

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
    def column(self) -> int:
        """The column on show, from 0; one more than there are compactions for all together."""
        return self._table.column

    @property
    def measure(self) -> str:
        """The id of the chosen measure; "" where there is none."""
        return self._measures.rows[self._table.cursor].id if self._filled else ""

    def set_view(self, view: MeasuresView | None, chosen: int) -> None:
        """Show measures, None while they are worked out, and of them the chosen compaction (from 1; 0: all together).

        All together stay on show until another compaction is chosen.
        """
        if (view, chosen) == (self._view, self._chosen):
            return
        before, whole = self._filled, self._is_whole and chosen == self._chosen
        self._view, self._chosen = view, chosen
        if self.is_mounted:
            self._fill(whole)
            if before != self._filled:
                self.refresh_bindings()

    def _fill(self, whole: bool = False) -> None:
        self._table.set_view(self._measures)
        self._show_column(self._measures.column_of(0 if whole else self._chosen))

    def _show_column(self, column: int) -> None:
        self._table.set_column(column)
        self._show_evidence()
        self._arrange()

    @property
    def _measures(self) -> MeasuresView:
        return self._view if self._view is not None else MeasuresView()

    @property
    def _filled(self) -> bool:
        return bool(self._measures.columns)

    @property
    def _is_whole(self) -> bool:
        return self._filled and self.column == len(self._measures.columns)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a compaction there is nothing to go through, and the keys are free for others."""
        return self._filled or action not in ("next", "found")

    def set_measure(self, identity: str) -> None:
        """Choose a measure by its id; an unknown one changes nothing."""
        at = next((number for number, row in enumerate(self._measures.rows) if row.id == identity), None)
        if at is not None:
            self._table.move_cursor(at)

    def turn_whole(self) -> None:
        """Turn to all compactions together, and back to the chosen one."""
        if self._filled:
            self._show_column(self._measures.column_of(self._chosen if self._is_whole else 0))

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
            self.post_message(PlaceChosen(entry.found))

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
        self._show_column(event.column)
        if not self._is_whole:
            self.post_message(CompactionChosen(self._measures.columns[event.column].number))

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
            self.post_message(PlaceChosen(place))

    def _show_evidence(self) -> None:
        cell = self._measures.cell(self._table.cursor, self.column) if self._filled else MeasureCell()
        self._evidence.set_entries(cell.evidence, numbered=self._is_whole)

    def _arrange(self) -> None:
        """The table is as high as it needs to be, at most half of the pane; where room is short, words go."""
        height = self.size.height
        low = height < LOW
        self.set_class(low, "-low")
        self._table.set_grouped(not low)
        self._evidence.set_low(low)
        lines = self._table.line_count + self._table.header_height
        table = min(lines, max(3, height // 2))
        self._told.display = self._evidence.display = self._filled
        self._headline.set_lines(head_lines(self._view, self.column, low))
        if self._filled:
            # Where room is short, a definition is told when it takes none from the evidence.
            spare = height - table - self._evidence.line_count - 3
            told = measure_lines(
                self._measures, self._table.cursor, self.column, self.size.width - 2,
                low=low, defined=not low or spare > 2, curve=height >= LOWEST,
            )  # fmt: skip
            self._told.set_lines(told)
        self._table.styles.height = table if self._filled else "1fr"
