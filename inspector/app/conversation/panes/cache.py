"""Where the prompt-cache breakpoints of the next request sit, and the requests that were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on

from inspector.app.conversation.intents import Change, GoTo
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import CACHING, REQUESTS
from inspector.app.conversation.state import Resource, State
from widgets.panes.cache_pane import CachePane, CacheViews
from widgets.panes.choices import PlaceChosen
from widgets.panes.next_request import NextRequest
from widgets.panes.requests_part import RequestsPart, RequestsView

if TYPE_CHECKING:
    from inspector.app.conversation.caching import Caching
    from inspector.app.conversation.request_views import RequestsRead
    from inspector.replay.moments import Moment


class Cache(CachePane):
    """Goes to the message of a breakpoint or of a request; the layout and the time to live are those of the screen."""

    generation = 1

    @on(NextRequest.LayoutChosen)
    def _layout_chosen(self, event: NextRequest.LayoutChosen) -> None:
        event.stop()
        self.post_message(Change(layout="envelope" if event.layout == "envelope" else "native"))

    @on(NextRequest.TtlChosen)
    def _ttl_chosen(self, event: NextRequest.TtlChosen) -> None:
        event.stop()
        self.post_message(Change(ttl="1h" if event.ttl == "1h" else "5m"))

    @on(NextRequest.BreakpointChosen)
    def _breakpoint_chosen(self, event: NextRequest.BreakpointChosen) -> None:
        event.stop()
        self.post_message(GoTo(self.generation, event.message, pane="cache"))

    @on(PlaceChosen)
    def _place_chosen(self, event: PlaceChosen) -> None:
        event.stop()
        self.post_message(GoTo(event.place.generation, event.place.index, pane="cache"))


def _needs(context: Context) -> tuple[Any, ...] | None:
    loaded, state = context.loaded, context.state
    caching, requests = loaded.latest(CACHING), loaded.latest(REQUESTS)
    return None if caching is None else (caching, requests, state.generation, state.moment)


def compute(
    caching: Caching, requests: RequestsRead | None, generation: int, at: Moment | None
) -> tuple[CacheViews, int]:
    """The breakpoints of a generation's list, and the requests up to the moment of a replay."""
    if requests is None:
        return CacheViews(caching.view, RequestsView(note="Requests are being read.")), generation
    shown = requests.view if at is None else requests.until(at.generation, at.length)
    return CacheViews(caching.view, shown), generation


def _show(pane: Cache, view: tuple[CacheViews, int] | None) -> None:
    if view is None:
        pane.set_view(None)
    else:
        pane.generation = view[1]
        pane.set_view(view[0])


def _wants(state: State) -> tuple[Resource[Any], ...]:
    return (CACHING, REQUESTS)


PANE = Pane(
    "Where the up to four prompt-cache breakpoints of the next request sit, on which part of each message, and how "
    "much of the request lies before them; ✗ marks those that the provider never sees. m shows the requests that were: "
    "what each read from the cache and wrote into it, what it had to send again and why, what it cost. Enter goes to "
    "its answer, J and K to the next miss.",
    Cache,
    _needs,
    compute,
    _show,
    _wants,
    parts=(("next", NextRequest), ("requests", RequestsPart)),
)
