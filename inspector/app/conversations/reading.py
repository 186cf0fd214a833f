"""What the list of conversations reads in threads: plain functions, values in, a value out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.core.errors import InspectorError, StoreError
from inspector.core.watching import Watch

if TYPE_CHECKING:
    from inspector.core.conversations import ConversationRow
    from inspector.stores.base import Store

#: What was counted is handed over so often, in seconds: every time draws the list anew.
_SHOWN_SECONDS = 0.25
#: The longest pause between the findings of two conversations, in seconds.
_PAUSE = 0.2


class Live(NamedTuple):
    """What a conversation's row in the list learns later: messages and rough tokens of its live list, its threshold in
    tokens, its compactions; None stays unknown."""

    conversation: str
    messages: int
    tokens: int | None
    threshold: int | None
    compactions: int | None


class Grave(NamedTuple):
    """How many errors and warnings a conversation has, when it had so many messages."""

    conversation: str
    messages: int
    findings: int


def read_index(store: Store, watch: Watch) -> tuple[ConversationRow, ...]:
    """The conversations of a store; no message is read. Raises StoreErrors."""
    return store.conversations()


def count_live(
    store: Store, rows: Sequence[ConversationRow], flags: Mapping[str, Any], config: Path | None, watch: Watch
) -> tuple[Live, ...]:
    """The live lists of conversations, in this order; hands parts over as it goes, returns the last one.

    One that cannot be read is left out: opening it says what is wrong.
    """
    from inspector.answers.resolving import live_of

    batch: list[Live] = []
    handed = time.monotonic()
    for done, row in enumerate(rows):
        watch("counting", done, len(rows))
        try:
            live = live_of(store, row, flags, config, lambda _: watch.check())
        except StoreError:
            continue
        batch.append(Live(row.id, *live))
        if time.monotonic() - handed >= _SHOWN_SECONDS:
            watch.some(tuple(batch))
            batch, handed = [], time.monotonic()
    return tuple(batch)


def count_findings(
    store: Store, rows: Sequence[ConversationRow], flags: Mapping[str, Any], config: Path | None, watch: Watch
) -> Grave | None:
    """The errors and warnings of conversations, in this order; hands each over as it goes, returns the last one.

    One that cannot be judged is left out: opening it says what is wrong.
    """
    from inspector.answers.findings import count_grave

    last: Grave | None = None
    for row in rows:
        watch.check()
        started = time.monotonic()
        try:
            last = Grave(row.id, row.messages, count_grave(store, row, flags, config))
        except InspectorError:
            continue
        watch.some(last)
        # Half of the time is left to whatever the user does.
        time.sleep(min(_PAUSE, time.monotonic() - started))
    return last
