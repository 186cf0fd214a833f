"""The prompt cache: where the breakpoints of the next request sit, and the requests that were."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from textual.widget import Widget

from widgets.bars.mode_bar import Mode
from widgets.panes.choices import PlaceChosen
from widgets.panes.next_request import CacheView, NextRequest
from widgets.panes.requests_part import RequestsPart, RequestsView
from widgets.panes.views_pane import ViewsPane


@dataclass(frozen=True, slots=True)
class CacheViews:
    """The breakpoints of the next request (None while they are looked for), and the requests that were."""

    next: CacheView | None = None
    requests: RequestsView = field(default_factory=RequestsView)


class CachePane(ViewsPane[CacheViews]):
    """Shows CacheViews in two views. Posts ViewShown, what the next request posts, PlaceChosen for a request."""

    VIEWS: ClassVar[tuple[Mode, ...]] = (
        Mode("next", "next request", "Where the breakpoints of the next request sit"),
        Mode(
            "requests",
            "requests",
            "Every request that was: what came from the cache, what was sent again and why",
        ),
    )
    PlaceChosen: ClassVar = PlaceChosen

    def make(self, name: str) -> Widget:
        """The widget of a view."""
        return NextRequest() if name == "next" else RequestsPart()

    def fill(self, widget: Widget) -> None:
        """Hand a view's widget its part of the value."""
        view = self.view if self.view is not None else CacheViews()
        if isinstance(widget, NextRequest):
            widget.set_view(view.next)
        elif isinstance(widget, RequestsPart):
            widget.set_view(view.requests)
