"""One compaction: why it fired, its sizes, lost facts, its summary, and the messages that went and stayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

from textual import on
from textual.binding import Binding, BindingType

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.signs import Sign
from widgets.base.text_lines import TextLine
from widgets.intents import GoTo, ReadRows, StepCompaction
from widgets.lists.fact_list import fate_signs, search_text, source_of
from widgets.lists.message_list import BoundaryLine, ListSource, MessageList, RowSource
from widgets.panes.attempt_lines import attempt_lines
from widgets.panes.compaction_lines import (
    NARROW,
    CompactionView,
    aftermath_lines,
    head_lines,
    lost_lines,
    plan_lines,
    summary_lines,
)
from widgets.panes.part import TextPart
from widgets.panes.text_view import TextView


class CompactionSource(RowSource, Protocol):
    """Rows from the lists before and after a compaction."""

    def missing(self, wanted: range) -> dict[int, range]:
        """The unread messages of some rows: a range of indexes by generation."""
        ...

    def source_of(self, row: int) -> tuple[int, int]:
        """Generation and index of a row's message."""
        ...


class CompactionPane(TextPart[CompactionView]):
    """A CompactionView and, below it, the messages: − went, = stayed, Σ the summary, + other new ones.

    The rows have the flags "struck", "copied", "summary" and "new". Posts GoTo for a message, a lost fact or an event,
    ReadRows for unread messages, and StepCompaction.
    """

    VIEWS: ClassVar[tuple[Mode, ...]] = (
        Mode("details", "details", "Sizes, lost facts, the summary"),
        Mode("messages", "messages", "Messages that went, stayed and came"),
    )
    DEFAULT_CSS = """
    CompactionPane > TextView { margin: 0 0 1 0; }
    CompactionPane > MessageList { height: 1fr; }
    CompactionPane.-low > TextView { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "view(1)", "Next view", id="compaction.next_view", tooltip="Details or messages"),
        Binding("M", "view(-1)", "Previous view", id="compaction.previous_view", show=False),
        Binding(
            "J", "group(1)", "Next group", id="compaction.next_group",
            tooltip="Next group of kept or removed messages; in the details, the next lost fact or section",
        ),
        Binding("K", "group(-1)", "Previous group", id="compaction.previous_group", show=False),
        Binding("enter", "open", "Open", id="compaction.open", tooltip="Go to the fact or event, unfold the section"),
        Binding("comma", "step(-1)", "Previous compaction", id="compaction.previous", show=False),
        Binding("full_stop", "step(1)", "Next compaction", id="compaction.next", show=False),
    ]  # fmt: skip

    #: Below this height the pane shows either the text or the messages.
    LOW = 18
    NEEDY = frozenset({"group", "step"})

    def __init__(self, *, id: str | None = None) -> None:
        self._rows: CompactionSource | None = None
        self._known = False
        self._boundaries: tuple[BoundaryLine, ...] = ()
        self._cursor: int | None = None
        self._began = 0
        self._unfolded: frozenset[str] = frozenset()
        self._lines: list[TextLine] = []
        self._views, self.body, self.messages = ModeBar(self.VIEWS), TextView(), MessageList()
        super().__init__(self._views, self.body, self.messages, id=id)
        self.body.tooltip = "Click a lost fact or an event to go there, a heading to unfold it."

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self._arrange()
        self._show_rows()

    def signs(self) -> Iterator[Sign]:
        """The signs of the lost facts, and of the boundaries. A wide pane has words for fates."""
        if self.view is None or not self.body.display:
            return
        if self.body.size.width < NARROW:
            yield from fate_signs({life.outcome for life in self.view.lost})

    @property
    def view_name(self) -> str:
        """details or messages: the part on screen in a low pane."""
        return self._views.mode

    def set_view(
        self,
        view: CompactionView | None,
        rows: CompactionSource | None = None,
        boundaries: Sequence[BoundaryLine] = (),
        cursor: int = 0,
        known: bool = True,
    ) -> None:
        """Show a compaction and its messages; None: there is none, or it is not `known` yet. Equal values change
        nothing.

        `cursor` is the row to begin with when the compaction is another one.
        """
        before, view_before = (self._rows, self._boundaries), self.view
        known_before, self._known = self._known, known
        self.view, self._boundaries = view, tuple(boundaries)
        self._rows = rows
        same = view is not None and view_before is not None and view.done.index == view_before.done.index
        if not same:
            # The cursor stays while the same compaction gets more details.
            self._cursor = self._began = cursor
        if not self.is_mounted:
            return
        if (view is None) != (view_before is None):
            self.refresh_bindings()
        if (view, known) != (view_before, known_before):
            self._show_text(keep_place=same)
            self._arrange()
        if (self._rows, self._boundaries) != before or not same:
            self._show_rows()

    def show(self, name: str) -> None:
        """Show details or messages in a low pane."""
        self._views.choose(name)

    def fit(self) -> None:
        """Fit into the size."""
        self._show_text(keep_place=True)
        self._arrange()

    def _show_rows(self) -> None:
        self.messages.set_rows(self._rows or ListSource(()), self._boundaries, cursor=self._cursor)
        self._cursor = None

    def _show_text(self, *, keep_place: bool) -> None:
        view, width = self.view, self.size.width
        if view is None:
            none = "No compaction is recorded so far."
            self._lines = [TextLine(none if self._known else "Reading the compactions …", "muted")]
        else:
            tight = width < NARROW or self.low
            parts = [
                head_lines(view, width, tight),
                lost_lines(view, width - 2),
                aftermath_lines(view, width - 2),
                plan_lines(view, width),
                attempt_lines(view.attempts),
            ]
            if view.summary is not None:
                parts.append(summary_lines(view.summary, lambda name: name not in self._unfolded))
            self._lines = []
            for part in parts:
                gap = [TextLine("")] if self._lines and part and not self.low else []
                self._lines += [*gap, *part]
        self.body.set_lines(self._lines, keep_place=keep_place)

    def _arrange(self) -> None:
        """Give the text the rows it needs, at most three fifths; a low pane shows one part."""
        height, low = self.size.height, self.low
        if self._views.display != (low and self.view is not None):
            self._views.display = low and self.view is not None
            self.refresh_bindings()
        one = self._views.display
        self.body.display = not one or self.view_name == "details"
        self.messages.display = not one or self.view_name == "messages"
        self.body.styles.height = "1fr" if low else max(1, min(len(self._lines), height * 3 // 5))
        if self.messages.cursor == self._began:
            self.call_after_refresh(self._show_beginning)
        for part, other in ((self.body, self.messages), (self.messages, self.body)):
            if part.has_focus and not part.display:
                self.screen.set_focus(other)

    def _show_beginning(self) -> None:
        """Keep the list at the start of the middle until the user moves, for any height of the text."""
        if self.messages.cursor == self._began:
            self.messages.jump_to(self.messages.line_of(self._began) - 2)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys without a compaction."""
        if action == "view":
            return bool(self._views.display)
        if action == "open":
            return self.body.has_focus and any(line.tag for line in self._lines)
        return super().check_action(action, parameters)

    def action_view(self, by: int) -> None:
        """Show the text or the messages."""
        self._views.step(by)

    @on(ModeBar.ModeChosen)
    def _view_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._arrange()

    def action_step(self, by: int) -> None:
        """Ask for the next or previous compaction."""
        self.post_message(StepCompaction(by))

    def action_group(self, by: int) -> None:
        """Go to the next or previous group of messages; in the text to the next lost fact or section."""
        if self.body.has_focus:
            self.body.step_tag(by)
            return
        row, total = self.messages.cursor, self.messages.row_count
        if not total:
            return
        here = self._group(row)
        if by > 0:
            while row < total - 1 and self._group(row) == here:
                row += 1
        else:
            row = max(0, row - 1)
            here = self._group(row)
            while row > 0 and self._group(row - 1) == here:
                row -= 1
        self.messages.move_cursor(row)

    def _group(self, index: int) -> frozenset[str]:
        assert self._rows is not None
        return frozenset[str](self._rows.row(index).flags) & {"struck", "copied", "summary", "new"}

    @on(MessageList.RowsWanted)
    def _rows_wanted(self, event: MessageList.RowsWanted) -> None:
        event.stop()
        if self._rows is not None:
            self.post_message(ReadRows(self._rows.missing(event.rows)))

    @on(MessageList.Opened)
    def _opened(self, event: MessageList.Opened) -> None:
        event.stop()
        if self._rows is not None:
            self.post_message(GoTo(*self._rows.source_of(event.row)))

    def open(self, tag: str) -> None:
        """Go to a lost fact or an event, or unfold a section."""
        kind, _, number = tag.partition(":")
        view = self.view
        if view is None:
            return
        if kind in ("lost", "after"):
            if kind == "lost":
                self.post_message(source_of(view.lost[int(number)], 0))
            elif view.aftermath is not None:
                event = view.aftermath[int(number)]
                place = event.place
                self.post_message(GoTo(place.generation, place.index, search_text(event.text), "message"))
        elif view.summary is not None:
            self._unfolded ^= {view.summary.sections[int(number)].name}
            self._show_text(keep_place=True)
            self._arrange()
