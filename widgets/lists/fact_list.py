"""Facts as lines: what became of each, its kind, who said it, what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.strip import Strip

from inspector.core.signs import FATE_SIGNS
from widgets.base.strips import Row, fit, one_line
from widgets.lists.entry_list import EntryList

#: Sign and style of what became of a fact, the worst first; the sign tells them apart without colour.
OUTCOMES: dict[str, tuple[str, str]] = {
    "lost": (FATE_SIGNS["lost"], "error"),
    "value lost": (FATE_SIGNS["value lost"], "warning"),
    "weakened": (FATE_SIGNS["weakened"], "warning"),
    "uncertain": (FATE_SIGNS["uncertain"], "muted"),
    "unknown": (FATE_SIGNS["unknown"], "muted"),
    "at risk": (FATE_SIGNS["at risk"], "warning"),
    "paraphrased": (FATE_SIGNS["paraphrased"], "moved"),
    "verbatim": (FATE_SIGNS["verbatim"], "added"),
}
_KIND, _ROLE = 10, 4
_ROLES = {"assistant": "asst", "system": "sys"}


@dataclass(frozen=True, slots=True)
class FactPlace:
    """Where words stand: a message of a generation (both as the lists count them), and the words to mark there."""

    generation: int
    index: int
    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact as the pane shows it.

    `outcome` is one of OUTCOMES and `where` the region of the list that has it ("" for none). `source` is where it was
    said, `survivor` where it stands after the compaction, or where its thing is still mentioned. `values` are the exact
    things in `text`, to be marked. `history` and `notes` are sentences about what came later.
    """

    key: str
    kind: str
    text: str
    values: tuple[str, ...]
    role: str
    outcome: str
    where: str = ""
    compaction: int | None = None
    source: FactPlace | None = None
    survivor: FactPlace | None = None
    excerpt: str = ""
    history: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    rule: str = ""


class FactList(EntryList[FactView]):
    """One line a fact."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "facts--error",
        "facts--warning",
        "facts--moved",
        "facts--added",
        "facts--muted",
        "facts--user",
    }
    DEFAULT_CSS = """
    FactList {
        & > .facts--error { color: $text-error; text-style: bold; }
        & > .facts--warning { color: $text-warning; text-style: bold; }
        & > .facts--moved { color: $text-accent; }
        & > .facts--added { color: $text-success; }
        & > .facts--muted { color: $foreground 60%; }
        & > .facts--user { color: $text-primary; }
    }
    """
    TOOLTIP = (
        "Facts that a compaction summarized: ✗ lost, ? the value is lost, ~ in other words, = word for word, "
        "→ at risk.\nEnter goes to where it was said, s to where it survives."
    )

    def key(self, entry: FactView) -> object:
        """A fact is the same one whatever became of it."""
        return entry.key

    def draw_line(self, line: int, width: int) -> Strip:
        """A fact."""
        fact = self.entries[line]
        sign, name = OUTCOMES[fact.outcome]
        at_cursor = line == self.cursor
        muted = self.ink("list--muted")
        row = Row().add(self.cursor_mark(line), Style()).add(f"{sign} ", self.ink(f"facts--{name}"))
        if width >= 44:
            row.add(fit(fact.kind, _KIND) + " ", Style() if at_cursor else muted)
        role = fit(_ROLES.get(fact.role, one_line(fact.role, 20)), _ROLE) + " "
        row.add(role, self.ink("facts--user") if fact.role == "user" else muted)
        row.add(fit(one_line(fact.text, 400), max(1, width - row.width)), Style())
        return row.strip(width, self.base_style + self.row_style(line), flat=at_cursor and self.flat_cursor)
