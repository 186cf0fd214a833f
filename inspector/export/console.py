"""Lines and tables of text for people on standard output."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TextIO, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from inspector.core.text import safe

T = TypeVar("T")
#: The width of text that goes to a file or a pipe, in characters.
WIDTH = 120
#: Minimum width of a flexible column, in cells.
_LEAST = 18
_GAP = "  "
#: Maximum number of characters per cell when a text is cut: combining marks take no cell.
_LONGEST = 8
#: A character that may take another number of cells than one.
_ODD = re.compile("[^ -~…–—‘’“”·•→←│─]")


def console_for() -> Console:
    """Return the console for answers; without a terminal lines have a fixed width."""
    return _console_of(sys.stdout)


@lru_cache(maxsize=1)
def _console_of(_: TextIO) -> Console:
    """Return the console of an output; it writes to standard output as it is then."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = WIDTH
    return console


class StyledLines:
    """Lines of parts in styles, for answers of ten thousand lines and more.

    Rich takes ten times as long for a line, so it is used only for styles and for folding long lines.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console_for() if console is None else console
        self._looks: dict[str, tuple[str, str]] = {"": ("", "")}

    def add(self, *parts: tuple[str, str], indent: int = 0) -> None:
        """Add a line of (safe text, style) parts. Its folds have the same indent."""
        console, room = self._console, self._console.width - indent
        if sum(_width(text) for text, _ in parts) <= room and not any("\n" in text for text, _ in parts):
            shown = "".join(f"{before}{text}{behind}" for text, before, behind in map(self._styled, parts))
            console.file.write(f"{' ' * indent}{shown}\n")
        else:
            line = Text.assemble(*parts)
            console.print(Padding(line, (0, 0, 0, indent), expand=False) if indent else line)

    def each(self, entries: Iterable[T], nothing: str) -> Iterator[T]:
        """Yield the entries, with an empty line between two; without any, the line `nothing`."""
        number = -1
        for number, entry in enumerate(entries):
            if number:
                self.add()
            yield entry
        if number < 0:
            self.add((nothing, ""))

    def _styled(self, part: tuple[str, str]) -> tuple[str, str, str]:
        text, style = part
        if style not in self._looks:
            with self._console.capture() as shown:
                self._console.print(Text("|", style=style), end="")
            before, _, behind = shown.get().partition("|")
            self._looks[style] = before, behind
        return text, *self._looks[style]


def say(text: str = "", style: str = "", then: str = "") -> None:
    """Print one line, safe for a terminal; a pipe or a file gets it unbroken. `then` follows without the style."""
    console, line = console_for(), Text()
    line.append(safe(text), style).append(safe(then))
    console.print(line, soft_wrap=not console.is_terminal)


class Table:
    """Rows under the names of their columns.

    A column whose name begins with ">" is aligned to the right. The column "text" is folded to the width, unless it is
    in `cut`: texts of these columns are cut with "…". On narrow lines columns in `spare` are left out, in that order;
    then lines get longer.
    """

    def __init__(
        self,
        *columns: str,
        spare: Sequence[str] = (),
        cut: Sequence[str] = (),
        rows: Iterable[Iterable[object]] = (),
    ) -> None:
        self._columns = [(name.removeprefix(">"), name.startswith(">")) for name in columns]
        self._spare, self._cut = tuple(spare), frozenset(cut)
        self.rows: list[tuple[str, ...]] = []
        for row in rows:
            self.add(*row)

    def add(self, *cells: object) -> None:
        """Add a row of cells, safe for a terminal; None and missing cells are empty."""
        shown = ["" if cell is None else safe(str(cell)) for cell in cells]
        self.rows.append((*shown, *[""] * (len(self._columns) - len(shown))))

    def lines(self, room: int) -> list[str]:
        """Return the lines, in `room` cells if possible; the names first."""
        rows = [tuple(name for name, _ in self._columns), *self.rows]
        shown = list(range(len(self._columns)))
        needs = [max(_width(line) for row in rows for line in row[at].split("\n")) for at in shown]
        flexible = [name == "text" or name in self._cut for name, _ in self._columns]

        def taken(columns: Sequence[int]) -> int:
            least = (min(needs[at], _LEAST) if flexible[at] else needs[at] for at in columns)
            return sum(least) + len(_GAP) * (len(columns) - 1)

        for name in self._spare:
            if taken(shown) > room:
                shown = [at for at in shown if self._columns[at][0] != name]
        # The flexible columns share the rest of the line, folded columns first.
        left = max(0, room - taken(shown))
        widths = dict(enumerate(needs))
        for at in sorted(shown, key=lambda at: self._columns[at][0] in self._cut):
            if flexible[at]:
                least = min(needs[at], _LEAST)
                widths[at] = min(needs[at], least + left)
                left -= widths[at] - least
        return [line for row in rows for line in self._row(row, shown, widths)]

    def _row(self, row: tuple[str, ...], shown: Sequence[int], widths: dict[int, int]) -> list[str]:
        cells = []
        for at in shown:
            name, right = self._columns[at]
            lines = (_cut if name in self._cut else _folded)(row[at], widths[at])
            cells.append([_aligned(line, widths[at], right) for line in lines])
        high = max(map(len, cells))
        blank = [" " * widths[at] for at in shown]
        return [
            _GAP.join(cell[y] if y < len(cell) else blank[x] for x, cell in enumerate(cells)).rstrip()
            for y in range(high)
        ]


def print_table(table: Table, nothing: str = "") -> None:
    """Print a table. If it has no rows, print the sentence `nothing`, if given."""
    if nothing and not table.rows:
        say(nothing)
        return
    console = console_for()
    names, *lines = table.lines(console.width)
    console.print(Text(names, style="bold"), soft_wrap=True)
    # They have no style and are safe: rich takes ten times as long for as many lines.
    console.file.write("".join(f"{line}\n" for line in lines))


def _aligned(text: str, width: int, right: bool) -> str:
    room = " " * (width - _width(text))
    return room + text if right else text + room


def _cut(text: str, width: int) -> list[str]:
    line = " ".join(text.split())
    if _width(line) <= width:
        return [line]
    # Text far after the cut is ignored.
    line = line[: _LONGEST * width]
    cut = line[: width - 1] if _ODD.search(line) is None else set_cell_size(line, width - 1)
    return [cut.rstrip() + "…"]


def _width(text: str) -> int:
    """Return the cells of a text. Rich checks each character, so it is used only for unusual characters."""
    return len(text) if _ODD.search(text) is None else cell_len(text)


def _folded(text: str, width: int) -> list[str]:
    if _width(text) <= width and "\n" not in text:
        return [text]
    return [line.plain.rstrip() for line in Text(text).wrap(Console(width=width), width)] or [""]
