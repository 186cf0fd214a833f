"""Measures as a table: a row each in groups, a column for each compaction and one for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.strip import Strip

from widgets.base.strips import Row, fit, width_of
from widgets.lists.evidence_list import EvidenceView
from widgets.lists.headed_list import ColumnList

#: What a cell says where there was nothing to measure.
NONE = "–"
#: Signs behind the number of a compaction, and what they say.
FALLBACK, MISSING = "!", "?"
#: So many cells are left for the names of measures before numbers are told short.
_NAME = 20


@dataclass(frozen=True, slots=True)
class MeasureCell:
    """A measure of one compaction, or of all.

    `told` is the number with what it is made of ("64% 7/11"), `short` the number alone; both "" where there was
    nothing to measure. `share` is the number from 0 to 1 (below 0 where a list grew), None for tokens. `so_far` is the
    same over everything summarized until then, `so_far_told` in words ("" and None where the measure has none).
    `parts` divide it, in words: (what, number).
    """

    told: str = ""
    short: str = ""
    share: float | None = None
    so_far: float | None = None
    so_far_told: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    evidence: tuple[EvidenceView, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasureColumn:
    """A compaction: its number from 1, whether a fallback text followed it, whether any summary was found, and whether
    it is encrypted."""

    number: int
    fallback: bool = False
    summary: bool = True
    encrypted: bool = False

    @property
    def head(self) -> str:
        """What stands above the column."""
        return f"{self.number}{FALLBACK if self.fallback else '' if self.summary else MISSING}"


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """A measure: the group that it stands in, its definition, a cell for each column, and that of all together."""

    id: str
    group: str
    name: str
    title: str
    counts: str
    practice: str
    cells: tuple[MeasureCell, ...]
    whole: MeasureCell


@dataclass(frozen=True, slots=True)
class MeasuresView:
    """The measures of a conversation, rows of a group beside each other. Column `len(columns)` is all of them."""

    columns: tuple[MeasureColumn, ...] = ()
    rows: tuple[MeasureRow, ...] = ()

    def cell(self, row: int, column: int) -> MeasureCell:
        """The cell of a row in a column."""
        found = self.rows[row]
        return found.cells[column] if column < len(self.columns) else found.whole

    def column_of(self, compaction: int) -> int:
        """The column of a compaction, by its number; that of all together where it has none."""
        numbers = [column.number for column in self.columns]
        return numbers.index(compaction) if compaction in numbers else len(numbers)


class MeasureTable(ColumnList):
    """One line a measure; the heading of its group above it, where the group has several and there is room."""

    header_height: ClassVar[int] = 1
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "measures--group",
        "measures--column",
        "measures--low",
        "measures--whole",
    }
    DEFAULT_CSS = """
    MeasureTable {
        & > .measures--group { color: $text-primary; text-style: bold; }
        & > .measures--column { color: $foreground 70%; }
        & > .measures--low { color: $text-warning; text-style: bold; }
        & > .measures--whole { color: $text-accent; }
        &:ansi > .measures--column { text-style: dim; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view = MeasuresView()
        self._grouped = True
        #: Cells that each column needs, worked out once: a table may have hundreds of columns.
        self._told_cells: list[int] = [0]
        self._short_cells: list[int] = [0]
        self.tooltip = (
            "What each compaction kept, measure by measure; – where there was nothing to measure.\n"
            f"{FALLBACK} a fallback text followed it, {MISSING} no summary was found.\n"
            "[ and ] choose the compaction, enter goes to the evidence."
        )

    @property
    def row_count(self) -> int:
        """How many measures there are."""
        return len(self._view.rows)

    def set_view(self, view: MeasuresView) -> None:
        """Show these; the cursor stays on its measure."""
        if view == self._view:
            return
        here = self._view.rows[self.cursor].id if self.cursor < len(self._view.rows) else ""
        self._view = view
        self._told_cells = [self._needs(column, short=False) for column in range(len(view.columns) + 1)]
        self._short_cells = [self._needs(column, short=True) for column in range(len(view.columns) + 1)]
        self._lay_lines()
        self.move_cursor(next((n for n, row in enumerate(view.rows) if row.id == here), 0), notify=False)

    def set_grouped(self, grouped: bool) -> None:
        """With headings, or without where room is short."""
        if grouped != self._grouped:
            self._grouped = grouped
            self._lay_lines()

    def _lay_lines(self) -> None:
        lines: list[int | str] = []
        groups = [row.group for row in self._view.rows]
        for number, group in enumerate(groups):
            if self._several(number) and group not in groups[:number]:
                lines.append(group)
            lines.append(number)
        self.lay_lines(lines)

    def _several(self, number: int) -> bool:
        """Whether a measure stands below a heading."""
        group = self._view.rows[number].group
        return self._grouped and sum(row.group == group for row in self._view.rows) > 1

    def widths(self, width: int) -> tuple[int, dict[int, tuple[int, bool]]]:
        """Cells for the names, and for each column on show its cells and whether it tells all of its numbers.

        Where there is no room for everything, only the column of the cursor does; where not even short numbers of all
        compactions fit, those around the cursor are shown. All compactions together always are.
        """
        whole = len(self._view.columns)
        told, short = self._told_cells, self._short_cells
        longest = max((width_of(self._named(n)) for n in range(self.row_count)), default=0) + 2
        name = min(longest, max(_NAME, width // 3))
        room = width - name
        shown = dict.fromkeys(range(whole + 1), True)
        if sum(told) > room:
            # All are told short, save that of the cursor.
            shown = {column: column == self.column for column in shown}
        needs = {column: told[column] if all_of_it else short[column] for column, all_of_it in shown.items()}
        here = min(self.column, whole)
        taken = {here, whole}
        used = sum(needs[column] for column in taken)
        for column in sorted(range(whole), key=lambda column: abs(column - here)):
            if column not in taken:
                if used + needs[column] > room:
                    break
                taken.add(column)
                used += needs[column]
        name = min(longest, max(name, width - used))
        return name, {column: (needs[column], shown[column]) for column in sorted(taken)}

    def _needs(self, column: int, short: bool) -> int:
        head = self._view.columns[column].head if column < len(self._view.columns) else "all"
        cells = (self._view.cell(row, column) for row in range(self.row_count))
        texts = [(cell.short if short else cell.told) or NONE for cell in cells]
        return max(width_of(text) for text in (f"▸{head}", *texts)) + 2

    def _named(self, number: int) -> str:
        indent = "  " if self._several(number) else ""
        return f" {indent}{self._view.rows[number].name}"

    def draw_header(self, y: int, width: int) -> Strip:
        """The compactions' numbers; nothing where there is nothing to measure."""
        if not self._view.columns:
            self.places = []
            return Row().strip(width, self.base_style)
        name, columns = self.widths(width)
        self.places = []
        hidden = len(self._view.columns) + 1 - len(columns)
        title = f" ‹ {hidden} more ›" if hidden else " compaction"
        row = Row().add(fit(title, name), self.ink("measures--column"))
        for column, (cells, _) in columns.items():
            start = row.width
            here = column == self.column
            head = self._view.columns[column].head if column < len(self._view.columns) else "all"
            text = f"{'▸' if here else ''}{head}"
            _right(row, text, cells, self.ink("measures--column") + self.column_style(here))
            self.places.append((start, row.width, column))
        return row.strip(width, self.base_style)

    def draw_line(self, line: int, width: int) -> Strip:
        """A heading or a measure."""
        found = self.shown_at(line)
        if isinstance(found, str):
            return Row().add(f" {found}", self.ink("measures--group")).strip(width, self.base_style)
        name, columns = self.widths(width)
        at_cursor = found == self.cursor
        row = Row().add(self.cursor_mark(found), Style())
        alone = self._grouped and not self._several(found)
        row.add(fit(self._named(found)[1:], name - 1), self.ink("measures--group") if alone else Style())
        for column, (cells, told) in columns.items():
            cell = self._view.cell(found, column)
            text = (cell.told if told else cell.short) or NONE
            style = self._ink_of(cell, column) + self.column_style(at_cursor and column == self.column)
            _right(row, text, cells, style)
        flat = at_cursor and self.flat_cursor
        return row.strip(width, self.base_style + self.row_style(found), flat=flat)

    def _ink_of(self, cell: MeasureCell, column: int) -> Style:
        if not cell.told:
            return self.ink("list--muted")
        if cell.share is not None and cell.share <= 0:
            return self.ink("measures--low")
        return self.ink("measures--whole") if column == len(self._view.columns) else Style()


def _right(row: Row, text: str, cells: int, style: Style) -> None:
    """Add a text at the right of so many cells; what is left of it is in no style."""
    width = min(width_of(text), cells)
    row.add(" " * (cells - width), Style()).add(fit(text, width), style)
