"""Requests as lines: tokens sent, read from the cache, written into it, missed and why."""

from __future__ import annotations

from rich.style import Style
from textual.strip import Strip

from inspector.caching.priced import PricedRequest
from widgets.base import human
from widgets.base.strips import Row, fit
from widgets.lists.entry_list import EntryList

#: Minimum width for the place where a prompt differs.
_WIDE = 70


class RequestList(EntryList[PricedRequest]):
    """One line per request."""

    header_height = 1
    TOOLTIP = "Every request: tokens sent, read from the cache, written into it, sent again and why. Enter goes there."

    def draw_header(self, y: int, width: int) -> Strip:
        """Draw the names of the columns."""
        return self._line(("#", "sent", "read", "written", "again", "cause", "USD", "when"), width, "").strip(
            width, self.base_style
        )

    def draw_line(self, line: int, width: int) -> Strip:
        """Draw a request."""
        priced = self.entries[line]
        judged, request = priced.judged, priced.request
        cause = judged.cause or ""
        cost = None if priced.cost is None else priced.cost.amount
        cells = (
            f"{request.index:,}",
            human.tokens(request.context),
            human.tokens(request.cache_read),
            human.tokens(request.cache_write),
            human.tokens(judged.missed) if judged.missed else "",
            f"{cause} {priced.differs.partition(' (')[0]}".rstrip() if width >= _WIDE else cause,
            "" if cost is None else f"{'~' if judged.is_estimated else ''}{cost:.3f}",
            human.clock(request.at) if request.at else "",
        )
        row = self._line(cells, width, self.cursor_mark(line))
        return self.end(row, line, width)

    def _line(self, cells: tuple[str, ...], width: int, mark: str) -> Row:
        number, sent, read, written, again, cause, cost, clock = cells
        plain, missed = Style(), self.ink("warning")
        head = self.ink("quiet")
        row = Row().add(mark or "  ", plain).add(f"{number:>5} ", head).add(f"{sent:>7} ", plain)
        row.add(f"{read:>7} ", plain)
        if width >= 50:
            row.add(f"{written:>7} ", plain)
        row.add(f"{again:>7}  ", missed if cause != "cause" else head).add(
            fit(cause, 20 if width >= _WIDE else 15), missed if again else head
        )
        if width >= 58:
            row.add(f"{cost:>8}", head)
        return row.add(f"  {clock}" if width >= 87 else "", head)
