"""Sweeps over conversations of a store, in several processes where that pays."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isnan
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from inspector.answers.answers import Answers
from inspector.answers.costing import costing_of
from inspector.answers.fact_reading import facts_said
from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import default_results
from inspector.answers.recordings import shared_recording
from inspector.answers.replaying import reproduced
from inspector.answers.resolving import resolve
from inspector.core.errors import EngineError, InspectorError
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.quality.facts.risk import FactSteps
from inspector.replay.axes import cell_of
from inspector.replay.reproducing import Reproduction
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import Axis, Grid, Sweep, cells, check_size, compactions_of, sweep

#: With fewer runs than this other processes take longer to start than they save.
_FEW = 2_000
#: The same where facts are read, in messages.
_FEW_MESSAGES = 5_000
#: How often a sweep in other processes looks up whether it is still wanted, in seconds.
_LOOK = 0.1


@dataclass(frozen=True, slots=True)
class Request:
    """What a sweep is to do: small enough to be sent to other processes, which open the databases anew.

    `flags` are settings for all conversations, others come from each one's store and model. `model` is how large
    summaries are taken to be, None for each conversation's own. With `facts` the facts of each conversation are read,
    for the metrics that count them.
    """

    paths: tuple[Path, ...]
    names: tuple[str, ...]
    rows: Axis
    columns: Axis
    flags: Mapping[str, Any] = field(default_factory=dict)
    config: Path | None = None
    model: SummaryModel | None = None
    facts: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sweep is, in conversations, and how many seconds are left (None: nobody knows yet)."""

    done: int
    total: int
    left: float | None

    @property
    def words(self) -> str:
        """In words."""
        if self.left is None:
            return f"{self.done:,} of {self.total:,}"
        seconds = round(self.left)
        left = f"{seconds} s" if seconds < 90 else f"{seconds / 60:.0f} min"
        return f"{self.done:,} of {self.total:,}, about {left} left"


def run_sweep(
    request: Request,
    answers: Answers,
    watch: Callable[[Progress], None] = lambda _: None,
    wanted: Callable[[], bool] = lambda: True,
    processes: int | None = None,
) -> Sweep:
    """Run every cell over every conversation. Once `wanted` says no, what is done is put together and returned.

    `processes` is how many work at once (all cores without; 1 for this one alone). Raises UsageProblem for a grid that
    is too large, EngineError for an engine that fails, StoreErrors.
    """
    check_size(request.rows, request.columns)
    began, total = time.monotonic(), len(request.names)

    def told(done: int) -> None:
        taken = time.monotonic() - began
        watch(Progress(done, total, taken / done * (total - done) if done else None))

    many = total * len(request.rows.values) * len(request.columns.values) >= _FEW or (
        request.facts and _messages(request, answers) >= _FEW_MESSAGES
    )
    jobs = min(total, processes or (os.cpu_count() or 1))
    together = jobs > 1 and (many or processes is not None)
    done: dict[int, Grid] = {}
    reproductions: list[Reproduction] = []
    try:
        watch(Progress(0, total, None))
        alone = _alone(request, answers, wanted, reproductions)
        for place, grid in _together(request, jobs, wanted) if together else alone:
            done[place] = grid
            told(len(done))
    except KeyboardInterrupt:
        # What is done is kept.
        pass
    whole = len(done) == total and all(
        cell is not None for grid in done.values() for line in grid for cell in line
    )
    # Always in the same order, so that the same sums come out however the work was shared.
    grids = [done[place] for place in sorted(done)]
    found = sweep(request.rows, request.columns, grids, whole, request.facts)
    rows = {row.id: row for row in answers.store.conversations()}
    names = dict.fromkeys([request.rows.name, request.columns.name, *request.flags])
    settings = [
        resolve(answers.store, rows[name], request.flags, request.config).settings for name in request.names
    ]
    return replace(
        found,
        each={request.names[place]: compactions_of(done[place]) for place in sorted(done)},
        unused=(*unused_in(settings, list(names)), *alike_in(settings, request.rows, request.columns)),
        reproduces=reproductions[0] if reproductions else None,
    )


def alike_in(settings: Sequence[Settings], rows: Axis, columns: Axis) -> tuple[str, ...]:
    """A sentence for the values of each axis in place of which a rule binds, so that their cells are the same. Raises
    EngineError."""
    sentences = []
    for axis in (rows, columns):
        groups: dict[tuple[int, str], list[float]] = {}
        for chosen in dict.fromkeys(settings):
            for value in axis.values:
                budgets = engine(chosen.profile).budgets(chosen.with_(**{axis.name: value}))
                why = budgets.binding(axis.name)
                if why:
                    groups.setdefault((budgets.threshold_tokens, why), []).append(value)
        for (_, why), values in groups.items():
            distinct = sorted(set(values))
            if len(distinct) > 1:
                shown = ", ".join(f"{value:g}" for value in distinct)
                sentences.append(f"{axis.name} {shown} are the same: {why}.")
    return tuple(sentences)


def unused_in(settings: Sequence[Settings], names: Sequence[str]) -> tuple[str, ...]:
    """A sentence for each of the named settings that profiles do not use; `settings` are those of each conversation.
    Raises EngineError."""
    budgets = {one: engine(one.profile).budgets(one) for one in set(settings)}
    told = []
    for name in names:
        without = [one for one in settings if budgets[one].unused(name)]
        if without:
            profiles = ", ".join(sorted({one.profile for one in without}))
            part = (
                ""
                if len(without) == len(settings)
                else f" ({len(without):,} of {len(settings):,} conversations)"
            )
            told.append(f"{name} is not used by {profiles}{part}: {budgets[without[0]].unused(name)}.")
    return tuple(told)


