"""One question about each of many conversations, in this process or in others. The results arrive as they are done."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from inspector.answers.answers import Answers
from inspector.answers.scheduling import Progress, Scheduling, is_local, processes_of
from inspector.core.conversations import ConversationRow
from inspector.core.errors import InspectorError, UsageProblem
from inspector.core.processes import in_worker
from inspector.core.text import safe_title

R = TypeVar("R")
#: Minimum number of messages for which the start of other processes pays.
FEW_MESSAGES = 5_000


class _Unwanted(Exception):
    """The results are not wanted any more."""


@dataclass(frozen=True, slots=True)
class Question(Generic[R]):
    """A question about one conversation.

    `ask(answers, conversation, *arguments)` is a function of a module: another process may call it. `arguments` returns
    the further arguments for a row. `known` returns the result of an earlier run, or None; `keep` keeps a result that
    came from another machine. `much` says whether rows are worth the start of other processes. `raises`: if no
    conversation can be read, the first error is raised.
    """

    ask: Callable[..., R]
    arguments: Callable[[ConversationRow], tuple[Any, ...]] = lambda row: ()
    known: Callable[[ConversationRow], R | None] = lambda row: None
    keep: Callable[[ConversationRow, R], None] = lambda row, result: None
    much: Callable[[Sequence[ConversationRow]], bool] = lambda rows: (
        sum(row.messages for row in rows) >= FEW_MESSAGES
    )
    raises: bool = True


def ask_each(
    answers: Answers, rows: Sequence[ConversationRow], question: Question[R]
) -> Iterator[tuple[ConversationRow, R]]:
    """Yield rows with their results, in the order in which these are done.

    A conversation that cannot be read is named in `answers.unread` and left out. If none can be read, the first error
    is raised. Raises StoreErrors of the whole store.
    """
    plan = answers.scheduling
    unknown = []
    for row in rows:
        result = question.known(row)
        if result is None:
            unknown.append(row)
        else:
            yield row, result
    began, before = time.monotonic(), len(rows) - len(unknown)
    plan.watch(Progress(before, len(rows), None))
    done = left_out = 0
    first: InspectorError | None = None
    try:
        for row, result, error in _asked(answers, unknown, question):
            done += 1
            taken = time.monotonic() - began
            if error is None:
                yield row, result
            else:
                first, left_out = first or error, left_out + 1
                answers.unread.append(f"{safe_title(row.title, 60) or row.id}: {error}")
            plan.watch(Progress(before + done, len(rows), taken / done * (len(unknown) - done)))
    except _Unwanted:
        return
    if question.raises and first is not None and left_out == len(rows):
        raise first


def _asked(
    answers: Answers, rows: Sequence[ConversationRow], question: Question[R]
) -> Iterator[tuple[ConversationRow, Any, InspectorError | None]]:
    plan = answers.scheduling

    def wait() -> None:
        if not plan.wanted():
            raise _Unwanted

    if not rows:
        return
    jobs = _jobs(plan, rows, question)
    if is_local(plan.scheduler) and jobs <= 1:
        for row in rows:
            wait()
            try:
                yield row, question.ask(answers, row.id, *question.arguments(row)), None
            except InspectorError as problem:
                yield row, None, problem
        return
    from inspector.fleet.places import places_of

    # The longest first: no process is left with a long one at the end.
    rows = sorted(rows, key=lambda row: row.messages, reverse=True)
    places = places_of(answers.store)
    flags = dict(answers.flags)
    config = None if answers.config is None else answers.config.absolute()
    calls = [(places[row.id], flags, config, question.ask, row.id, question.arguments(row)) for row in rows]
    for number, value, error in _workers(plan.scheduler, jobs).map(_ask_there, calls, wait):
        if error is not None:
            yield rows[number], None, error
            continue
        result, notes = value
        for note in notes:
            answers.note(note)
        if not is_local(plan.scheduler):
            question.keep(rows[number], result)
        yield rows[number], result, None


def _jobs(plan: Scheduling, rows: Sequence[ConversationRow], question: Question[Any]) -> int:
    processes = plan.processes or processes_of(plan.scheduler)
    if processes is None and (in_worker() or len(rows) < 2 or not question.much(rows)):
        return 1
    return min(len(rows), processes or os.cpu_count() or 1)


def _workers(scheduler: str, jobs: int) -> Any:
    if is_local(scheduler):
        from inspector.fleet.workers import LocalWorkers

        return LocalWorkers(jobs)
    if "://" not in scheduler:
        raise UsageProblem(
            f"{scheduler!r} is no scheduler. Give local, local:N, or an address such as tcp://10.0.0.5:8786."
        )
    from inspector.fleet.dask import DaskWorkers

    return DaskWorkers(scheduler)


def _ask_there(
    place: Any, flags: Mapping[str, Any], config: Path | None, ask: Callable[..., R], conversation: str,
    arguments: tuple[Any, ...],
) -> tuple[R, list[str]]:  # fmt: skip
    """Answer in a worker: the result, and the sentences that came up."""
    from inspector.fleet.places import open_place

    answers = Answers(open_place(place), flags, config)
    return ask(answers, conversation, *arguments), answers.notes()
