"""The next compaction, and the tokens of the list on screen by source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import SOURCES, UPCOMING
from inspector.quality.sources import SourceShare
from widgets.base import human
from widgets.panes.tokens_pane import TokensPane, TokensView

if TYPE_CHECKING:
    from inspector.answers.upcoming import Upcoming


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded = context.state, context.loaded
    read = loaded.values.get(SOURCES.name)
    if read is None:
        return None
    (_, generation, length, _), shares = read
    # Until the list on screen is added up, that of the last step or before its last messages stays.
    if generation.number != state.generation:
        return None
    is_live = state.moment is None and state.generation == len(context.opened.generations)
    return shares, generation.number, length, is_live, _upcoming(context) if is_live else None


def _upcoming(context: Context) -> Upcoming | None:
    """The next compaction. The last value stays while new messages of the live list are read."""
    state, loaded = context.state, context.loaded
    read = loaded.values.get(UPCOMING.name)
    if read is None:
        return None
    (_, _, settings, _), upcoming = read
    known: Upcoming | None = upcoming if settings == state.settings else None
    return known


def compute(
    shares: tuple[SourceShare, ...], generation: int, length: int, is_live: bool, upcoming: Upcoming | None
) -> TokensView:
    """Return the shares of a list and, for the live list, its next compaction (None while it is read)."""
    title = f"generation {generation}, {human.plural(length, 'message')}"
    if upcoming is None:
        return TokensView(title, shares, sentences=("Reading the facts at risk …",) if is_live else ())
    return TokensView(
        title, shares, generation, upcoming.sentences, upcoming.at_risk, upcoming.lost, upcoming.pin
    )


PANE = Pane(
    "The next compaction of the live list: its distance, the messages that it summarizes, and its cost. Facts at risk "
    "are only in the summarized messages. C copies a text with these facts, for /compact, a memory file or the next "
    "message. Enter on a fact goes to its message. Below are the tokens of the list on screen by source: user, agent, "
    "reasoning, summaries, files, each tool by name, pictures, system messages and the system prompt.",
    TokensPane,
    _needs,
    compute,
    lambda state: (SOURCES, UPCOMING),
)
