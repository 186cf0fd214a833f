"""Compactions by what they lost, a line each, under headings."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style
from textual.strip import Strip

from widgets.base import human
from widgets.base.strips import Row, fit, one_line
from widgets.lists.entry_list import EntryList

_LOST, _COMPACTION, _WHEN = 12, 4, 11
#: From these widths on a row has when it was, and the worst of what was lost.
_WITH_WHEN, _WITH_WORST = 60, 90


class LossEntry(NamedTuple):
    """Losses of one compaction: number of facts, constraints among them, weakened facts, and the text of the worst.

    `key` names the compaction; `at` is in seconds since the epoch.
    """

    key: tuple[str, int]
    title: str
    compaction: int
    at: float | None
    lost: int
    constraints: int
    weakened: int
    worst: str


class LossList(EntryList[LossEntry]):
    """One line a compaction."""

    header_height = 1
    TOOLTIP = (
        "Compactions, the worst first. ‼ are rules among the lost facts, ↓ facts that were only weakened.\n"
        "Enter opens the conversation at that compaction."
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        #: Time from which ages are counted; None is the clock. Tests and pictures set it.
        self.now: float | None = None

    def key(self, entry: LossEntry) -> object:
        """Key of the compaction. Until the cursor moves, it stays on the worst one."""
        return entry.key if self.cursor else None

    def _title_width(self, width: int) -> int:
        taken = 1 + _LOST + 2 + _COMPACTION + 2 + (_WHEN + 2 if width >= _WITH_WHEN else 0)
        room = max(8, width - taken)
        return room if width < _WITH_WORST else min(32, room // 3)

    def draw_header(self, y: int, width: int) -> Strip:
        """The headings."""
        row = Row().add(" ", Style())
        ink = self.ink("header")
        row.add(fit("lost", _LOST, right=True) + "  ", ink)
        row.add(fit("title", self._title_width(width)) + "  ", ink)
        row.add(fit("c", _COMPACTION, right=True) + "  ", ink)
        if width >= _WITH_WHEN:
            row.add(fit("when", _WHEN, right=True) + "  ", ink)
        if width >= _WITH_WORST:
            row.add("worst of it", ink)
        return row.strip(width, self.base_style + self.ink("header"))

    def draw_line(self, line: int, width: int) -> Strip:
        """A compaction."""
        entry = self.entries[line]
        muted = self.ink("quiet")
        row = self.begin(line)
        rules = f" ‼{human.count(entry.constraints)}" if entry.constraints else ""
        weakened = f" ↓{human.count(entry.weakened)}" if entry.weakened else ""
        row.add(fit(human.count(entry.lost), _LOST - len(rules) - len(weakened), right=True), Style())
        row.add(rules, self.ink("error")).add(f"{weakened}  ", self.ink("changed"))
        row.add(fit(one_line(entry.title, 500), self._title_width(width)) + "  ", Style())
        row.add(fit(f"c{entry.compaction}", _COMPACTION, right=True) + "  ", muted)
        if width >= _WITH_WHEN:
            when = "" if entry.at is None else human.ago(entry.at, self.now)
            row.add(fit(when, _WHEN, right=True) + "  ", muted)
        if width >= _WITH_WORST:
            row.add(fit(one_line(entry.worst, 500), max(0, width - row.width)), muted)
        return self.end(row, line, width)
