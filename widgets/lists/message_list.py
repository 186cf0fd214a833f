"""The messages of a generation: one line each, with region, role, tokens, marks and the start of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from msgspec import Struct
from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from inspector.core.signs import FATE_SIGNS, ROUGH, SHORT_ROLES
from inspector.core.text import safe_line
from widgets.base import human
from widgets.base.signs import Sign
from widgets.base.strips import Row, find_spans, fit, one_line
from widgets.lists.line_list import LineList

Flag = Literal["error", "finding", "lost", "summary", "struck", "copied", "new", "huge"]

#: The gutter of each region; distinct without colour.
GUTTERS = {"head": "▎", "middle": "┊", "tail": "▌"}
#: Sign of each flag, the most important first: a row has room for two.
FLAG_SIGNS: dict[str, str] = {
    "error": "✗",
    "finding": "!",
    "lost": FATE_SIGNS["lost"],
    "summary": "Σ",
    "struck": "−",
    "copied": "=",
    "new": "+",
    "huge": "■",
}
FLAG_WORDS: dict[str, str] = {
    "error": "tool error",
    "finding": "finding about this message",
    "lost": "a fact of this message was lost when the message was summarized",
    "summary": "summary of a compaction",
    "struck": "message that a compaction removed",
    "copied": "message that the compaction keeps",
    "new": "message that the compaction added",
    "huge": "huge message",
}
#: Before the calls in the text of a message.
CALLS = "  → "
#: A breakpoint has its number behind the sign.
BREAKPOINT: Sign = ("⚑", "prompt-cache breakpoint")
_PLAIN = Style()
_ROLE_INKS = {"user": "strong", "assistant": "", "tool": "column", "system": "key"}
_FLAG_INKS = {"error": "error", "finding": "warning", "lost": "error", "summary": "accent"}

#: Lines kept as drawn.
_DRAWN_LIMIT = 1_000
#: Number of pages around the screen whose unread rows are requested.
_LOOK_AHEAD = 2
#: Number of pages before and after the unread rows that are requested with them.
_READ_AHEAD = 4


class MessageRow(Struct, frozen=True):
    """A row.

    `label` is its index or name ("217", "sys"); `region` is head, middle, tail or empty. `tokens` are None until
    counted; `token_kind` is rough (shown with ~) or exact. `pruned_tokens` is the size after pruning if that changes.
    `breakpoint` is 1..4. `text` may contain anything; None until read.
    """

    label: str
    role: str
    text: str | None
    region: str = ""
    tokens: int | None = None
    token_kind: Literal["rough", "exact"] = "rough"
    pruned_tokens: int | None = None
    breakpoint: int | None = None
    flags: frozenset[Flag] = frozenset()


class BoundaryLine(Struct, frozen=True):
    """A line drawn before the row `at` (at == length: after the last): "planned head_end 3"."""

    at: int
    name: Literal["head_end", "tail_start"]
    kind: Literal["planned", "recorded"]
    note: str = ""
    #: Number in the label where it is not `at` (there may be rows before the first message).
    index: int | None = None


class RowSource(Protocol):
    """Source of the rows. `row` is called for visible rows only and must be fast."""

    def __len__(self) -> int: ...

    def row(self, index: int) -> MessageRow:
        """The row, without its text where that is not read yet."""
        ...


class ListSource:
    """Rows that are all there."""

    def __init__(self, rows: Sequence[MessageRow]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> MessageRow:
        """The row."""
        return self._rows[index]


class MessageList(LineList):
    """The message list, virtual over up to a million rows.

    Posts RowsWanted when rows on screen are not loaded; `rows_changed` shows them once they are.
    """

    TOOLTIP = "Messages, oldest first. ? names the signs on screen."

    @dataclass
    class RowsWanted(Message):
        """These rows are on screen, or about to be, and not loaded."""

        rows: range

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._source: RowSource = ListSource(())
        self._length = 0
        #: The boundary lines in drawing order.
        self.boundaries: tuple[BoundaryLine, ...] = ()
        #: The text that is marked in the rows.
        self.highlight = ""
        self._missing: list[int] = []
        #: Whether a row that is not read may be on screen.
        self._unread = False
        #: Lines as they were last drawn: scrolling by one line draws one.
        self._drawn: dict[tuple[MessageRow, int, int], Strip] = {}
        self._wanted = range(0)

    def signs(self) -> Iterator[Sign]:
        """The signs of the visible rows. Boundaries say in words what they are."""
        visible = self.visible_rows
        rows = [self._source.row(row) for row in visible if row < len(self._source)]
        regions = {row.region for row in rows}
        yield from ((sign, f"region: {name}") for name, sign in GUTTERS.items() if name in regions)
        if any(row.tokens is not None and row.token_kind == "rough" for row in rows):
            yield ROUGH, "rough token count; without it the count is exact"
        if any(row.pruned_tokens is not None for row in rows):
            yield "✂", "pruned: tokens before → after"
        if any(row.breakpoint for row in rows):
            yield BREAKPOINT
        flags = frozenset[str]().union(*(row.flags for row in rows))
        if any(row.text is not None and CALLS in f"  {row.text}" for row in rows):
            yield CALLS.strip(), "tool call of the agent"
        yield from ((sign, FLAG_WORDS[name]) for name, sign in FLAG_SIGNS.items() if name in flags)

    # Values in.

    def set_rows(
        self,
        source: RowSource,
        boundaries: Sequence[BoundaryLine] | None = None,
        *,
        cursor: int | None = None,
        centre: bool = True,
    ) -> None:
        """Show other rows, and other boundary lines unless they are None. The cursor goes to `cursor`, or stays if it
        can. Posts nothing.

        `centre` scrolls an invisible cursor to the middle, else the list scrolls as little as possible.
        """
        self._source = source
        if boundaries is not None:
            self.boundaries = _in_order(boundaries)
        self._length = len(source)
        self._wanted = range(0)
        self.resized()
        self.move_cursor(self._cursor if cursor is None else cursor, notify=False, centre=centre)

    def set_boundaries(self, boundaries: Sequence[BoundaryLine]) -> None:
        """Draw these boundary lines; the row under the cursor stays where it is on screen."""
        ordered = _in_order(boundaries)
        if ordered == self.boundaries:
            return
        before = self.line_of(self._cursor)
        self.boundaries = ordered
        self.resized()
        shift = self.line_of(self._cursor) - before
        if shift:
            self.jump_to(self.scroll_offset.y + shift)

    def set_highlight(self, query: str) -> None:
        """Mark every occurrence of a text in the rows; an empty one marks nothing."""
        if query != self.highlight:
            self.highlight = query
            self._drawn.clear()
            self.refresh()

    def rows_changed(self) -> None:
        """Rows were loaded or counted, or the source grew or shrank.

        A cursor on the last row stays on the last row (and the change is posted); any other stays put.
        """
        length, before = len(self._source), self._length
        self._wanted = range(0)
        if length == before:
            if self._unread:
                self._unread = False
                self.refresh()
            return
        follow = before > 0 and self._cursor == before - 1
        self._length = length
        self.resized()
        if follow:
            self.move_cursor(length - 1)

    def notify_style_update(self) -> None:
        """Colours changed."""
        self._drawn.clear()
        super().notify_style_update()

    # Lines and rows.

    @property
    def row_count(self) -> int:
        """Number of messages."""
        return self._length

    @property
    def line_count(self) -> int:
        """Messages and boundary lines."""
        return self._length + len(self.boundaries)

    def line_of(self, row: int) -> int:
        """The line that shows a message."""
        return row + sum(1 for boundary in self.boundaries if boundary.at <= row)

    def row_at(self, line: int) -> int | None:
        """The message that a line shows; None for a boundary line."""
        item = self._item_at(line)
        return item if isinstance(item, int) and 0 <= item < self._length else None

    def _item_at(self, line: int) -> int | BoundaryLine:
        for shift, boundary in enumerate(self.boundaries):
            place = min(boundary.at, self._length) + shift
            if line == place:
                return boundary
            if line < place:
                return line - shift
        return line - len(self.boundaries)

    # Messages out.

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Rows that are about to be on screen are asked for."""
        super().watch_scroll_y(old_value, new_value)
        page = self.size.height
        for line in (round(new_value) - _LOOK_AHEAD * page, round(new_value) + (_LOOK_AHEAD + 1) * page):
            row = max(0, min(line, self._length - 1))
            if row < len(self._source) and self._source.row(row).text is None:
                self._note_missing(row)

    def _note_missing(self, row: int) -> None:
        if row in self._wanted:
            return
        if not self._missing:
            self.call_after_refresh(self._ask_for_rows)
        self._missing.append(row)

    def _ask_for_rows(self) -> None:
        missing, self._missing = self._missing, []
        if not missing:
            return
        around = _READ_AHEAD * max(self.size.height, 1)
        wanted = range(max(0, min(missing) - around), min(self._length, max(missing) + 1 + around))
        self._wanted = wanted
        self.post_message(self.RowsWanted(wanted))

    # Drawing.

    def draw_line(self, line: int, width: int) -> Strip:
        """A message or a boundary line."""
        item = self._item_at(line)
        if isinstance(item, BoundaryLine):
            return self._draw_boundary(item, width)
        row = self._source.row(item) if item < len(self._source) else MessageRow(str(item), "", None)
        if row.text is None:
            self._unread = True
            self._note_missing(item)
        if item in (self._cursor, self._hover):
            return self._draw_row(item, row, width)
        key = (row, width, self._label_width)
        strip = self._drawn.get(key)
        if strip is None:
            if len(self._drawn) >= _DRAWN_LIMIT:
                self._drawn.clear()
            strip = self._drawn[key] = self._draw_row(item, row, width)
        return strip

    def _draw_boundary(self, boundary: BoundaryLine, width: int) -> Strip:
        glyph, name = ("━", "muted") if boundary.kind == "recorded" else ("╌", "accent")
        style = self.ink(name)
        at = boundary.at if boundary.index is None else boundary.index
        label = f"{boundary.kind} {boundary.name} {at:,}"
        if boundary.note:
            label += f" · {one_line(boundary.note, 200)}"
        text = fit(f"{glyph * 3} {label} ".rstrip() + " ", min(width, len(label) + 5))
        return Row().add(text, style).fill(width, style, glyph).strip(width, self.base_style)

    def _draw_row(self, index: int, row: MessageRow, width: int) -> Strip:
        # On the cursor's background quiet colours would be hard to read.
        at_cursor = index == self._cursor
        text_style = _PLAIN if at_cursor and row.role == "tool" and not row.flags else self._text_style(row)
        line = Row()
        if row.region in GUTTERS:
            line.add(GUTTERS[row.region], self.ink(row.region))
        else:
            line.add(" ", _PLAIN)
        muted = _PLAIN if at_cursor else self.ink("quiet")
        line.add(self.cursor_mark(index), muted)
        line.add(fit(one_line(row.label, 12), self._label_width, right=True) + " ", muted)
        self._add_role_and_tokens(line, row, width, muted)
        self._add_flags(line, row.flags, 2 if width >= 56 else 1, muted)
        mark = f" ⚑{row.breakpoint}" if row.breakpoint else ""
        room = width - line.width - (3 if width >= 48 or mark else 0)
        # The text is cut a little later than `fit` cuts it, so that `fit` shows the cut.
        text = fit("…" if row.text is None else safe_line(row.text, max(1, room) + 2), room)
        if self.highlight:
            spans = tuple(find_spans(text, self.highlight))
            line.marked(text, text_style, spans, self.ink("found"))
        else:
            line.add(text, text_style, max(0, room))
        line.add(mark, self.ink("mark"))
        return self.end(line, index, width)

    @property
    def _label_width(self) -> int:
        return max(3, len(str(max(0, self._length - 1))))

    def _text_style(self, row: MessageRow) -> Style:
        if "struck" in row.flags:
            return self.ink("label")
        if "summary" in row.flags:
            return self.ink("accent")
        return self.ink(_ROLE_INKS.get(row.role, "quiet"))

    def _add_role_and_tokens(self, line: Row, row: MessageRow, width: int, muted: Style) -> None:
        """Role to the left and tokens to the right of one field; the role gives way where both do not fit."""
        wide = width >= 56
        field = 24 if width >= 100 else 19 if wide else 11
        size = token_text(row, short=not wide)
        role = row.role
        if not wide or len(role) + 1 + len(size) > field:
            role = SHORT_ROLES.get(role, role)
        role = fit(one_line(role, 20), max(0, field - len(size) - 1)).rstrip()
        role_style = self.ink(_ROLE_INKS[row.role]) if row.role in ("user", "system") else muted
        line.add(role, role_style)
        line.add(" " * (field - len(role) - len(size)), muted)
        line.add(size, self.ink("changed" if row.pruned_tokens is not None else "column"))
        line.add(" ", muted)

    def _add_flags(self, line: Row, flags: frozenset[Flag], room: int, muted: Style) -> None:
        signs = [(name, sign) for name, sign in FLAG_SIGNS.items() if name in flags][:room]
        for name, sign in signs:
            line.add(sign, self.ink(_FLAG_INKS[name]) if name in _FLAG_INKS else muted)
        line.add(" " * (room - len(signs) + 1), muted)


def token_text(row: MessageRow, *, short: bool = False) -> str:
    """The tokens of a row: "~1.2k" rough, "1.2k" exact, "✂ ~1.2k → 24" where pruning changes it."""
    if row.tokens is None:
        return ""
    rough = ROUGH if row.token_kind == "rough" else ""
    if row.pruned_tokens is None:
        return f"{rough}{human.tokens(row.tokens)}"
    if short:
        return f"✂{rough}{human.tokens(row.pruned_tokens)}"
    return f"✂ {rough}{human.tokens(row.tokens)} → {human.tokens(row.pruned_tokens)}"


def _in_order(boundaries: Sequence[BoundaryLine]) -> tuple[BoundaryLine, ...]:
    return tuple(sorted(boundaries, key=lambda b: (b.at, b.kind != "recorded", b.name)))
