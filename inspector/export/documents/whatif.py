"""Replays and sweeps."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from math import isnan

from inspector.answers.recommending import Recommendation, confidence
from inspector.answers.replaying import Replay
from inspector.answers.sweeping import all_equal
from inspector.core.conversations import ROLE_NAMES
from inspector.engines.registry import standing
from inspector.export.config import settings_written
from inspector.export.documents.document import Document, built, fields_of
from inspector.export.documents.settings import settings_document
from inspector.replay.event import Event
from inspector.replay.frontier import Point, points, sentence
from inspector.replay.reproducing import Reproduction
from inspector.replay.sweep import Cell, Sweep
from inspector.replay.whatif import Metrics, stuck

#: The model of the summary's size in words.
_MODELS = {
    True: "the sizes of the recorded summaries closest to them, then their median",
    False: "the budget of the rules: no summary was recorded",
}


def replay_document(answer: Replay) -> Document:
    """The answer of `replay`: recorded and what-if side by side, and every step of the recording."""
    resolved, recording, budgets = answer.resolved, answer.recording, answer.run.budgets
    steps = []
    asked = frozenset(recording.course.calls)
    hygiene = budgets.hygiene_tokens if recording.course.gateway else 0
    for step, (place, tokens) in enumerate(
        zip(recording.transcript.places, recording.tokens, strict=True), 1
    ):
        fires = None
        if step in asked and tokens >= min(budgets.threshold_tokens, hygiene or budgets.threshold_tokens):
            fires = "agent" if tokens >= budgets.threshold_tokens else "hygiene"
        steps.append(
            {
                "step": step,
                "tokens": tokens,
                "pressure": round(tokens / budgets.threshold_tokens, 4),
                "fires": fires,
                "role": ROLE_NAMES[place.role],
                **fields_of(place, "generation", "index", "message"),
            }
        )
    return {
        "conversation": answer.conversation,
        "reproduces": reproduction_document(answer.reproduces),
        "settings": settings_document(resolved),
        "threshold_tokens": budgets.threshold_tokens,
        "hygiene_tokens": budgets.hygiene_tokens or None,
        "context_length": resolved.settings.context_length,
        "recorded": _recorded(answer),
        "whatif": _whatif(answer),
        "steps": steps,
    }


def beside_documents(answer: Iterable[Replay]) -> list[Document]:
    """The answer of `beside`: each profile's settings, what it would have done, and how far it can be trusted."""
    return [
        {
            "profile": one.resolved.settings.profile,
            "standing": standing(one.resolved.settings.profile),
            "settings": settings_document(one.resolved),
            "threshold_tokens": one.run.budgets.threshold_tokens,
            "sizes": one.recording.course.scale.sentence(),
            "whatif": _whatif(one),
        }
        for one in answer
    ]


def reproduction_document(found: Reproduction) -> Document:
    """How well the settings in force reproduce the recording."""
    return {**built(found), "trusted": found.trusted, "text": found.words}


def _cost(answer: Replay, metrics: Metrics, events: Sequence[Event]) -> Document | None:
    """Cost of a run; None where unknown."""
    if metrics.cost is None:
        return None
    return {
        "currency": "USD",
        "amount": metrics.cost,
        "modelled": answer.costing.modelled,
        "otherwise": dict(answer.costing.variants(events)),
    }


def _recorded(answer: Replay) -> Document:
    """The recorded compactions, in steps of the logical transcript."""
    recording = answer.recording
    return {
        "messages": len(recording.transcript),
        "compactions": built(recording.events),
        "sizes": recording.course.scale.sentence(),
        **_figures(answer.recorded),
        "cost": _cost(answer, answer.recorded, recording.events),
    }


def _whatif(answer: Replay) -> Document:
    """The run under the settings."""
    run, recording = answer.run, answer.recording
    same = [(e.step, e.head_end, e.tail_start) for e in run.events] == [
        (e.step, e.head_end, e.tail_start) for e in recording.events
    ]
    return {
        "compactions": built(run.events),
        **_figures(run.metrics),
        **fields_of(run, "tokens", "gives_up"),
        "compacts_every_call": run.every_call,
        "stuck": stuck(run) or None,
        "as_recorded": same,
        "summary_size": _MODELS[bool(recording.model.recorded)],
        "cost": _cost(answer, run.metrics, run.events),
        "range": built(answer.range),
    }


