"""Share of the facts of each kind that survived each compaction, as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.style import Style
from textual.strip import Strip

from inspector.core.shares import share_of
from inspector.core.signs import FATE_SIGNS
from inspector.quality.measures import Share, Survival
from widgets.base import human
from widgets.base.inked import Inked
from widgets.base.signs import Sign
from widgets.base.strips import Row, fit, width_of
from widgets.intents import ChooseCompaction

#: Shown where a compaction summarized no fact of a kind.
NONE = "–"
#: Signs behind the number of a compaction.
FALLBACK, MISSING = "◇", "?"
#: Before the number of uncertain facts.
UNCERTAIN = FATE_SIGNS["uncertain"]
#: Minimum width of the kinds, in cells.
_MIN_KIND = 14


class SurvivalTable(Inked):
    """A row per kind, a column per compaction, and a column "last" with the last known shares.

    A click posts ChooseCompaction.
    """

    def __init__(self) -> None:
        super().__init__()
        self._survival = Survival()
        self._column = 0
        self.tooltip = (
            "Share of the facts that can still be read after each compaction.\n"
            f"{FALLBACK} a fallback text followed it, {MISSING} no summary was found, {NONE} no facts of that kind.\n"
            f"{UNCERTAIN}N: N more facts are uncertain and in no share; {UNCERTAIN} alone: some more are."
        )

    def signs(self) -> Iterator[Sign]:
        """The signs of the heads and the cells."""
        drawn = "".join(self.render_line(y).text for y in range(self.line_count))
        meanings = (
            (FALLBACK, "fallback text instead of a summary"),
            (MISSING, "compaction without a summary in the files"),
            (UNCERTAIN, "uncertain facts, in no share"),
        )
        yield from ((sign, text) for sign, text in meanings if sign in drawn)

    @property
    def line_count(self) -> int:
        """A line for each kind, and the head; 0 without a kind."""
        kinds = len(self._survival.kinds)
        return kinds + 1 if kinds else 0

    def set_survival(self, survival: Survival, chosen: int) -> None:
        """Show these shares; the column of the `chosen` compaction is marked."""
        value = (survival, survival.column_of(chosen))
        if value != (self._survival, self._column):
            self._survival, self._column = value
            self.refresh()

    def _texts(self, column: int, form: Callable[[Share | None], str]) -> list[str]:
        """The head of a column and its cells in a form."""
        survival, kinds = self._survival, self._survival.kinds
        mark = "▸" if column == self._column else ""
        if column == len(survival.compactions):
            head, shares = "last", [survival.last[kind] for kind in kinds]
        else:
            done, shares = survival.compactions[column], [survival.shares[kind][column] for kind in kinds]
            head = f"{done.index}{FALLBACK if done.fallback else '' if done.summary is not None else MISSING}"
        return [mark + head, *map(form, shares)]

    def _columns(self, room: int) -> dict[int, tuple[int, list[str]]]:
        """Width and texts of each column on screen.

        If counts do not fit, only the chosen column has them; the others have a sign for uncertain facts if that fits.
        If columns do not fit, columns around it stay.
        """
        whole = len(self._survival.compactions)
        here = min(self._column, whole)
        chosen: list[list[str]] = []
        for form in (_worded, _long, _marked, _short):
            chosen = [
                self._texts(at, _long if at == here and form is not _worded else form)
                for at in range(whole + 1)
            ]
            if sum(map(_cells, chosen)) <= room:
                break
        taken = {here, whole}
        used = sum(_cells(chosen[column]) for column in taken)
        for column in sorted(set(range(whole)) - taken, key=lambda column: abs(column - here)):
            used += _cells(chosen[column])
            if used > room:
                break
            taken.add(column)
        return {column: (_cells(chosen[column]), chosen[column]) for column in sorted(taken)}

    def render_line(self, y: int) -> Strip:
        """Draw the numbers of the compactions, or a kind."""
        width, kinds = self.size.width, self._survival.kinds
        if y > len(kinds) or not kinds:
            return Strip.blank(width, self.base_style)
        columns = self._columns(width - _MIN_KIND)
        hidden = len(self._survival.compactions) + 1 - len(columns)
        head = f" ‹ {hidden} more ›" if hidden else " kept after"
        row = Row().add(fit(f" {kinds[y - 1]}" if y else head, _MIN_KIND), self.ink("" if y else "column"))
        for column, (cells, texts) in columns.items():
            text = texts[y].rjust(cells)
            style = self._style(column, texts[y]) if y else self.ink("column")
            if not y and column == self._column:
                style += self.ink("here")
            blank = len(text) - len(text.lstrip())
            click = Style(meta={"@click": f"choose({column})"})
            row.add(text[:blank], Style()).add(text[blank:], style + click)
        return row.strip(width, self.base_style)

    def _style(self, column: int, text: str) -> Style:
        share = text.partition(" ")[0]
        if share in (NONE, "0%"):
            return self.ink("quiet" if share == NONE else "warning")
        return self.ink("accent" if column == len(self._survival.compactions) else "")

    def action_choose(self, column: int) -> None:
        """Ask for the compaction of a column."""
        if column < len(self._survival.compactions):
            self.post_message(ChooseCompaction(self._survival.compactions[column].index))


def _cells(texts: list[str]) -> int:
    return max(map(width_of, (texts[0] if texts[0][0] == "▸" else f"▸{texts[0]}", *texts[1:]))) + 2


def _percent(share: Share | None) -> str:
    return NONE if share is None or not share.of else human.percent(share.count, share.of)


def _marked(share: Share | None) -> str:
    """The share; with a sign if any fact is uncertain."""
    return f"{_percent(share)} {UNCERTAIN}" if share is not None and share.uncertain else _percent(share)


def _short(share: Share | None) -> str:
    """The share; with a sign if more facts are uncertain."""
    mostly_open = share is not None and share.uncertain > share.of
    return f"{_percent(share)} {UNCERTAIN}" if mostly_open else _percent(share)


def _worded(share: Share | None) -> str:
    """The share and its numbers in words."""
    if share is None:
        return NONE
    numbers = [f"{share.count:,} of {share.of:,}"] if share.of else []
    numbers += [f"{share.uncertain:,} uncertain"] if share.uncertain else []
    return f"{_percent(share)} {', '.join(numbers)}".rstrip()


def _long(share: Share | None) -> str:
    """The share, its numbers, and the number of uncertain facts."""
    return NONE if share is None else share_of(share.count, share.of, share.uncertain)
