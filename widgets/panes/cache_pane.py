"""The prompt cache: breakpoints of the next request, and recorded requests."""

from __future__ import annotations

from msgspec import Struct, field

from widgets.bars.mode_bar import Mode
from widgets.panes.next_request import CacheView, NextRequest
from widgets.panes.requests_part import RequestsPart, RequestsView
from widgets.panes.views_pane import Shown, ViewsPane


class CacheViews(Struct, frozen=True):
    """Breakpoints of the next request (None while they are being computed), and recorded requests."""

    next: CacheView | None = None
    requests: RequestsView = field(default_factory=RequestsView)


class CachePane(ViewsPane[CacheViews]):
    """CacheViews in two views. Posts Change for the layout and the time to live, GoTo for a breakpoint or a request.

    If the first value has no breakpoints, it begins with the requests.
    """

    VIEWS = (
        Shown(
            Mode("next", "next request", "Breakpoints of the next request"),
            NextRequest,
            lambda view: view.next,
        ),
        Shown(
            Mode(
                "requests",
                "requests",
                "Recorded requests: tokens read from the cache, missed tokens and the cause",
            ),
            RequestsPart,
            lambda view: view.requests,
        ),
    )

    def set_view(self, view: CacheViews | None) -> None:
        """Show the breakpoints and the requests."""
        began = self.view is not None and self.view.next is not None
        super().set_view(view)
        if not began and view is not None and view.next is not None and not view.next.breakpoints:
            self.show("requests")
