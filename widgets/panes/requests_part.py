"""Recorded requests: misses by cause, a chart over the conversation, a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.binding import Binding, BindingType

from inspector.caching.priced import PricedRequest
from inspector.core.places import nearest
from inspector.core.shares import dollars
from inspector.core.signs import CAUSE_WORDS
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of
from widgets.intents import GoTo
from widgets.lists.request_list import RequestList
from widgets.panes.part import Part

#: Rows of the chart; below _LOW rows of the pane it has fewer, below _NO_CHART none.
_ROWS, _LOW_ROWS, _LOW, _NO_CHART = 6, 3, 22, 16
#: Letter of each cause under the chart.
MARKS = {
    "first": "1", "compaction": "c", "microcompaction": "m", "model": "M", "ttl": "t", "prefix": "p", "unknown": "?",
}  # fmt: skip


class RequestsView(Struct, frozen=True):
    """Requests in order, with the index of each answer in its list (None: unknown).

    `note` is a sentence about their sum, `idle` are sentences about the cost of idling.
    """

    requests: tuple[PricedRequest, ...] = ()
    places: tuple[int | None, ...] = ()
    note: str = ""
    idle: tuple[str, ...] = ()


class RequestsPart(Part[RequestsView]):
    """A RequestsView as a chart and a list. Posts GoTo for the answer of a request."""

    DEFAULT_CSS = """
    RequestsPart > RequestList { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "J", "miss(1)", "Next miss", id="requests.next", tooltip="The next request with a cache miss"
        ),
        Binding("K", "miss(-1)", "Previous miss", id="requests.previous", show=False),
    ]

    NEEDY = frozenset({"miss"})

    def __init__(self) -> None:
        self.head, self._chart, self.list = Headline(14), Headline(_ROWS + 2), RequestList()
        super().__init__(self.head, self._chart, self.list)
        self.view = RequestsView()

    @property
    def filled(self) -> bool:
        """Whether a request has a cache miss."""
        return any(priced.judged.missed for priced in self.requests.requests)

    @property
    def requests(self) -> RequestsView:
        """The requests on screen."""
        return self.view or RequestsView()

    def show_view(self) -> None:
        """Show causes, chart and list."""
        self.list.set_entries(self.requests.requests)
        self.fit()

    def fit(self) -> None:
        """Fit into the size; a low part omits the cost of idling."""
        self.head.set_lines(cause_lines(self.requests, idle=self.size.height >= _LOW))
        self._chart.display = self.size.height >= _NO_CHART
        rows = _LOW_ROWS if self.size.height < _LOW else _ROWS
        self._chart.set_lines(chart_lines(self.requests.requests, self.size.width - 2, rows))

    def action_miss(self, by: int) -> None:
        """Go to the next or previous request with a miss."""
        places = [at for at, priced in enumerate(self.requests.requests) if priced.judged.missed]
        self.list.move_cursor(nearest(places, self.list.cursor, by))

    @on(RequestList.Opened)
    def _opened(self, event: RequestList.Opened) -> None:
        event.stop()
        index = self.requests.places[event.row]
        if index is None:
            self.app.notify("It is unknown which message answers this request.", timeout=2)
        else:
            generation = self.requests.requests[event.row].request.generation
            self.post_message(GoTo(generation, index, pane="cache"))


def cause_lines(view: RequestsView, idle: bool) -> list[TextLine]:
    """Number of requests and their tokens, a line per cause of misses, and with `idle` the cost of idling."""
    judged = [priced.judged for priced in view.requests]
    if not judged:
        return [TextLine(view.note or "The store keeps no requests.", "muted")]
    sent = sum(one.request.context for one in judged)
    read = sum(one.request.cache_read for one in judged)
    share = human.percent(read, sent)
    lines = [
        line_of(
            (human.plural(len(judged), "request"), "strong"),
            (f"  {human.tokens(sent)} tokens sent, {share} of them read from the cache", "muted"),
        )
    ]
    for cause, words in CAUSE_WORDS.items():
        misses = [priced for priced in view.requests if priced.judged.cause == cause]
        again = sum(priced.judged.missed for priced in misses)
        if again:
            count = human.plural(len(misses), "miss", "misses")
            costs = [priced.more for priced in misses if priced.more is not None]
            cost = f"{dollars(sum(costs)):>7} USD  " if len(costs) == len(misses) else ""
            text = f"{count:<11}{human.tokens(again):>7} sent again  {cost}"
            lines.append(line_of((f"{MARKS[cause]} ", "warning"), (text, ""), (words, "muted")))
    return [*lines, *(TextLine(text, "muted") for text in (view.note, *(view.idle if idle else ())) if text)]


def chart_lines(requests: Sequence[PricedRequest], width: int, rows: int) -> list[TextLine]:
    """The prompts over the conversation as columns, `rows` high: ▓ read from the cache, █ written into it, ░ neither.

    Letters below name the causes. Of several requests in a column the largest miss is drawn, else the largest prompt.
    """
    if not requests or width < 10:
        return []
    judged = [priced.judged for priced in requests]
    columns = min(width, len(judged))
    top = max(one.request.context for one in judged) or 1
    chosen = []
    for column in range(columns):
        start, stop = column * len(judged) // columns, (column + 1) * len(judged) // columns
        chosen.append(max(judged[start:stop], key=lambda one: (one.missed, one.request.context)))
    lines = []
    for row in range(rows, 0, -1):
        floor = (row - 0.5) * top / rows
        parts = []
        for request in (one.request for one in chosen):
            glyph, ink = (
                ("▓", "kept") if request.cache_read > floor
                else ("█", "accent") if request.cache_read + request.cache_write > floor
                else ("░", "warning") if request.context > floor
                else (" ", "")
            )  # fmt: skip
            parts.append((glyph, ink))
        lines.append(line_of(*parts))
    marks = "".join(
        MARKS.get(one.cause or "", "?") if one.missed or one.cause == "compaction" else " " for one in chosen
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
