"""The requests that were: by cause what had to be sent again, as a chart over the conversation, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inspector.core.shares import dollars
from inspector.core.signs import CAUSE_WORDS
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.request_list import RequestList, RequestView
from widgets.panes.choices import PlaceChosen

#: Rows of the chart, fewer where the pane is low; below so many rows the list needs the room.
_ROWS, _LOW_ROWS, _LOW, _NO_CHART = 6, 3, 22, 16
#: The letter of each cause under the chart.
MARKS = {
    "first": "1", "compaction": "c", "microcompaction": "m", "model": "M", "ttl": "t", "prefix": "p", "unknown": "?",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RequestsView:
    """Every request up to what is shown, a sentence about them (whether they are modelled, what they cost), and some
    about what idling cost."""

    requests: tuple[RequestView, ...] = ()
    note: str = ""
    idle: tuple[str, ...] = ()


class RequestsPart(Vertical):
    """Shows a RequestsView. Posts PlaceChosen for a request that the user wants to see."""

    DEFAULT_CSS = """
    RequestsPart { background: $surface; }
    RequestsPart > Headline { padding: 0 1; height: auto; }
    RequestsPart > RequestList { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "J",
            "miss(1)",
            "Next miss",
            id="requests.next",
            tooltip="The next request that sent something again",
        ),
        Binding("K", "miss(-1)", "Miss before", id="requests.previous", show=False),
    ]

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view = RequestsView()
        self._headline = Headline(14)
        self._chart = Headline(_ROWS + 2)
        self._list = RequestList()

    def compose(self) -> ComposeResult:
        """The causes, the chart, the list."""
        yield self._headline
        yield self._chart
        yield self._list

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self._fill()

    @property
    def list(self) -> RequestList:
        """The requests one by one."""
        return self._list

    def set_view(self, view: RequestsView) -> None:
        """Show the requests; an equal value changes nothing."""
        if view != self._view:
            self._view = view
            if self.is_mounted:
                self._fill()

    def _fill(self) -> None:
        self._list.set_entries(self._view.requests)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """The chart follows the width; where room is short, what idling cost goes."""
        self._draw()

    def _draw(self) -> None:
        self._headline.set_lines(cause_lines(self._view, idle=self.size.height >= _LOW))
        self._chart.display = self.size.height >= _NO_CHART
        rows = _LOW_ROWS if self.size.height < _LOW else _ROWS
        self._chart.set_lines(chart_lines(self._view.requests, self.size.width - 2, rows))

    def action_miss(self, by: int) -> None:
        """Go to the next request that sent something again, or the one before."""
        requests, here = self._view.requests, self._list.cursor
        places = [
            at for at, one in enumerate(requests) if one.missed and (at > here if by > 0 else at < here)
        ]
        if places:
            self._list.move_cursor(places[0] if by > 0 else places[-1])

    @on(RequestList.Opened)
    def _opened(self, event: RequestList.Opened) -> None:
        event.stop()
        place = self._view.requests[event.row].place
        if place is not None:
            self.post_message(PlaceChosen(place))


def cause_lines(view: RequestsView, idle: bool = True) -> list[TextLine]:
    """How many requests, what they sent and read; a line a cause with the tokens sent again; what `idle` cost."""
    requests = view.requests
    if not requests:
        return [TextLine(view.note or "The store keeps no requests.", "muted")]
    sent, read = sum(one.sent for one in requests), sum(one.read for one in requests)
    lines = [
        line_of(
            (human.plural(len(requests), "request"), "strong"),
            (
                f"  {human.tokens(sent)} tokens sent, {human.percent(read, sent)} of them read from the cache",
                "muted",
            ),
        )
    ]
    for cause, words in CAUSE_WORDS.items():
        those = [one for one in requests if one.cause == cause]
        again = sum(one.missed for one in those)
        if again:
            count = human.plural(len(those), "miss", "misses")
            more = [one.more for one in those if one.more is not None]
            cost = f"{dollars(sum(more)):>7} USD  " if len(more) == len(those) else ""
            lines.append(
                line_of(
                    (f"{MARKS[cause]} ", "warning"), (f"{count:<11}{human.tokens(again):>7} sent again  {cost}", ""),
                    (words, "muted"),
                )
            )  # fmt: skip
    lines += [TextLine(text, "muted") for text in (view.note, *(view.idle if idle else ())) if text]
    return lines


def chart_lines(requests: tuple[RequestView, ...], width: int, rows: int) -> list[TextLine]:
    """The prompts over the conversation, so many cells wide and rows high: ▓ read from the cache, █ written into it,
    ░ neither; below, a letter a cause. Of several requests in a column the one that missed most is drawn, else the
    largest."""
    if not requests or width < 10:
        return []
    columns = min(width, len(requests))
    top = max(one.sent for one in requests) or 1
    chosen = []
    for column in range(columns):
        start, stop = column * len(requests) // columns, (column + 1) * len(requests) // columns
        chosen.append(max(requests[start:stop], key=lambda one: (one.missed, one.sent)))
    lines = []
    for row in range(rows, 0, -1):
        floor = (row - 0.5) * top / rows
        parts = []
        for one in chosen:
            glyph, ink = (
                ("▓", "kept") if one.read > floor
                else ("█", "accent") if one.read + one.written > floor
                else ("░", "warning") if one.sent > floor
                else (" ", "")
            )  # fmt: skip
            parts.append((glyph, ink))
        lines.append(line_of(*parts))
    marks = "".join(
        MARKS.get(one.cause, "?") if one.missed or one.cause == "compaction" else " " for one in chosen
    )
    lines.append(TextLine(marks.rstrip(), "warning"))
    lines.append(
        line_of(
            ("▓ read  ", "kept"),
            ("█ written  ", "accent"),
            ("░ not cached", "warning"),
            (f"  up to {human.tokens(top)}", "muted"),
        )
    )
    return lines
