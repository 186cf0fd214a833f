"""A view of long text: several megabytes and megabyte lines, wrapped bit by bit, with styles and find."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from widgets.base.inked import InkedScroll
from widgets.base.later import later
from widgets.base.strips import find_spans, fit, one_line, width_of
from widgets.base.text_layout import TextLayout
from widgets.base.text_lines import Overlay, TextLine, draw_part
from widgets.intents import CopyText

#: How long the layout may work at a time, in seconds.
SLICE = 0.008
#: Find stops counting here.
MATCH_LIMIT = 100_000


class TextView(InkedScroll, can_focus=True):
    """Scrolls through text, marks what is found, lets text be selected. Never reads markup in it."""

    DEFAULT_CSS = """
    TextView { scrollbar-gutter: stable; }
    TextView:focus { scrollbar-color: $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "rows(-1)", "Up", id="text.up", show=False),
        Binding("down,j", "rows(1)", "Down", id="text.down", show=False),
        Binding("pageup,ctrl+b", "pages(-1)", "Page up", id="text.page_up", show=False),
        Binding("pagedown,ctrl+f", "pages(1)", "Page down", id="text.page_down", show=False),
        Binding("ctrl+u", "pages(-0.5)", "Half a page up", id="text.half_page_up", show=False),
        Binding("ctrl+d", "pages(0.5)", "Half a page down", id="text.half_page_down", show=False),
        Binding("home,g", "top", "Top", id="text.top", show=False),
        Binding("end,G", "bottom", "Bottom", id="text.bottom", show=False),
        Binding("n", "match(1)", "Next match", id="text.next_match", show=False),
        Binding("N", "match(-1)", "Previous match", id="text.previous_match", show=False),
        Binding("y", "copy", "Copy the text", id="text.copy", show=False),
    ]

    @dataclass
    class LineClicked(Message):
        """A logical line was clicked."""

        line: int
        tag: str

    def __init__(self) -> None:
        super().__init__()
        self._raw: str | None = ""
        self._lines: list[str] = [""]
        self._safe: dict[int, str] = {}
        self._styled: Sequence[TextLine] | None = None
        self._wrap = True
        self._plan = self._new_layout(1)
        self._working = False
        self._to_end = False
        self._query = ""
        self._matches: list[tuple[int, int, int]] = []
        self._match = -1
        #: The highlighted logical line.
        self.active: int | None = None

    # Values in.

    def set_text(self, text: str) -> None:
        """Show a plain text from its top. A running search marks its words in the new text."""
        self._raw, self._styled, self._wrap = text, None, True
        self._lines = text.replace("\r\n", "\n").split("\n")
        self._changed(keep_place=False)

    def set_lines(self, lines: Sequence[TextLine], *, wrap: bool = True, keep_place: bool = False) -> None:
        """Show styled lines; without `wrap` each line takes one row and is cut at the edge.

        With `keep_place` the highlight stays on its tag, which may be on another line.
        """
        if (
            keep_place
            and wrap == self._wrap
            and self._styled is not None
            and list(lines) == list(self._styled)
        ):
            return
        tag = self.active_tag if keep_place else ""
        self._raw, self._styled, self._wrap = None, lines, wrap
        self._lines = [line.text for line in lines]
        self._changed(keep_place)
        self.active = next((at for at, line in enumerate(lines) if tag and line.tag == tag), None)

    def set_active(self, line: int | None) -> None:
        """Highlight a logical line and scroll to it."""
        self.active = line
        if line is not None:
            self.show_line(line)
        self.refresh()

    @property
    def active_tag(self) -> str:
        """The tag of the highlighted line; "" for none."""
        return "" if self.active is None or self._styled is None else self._styled[self.active].tag

    def step_tag(self, by: int) -> None:
        """Highlight the next or previous tag; the first or last if none is highlighted."""
        tags = ["", *(line.tag for line in self._styled or ())]
        tagged = [number for number, (before, tag) in enumerate(pairwise(tags)) if tag not in ("", before)]
        at = self.active
        near = [number for number in tagged if at is None or (number > at if by > 0 else number < at)]
        if near:
            self.set_active(near[0] if by > 0 else near[-1])

    @property
    def text(self) -> str:
        """All of the text as it was given; styled lines with their prefixes."""
        if self._raw is not None:
            return self._raw
        return "\n".join(line.prefix + line.text for line in self._styled or ())

    @property
    def fully_laid_out(self) -> bool:
        """Whether the layout is complete. Until then the text grows at the end."""
        return self._plan.done

    @property
    def line_count(self) -> int:
        """Number of logical lines."""
        return len(self._lines)

    def _changed(self, keep_place: bool) -> None:
        top = self.scroll_offset.y if keep_place else 0
        self._safe.clear()
        self.active = None
        self._search()
        self._lay_out(0)
        self.jump_to(top)

    # Lines and rows.

    def _text_of(self, line: int) -> str:
        text = self._safe.get(line)
        if text is None:
            raw = self._lines[line]
            text = one_line(raw)
            if text != raw or len(self._lines) <= 50_000:
                self._safe[line] = text
        return text

    def _indent_of(self, line: int) -> int:
        return width_of(self._styled[line].prefix) if self._styled is not None else 0

    def _new_layout(self, width: int) -> TextLayout:
        return TextLayout(len(self._lines), width, self._text_of, self._indent_of, wrap=self._wrap)

    def _lay_out(self, line: int) -> None:
        """Start the layout again at the current width, at least up to `line`."""
        self._to_end = False
        width = self.scrollable_content_region.width
        self._plan = self._new_layout(width)
        if width > 0:
            self._plan.advance(SLICE, rows=2 * self.size.height, line=line)
            self._sized()

    def _sized(self) -> None:
        self.scroll_over(self._plan.rows)
        if self._to_end:
            self.jump_to(self._plan.rows - self.size.height)
        if not self._plan.done and not self._working:
            self._working = True
            later(self, 0.001, self._work)

    def _work(self) -> None:
        self._working = False
        if not self._plan.done:
            self._plan.advance(SLICE)
            self._sized()

    def on_resize(self) -> None:
        """Wrap again; the top line stays."""
        width = self.scrollable_content_region.width
        if width == self._plan.width and self._plan.rows:
            return
        top = self.scroll_offset.y
        line, start, _ = self._plan.place(top) if top < self._plan.rows else (0, 0, 0)
        self._lay_out(line)
        row = self._plan.row_of(line, start) if top else 0
        # Lay out a screen of rows below the line, so that the line can be scrolled to the top.
        self._plan.advance(0, rows=row + self.size.height)
        self._sized()
        self.jump_to(row)

    def show_line(self, line: int, offset: int = 0) -> None:
        """Scroll until an offset of a logical line is on screen."""
        self._plan.advance(0, line=line)
        self._sized()
        row, top, height = self._plan.row_of(line, offset), self.scroll_offset.y, max(1, self.size.height)
        if not top <= row < top + height:
            self.jump_to(row - height // 3)

    # Find.

    def find(self, query: str) -> int:
        """Mark every occurrence of a text and go to the first one on or below the screen. An empty text ends the
        search."""
        self._query = query
        self._search()
        if self._matches and self._plan.rows:
            top = min(self.scroll_offset.y, self._plan.rows - 1)
            line, start, _ = self._plan.place(top)
            place = bisect_left(self._matches, (line, start, 0))
            self._go_to_match(place if place < len(self._matches) else 0)
        self.refresh()
        return len(self._matches)

    def _search(self) -> None:
        self._matches, self._match = [], -1
        if not self._query:
            return
        for line in range(len(self._lines)):
            for start, end in find_spans(self._text_of(line), self._query):
                self._matches.append((line, start, end))
            if len(self._matches) >= MATCH_LIMIT:
                return

    def _go_to_match(self, index: int) -> None:
        self._match = index % len(self._matches)
        line, start, _ = self._matches[self._match]
        self.show_line(line, start)

    def action_match(self, by: int) -> None:
        """Go to the next or previous match."""
        if self._matches:
            self._go_to_match(self._match + by)

    # Drawing.

    def render_line(self, y: int) -> Strip:
        """Draw a row."""
        width, row = self.scrollable_content_region.width, self.scroll_offset.y + y
        base = self.base_style
        if row >= self._plan.rows:
            return Strip.blank(width, base)
        line, start, stop = self._plan.place(row)
        value = TextLine("") if self._styled is None else self._styled[line]
        indent, safe = width_of(value.prefix), self._text_of(line)
        text = safe[start:stop] if self._wrap else fit(safe, max(1, width - indent))
        over = self._matches_in(line, start, start + len(text))
        selection = self.text_selection
        span = selection.get_span(row) if selection is not None else None
        if span is not None:
            low = max(0, span[0] - indent)
            high = len(text) if span[1] == -1 else max(0, span[1] - indent)
            over.append((low, high, self.screen.get_component_rich_style("screen--selection")))
        out = draw_part(self.ink, value, safe, start, text, over)
        if line == self.active:
            base += self.ink("active")
        return out.strip(width, base).apply_offsets(0, row)

    def _matches_in(self, line: int, start: int, stop: int) -> list[Overlay]:
        """The matches in a row, relative to its start."""
        overlays: list[Overlay] = []
        # A match may begin in the row before.
        first = bisect_left(self._matches, (line, start - len(self._query) * 2, 0))
        for place in range(first, len(self._matches)):
            at, low, high = self._matches[place]
            if at != line or low >= stop:
                break
            if high > start:
                style = self.ink("found-current" if place == self._match else "found-other")
                overlays.append((max(0, low - start), min(stop, high) - start, style))
        return overlays

    # Selection and copying.

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text. Wrapped rows are joined to one line."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self._plan.rows - 1
        parts: list[str] = []
        before = -1
        for row in range(max(0, first), min(last + 1, self._plan.rows)):
            line, start, stop = self._plan.place(row)
            text = self._text_of(line)[start:stop]
            span = selection.get_span(row)
            if span is None:
                continue
            indent = self._indent_of(line)
            low = max(0, span[0] - indent)
            high = len(text) if span[1] == -1 else max(0, span[1] - indent)
            if before >= 0 and line != before:
                parts.append("\n")
            parts.append(text[low:high])
            before = line
        return "".join(parts), "\n"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys for matches if there is no match, so that others can use them."""
        return bool(self._matches) if action == "match" else True

    def action_copy(self) -> None:
        """Ask for the text to be copied."""
        self.post_message(CopyText(self.text, "text of the pane"))

    # Keys and mouse.

    def action_rows(self, rows: int) -> None:
        """Scroll by rows."""
        self._scroll(self.scroll_offset.y + rows)

    def action_pages(self, pages: float) -> None:
        """Scroll by pages."""
        self._scroll(self.scroll_offset.y + round(pages * max(1, self.size.height - 1)))

    def action_top(self) -> None:
        """Scroll to the top."""
        self._scroll(0)

    def action_bottom(self) -> None:
        """Scroll to the bottom, and stay there while more is laid out."""
        self._scroll(self._plan.rows)
        self._to_end = not self._plan.done

    def _scroll(self, y: int) -> None:
        self._to_end = False
        y = max(0, min(y, self._plan.rows - self.size.height))
        self.jump_to(y)

    def on_click(self, event: events.Click) -> None:
        """Post the clicked logical line."""
        offset = event.get_content_offset(self)
        row = self.scroll_offset.y + offset.y if offset is not None else self._plan.rows
        if row < self._plan.rows:
            line = self._plan.place(row)[0]
            tag = self._styled[line].tag if self._styled is not None else ""
            self.post_message(self.LineClicked(line, tag))