def _figures(metrics: Metrics) -> Document:
    """The figures by name; figures of facts only if facts were counted."""
    return {
        name: value
        for name, value in built(metrics).items()
        if name not in ("compactions", "cost") and value is not None
    }


def sweep_document(found: Sweep) -> Document:
    """A sweep as a document; null where a cell was not run."""
    rows, columns = found.rows, found.columns
    document: Document = {
        "axes": [rows.name, columns.name],
        rows.name: list(rows.values),
        columns.name: list(columns.values),
        "conversations": found.conversations,
        "metrics": {
            name: [[None if isnan(cell) else cell for cell in line] for line in found.cells[name]]
            for name in found.cells
        },
        "best": {
            name: {
                **_settings(found, (b.row, b.column)),
                "value": b.value,
                "all_equal": all_equal(found, name),
                "alike": [_settings(found, cell) for cell in found.alike(name)],
            }
            for name in found.cells
            if found.conversations and (b := found.best(name))
        },
        "ranges": {
            name: [[None if isnan(low) else [low, high] for low, high in line] for line in lines]
            for name, lines in found.ranges.items()
        },
        "identical_to": [
            [None if cell is None else _settings(found, cell) for cell in line] for line in found.same
        ],
    }
    every = points(found)
    if every:
        document["points"] = [_point(found, one) for one in every]
        document["unbeaten"] = [
            _point(found, one) for one in sorted(every, key=lambda one: (one.facts, one.cost)) if one.unbeaten
        ]
        document["in_force"] = next((_point(found, one) for one in every if one.cell == found.force), None)
        document["sentence"] = sentence(found, every, found.force)
    if found.reproduces is not None:
        document["reproduces"] = reproduction_document(found.reproduces)
    document |= fields_of(found, "unpriced", "unused", "gives_up")
    document["compacts_every_call"] = built(found.every_call)
    if not found.complete:
        document["complete"] = False
    return document


def _settings(found: Sweep, cell: Cell) -> Document:
    """The two settings of a cell."""
    return {
        axis.name: axis.values[place] for axis, place in zip((found.rows, found.columns), cell, strict=True)
    }


def _point(found: Sweep, one: Point) -> Document:
    return {**_settings(found, one.cell), "facts_at_risk": one.facts, "cost": one.cost}


def sweep_csv(found: Sweep) -> str:
    """One line a cell: both settings, then every metric."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    marks = {"gives_up": found.gives_up, "compacts_every_call": found.every_call}
    writer.writerow([found.rows.name, found.columns.name, *found.cells, *marks, "identical_to"])
    for r, row in enumerate(found.rows.values):
        for c, column in enumerate(found.columns.values):
            writer.writerow(
                [
                    row,
                    column,
                    *(
                        "" if isnan(found.cells[name][r][c]) else found.cells[name][r][c]
                        for name in found.cells
                    ),
                    *(int(lines[r][c]) if found.conversations else "" for lines in marks.values()),
                    ""
                    if (same := found.same[r][c]) is None
                    else "/".join(map(str, _settings(found, same).values())),
                ]
            )
    return out.getvalue()


def recommendation_document(found: Recommendation) -> Document:
    """The answer of `recommend`."""
    written = settings_written(found.settings, found.force)
    names = ("threshold", "target_ratio") if found.changes else ()
    return {
        "agent": found.agent,
        "conversations": len(found.conversations),
        **fields_of(found, "goal", "changes"),
        "settings": {
            **fields_of(found.settings, "profile", "threshold", "target_ratio"),
            "changed": [
                name for name in names if getattr(found.settings, name) != getattr(found.force, name)
            ],
        },
        "why": list(found.why),
        "against": {
            "recorded": _known(found.recorded),
            "in_force": _known(found.in_force) | {"range": built(found.ranges[0])},
            "recommended": _known(found.recommended) | {"range": built(found.ranges[1])},
        },
        "reproduces": reproduction_document(found.reproduces),
        "confidence": confidence(found),
        "write": built(written) if found.changes else None,
    }


def _known(figures: dict[str, float]) -> Document:
    return {name: None if isnan(value) else value for name, value in figures.items()}
