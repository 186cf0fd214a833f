"""Ask one question about each of many conversations, in this process or in others."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import Struct

from inspector.answers.answers import Answers, about
from inspector.answers.kept_results import AnswerKind
from inspector.answers.scheduling import Progress, is_local, processes_of
from inspector.config.cache import default_cache
from inspector.config.folders import with_urls
from inspector.core.conversations import ConversationRow
from inspector.core.errors import InspectorError, UsageProblem
from inspector.core.interrupts import raise_interrupt
from inspector.core.processes import LocalWorkers, Workers, in_worker, outcomes_of

R = TypeVar("R")
#: Minimum number of messages for which other processes are faster.
FEW_MESSAGES = 5_000
#: Number of conversations whose kept results are read at once.
_LOOKED_UP = 256
#: Maximum size of a batch of conversations.
_BATCH = 2_000
#: Minimum number of batches.
_BATCHES = 256
#: Cost of opening a conversation, in messages.
_EXTRA = 20


class _Unwanted(Exception):
    """The results are no longer wanted."""


class StoreQuestion(Struct, Generic[R], frozen=True):
    """A question about one conversation.

    `ask(answers, conversation, *arguments)` is a module-level function, because other processes may call it.
    `arguments` returns the further arguments for a row. `kept` has the results of earlier runs. `much` returns whether
    other processes pay off for some rows. `raises`: raise the first error if no conversation can be read.
    """

    ask: Callable[..., R]
    arguments: Callable[[ConversationRow], tuple[Any, ...]] = lambda row: ()
    kept: AnswerKind[R] | None = None
    much: Callable[[Sequence[ConversationRow]], bool] = lambda rows: (
        sum(row.messages for row in rows) >= FEW_MESSAGES
    )
    raises: bool = True


def ask_each(
    answers: Answers, rows: Sequence[ConversationRow], question: StoreQuestion[R]
) -> Iterator[tuple[ConversationRow, R]]:
    """Yield rows with their results, in the order of completion.

    A conversation that cannot be read is named in `answers.unread` and left out. If none can be read, the first error
    is raised, for a question that does not raise only a UsageProblem. Raises StoreErrors of the whole store.
    """
    plan = answers.scheduling
    began, done, shown, failed = time.monotonic(), 0, 0, 0
    first: InspectorError | None = None
    stored: deque[tuple[ConversationRow, R]] = deque()

    def missing() -> Iterator[ConversationRow]:
        # The longest conversations come first, so that no process starts a long conversation at the end.
        longest = sorted(rows, key=lambda row: row.messages, reverse=True)
        for at in range(0, len(longest), _LOOKED_UP):
            batch = longest[at : at + _LOOKED_UP]
            answers_of = (
                {}
                if question.kept is None
                else question.kept.stored(answers.store, [row.id for row in batch])
            )
            stored.extend((row, answers_of[row.id]) for row in batch if row.id in answers_of)
            yield from (row for row in batch if row.id not in answers_of)

    plan.watch(Progress(0, len(rows), None))
    try:
        most = min(sum(map(_size, rows)) // _BATCHES, _BATCH)
        for outcome in chain(_outcomes(answers, missing(), question, most), [None]):
            while stored:
                done += 1
                yield stored.popleft()
            if outcome is not None:
                row, result, error = outcome
                done += 1
                if error is None:
                    yield row, result
                else:
                    first, failed = first or error, failed + 1
                    answers.unread.append(about(row, str(error)))
            if done > shown:
                shown = done
                elapsed = time.monotonic() - began
                plan.watch(Progress(done, len(rows), elapsed / done * (len(rows) - done)))
    except _Unwanted:
        return
    if first is not None and failed == len(rows) and (question.raises or isinstance(first, UsageProblem)):
        raise first


def _outcomes(
    answers: Answers, rows: Iterator[ConversationRow], question: StoreQuestion[R], most: int
) -> Iterator[tuple[ConversationRow, Any, InspectorError | None]]:
    plan = answers.scheduling

    def wait() -> None:
        raise_interrupt()
        if not plan.wanted():
            raise _Unwanted

    local = is_local(plan.scheduler)
    processes = processes_of(plan.scheduler)
    ahead = list(islice(rows, 1))
    if local and processes is None and not in_worker() and (os.cpu_count() or 1) > 1:
        # Take rows until it is certain that other processes pay off.
        while (len(ahead) < 2 or not question.much(ahead)) and (row := next(rows, None)) is not None:
            ahead.append(row)
        if len(ahead) > 1 and question.much(ahead):
            processes = os.cpu_count()
    if not ahead:
        return
    if local and (processes or 1) == 1:
        for row in chain(ahead, rows):
            wait()
            try:
                yield row, question.ask(answers, row.id, *question.arguments(row)), None
            except InspectorError as problem:
                yield row, None, problem
        return
    from inspector.fleet.places import place_of

    flags = dict(answers.flags)
    config = None if answers.config is None else answers.config.absolute()
    sent: list[ConversationRow] = []

    def call(row: ConversationRow) -> tuple[Any, ...]:
        sent.append(row)
        place = place_of(answers.store, row.id)
        return place, flags, config, question.ask, row.id, question.arguments(row)

    calls = (list(map(call, batch)) for batch in _batches(chain(ahead, rows), most))
    for number, value, error in _workers(plan.scheduler, processes or 1).map(_answer_batch, calls, wait):
        if error is not None:
            yield sent[number], None, error
            continue
        result, notes = value
        for note in notes:
            answers.note(note)
        if question.kept is not None and not local:
            question.kept.of(answers.store, sent[number].id).keep(result)
        yield sent[number], result, None


def _batches(rows: Iterable[ConversationRow], most: int) -> Iterator[list[ConversationRow]]:
    """Yield the rows in batches of up to the size `most`, and larger ones alone."""
    batch: list[ConversationRow] = []
    room = most
    for row in rows:
        if batch and _size(row) > room:
            yield batch
            batch, room = [], most
        batch.append(row)
        room -= _size(row)
    if batch:
        yield batch


def _size(row: ConversationRow) -> int:
    return row.messages + _EXTRA


def _workers(scheduler: str, jobs: int) -> Workers:
    if is_local(scheduler):
        return LocalWorkers(jobs)
    if "://" not in scheduler:
        raise UsageProblem(
            f"{scheduler!r} is not a scheduler. Give local, local:N, or an address such as tcp://10.0.0.5:8786."
        )
    from inspector.fleet.dask import DaskWorkers

    return DaskWorkers(scheduler)


def _answer_batch(calls: Sequence[tuple[Any, ...]]) -> list[tuple[Any, InspectorError | None]]:
    """Answer a batch in a worker, and store its results at once, because a worker waits while another one writes."""
    with default_cache().together():
        return outcomes_of(_answer_in_worker, calls)


def _answer_in_worker(
    place: Any, flags: Mapping[str, Any], config: Path | None, ask: Callable[..., R], conversation: str,
    arguments: tuple[Any, ...],
) -> tuple[R, list[str]]:  # fmt: skip
    """Answer in a worker. Return the result and the notes, which name URLs instead of the worker's copies."""
    from inspector.fleet.places import open_place

    try:
        answers = Answers(open_place(place), flags, config)
        return ask(answers, conversation, *arguments), list(map(with_urls, answers.notes()))
    except InspectorError as error:
        error.args = (with_urls(str(error)),)
        raise
