"""The documents of `replay` and `sweep`."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from inspector.core.conversations import ROLE_NAMES
from inspector.inspection import Inspection
from inspector.replay.recording import Recording, record, recorded_metrics
from inspector.replay.sweep import METRICS, Axis, Sweep, cells, sweep
from inspector.replay.transcript import calls
from inspector.replay.whatif import Metrics, SummaryModel, WhatIf
from inspector.reports.answers import Answers
from inspector.reports.documents import Document, settings_document
from inspector.reports.resolving import resolve

#: What the summary's size was taken from, in words.
_MODELS = {
    True: "the sizes of the recorded summaries, then their median share of the budget",
    False: "the budget of the rules: no summary was recorded",
}


def replay_document(answers: Answers, name: str) -> Document:
    """Recorded and what-if side by side, and every step of the recording."""
    inspection, resolved = answers.opened(name)
    settings = resolved.settings
    recording = record(inspection, settings.profile)
    run = recording.course.run(settings, recording.model)
    budgets = run.budgets
    steps = []
    asked = frozenset(calls([place.role for place in recording.transcript.places]))
    for step, (place, tokens) in enumerate(
        zip(recording.transcript.places, recording.tokens, strict=True), 1
    ):
        fires = None
        if step in asked and tokens >= min(budgets.threshold_tokens, budgets.hygiene_tokens):
            fires = "agent" if tokens >= budgets.threshold_tokens else "hygiene"
        steps.append(
            {
                "step": step,
                "tokens": tokens,
                "pressure": round(tokens / budgets.threshold_tokens, 4),
                "fires": fires,
                "role": ROLE_NAMES[place.role],
                "generation": place.generation,
                "index": place.index,
                "message": place.message,
            }
        )
    return {
        "conversation": inspection.conversation.id,
        "settings": settings_document(settings, resolved.sources),
        "threshold_tokens": budgets.threshold_tokens,
        "hygiene_tokens": budgets.hygiene_tokens,
        "context_length": settings.context_length,
        "recorded": recorded_part(recording, recorded_metrics(recording, inspection.compactions())),
        "whatif": whatif_part(run, recording),
        "steps": steps,
    }


def recorded_part(recording: Recording, metrics: Metrics) -> Document:
    """What was recorded, in steps of the logical transcript."""
    return {
        "messages": len(recording.transcript),
        "compactions": [asdict(event) for event in recording.events],
        **{name: value for name, value in asdict(metrics).items() if name != "compactions"},
    }


def whatif_part(run: WhatIf, recording: Recording) -> Document:
    """What the settings would have done."""
    metrics = asdict(run.metrics)
    same = [(e.step, e.head_end, e.tail_start) for e in run.events] == [
        (e.step, e.head_end, e.tail_start) for e in recording.events
    ]
    return {
        "compactions": [asdict(event) for event in run.events],
        **{name: value for name, value in metrics.items() if name != "compactions"},
        "tokens": list(run.tokens),
        "gave_up_at": run.gave_up_at,
        "as_recorded": same,
        "summary_size": _MODELS[any(size is not None for size in recording.model.recorded)],
    }


def sweep_document(
    answers: Answers, chosen: Sequence[str], rows: Axis, columns: Axis, model_ratio: float | None = None
) -> tuple[Document, Sweep]:
    """The metrics over the grid, and the best cell of each."""
    if chosen:
        names = [answers.store.resolve(name) for name in chosen]
    else:
        names = [row.id for row in answers.store.conversations()]
    found = sweep(rows, columns, _grids(answers, names, rows, columns, model_ratio))
    document: Document = {
        "axes": [rows.name, columns.name],
        rows.name: list(rows.values),
        columns.name: list(columns.values),
        "conversations": found.conversations,
        "metrics": {name: [list(line) for line in found.cells[name]] for name in METRICS},
        "best": {
            name: {rows.name: rows.values[b.row], columns.name: columns.values[b.column], "value": b.value}
            for name in METRICS
            if (b := found.best(name))
        },
    }
    return document, found


def _grids(
    answers: Answers, names: Sequence[str], rows: Axis, columns: Axis, ratio: float | None
) -> Iterator[list[list[Metrics]]]:
    jobs = min(len(names), os.cpu_count() or 1)
    work = [_Job(answers, name, rows, columns, ratio) for name in names]
    if jobs < 2 or len(names) * len(rows.values) * len(columns.values) < 512:
        yield from (job.run(answers) for job in work)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_run, work, chunksize=max(1, len(work) // (jobs * 8)))


class _Job:
    """One conversation's grid: small enough to be sent to another process, which opens the store anew."""

    def __init__(self, answers: Answers, name: str, rows: Axis, columns: Axis, ratio: float | None) -> None:
        self.paths = answers.paths()
        self.flags = dict(answers.flags)
        self.config = answers.config
        self.name, self.rows, self.columns, self.ratio = name, rows, columns, ratio

    def run(self, answers: Answers) -> list[list[Metrics]]:
        """The metrics of every cell."""
        inspection = Inspection.open(answers.store, self.name)
        settings = resolve(answers.store, inspection.conversation.row, self.flags, self.config).settings
        recording = record(inspection, settings.profile)
        model = SummaryModel(self.ratio if self.ratio is not None else recording.model.ratio)
        grid = cells(recording.course, model, settings, self.rows, self.columns)
        return [[run.metrics for run in line] for line in grid]


_opened: dict[tuple[Path, ...], Answers] = {}


def _run(job: _Job) -> list[list[Metrics]]:
    if job.paths not in _opened:
        _opened[job.paths] = Answers.of(job.paths, job.flags, job.config)
    return job.run(_opened[job.paths])


def sweep_csv(found: Sweep) -> str:
    """One line a cell: both settings, then every metric."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([found.rows.name, found.columns.name, *METRICS])
    for r, row in enumerate(found.rows.values):
        for c, column in enumerate(found.columns.values):
            writer.writerow([row, column, *(found.cells[name][r][c] for name in METRICS)])
    return out.getvalue()
