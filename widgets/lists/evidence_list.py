"""The evidence of a measure as lines: what is not known any more, then what is, each with its places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from inspector.core.places import place_name
from inspector.core.signs import FATE_SIGNS
from widgets.base import human
from widgets.base.strips import Row, fit, one_line, width_of
from widgets.lists.fact_list import FactPlace
from widgets.lists.headed_list import HeadedList

GONE, KNOWN = FATE_SIGNS["lost"], FATE_SIGNS["verbatim"]
_ROLES = {"assistant": "asst", "system": "sys", "summary": "sum"}
_ROLE = 4
# A place needs so many cells beside a text.
_BESIDE = 48


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One thing that was counted, and whether it is known after its compaction.

    `text` is as it was said; `said` is where, `found` where the list after has it, in the region `where`. `note` tells
    how it is known, or what is missing.
    """

    text: str
    known: bool
    compaction: int
    role: str = ""
    note: str = ""
    said: FactPlace | None = None
    found: FactPlace | None = None
    where: str = ""


class EvidenceList(HeadedList):
    """Two lines a thing, its text and its places; one where room is short. Headings count what is gone and left."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"evidence--gone", "evidence--known", "evidence--user"}
    DEFAULT_CSS = """
    EvidenceList {
        & > .evidence--gone { color: $text-error; text-style: bold; }
        & > .evidence--known { color: $text-success; }
        & > .evidence--user { color: $text-primary; }
    }
    """
    TOOLTIP = (
        f"What was counted: {GONE} not known any more after the compaction, {KNOWN} known.\n"
        "Enter or a click goes to where it was said, s to where it is found."
    )

    class Opened(Message):
        """A thing was opened (enter, click)."""

        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._entries: tuple[EvidenceView, ...] = ()
        self._numbered = False
        self._low = False
        self.tooltip = self.TOOLTIP

    @property
    def entries(self) -> tuple[EvidenceView, ...]:
        """What is shown, what is gone first."""
        return self._entries

    @property
    def entry(self) -> EvidenceView | None:
        """The one under the cursor."""
        return self._entries[self.cursor] if self.cursor < len(self._entries) else None

    @property
    def row_count(self) -> int:
        """How many there are."""
        return len(self._entries)

    def set_entries(self, entries: tuple[EvidenceView, ...], *, numbered: bool = False) -> None:
        """Show these from the first; `numbered` tells the compaction of each."""
        gone = tuple(entry for entry in entries if not entry.known)
        self._entries = (*gone, *(entry for entry in entries if entry.known))
        self._numbered = numbered
        self._lay_lines()
        self.move_cursor(0, notify=False)
        self.scroll_to(y=0, animate=False, force=True, immediate=True)

    def set_low(self, low: bool) -> None:
        """One line a thing and no headings, where room is short."""
        if low != self._low:
            self._low = low
            self._lay_lines()
            self.move_cursor(self.cursor, notify=False)

    def _lay_lines(self) -> None:
        lines: list[int | str] = []
        gone = sum(not entry.known for entry in self._entries)
        for number, entry in enumerate(self._entries):
            if not self._low and number in (0, gone):
                many = len(self._entries) - gone if entry.known else gone
                lines.append(f"{'known' if entry.known else 'not known any more'} ({many:,})")
            lines += [number] if self._low else [number, number]
        self.lay_lines(lines)

    def opened(self, row: int) -> None:
        """Tell that a thing was opened."""
        self.post_message(self.Opened(row))

    def _show_line(self, line: int, centre: bool) -> None:
        # Both lines of a thing are brought into view, and the heading above the first.
        if not self._low:
            super()._show_line(line + 1, centre)
            line = 0 if line == 1 else line
        super()._show_line(line, centre)

    def _refresh_row(self, row: int) -> None:
        super()._refresh_row(row)
        if not self._low:
            self.refresh()

    def draw_line(self, line: int, width: int) -> Strip:
        """A heading, a text or its places."""
        found = self.shown_at(line)
        if isinstance(found, str):
            return Row().add(f" {found}", self.ink("list--muted")).strip(width, self.base_style)
        entry = self._entries[found]
        at_cursor = found == self.cursor
        muted = Style() if at_cursor else self.ink("list--muted")
        first = line == self.line_of(found)
        row = Row()
        if first:
            sign, name = (KNOWN, "known") if entry.known else (GONE, "gone")
            row.add(self.cursor_mark(found), Style()).add(f"{sign} ", self.ink(f"evidence--{name}"))
            if self._numbered:
                row.add(f"{entry.compaction:>2} ", muted)
            role = fit(_ROLES.get(entry.role, one_line(entry.role, 20)), _ROLE)
            row.add(f"{role} ", self.ink("evidence--user") if entry.role == "user" else muted)
            beside = f"  {_short(entry)}" if self._low and width >= _BESIDE else ""
            room = max(1, width - row.width - width_of(beside))
            row.add(fit(one_line(" ".join(entry.text[:2_000].split()), 400), room), Style())
            row.add(beside, muted)
        else:
            indent = " " * (6 if self._numbered else 3)
            row.add(indent, Style()).add(fit(told(entry), max(1, width - len(indent))), muted)
        flat = at_cursor and self.flat_cursor
        return row.strip(width, self.base_style + self.row_style(found), flat=flat)

    def on_click(self, event: events.Click) -> None:
        """One click is enough to go there."""
        offset = event.get_content_offset(self)
        row = None if offset is None else self._row_under(offset.y)
        event.prevent_default()
        if row is not None:
            event.stop()
            self.move_cursor(row)
            self.opened(row)


def told(entry: EvidenceView) -> str:
    """Where a thing was said, where the list after has it, in words, and how it is known."""
    parts = []
    if entry.said is not None:
        parts.append(place_name(entry.said.index, generation=entry.said.generation))
    if entry.found is not None:
        where = f"{entry.where}, " if entry.where else ""
        generation = entry.found.generation
        next_one = entry.said is not None and generation == entry.said.generation + 1
        of = "the next" if next_one else f"generation {generation}"
        parts.append(f"→ {where}{place_name(entry.found.index)} of {of}")
    place = " ".join(parts)
    note = "" if entry.note == "lost" else one_line(entry.note, 200)
    return f"{place} · {note}" if place and note else place or note


def _short(entry: EvidenceView) -> str:
    """The same in few cells: generation:message."""
    parts = [f"{entry.said.generation}:{human.count(entry.said.index)}"] if entry.said is not None else []
    if entry.found is not None:
        parts.append(f"→ {entry.found.generation}:{human.count(entry.found.index)}")
    return " ".join(parts)
