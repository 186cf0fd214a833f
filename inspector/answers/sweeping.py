"""Sweeps over conversations of a store, in several processes if that is faster."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.costing import costing_of
from inspector.answers.each import FEW_MESSAGES, StoreQuestion, ask_each
from inspector.answers.fact_reading import facts_without_fates
from inspector.answers.inspection import Inspection
from inspector.answers.recordings import shared_recording
from inspector.answers.replaying import reproduced
from inspector.answers.resolving import resolve
from inspector.answers.shown_settings import settings_of
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import ConversationRow
from inspector.core.errors import InspectorError
from inspector.engines.base import Settings
from inspector.engines.capabilities import SHOWN
from inspector.engines.registry import budgets_of, engine, with_changes
from inspector.engines.settings import SETTINGS
from inspector.quality.facts.risk import FactSteps
from inspector.replay.reproducing import Reproduction, total_reproduction
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import Axis, Grid, Sweep, cells, check_size, sweep

#: Minimum number of runs for which other processes are faster.
_FEW = 2_000


def exact_words(name: str, value: float) -> str:
    """Return a value of a setting with all its digits."""
    return SETTINGS[name].words(value)


class SweepRequest(Struct, frozen=True):
    """Task of a sweep: small enough to send to worker processes, which open the databases themselves.

    `model` is the assumed size of summaries, None for the size recorded in each conversation; what agents send with a
    summary is as recorded in any case. With `facts` the facts of each conversation are read, for the metrics that count
    them.
    """

    names: tuple[str, ...]
    rows: Axis
    columns: Axis
    model: SummaryModel | None = None
    facts: bool = False


def run_sweep(
    request: SweepRequest, answers: Answers, words: Callable[[str, float], str] = exact_words
) -> Sweep:
    """Run every cell over every conversation. If the scheduling ends the work, the finished runs are returned.

    `words` writes a value of a setting in the sentences of the result. Raises UsageProblem for a grid that is too
    large, EngineError for an engine that fails, StoreErrors.
    """
    check_size(request.rows, request.columns)
    total = len(request.names)
    rows = {row.id: row for row in answers.store.conversations()}
    places = {name: place for place, name in enumerate(request.names)}
    grid = replace(request, names=())

    def much(chosen: Sequence[ConversationRow]) -> bool:
        runs = len(chosen) * len(request.rows.values) * len(request.columns.values)
        messages = sum(row.messages for row in chosen) if request.facts else 0
        return runs >= _FEW or messages >= FEW_MESSAGES

    question = StoreQuestion(grid_of, lambda row: (grid,), much=much)
    done: dict[int, Grid] = {}
    shares: dict[str, None] = {}
    reproductions: dict[int, Reproduction] = {}
    try:
        for row, result in ask_each(answers, [rows[name] for name in request.names], question):
            done[places[row.id]], agreement, share = result
            shares[share] = None
            if agreement is not None:
                reproductions[places[row.id]] = agreement
    except KeyboardInterrupt:
        # Keep the finished cells.
        pass
    complete = len(done) == total and all(
        cell is not None for grid in done.values() for line in grid for cell in line
    )
    # Add in a fixed order, so that the sums do not depend on the processes.
    grids = [done[place] for place in sorted(done)]
    swept = sweep(request.rows, request.columns, grids, complete, request.facts)
    names = dict.fromkeys([request.rows.name, request.columns.name, *answers.flags])
    settings = [
        resolve(answers.store, rows[name], answers.flags, answers.config).settings for name in request.names
    ]
    notes = (
        *answers.unread,
        *unused_in(settings, list(names)),
        *identical_in(settings, request.rows, request.columns, words),
        *(sentence for sentence in shares if sentence),
    )
    reproduces = total_reproduction(reproductions[place] for place in sorted(reproductions))
    return replace(swept, unused=notes, reproduces=reproduces if reproductions else None)


def identical_in(
    settings: Sequence[Settings], rows: Axis, columns: Axis, words: Callable[[str, float], str] = exact_words
) -> tuple[str, ...]:
    """Return a sentence for each axis whose values have identical cells, because a rule of the profile overrides them.
    `settings` has one item for each conversation, `words` writes a value of a setting. Raises EngineError."""
    sentences = []
    for axis in (rows, columns):
        conversations: Counter[tuple[tuple[float, ...], str]] = Counter()
        for chosen, count in Counter(settings).items():
            groups: dict[tuple[int, str], set[float]] = defaultdict(set)
            for value in axis.values:
                budgets = engine(chosen.profile).budgets(with_changes(chosen, **{axis.name: value}))
                if why := budgets.binding(axis.name):
                    groups[getattr(budgets, SETTINGS[axis.name].number), why].add(value)
            for (_, why), values in groups.items():
                conversations[tuple(sorted(values)), why] += count
        for (alike, why), count in conversations.items():
            if len(alike) > 1:
                shown = [words(axis.name, value) for value in alike]
                between = sum(alike[0] <= value <= alike[-1] for value in axis.values)
                listed = f"{shown[0]} to {shown[-1]}" if between == len(shown) > 3 else ", ".join(shown)
                part = "" if count == len(settings) else f" for {count:,} of {len(settings):,} conversations"
                sentences.append(f"{axis.name} {listed} are identical{part}: {why}.")
    return tuple(sentences)


def unused_in(settings: Sequence[Settings], names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each named setting that profiles do not use.

    `settings` has one item for each conversation. Raises EngineError.
    """
    budgets = {setting: engine(setting.profile).budgets(setting) for setting in set(settings)}
    notes = []
    for name in names:
        without = [setting for setting in settings if budgets[setting].why_unused(name)]
        if without:
            profiles = ", ".join(sorted({setting.profile for setting in without}))
            part = (
                ""
                if len(without) == len(settings)
                else f" ({len(without):,} of {len(settings):,} conversations)"
            )
            notes.append(f"{name} is not used by {profiles}{part}: {budgets[without[0]].why_unused(name)}.")
    return tuple(notes)