def _messages(request: Request, answers: Answers) -> int:
    names = frozenset(request.names)
    return sum(row.messages for row in answers.store.conversations() if row.id in names)


def _alone(
    request: Request, answers: Answers, wanted: Callable[[], bool], reproductions: list[Reproduction]
) -> Iterator[tuple[int, Grid]]:
    """Sweep here; a single conversation's reproduction is added to `reproductions`."""
    for place, name in enumerate(request.names):
        if not wanted():
            return
        inspection = Inspection.open(answers.store, name, alone=True, config=answers.config)
        yield place, _grid(request, inspection, wanted)
        if len(request.names) == 1:
            reproductions.append(reproduced(inspection))


def _together(request: Request, jobs: int, wanted: Callable[[], bool]) -> Iterator[tuple[int, Grid]]:
    # Threads run here (an app's, sqlite's): a fork of this process would inherit their locks.
    context = get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(request, stop))
    with _interrupt_at_end() as interrupted:
        try:
            with _uninterrupted():
                places = {pool.submit(_one, name): place for place, name in enumerate(request.names)}
            waiting = set(places)
            while waiting and wanted() and not interrupted.is_set():
                done, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in done:
                    yield places[future], future.result()
        except BrokenProcessPool as error:
            raise EngineError(f"A process of the sweep ended before its work was done: {error}") from error
        finally:
            # What is under way elsewhere ends with the run of its cell. A process that is only being begun still looks
            # for what it shares with this one, so that must not go first.
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupt_at_end() -> Iterator[threading.Event]:
    """What is set by an interrupt, which is raised as KeyboardInterrupt only at the end.

    Raised at once it could leave a lock of the pool's futures taken, and nobody would ever end. Threads other than the
    main one see no interrupts: there nothing is ever set.
    """
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted.is_set():
        raise KeyboardInterrupt


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """An interrupt waits until the processes that are begun in here have been: they never see any. The one that began
    them decides what it means."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_working: tuple[Request, Answers, Callable[[], bool]] | None = None


def _begin(request: Request, stop: Event) -> None:
    global _working
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = Answers.of(request.paths, request.flags, request.config)
    _working = (request, answers, lambda: not stop.is_set())


def _one(name: str) -> Grid:
    if _working is None:
        raise EngineError("A process of the sweep was given work before it was made ready.")
    request, answers, wanted = _working
    inspection = Inspection.open(answers.store, name, alone=True, config=answers.config)
    return _grid(request, inspection, wanted)


def _grid(request: Request, inspection: Inspection, wanted: Callable[[], bool] = lambda: True) -> Grid:
    resolved = inspection.resolved(request.flags)
    settings = resolved.settings
    recording = shared_recording(inspection, settings.profile)
    model = request.model or recording.model
    course = recording.course.with_costs(costing_of(inspection, resolved, recording, otherwise=False).basis)
    if request.facts:
        try:
            course = course.with_facts(_facts(inspection, wanted))
        except _Unwanted:
            return [[None] * len(request.columns.values) for _ in request.rows.values]
    return cells(course, model, settings, request.rows, request.columns, wanted)


class _Unwanted(InspectorError):
    """A sweep was cancelled while facts were read; nobody is told."""


def _facts(inspection: Inspection, wanted: Callable[[], bool]) -> FactSteps:
    def watch(what: str, done: int, total: int) -> None:
        if not wanted():
            raise _Unwanted("cancelled")

    return FactSteps(facts_said(inspection, default_results(), watch))


def sweep_store(
    answers: Answers, chosen: Sequence[str], rows: Axis, columns: Axis, ratio: float | None = None,
    watch: Callable[[Progress], None] = lambda _: None, facts: bool = False,
) -> Sweep:  # fmt: skip
    """The metrics over the grid, of the `chosen` conversations or of all; with `facts` those that count facts too.
    `ratio` is how much of its budget a summary takes, None: as recorded. Raises as run_sweep does."""
    if chosen:
        names = tuple(answers.store.resolve(name) for name in chosen)
    else:
        names = tuple(row.id for row in answers.store.conversations())
    model = None if ratio is None else SummaryModel(ratio)
    flags = dict(answers.flags)
    request = Request(answers.paths(), names, rows, columns, flags, answers.config, model, facts)
    found = run_sweep(request, answers, watch)
    if len(names) == 1:
        row = next(row for row in answers.store.conversations() if row.id == names[0])
        settings = resolve(answers.store, row, flags, answers.config).settings
        found = replace(found, force=cell_of(rows, columns, settings))
    for sentence in found.unused:
        answers.note(sentence)
    if found.doubted and found.reproduces is not None:
        answers.note(f"No cell is called the best: the settings in force reproduce {found.reproduces.words}.")
    if found.unpriced:
        answers.note(
            f"The costs of {found.unpriced:,} of the {found.conversations:,} conversations are not known."
        )
    return found


def all_equal(found: Sweep, metric: str) -> bool:
    """Whether several cells were run and all of them are the same by a metric: none is better than the others."""
    run = [cell for line in found.cells[metric] for cell in line if not isnan(cell)]
    return len(run) > 1 and len(set(run)) == 1
