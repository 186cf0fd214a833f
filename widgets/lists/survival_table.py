"""What share of the facts of each kind survived, a column a compaction: to be read, not gone through."""

from __future__ import annotations

from rich.style import Style

from widgets.lists.measure_table import MeasuresView, MeasureTable


class SurvivalTable(MeasureTable, can_focus=False):
    """The rows about survival of a MeasuresView; kinds of which nothing was ever summarized have none."""

    def set_view(self, view: MeasuresView) -> None:
        """Show what these measures tell of survival."""
        rows = tuple(
            row
            for row in view.rows
            if row.id.startswith("survival-") and any(cell.told for cell in (*row.cells, row.whole))
        )
        super().set_view(MeasuresView(view.columns, rows) if rows else MeasuresView())
        self.set_grouped(False)

    def cursor_mark(self, row: int) -> str:
        """No row is chosen."""
        return " "

    def row_style(self, row: int) -> Style:
        """No row is lit."""
        return Style()
