"""The prompt cache: breakpoints of the next request, and recorded requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from textual.widget import Widget

from widgets.bars.mode_bar import Mode
from widgets.panes.next_request import CacheView, NextRequest
from widgets.panes.requests_part import RequestsPart, RequestsView
from widgets.panes.views_pane import ViewsPane


@dataclass(frozen=True, slots=True)
class CacheViews:
    """Breakpoints of the next request (None while they are being computed), and recorded requests."""

    next: CacheView | None = None
    requests: RequestsView = field(default_factory=RequestsView)


class CachePane(ViewsPane[CacheViews]):
    """CacheViews in two views. Posts Change for the layout and the time to live, GoTo for a breakpoint or a request."""

    VIEWS: ClassVar[tuple[Mode, ...]] = (
        Mode("next", "next request", "Breakpoints of the next request"),
        Mode(
            "requests",
            "requests",
            "Recorded requests: tokens read from the cache, missed tokens and the cause",
        ),
    )

    def make(self, name: str) -> Widget:
        """Return the widget of a view."""
        return NextRequest() if name == "next" else RequestsPart()

    def fill(self, widget: Widget) -> None:
        """Hand a view's widget its part of the value."""
        view = self.view if self.view is not None else CacheViews()
        if isinstance(widget, NextRequest):
            widget.set_view(view.next)
        elif isinstance(widget, RequestsPart):
            widget.set_view(view.requests)
