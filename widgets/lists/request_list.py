"""Requests as lines: how much each sent, what of it came from the cache, why something had to be sent again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.strip import Strip

from widgets.base import human
from widgets.base.strips import Row, fit, one_line
from widgets.lists.entry_list import EntryList
from widgets.lists.fact_list import FactPlace

#: From this width on a row says where a prompt differs.
_WIDE = 70


@dataclass(frozen=True, slots=True)
class RequestView:
    """A request. Tokens are the provider's, or rough ones where it is `modelled`. `cause` says why `missed` tokens were
    sent again, "" where all was read back, and `differs` where its prompt did first; `cost` is in US dollars, None
    where no price is known, `more` what missing cost of it."""

    index: int
    read: int
    written: int
    input: int
    output: int
    cause: str = ""
    missed: int = 0
    cost: float | None = None
    clock: str = ""
    model: str = ""
    place: FactPlace | None = None
    more: float | None = None
    differs: str = ""
    modelled: bool = False

    @property
    def sent(self) -> int:
        """The tokens of the prompt."""
        return self.read + self.written + self.input


class RequestList(EntryList[RequestView]):
    """One line a request."""

    header_height = 1
    COMPONENT_CLASSES: ClassVar[set[str]] = {"requests--missed", "requests--head"}
    DEFAULT_CSS = """
    RequestList {
        & > .requests--missed { color: $text-warning; text-style: bold; }
        & > .requests--head { color: $text-muted; }
    }
    """
    TOOLTIP = "Every request: tokens sent, read from the cache, written into it, sent again and why. Enter goes there."

    def draw_header(self, y: int, width: int) -> Strip:
        """The names of the columns."""
        return self._line(("#", "sent", "read", "written", "again", "cause", "USD", "when"), width, "").strip(
            width, self.base_style
        )

    def draw_line(self, line: int, width: int) -> Strip:
        """A request."""
        one = self.entries[line]
        cells = (
            f"{one.index:,}",
            human.tokens(one.sent),
            human.tokens(one.read),
            human.tokens(one.written),
            human.tokens(one.missed) if one.missed else "",
            f"{one.cause} {one.differs}".rstrip() if width >= _WIDE else one.cause,
            "" if one.cost is None else f"{'~' if one.modelled else ''}{one.cost:.3f}",
            one_line(one.clock, 20),
        )
        row = self._line(cells, width, self.cursor_mark(line))
        return row.strip(
            width, self.base_style + self.row_style(line), flat=line == self.cursor and self.flat_cursor
        )

    def _line(self, cells: tuple[str, ...], width: int, mark: str) -> Row:
        number, sent, read, written, again, cause, cost, clock = cells
        plain, missed = Style(), self.ink("requests--missed")
        head = self.ink("requests--head")
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

    def opened(self, row: int) -> None:
        """Tell that a request was opened."""
        self.post_message(self.Opened(row))