def grid_of(
    answers: Answers, conversation: str, request: SweepRequest
) -> tuple[Grid, Reproduction | None, str]:
    """Return the cells of one conversation, how well the settings in force reproduce it (None after a cancel), and a
    sentence about the threshold of the swept windows, or ""."""
    wanted = answers.scheduling.wanted
    inspection = Inspection.open(answers.store, conversation, config=answers.config)
    resolved = settings_of(inspection, answers.flags)
    by_window = settings_by_window(inspection, resolved, answers.flags, request.rows, request.columns)
    grid = _grid(request, inspection, resolved, by_window, wanted)
    reproduces = reproduced(inspection) if wanted() else None
    return grid, reproduces, _shown_for_windows(resolved) if by_window else ""


def settings_by_window(
    inspection: Inspection, resolved: ResolvedSettings, flags: Mapping[str, Any], rows: Axis, columns: Axis
) -> dict[float, Settings]:
    """Return the settings for each value of context_length in a sweep, if only the recorded compactions show the
    threshold. They show it in tokens, so its share depends on the window. Raises as `settings_of`."""
    axis = next((axis for axis in (rows, columns) if axis.name == "context_length"), None)
    is_shown = resolved.sources["threshold"].startswith(SHOWN)
    if axis is None or not is_shown or "threshold" in (rows.name, columns.name):
        return {}
    return {
        window: settings_of(inspection, {**flags, "context_length": round(window)}).settings
        for window in axis.values
    }


def _shown_for_windows(resolved: ResolvedSettings) -> str:
    """Return a sentence about a threshold that only the recorded compactions show, for a sweep of windows."""
    tokens = budgets_of(resolved.settings).threshold_tokens
    return (
        f"The threshold is {tokens:,} tokens for each larger context_length, and the usual one for smaller ones: "
        f"{resolved.sources['threshold']}."
    )


def _grid(
    request: SweepRequest,
    inspection: Inspection,
    resolved: ResolvedSettings,
    by_window: Mapping[float, Settings],
    wanted: Callable[[], bool],
) -> Grid:
    settings = resolved.settings
    recording = shared_recording(inspection, settings.profile)
    model = recording.model
    if request.model is not None:
        model = replace(request.model, extras=model.extras)
    course = recording.course.with_costs(
        costing_of(inspection, resolved, recording, with_alternatives=False).basis
    )
    if request.facts:
        try:
            course = course.with_facts(_facts(inspection, wanted))
        except _Unwanted:
            return [[None] * len(request.columns.values) for _ in request.rows.values]
    return cells(course, model, settings, request.rows, request.columns, wanted, by_window)


class _Unwanted(InspectorError):
    """A sweep was cancelled while facts were read; this is not reported."""


def _facts(inspection: Inspection, wanted: Callable[[], bool]) -> FactSteps:
    def watch(step: str, done: int, total: int) -> None:
        if not wanted():
            raise _Unwanted("cancelled")

    return FactSteps(facts_without_fates(inspection, watch))


def sweep_store(
    answers: Answers, chosen: Sequence[str], rows: Axis, columns: Axis, ratio: float | None = None,
    facts: bool = False,
) -> Sweep:  # fmt: skip
    """Return the metrics over the grid, of the `chosen` conversations or of all; with `facts` also those of facts.

    `ratio` is the size of summaries as a share of their budget; None: as recorded. Raises as run_sweep does.
    """
    if chosen:
        names = tuple(dict.fromkeys(map(answers.store.resolve, chosen)))
    else:
        names = tuple(row.id for row in answers.store.conversations())
    model = None if ratio is None else SummaryModel(ratio)
    request = SweepRequest(names, rows, columns, model, facts)
    result = run_sweep(request, answers)
    for sentence in result.unused:
        answers.note(sentence)
    if result.doubted and result.reproduces is not None:
        agreement = result.reproduces.agreement
        answers.note(f"No cell is called the best: the settings in force reproduce {agreement}.")
    if result.unpriced:
        answers.note(result.cost_note)
    return result


def all_equal(result: Sweep, metric: str) -> bool:
    """Return whether several cells were run and a metric is equal in all: no cell is better than another."""
    run = [cell for line in result.cells[metric] for cell in line if not isnan(cell)]
    return len(run) > 1 and len(set(run)) == 1
