"""The prompt cache: breakpoints of the next request, and recorded requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import CACHING, REQUESTS
from widgets.panes.cache_pane import CachePane, CacheViews
from widgets.panes.next_request import NextRequest
from widgets.panes.requests_part import RequestsPart, RequestsView

if TYPE_CHECKING:
    from inspector.app.conversation.caching import Caching
    from inspector.app.conversation.request_views import RequestsRead
    from inspector.replay.moments import Moment


def _needs(context: Context) -> tuple[Any, ...] | None:
    loaded = context.loaded
    caching = loaded.latest(CACHING)
    return None if caching is None else (caching, loaded.latest(REQUESTS), context.state.moment)


def compute(caching: Caching, requests: RequestsRead | None, at: Moment | None) -> CacheViews:
    """Return the breakpoints, and the requests up to the step of a replay."""
    if requests is None:
        return CacheViews(caching.view, RequestsView(note="Requests are being read."))
    return CacheViews(caching.view, requests.view if at is None else requests.until(at.generation, at.length))


PANE = Pane(
    "The cache breakpoints of the next request, at most four. Each line names a message, its part with the breakpoint, "
    "and the share of the request up to it. m shows the recorded requests: tokens read from the cache and written into "
    "it, misses with their causes, and costs. Enter goes to the answer of a request, J and K go to the next and "
    "previous miss.",
    CachePane,
    _needs,
    compute,
    lambda state: (CACHING, REQUESTS),
    parts=(("next", NextRequest), ("requests", RequestsPart)),
)
