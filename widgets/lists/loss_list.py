"""Compactions by what they lost, a line each, under headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from widgets.base import human
from widgets.base.strips import Row, fit, one_line
from widgets.lists.line_list import LineList

_LOST, _COMPACTION, _WHEN = 12, 4, 11
#: From these widths on a row has when it was, and the worst of what was lost.
_WITH_WHEN, _WITH_WORST = 60, 90


class LossEntry(NamedTuple):
    """What one compaction of a conversation lost: facts in all, those of them that bind, those beside them that were
    weakened, and the text of the worst. `key` names the compaction; `at` is in seconds since the epoch."""

    key: tuple[str, int]
    title: str
    compaction: int
    at: float | None
    lost: int
    constraints: int
    weakened: int
    worst: str


class LossList(LineList):
    """Posts Selected and Opened with the row, counted from 0."""

    header_height = 1
    COMPONENT_CLASSES: ClassVar[set[str]] = {"loss--header", "loss--rule", "loss--weakened"}
    DEFAULT_CSS = """
    LossList {
        & > .loss--header { color: $foreground 70%; background: $panel; text-style: bold; }
        & > .loss--rule { color: $text-error; text-style: bold; }
        & > .loss--weakened { color: $text-warning; }
    }
    """
    TOOLTIP = (
        "Compactions, the worst first. ‼ are rules among the lost facts, ↓ facts that were only weakened.\n"
        "Enter opens the conversation at that compaction."
    )

    class Selected(Message):
        """The cursor came to a row."""

        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    class Opened(Selected):
        """A row was opened (enter, double click)."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._entries: tuple[LossEntry, ...] = ()
        #: Ages are told from this moment; None is the clock. Tests and pictures set it.
        self.now: float | None = None
        self.tooltip = self.TOOLTIP

    def set_entries(self, entries: Sequence[LossEntry]) -> None:
        """Show these; the cursor stays on its compaction where that is still there, unless it was never moved."""
        moved = self.cursor > 0
        keep = self._entries[self.cursor].key if moved and self.cursor < len(self._entries) else None
        self._entries = tuple(entries)
        self.resized()
        keys = [entry.key for entry in self._entries]
        self.move_cursor(keys.index(keep) if keep in keys else 0, notify=False)
        self.refresh()

    @property
    def row_count(self) -> int:
        """How many compactions there are."""
        return len(self._entries)

    def selected(self, row: int) -> None:
        """Tell that the cursor came to a row."""
        self.post_message(self.Selected(row))

    def opened(self, row: int) -> None:
        """Tell that a row was opened."""
        self.post_message(self.Opened(row))

    def _title_width(self, width: int) -> int:
        taken = 1 + _LOST + 2 + _COMPACTION + 2 + (_WHEN + 2 if width >= _WITH_WHEN else 0)
        room = max(8, width - taken)
        return room if width < _WITH_WORST else min(32, room // 3)

    def draw_header(self, y: int, width: int) -> Strip:
        """The headings."""
        row = Row().add(" ", Style())
        ink = self.ink("loss--header")
        row.add(fit("lost", _LOST, right=True) + "  ", ink)
        row.add(fit("title", self._title_width(width)) + "  ", ink)
        row.add(fit("c", _COMPACTION, right=True) + "  ", ink)
        if width >= _WITH_WHEN:
            row.add(fit("when", _WHEN, right=True) + "  ", ink)
        if width >= _WITH_WORST:
            row.add("worst of it", ink)
        return row.strip(width, self.base_style + self.paper("loss--header"))

    def draw_line(self, line: int, width: int) -> Strip:
        """A compaction."""
        entry = self._entries[line]
        muted = self.ink("list--muted")
        row = Row().add(self.cursor_mark(line), Style())
        rules = f" ‼{human.count(entry.constraints)}" if entry.constraints else ""
        weakened = f" ↓{human.count(entry.weakened)}" if entry.weakened else ""
        row.add(fit(human.count(entry.lost), _LOST - len(rules) - len(weakened), right=True), Style())
        row.add(rules, self.ink("loss--rule")).add(f"{weakened}  ", self.ink("loss--weakened"))
        row.add(fit(one_line(entry.title, 500), self._title_width(width)) + "  ", Style())
        row.add(fit(f"c{entry.compaction}", _COMPACTION, right=True) + "  ", muted)
        if width >= _WITH_WHEN:
            when = "" if entry.at is None else human.ago(entry.at, self.now)
            row.add(fit(when, _WHEN, right=True) + "  ", muted)
        if width >= _WITH_WORST:
            row.add(fit(one_line(entry.worst, 500), max(0, width - row.width)), muted)
        base = self.base_style + self.row_style(line)
        return row.strip(width, base, flat=line == self.cursor and self.flat_cursor)
