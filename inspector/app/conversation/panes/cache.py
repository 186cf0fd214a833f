"""Where the prompt-cache breakpoints of the next request sit."""

from __future__ import annotations

from typing import Any

from textual import on

from inspector.app.conversation.caching import Caching
from inspector.app.conversation.intents import Change, GoTo
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import CACHING
from widgets.panes.cache_pane import CachePane, CacheView


class Cache(CachePane):
    """Goes to the message of a breakpoint; the layout and the time to live are those of the screen."""

    generation = 1

    @on(CachePane.LayoutChosen)
    def _layout_chosen(self, event: CachePane.LayoutChosen) -> None:
        event.stop()
        self.post_message(Change(layout="envelope" if event.layout == "envelope" else "native"))

    @on(CachePane.TtlChosen)
    def _ttl_chosen(self, event: CachePane.TtlChosen) -> None:
        event.stop()
        self.post_message(Change(ttl="1h" if event.ttl == "1h" else "5m"))

    @on(CachePane.BreakpointChosen)
    def _breakpoint_chosen(self, event: CachePane.BreakpointChosen) -> None:
        event.stop()
        self.post_message(GoTo(self.generation, event.message, pane="cache"))


def _needs(context: Context) -> tuple[Any, ...] | None:
    caching = context.loaded.latest(CACHING)
    return None if caching is None else (caching, context.state.generation)


def compute(caching: Caching, generation: int) -> tuple[CacheView, int]:
    """The breakpoints of a generation's list."""
    return caching.view, generation


def _show(pane: Cache, view: tuple[CacheView, int] | None) -> None:
    if view is None:
        pane.set_view(None)
    else:
        pane.generation = view[1]
        pane.set_view(view[0])


PANE = Pane(
    "cache",
    "Where the up to four prompt-cache breakpoints of the next request sit, on which part of each message, and how "
    "much of the request lies before them. ✗ marks breakpoints that the provider never sees.",
    Cache,
    _needs,
    compute,
    _show,
    lambda state: (CACHING,),
)
