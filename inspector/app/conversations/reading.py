"""Functions that the list of conversations runs in threads: values in, a value out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.app.throttle import give_way
from inspector.core.errors import InspectorError, StoreError
from inspector.core.memory import give_back
from inspector.core.processes import LocalWorkers
from inspector.core.watching import Watch

if TYPE_CHECKING:
    from inspector.answers.live_events import ConversationState, LiveEvent
    from inspector.app.conversation.panes.base import Pane, Tab
    from inspector.core.conversations import ConversationRow
    from inspector.stores.base import Store

T = TypeVar("T")
#: Interval of partial results, in seconds: each one redraws the list.
_SHOWN_SECONDS = 0.25


def read_index(store: Store, watch: Watch) -> tuple[ConversationRow, ...]:
    """The conversations of a store; no message is read. Raises StoreErrors.

    If many files are read for the first time, their names and times are handed over at once, and their content as it
    is read.
    """
    reading = Thread(target=_quietly, args=(store.conversations,), daemon=True)
    reading.start()
    while True:
        reading.join(_SHOWN_SECONDS)
        if not reading.is_alive():
            return store.conversations()
        rows, done, total = store.so_far()
        watch("reading", done, total)
        watch.some(rows)


def _quietly(read: Callable[[], object]) -> None:
    """Read, and ignore problems: the next read reports them."""
    with suppress(InspectorError):
        read()


def look_up_models(rows: Sequence[ConversationRow]) -> None:
    """Let a worker process look up and keep the windows and prices of the models of conversations.

    The import of the list of prices takes as long as everything else that an opening needs, and much memory.
    """
    from inspector.config.price_list import is_kept, look_up

    models = {(row.model, row.provider) for row in rows if row.window is None}
    unknown = sorted(model for model in models if not is_kept(*model))
    if unknown:
        list(LocalWorkers().each(look_up, [(unknown,)], lambda: None))


def get_ready(store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None) -> None:
    """Resolve the settings of a conversation ahead, and with them the release that wrote the store.

    Problems are reported when a conversation is opened.
    """
    from inspector.answers.resolving import resolve

    with suppress(InspectorError):
        resolve(store, row, flags, config)
    # The detection of the release may have read long lists.
    give_back()


def import_pane(tab: Tab) -> Pane:
    """Import a pane of the next screen while no key is pressed."""
    give_way()
    return tab.pane


def read_overviews(
    store: Store, rows: Sequence[ConversationRow], flags: Mapping[str, Any], config: Path | None, watch: Watch,
) -> Sequence[ConversationRow]:  # fmt: skip
    """Hand over live lists, then losses and findings, in batches; return the rows.

    Kept results come first, then compacted conversations, then the others. Another process of low priority computes
    what is unknown. Unreadable conversations are left out: opening one shows the problem.
    """
    from inspector.answers.overview import read_live, read_overview, stored_live, stored_overview

    batch = _Batch(watch)
    compacted: dict[str, bool] = {}
    unknown = []
    for row in rows:
        watch.check()
        live = _tried(stored_live, store, row, flags, config)
        if live is None:
            unknown.append(row)
        else:
            compacted[row.id] = bool(live.compactions)
            batch.add(live)
    total = len(rows)
    for _, live in ask_worker(read_live, store, zip(unknown), flags, config, watch, "counting", total):
        if live is not None:
            compacted[live.conversation] = bool(live.compactions)
            batch.add(live)
    unknown = []
    for row in rows:
        watch.check()
        overview = _tried(stored_overview, store, row, flags, config)
        if overview is None:
            unknown.append(row)
        else:
            batch.add(overview)
    batch.hand_over()
    unknown.sort(key=lambda row: not compacted.get(row.id, False))
    # The lookup may have detected the release, which reads long lists.
    give_back()
    # Use a new process, because reading long lists made the previous one larger.
    asked = ask_worker(read_overview, store, zip(unknown), flags, config, watch, "reading losses", total)
    for _, overview in asked:
        if overview is not None:
            batch.add(overview)
    batch.hand_over()
    return rows


def read_store_losses(
    store: Store, rows: Sequence[ConversationRow], flags: Mapping[str, Any], config: Path | None, watch: Watch,
) -> tuple[int, list[str], list[str], str]:  # fmt: skip
    """Hand over the losses of each compaction in batches, kept results first; return the number of unreadable
    conversations, sentences about unknown and uncertain losses, other sentences, and the answer for an empty list.
    """
    from inspector.answers.overview import read_overview
    from inspector.answers.store_losses import (
        LOSSES,
        ConversationLosses,
        ListedLoss,
        in_all,
        left_out,
        model_decisions,
        nothing_listed,
        uncertain_losses,
        unknown_losses,
    )

    batch = _Batch(watch)
    read: list[ConversationLosses] = []

    def known(row: ConversationRow) -> bool:
        losses = _tried(lambda: LOSSES.of(store, row.id).stored())
        if losses is not None:
            read.append(losses)
            for loss in losses.compactions:
                batch.add(ListedLoss(row, loss, losses.foreign))
        return losses is not None

    unknown = []
    for row in rows:
        watch.check()
        if not known(row):
            unknown.append(row)
    batch.hand_over()
    unread = 0
    asked = ask_worker(read_overview, store, zip(unknown), flags, config, watch, "reading losses", len(rows))
    for row, overview in asked:
        unread += overview is None or not known(row)
    batch.hand_over()
    decisions = model_decisions(sum(losses.by_model for losses in read))
    doubts = [*store.notes, *unknown_losses(read), *uncertain_losses(read)]
    summary = [in_all(read)] if any(losses.recorded for losses in read) else []
    return (
        unread,
        doubts,
        [*left_out(read), *decisions, *summary],
        nothing_listed(read, bool(doubts or unread)),
    )


def read_changes(
    store: Store, changed: Sequence[tuple[ConversationRow, ConversationRow | ConversationState | None]],
    flags: Mapping[str, Any], config: Path | None, watch: Watch,
) -> tuple[list[LiveEvent], dict[str, ConversationState]]:  # fmt: skip
    """Return the events of changed conversations, and their new state by root session.

    Each row comes with its state at the last look, or with its row in the first list (None: it was not in it).
    """
    from inspector.answers.live_events import ConversationState, events_since, listed

    events: list[LiveEvent] = []
    seen: dict[str, ConversationState] = {}
    states = [
        (row, before if isinstance(before, ConversationState | None) else listed(before))
        for row, before in changed
    ]
    for row, answer in ask_worker(events_since, store, states, flags, config, watch):
        if answer is not None:
            events += answer[0]
            seen[row.root] = answer[1]
    return events, seen


def ask_worker(
    ask: Callable[..., T], store: Store, questions: Iterable[tuple[ConversationRow, *tuple[Any, ...]]],
    flags: Mapping[str, Any], config: Path | None, watch: Watch, what: str = "", total: int = 0,
) -> Iterator[tuple[ConversationRow, T | None]]:  # fmt: skip
    """Yield rows with the answers of a worker process of low priority to `ask(store, row, flags, config, *more)`.

    A question is a row with more values. An answer is None if the conversation cannot be read. `what` names the work of
    the progress; the questions are the last ones of `total`. Raises StoreError if the worker fails.
    """
    from inspector.answers.answers import paths_of
    from inspector.answers.overview import answer_in_worker

    asked = list(questions)
    done = total - len(asked)

    def wait() -> None:
        watch(what, done, total) if what else watch.check()

    common = paths_of(store), dict(flags), config, ask
    calls = ((*common, row.id, *more) for row, *more in asked)
    for outcome in LocalWorkers(low=True).each(answer_in_worker, calls, wait):
        done += 1
        if outcome.error is not None:
            raise StoreError(f"{outcome.error} Press r to read again.")
        yield asked[outcome.number][0], outcome.value


def _tried(read: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except StoreError:
        return None


class _Batch:
    """Collects results and hands them over a few times a second."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._values: list[Any] = []
        self._handed = time.monotonic()

    def add(self, value: Any) -> None:
        self._values.append(value)
        if time.monotonic() - self._handed >= _SHOWN_SECONDS:
            self.hand_over()

    def hand_over(self) -> None:
        if self._values:
            self._watch.some(tuple(self._values))
        self._values, self._handed = [], time.monotonic()
