"""Programs that are measured in turn in a terminal: this checkout, another checkout, and a bare Textual app."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.bare_list import READY
from tests.benchmarks.context import ROOT, Context, fresh_environment
from tests.benchmarks.generator import LONG, LONGEST
from tests.benchmarks.terminal import HEIGHT, Terminal

ENTER, UP, DOWN, LEFT, RIGHT = "\r", "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
PAGE_UP, PAGE_DOWN, HOME, END = "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F"
#: Keys from an open conversation to its first knob. The first row whose file the checkout has counts.
KNOBS = (
    ("inspector/app/conversation/panes/what_if.py", "6"),
    ("inspector/app/panes.py", "5"),
)
#: Lines of the first screen that may show something other than conversations.
_AROUND = 8


@dataclass(frozen=True, slots=True)
class Program:
    """A program that opens conversations of the database. `words` may end with the session of the conversation."""

    name: str
    words: tuple[str, ...]
    folder: Path
    #: Text on its first frame.
    first: str
    knobs: str = ""
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def bare(self) -> bool:
        """Whether this is the bare app, the base of the ratios."""
        return self.name == "bare"

    @contextmanager
    def started(self, session: str = "") -> Iterator[Terminal]:
        """Start the program in a terminal and wait for its first frame."""
        with fresh_environment() as (environment, _):
            whole = {**environment, "PYTHONPATH": str(self.folder), **self.more}
            words = [*self.words, session] if self.bare else self.words
            with Terminal(words, whole, self.folder) as terminal:
                terminal.until_seen(self.first)
                yield terminal


def programs(context: Context) -> list[Program]:
    """Return the bare app, this checkout, and the other checkout if there is one."""
    first = _title(context)
    script = str(Path(__file__).with_name("bare_list.py"))
    bare = Program(
        "bare", (sys.executable, script, str(context.database)), ROOT, READY, more={"TEXTUAL_FPS": "240"}
    )
    checkouts = [("ours", ROOT, sys.executable)]
    if context.against is not None:
        python = context.against / ".venv" / "bin" / "python"
        checkouts.append(("other", context.against, str(python)))
    return [
        bare,
        *(
            Program(name, (python, "-m", "inspector", str(context.database)), folder, first, _knobs(folder))
            for name, folder, python in checkouts
        ),
    ]


def _knobs(folder: Path) -> str:
    return next((keys for file, keys in KNOBS if (folder / file).exists()), "6")


def _title(context: Context) -> str:
    """Return the beginning of a title far down on the first screen."""
    titles = [title for title, _ in context.conversations()]
    title = titles[min(len(titles), HEIGHT - _AROUND) - 1]
    return title[: title.index(":") + 1] if ":" in title else title


def places(context: Context) -> dict[str, tuple[int, str]]:
    """Return the row and the session of the long conversations by title."""
    rows = context.conversations()
    return {title: (at, session) for at, (title, session) in enumerate(rows) if title in (LONG, LONGEST)}
