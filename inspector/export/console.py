"""Lines of text for people on standard output."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from inspector.core.text import safe

#: The width of text that goes to a file or a pipe, in characters.
_WIDTH = 120


def console_for() -> Console:
    """The console that answers are printed to; what is no terminal gets lines of a fixed width."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def say(console: Console, text: str, style: str = "") -> None:
    """One line, safe for a terminal; a pipe or a file gets it unbroken."""
    console.print(Text(safe(text), style=style), soft_wrap=not console.is_terminal)
