"""Share of the facts of each kind that survived each compaction, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rich.style import Style
from textual.strip import Strip

from inspector.core.conversations import Compaction
from inspector.quality.facts.fact import KINDS, Kind
from inspector.quality.measures.measure import Share
from widgets.base import human
from widgets.base.strips import Row, fit, width_of
from widgets.lists.headed_list import ColumnList

#: Shown where a compaction summarized no fact of a kind.
NONE = "–"
#: Signs behind the number of a compaction.
FALLBACK, MISSING = "!", "?"
#: Minimum width of the kinds, in cells.
_MIN_KIND = 14


@dataclass(frozen=True, slots=True)
class Survival:
    """Shares by kind: one for each compaction, None where it summarized no fact of that kind.

    Facts with an uncertain or unknown fate do not count.
    """

    compactions: tuple[Compaction, ...] = ()
    shares: Mapping[Kind, tuple[Share | None, ...]] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that any compaction summarized."""
        return tuple(kind for kind in KINDS if any(self.shares.get(kind, ())))

    def column_of(self, compaction: int) -> int:
        """Column of a compaction by its number; the column of all compactions where there is none."""
        numbers = [done.index for done in self.compactions]
        return numbers.index(compaction) if compaction in numbers else len(numbers)

    def until(self, count: int) -> Survival:
        """The first `count` compactions only."""
        return Survival(self.compactions[:count], {kind: s[:count] for kind, s in self.shares.items()})


class SurvivalTable(ColumnList, can_focus=False):
    """A row per kind, a column per compaction, and a column "all". A click chooses a compaction."""

    header_height: ClassVar[int] = 1

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._survival = Survival()
        #: Text of each cell by column and kind: long with the counts, short the share alone.
        self._long: list[list[str]] = []
        self._short: list[list[str]] = []
        self.tooltip = (
            "Share of the facts that can still be read after each compaction.\n"
            f"{FALLBACK} a fallback text followed it, {MISSING} no summary was found, {NONE} no facts of that kind."
        )

    @property
    def row_count(self) -> int:
        """Number of kinds."""
        return len(self._survival.kinds)

    def set_survival(self, survival: Survival) -> None:
        """Show these shares."""
        if survival == self._survival:
            return
        self._survival = survival
        columns = [*zip(*(survival.shares[kind] for kind in survival.kinds), strict=True)]
        columns.append(tuple(_last(survival.shares[kind]) for kind in survival.kinds))
        self._long = [[_long(share) for share in column] for column in columns]
        self._short = [[_short(share) for share in column] for column in columns]
        self.lay_lines(range(self.row_count))
        self.refresh()

    def _head(self, column: int) -> str:
        compactions = self._survival.compactions
        if column == len(compactions):
            return "all"
        done = compactions[column]
        return f"{done.index}{FALLBACK if done.fallback else '' if done.summary is not None else MISSING}"

    def _widths(self, width: int) -> tuple[int, dict[int, tuple[int, bool]]]:
        """Width of the kinds; of each column on screen its width and whether it shows counts.

        Where counts do not fit, only the chosen column has them; where the columns do not fit, those around it stay.
        """
        whole = len(self._survival.compactions)
        here = min(self.column, whole)
        room = width - _MIN_KIND
        needs = [
            (self._needs(column, self._long[column]), self._needs(column, self._short[column]))
            for column in range(whole + 1)
        ]
        full = sum(long for long, _ in needs) <= room
        cells = {
            column: (long, True) if full or column == here else (short, False)
            for column, (long, short) in enumerate(needs)
        }
        taken = {here, whole}
        used = sum(cells[column][0] for column in taken)
        for column in sorted(range(whole), key=lambda column: abs(column - here)):
            if column not in taken:
                if used + cells[column][0] > room:
                    break
                taken.add(column)
                used += cells[column][0]
        return _MIN_KIND, {column: cells[column] for column in sorted(taken)}

    def _needs(self, column: int, texts: list[str]) -> int:
        return max(width_of(text) for text in (f"▸{self._head(column)}", *texts)) + 2

    def draw_header(self, y: int, width: int) -> Strip:
        """Draw the numbers of the compactions."""
        self.places = []
        if not self.row_count:
            return Row().strip(width, self.base_style)
        name, columns = self._widths(width)
        hidden = len(self._survival.compactions) + 1 - len(columns)
        row = Row().add(fit(f" ‹ {hidden} more ›" if hidden else " survived", name), self.ink("column"))
        for column, (cells, _) in columns.items():
            start, here = row.width, column == self.column
            text = f"{'▸' if here else ''}{self._head(column)}"
            _right(row, text, cells, self.ink("column") + self.column_style(here))
            self.places.append((start, row.width, column))
        return row.strip(width, self.base_style)

    def draw_line(self, line: int, width: int) -> Strip:
        """Draw a kind."""
        name, columns = self._widths(width)
        row = Row().add(fit(f" {self._survival.kinds[line]}", name), Style())
        for column, (cells, full) in columns.items():
            _right(
                row, (self._long if full else self._short)[column][line], cells, self._ink_of(column, line)
            )
        return row.strip(width, self.base_style)

    def _ink_of(self, column: int, line: int) -> Style:
        text = self._short[column][line]
        if text in (NONE, "0%"):
            return self.ink("quiet" if text == NONE else "warning")
        return self.ink("accent") if column == len(self._survival.compactions) else Style()


def _last(shares: Sequence[Share | None]) -> Share | None:
    """The share after the last compaction that has one: each counts the facts of those before it too."""
    return next((share for share in reversed(shares) if share is not None), None)


def _short(share: Share | None) -> str:
    return NONE if share is None or not share.of else human.percent(share.count, share.of)


def _long(share: Share | None) -> str:
    text = _short(share)
    return text if share is None or not share.of else f"{text} {share.count:,}/{share.of:,}"


def _right(row: Row, text: str, cells: int, style: Style) -> None:
    """Add a text at the right end of a field; the padding has no style."""
    width = min(width_of(text), cells)
    row.add(" " * (cells - width), Style()).add(fit(text, width), style)
