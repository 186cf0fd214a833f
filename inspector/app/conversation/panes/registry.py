"""The panes in the order of their tabs and of the keys 1, 2, ... Another pane is another module, named here."""

from __future__ import annotations

from inspector.app.conversation.panes import (
    cache,
    compaction,
    findings,
    losses,
    message,
    summary,
    what_if,
)
from inspector.app.conversation.panes.base import Pane

PANES: tuple[Pane, ...] = (
    message.PANE,
    compaction.PANE,
    summary.PANE,
    losses.PANE,
    cache.PANE,
    what_if.PANE,
    findings.PANE,
)
