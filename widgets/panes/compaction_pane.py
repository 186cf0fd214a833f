"""One compaction: sizes before and after, recorded and planned boundaries, which messages went and which stayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.message_list import Boundary, ListSource, MessageList, RowSource

#: Below this width or height the pane says less.
NARROW, LOW = 60, 18


@dataclass(frozen=True, slots=True)
class BoundsView:
    """Boundaries, from the store or from an engine; `by` names which ("recorded", "planned by hermes-0.13")."""

    kind: Literal["recorded", "planned"]
    by: str
    head_end: int
    tail_start: int
    summary_tokens: int | None = None
    tokens_after: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CompactionView:
    """A compaction as the pane shows it. Counts are messages; tokens are rough, the system prompt included.

    `stayed`, `went` and `came` count messages: copied into the new list, left out of it, new in their place.
    """

    index: int
    total: int
    before: int
    after: int
    tokens_before: int
    tokens_after: int
    outcome: Literal["summary", "merged", "fallback", "failed"]
    bounds: tuple[BoundsView, ...] = ()
    went: int = 0
    went_tokens: int | None = None
    stayed: int = 0
    came: int = 0
    at: float = 0.0
    session: str = ""
    notes: tuple[str, ...] = ()


_OUTCOMES = {
    "summary": ("Σ", "accent", "a summary took the middle's place"),
    "merged": ("Σ", "accent", "the summary was merged into the first tail message"),
    "fallback": ("✗", "error", "no summary was made; a fallback text took the middle's place"),
    "failed": ("✗", "error", "the compaction failed"),
}


class CompactionPane(Vertical):
    """Shows a CompactionView and, below it, the messages: − went, = stayed, Σ took their place.

    The rows come from a RowSource (flags "struck", "copied", "summary"). Posts StepWanted to go to the
    compaction before or after; the list posts its own messages.
    """

    DEFAULT_CSS = """
    CompactionPane { background: $surface; }
    CompactionPane > Headline { max-height: 60%; padding: 0 1; margin: 0 0 1 0; }
    CompactionPane > MessageList { height: 1fr; }
    CompactionPane.-low > Headline { max-height: 80%; margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "J",
            "group(1)",
            "Next group",
            id="compaction.next_group",
            tooltip="What stayed, what went, what came",
        ),
        Binding("K", "group(-1)", "Previous group", id="compaction.previous_group", show=False),
        Binding("comma", "step(-1)", "Compaction before", id="compaction.previous", show=False),
        Binding("full_stop", "step(1)", "Compaction after", id="compaction.next", show=False),
    ]

    class StepWanted(Message):
        """The user wants the compaction before (-1) or after (1)."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: CompactionView | None = None
        self._rows: RowSource = ListSource(())
        self._filled = False
        self._headline = Headline(14)
        self._list = MessageList()

    def compose(self) -> ComposeResult:
        """Sizes and boundaries, messages."""
        yield self._headline
        yield self._list

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self.set_view(self._view, self._rows)

    @property
    def messages(self) -> MessageList:
        """The list of what went, stayed and came."""
        return self._list

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a compaction there is nothing to go through, and the keys are free for others."""
        return self._view is not None or action not in ("group", "step")

    def set_view(
        self,
        view: CompactionView | None,
        rows: RowSource | None = None,
        boundaries: Sequence[Boundary] = (),
        cursor: int = 0,
    ) -> None:
        """Show a compaction and its messages, the cursor of another compaction on a row; None where there is none."""
        same = view is not None and self._view is not None and view.index == self._view.index
        came_or_went = (view is None) != (self._view is None)
        self._view, self._rows = view, rows if rows is not None else ListSource(())
        if not self.is_mounted:
            return
        if came_or_went:
            self.refresh_bindings()
        if view is None:
            self._headline.set_lines([TextLine("This conversation has no compaction yet.", "muted")])
        else:
            self._show(view)
        # The same compaction, told with more: the cursor stays. Another one begins where its middle did.
        self._list.set_boundaries(boundaries)
        self._list.set_rows(self._rows, cursor=None if same and self._filled else cursor)
        self._filled = True

    def on_resize(self, event: events.Resize) -> None:
        """Less is said where room is short."""
        self.set_class(event.size.height < LOW, "-low")
        if self._view is not None:
            self._show(self._view)

    def _show(self, view: CompactionView) -> None:
        narrow = self.size.width < NARROW
        self._headline.set_lines(_headline(view, narrow, narrow or self.size.height < LOW))

    def action_step(self, by: int) -> None:
        """Ask for the compaction before or after."""
        self.post_message(self.StepWanted(by))

    def action_group(self, by: int) -> None:
        """Go to the first row of the next group (or of this one, then of the one before)."""
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
        row = self._rows.row(index)
        return frozenset[str](row.flags) & {"struck", "copied", "summary"} if row is not None else frozenset()


