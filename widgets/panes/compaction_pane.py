"""One compaction: why it fired, what came of it, what it lost, its summary, which messages went and which stayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.text_lines import TextLine
from widgets.lists.message_list import Boundary, ListSource, MessageList, RowSource
from widgets.panes.attempt_lines import attempt_lines
from widgets.panes.choices import PlaceChosen
from widgets.panes.compaction_lines import (
    NARROW,
    BoundsView,
    CompactionView,
    again_lines,
    head_lines,
    lost_lines,
    summary_lines,
)
from widgets.panes.text_view import TextView

__all__ = ["BoundsView", "CompactionPane", "CompactionView"]

#: Below this height the pane says less, and shows the text or the messages.
LOW = 18
_NO_ROWS = ListSource(())


class CompactionPane(Vertical):
    """Shows a CompactionView and, below it, the messages: − went, = stayed, Σ took their place.

    The rows come from a RowSource (flags "struck", "copied", "summary"). Posts PlaceChosen for a lost fact or a file
    read again that the user wants to see, StepWanted to go to the compaction before or after; the list posts its own
    messages.
    """

    VIEWS: ClassVar[tuple[Mode, ...]] = (
        Mode("told", "told", "What came of it, what it lost, the summary it made"),
        Mode("messages", "messages", "What went, what stayed, what came"),
    )
    DEFAULT_CSS = """
    CompactionPane { background: $surface; }
    CompactionPane > ModeBar { padding: 0 1; }
    CompactionPane > TextView { height: 1fr; padding: 0 0 0 1; margin: 0 0 1 0; }
    CompactionPane > MessageList { height: 1fr; }
    CompactionPane.-low > TextView { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "view(1)", "Next view", id="compaction.next_view", tooltip="What is told, or the messages"),
        Binding("M", "view(-1)", "View before", id="compaction.previous_view", show=False),
        Binding(
            "J", "group(1)", "Next group", id="compaction.next_group",
            tooltip="What stayed, what went, what came; in the text the next lost fact or section",
        ),
        Binding("K", "group(-1)", "Previous group", id="compaction.previous_group", show=False),
        Binding("enter", "open", "Open", id="compaction.open", tooltip="Go to the fact or file, unfold the section"),
        Binding("comma", "step(-1)", "Compaction before", id="compaction.previous", show=False),
        Binding("full_stop", "step(1)", "Compaction after", id="compaction.next", show=False),
    ]  # fmt: skip
    PlaceChosen: ClassVar = PlaceChosen

    class StepWanted(Message):
        """The user wants the compaction before (-1) or after (1)."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: CompactionView | None = None
        self._rows: RowSource = _NO_ROWS
        self._boundaries: tuple[Boundary, ...] = ()
        self._cursor: int | None = None
        self._began = 0
        self._unfolded: frozenset[str] = frozenset()
        self._lines: list[TextLine] = []
        self._views = ModeBar(self.VIEWS)
        self._told = TextView()
        self._list = MessageList()

    def compose(self) -> ComposeResult:
        """The text, the messages."""
        yield self._views
        yield self._told
        yield self._list

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self._told.tooltip = "Click a lost fact or a file read again to go there, a heading to unfold it."
        self._arrange()
        self._show_rows()

    @property
    def view(self) -> CompactionView | None:
        """The compaction on show; None where there is none."""
        return self._view

    @property
    def messages(self) -> MessageList:
        """The list of what went, stayed and came."""
        return self._list

    @property
    def body(self) -> TextView:
        """The text on show."""
        return self._told

    @property
    def view_name(self) -> str:
        """told or messages: the one on screen where there is room for one."""
        return self._views.mode

    def set_view(
        self,
        view: CompactionView | None,
        rows: RowSource | None = None,
        boundaries: Sequence[Boundary] = (),
        cursor: int = 0,
    ) -> None:
        """Show a compaction and its messages, the cursor of another compaction on a row; None where there is none.

        Equal values change nothing.
        """
        before, view_before = (self._rows, self._boundaries), self._view
        self._view, self._boundaries = view, tuple(boundaries)
        self._rows = rows if rows is not None else _NO_ROWS
        same = view is not None and view_before is not None and view.index == view_before.index
        if not same:
            # The same compaction, told with more: the cursor stays. Another one begins where its middle did.
            self._cursor = self._began = cursor
        if not self.is_mounted:
            return
        if (view is None) != (view_before is None):
            self.refresh_bindings()
        if view != view_before:
            self._tell(keep_place=same)
            self._arrange()
        if (self._rows, self._boundaries) != before or not same:
            self._show_rows()

    def show(self, name: str) -> None:
        """Show the text or the messages, where there is room for one of them."""
        self._views.choose(name)

    def on_resize(self, event: events.Resize) -> None:
        """Less is said where room is short."""
        self._tell(keep_place=True)
        self._arrange()

    def _show_rows(self) -> None:
        self._list.set_boundaries(self._boundaries)
        self._list.set_rows(self._rows, cursor=self._cursor)
        self._cursor = None

    def _tell(self, *, keep_place: bool) -> None:
        view, width = self._view, self.size.width
        if view is None:
            self._lines = [TextLine("This conversation has no compaction yet.", "muted")]
        else:
            tight = width < NARROW or self.size.height < LOW
            parts = [
                head_lines(view, width, tight),
                lost_lines(view, width - 2),
                again_lines(view, width - 2),
                attempt_lines(view.attempts),
            ]
            if view.summary is not None:
                parts.append(summary_lines(view.summary, lambda name: name not in self._unfolded))
            self._lines = []
            for part in parts:
                gap = [TextLine("")] if self._lines and part and self.size.height >= LOW else []
                self._lines += [*gap, *part]
        self._told.set_lines(self._lines, keep_place=keep_place)

    def _arrange(self) -> None:
        """The text is as high as it needs to be, at most two thirds; where room is short, one of the two is shown."""
        height = self.size.height
        low = height < LOW
        self.set_class(low, "-low")
        if self._views.display != (low and self._view is not None):
            self._views.display = low and self._view is not None
            self.refresh_bindings()
        one = self._views.display
        self._told.display = not one or self.view_name == "told"
        self._list.display = not one or self.view_name == "messages"
        self._told.styles.height = "1fr" if low else max(1, min(len(self._lines), height * 3 // 5))
        if self._list.cursor == self._began:
            self.call_after_refresh(self._show_beginning)
        for part, other in ((self._told, self._list), (self._list, self._told)):
            if part.has_focus and not part.display:
                self.screen.set_focus(other)

    def _show_beginning(self) -> None:
        """Until the user moves, the list begins shortly before its middle did, however high the text has become."""
        if self._list.cursor == self._began:
            top = max(0, self._list.line_of(self._began) - 2)
            self._list.scroll_to(y=top, animate=False, force=True, immediate=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a compaction there is nothing to go through, and the keys are free for others."""
        if action == "view":
            return bool(self._views.display)
        if action == "open":
            return self._told.has_focus and any(line.tag for line in self._lines)
        return self._view is not None or action not in ("group", "step")

    def action_view(self, by: int) -> None:
        """Show the text, or the messages."""
        self._views.step(by)

    @on(ModeBar.ModeChosen)
    def _view_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._arrange()

    def action_step(self, by: int) -> None:
        """Ask for the compaction before or after."""
        self.post_message(self.StepWanted(by))

    def action_group(self, by: int) -> None:
        """Go to the next group of messages, or the one before; in the text to the next lost fact or section."""
        if self._told.has_focus:
            places = [number for number, line in enumerate(self._lines) if line.tag]
            at = self._told.active
            near = [place for place in places if at is None or (place > at if by > 0 else place < at)]
            if near:
                self._told.set_active(near[0] if by > 0 else near[-1])
            return
        row, total = self._list.cursor, len(self._rows)
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
        self._list.move_cursor(row)

    def _group(self, index: int) -> frozenset[str]:
        return frozenset[str](self._rows.row(index).flags) & {"struck", "copied", "summary"}

    def action_open(self) -> None:
        """Go to the lost fact or the file that is lit, or unfold the section."""
        if self._told.active is not None:
            self._open(self._lines[self._told.active].tag)

    @on(TextView.LineClicked)
    def _clicked(self, event: TextView.LineClicked) -> None:
        event.stop()
        if event.tag:
            self._told.set_active(event.line)
            self._open(event.tag)

    def _open(self, tag: str) -> None:
        kind, _, number = tag.partition(":")
        view = self._view
        if view is None or not tag:
            return
        if kind in ("lost", "again"):
            place = view.lost[int(number)].source if kind == "lost" else view.again[int(number)].found
            if place is not None:
                self.post_message(PlaceChosen(place))
        elif view.summary is not None:
            self._unfolded ^= {view.summary.sections[int(number)].name}
            self._tell(keep_place=True)
            self._arrange()
