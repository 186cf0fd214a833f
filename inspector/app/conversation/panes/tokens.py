"""The next compaction, and the tokens of the list on screen by source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import SOURCES, UPCOMING, list_on_screen
from inspector.quality.sources import SourceShare
from widgets.panes.tokens_pane import TokensPane, TokensView

if TYPE_CHECKING:
    from inspector.answers.upcoming import Upcoming


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded = context.state, context.loaded
    shares = loaded.current(SOURCES, state)
    shown = list_on_screen(state, loaded)
    if shares is None or shown is None:
        return None
    return shares, shown[0].number, shown[1], loaded.current(UPCOMING, state)


def compute(
    shares: tuple[SourceShare, ...], generation: int, length: int, upcoming: Upcoming | None
) -> TokensView:
    """Return the shares of a list and, for the live list, its next compaction."""
    title = f"generation {generation}, {length:,} messages"
    if upcoming is None:
        return TokensView(title, shares)
    return TokensView(title, shares, generation, upcoming.sentences, upcoming.at_risk, upcoming.pin)


PANE = Pane(
    "The next compaction of the live list: its distance, the messages that it takes, its cost, and the facts at risk, "
    "which no other message has. C copies a text that pins them, for /compact, a memory file or the next message. "
    "Enter on a fact goes to its message. Below, the tokens of the list on screen by source: user, agent, reasoning, "
    "summaries, files that were read, each tool by name, pictures, system messages and the system prompt.",
    TokensPane,
    _needs,
    compute,
    TokensPane.set_view,
    lambda state: (SOURCES, UPCOMING),
)