def _headline(view: CompactionView, narrow: bool, tight: bool) -> list[TextLine]:
    sign, style, words = _OUTCOMES[view.outcome]
    words = view.outcome if narrow else words
    lines = [line_of((f"Compaction {view.index} of {view.total}", "strong"), (f"  {sign} {words}", style))]
    quiet = (
        []
        if tight
        else [
            text for text in (one_line(view.session, 80), human.clock(view.at) if view.at > 0 else "") if text
        ]
    )
    if quiet:
        lines.append(TextLine(" · ".join(quiet), "muted"))
    saved = view.tokens_before - view.tokens_after
    share = human.percent(abs(saved), view.tokens_before)
    verdict = (
        f"saved {human.tokens(saved)}, {share}" if saved >= 0 else f"grew by {human.tokens(-saved)}, {share}"
    )
    low = saved < view.tokens_before * 0.10
    gap = [] if tight else [TextLine("")]
    lines += [
        *gap,
        line_of(
            ("messages  ", "muted"),
            (f"{human.count(view.before)} → {human.count(view.after)}".ljust(0 if narrow else 13) + "  ", ""),
            (f"− {view.went:,} went", "removed"),
            (f" (~{human.tokens(view.went_tokens)})" if view.went_tokens is not None else "", "muted"),
            (f"  = {view.stayed:,} stayed", "kept"),
            (f"  Σ {view.came:,}" + ("" if narrow else " in their place"), "accent"),
        ),
        line_of(
            ("tokens    ", "muted"),
            (
                f"~{human.tokens(view.tokens_before)} → {human.tokens(view.tokens_after)}".ljust(
                    0 if narrow else 13
                )
                + "  ",
                "",
            ),
            (("! " if low else "") + verdict, "warning" if low else "muted"),
        ),
    ]
    if view.bounds:
        lines += [*gap, *_bounds(view.bounds, narrow)]
    lines += [TextLine(note, "warning", prefix="! ") for note in view.notes]
    return lines


def _bounds(bounds: tuple[BoundsView, ...], narrow: bool) -> list[TextLine]:
    """Boundaries as a small table: recorded and planned below each other, what differs marked with ≠."""
    first = bounds[0]
    width = min(11 if narrow else 28, max(len(one_line(row.by, 28)) for row in bounds) + 2)
    lines = [
        TextLine(
            f"{'':{width + 2}}{'head_end':>10}{'tail_start':>12}"
            + ("" if narrow else f"{'summary':>10}{'after':>9}"),
            "muted",
        )
    ]
    for row in bounds:
        sign = "━" if row.kind == "recorded" else "╌"
        style = "" if row.kind == "recorded" else "accent"
        parts = [(f"{sign} {fit(one_line(row.by, 28), width)}", style)]
        for value, expected, cells in (
            (row.head_end, first.head_end, 10),
            (row.tail_start, first.tail_start, 12),
        ):
            other = value != expected
            parts.append((f"{'≠ ' if other else ''}{value:,}".rjust(cells), "warning" if other else style))
        summary = "–" if row.summary_tokens is None else f"~{human.tokens(row.summary_tokens)}"
        after = "–" if row.tokens_after is None else f"~{human.tokens(row.tokens_after)}"
        if not narrow:
            parts.append((f"{summary:>10}{after:>9}", "muted"))
        lines.append(line_of(*parts))
        if row.note:
            lines.append(TextLine(row.note, "muted", prefix="  "))
    return lines
