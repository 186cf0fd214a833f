"""Lines and tables of text for people on standard output."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from inspector.core.text import safe

#: The width of text that goes to a file or a pipe, in characters.
WIDTH = 120


def console_for() -> Console:
    """The console that answers are printed to; what is no terminal gets lines of a fixed width."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = WIDTH
    return console


def say(console: Console, text: str, style: str = "") -> None:
    """One line, safe for a terminal; a pipe or a file gets it unbroken."""
    console.print(Text(safe(text), style=style), soft_wrap=not console.is_terminal)


def table_of(*columns: tuple[str, bool]) -> Table:
    """A table of columns: (name, whether it is aligned to the right). Long texts and titles are folded."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name, right in columns:
        wraps = name in ("text", "title")
        table.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=not wraps,
            overflow="fold",
            ratio=1 if name == "text" else None,
        )
    return table


def add_row(table: Table, *cells: object) -> None:
    """A row of cells, safe for a terminal; None is an empty cell."""
    table.add_row(*(Text("" if cell is None else safe(str(cell))) for cell in cells))
