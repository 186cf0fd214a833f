"""Tokens of the list on screen by source."""

from __future__ import annotations

from typing import Any

from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import SOURCES, list_on_screen
from inspector.quality.sources import SourceShare
from widgets.panes.tokens_pane import TokensPane, TokensView


def _needs(context: Context) -> tuple[Any, ...] | None:
    shares = context.loaded.current(SOURCES, context.state)
    shown = list_on_screen(context.state, context.loaded)
    return None if shares is None or shown is None else (shares, shown[0].number, shown[1])


def compute(shares: tuple[SourceShare, ...], generation: int, length: int) -> TokensView:
    """Return the shares of a list."""
    return TokensView(f"generation {generation}, {length:,} messages", shares)


PANE = Pane(
    "The tokens of the list on screen by source: user, agent, reasoning, summaries, files that were read, each tool by "
    "name, pictures, system messages and the system prompt.",
    TokensPane,
    _needs,
    compute,
    TokensPane.set_view,
    lambda state: (SOURCES,),
)
