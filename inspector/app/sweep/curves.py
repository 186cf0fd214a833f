"""The conversations whose curve a cell of a sweep can show, each read once it is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspector.answers.costing import costing_of
from inspector.answers.fact_reading import facts_said
from inspector.answers.inspection import Inspection
from inspector.answers.recordings import shared_recording
from inspector.answers.resolving import resolve
from inspector.app.throttle import give_way
from inspector.core.text import safe_title
from inspector.engines.base import Settings
from inspector.quality.facts.risk import FactSteps
from inspector.replay.recording import Recording
from inspector.replay.summary_model import SummaryModel
from inspector.stores.base import Store

#: Number of conversations that stay in memory after they were shown.
_KEPT = 8


@dataclass(frozen=True, slots=True)
class Curve:
    """A conversation that can be run: its id and title, its recording, its settings outside of a cell's two, and how
    large its summaries are taken to be."""

    name: str
    title: str
    recording: Recording
    settings: Settings
    model: SummaryModel


class Curves:
    """Reads conversations for their curves. `flags` are settings for every conversation, as in the sweep."""

    def __init__(
        self, store: Store, flags: Mapping[str, Any], config: Path | None, model: SummaryModel | None
    ) -> None:
        self._store = store
        self._flags = flags
        self._config = config
        self._model = model
        self._known: dict[str, Curve] = {}

    def of(self, name: str, facts: bool = False) -> Curve:
        """A conversation by its id; `facts`: read where they are counted. Raises StoreErrors, EngineErrors."""
        curve = self._known.pop(name, None)
        if curve is None:
            inspection = Inspection.open(self._store, name)
            row = inspection.conversation.row
            resolved = resolve(self._store, row, self._flags, self._config)
            settings = resolved.settings
            recording = shared_recording(inspection, settings.profile, lambda _: give_way())
            recording = recording.with_costs(
                costing_of(inspection, resolved, recording, otherwise=False).basis
            )
            model = self._model or recording.model
            curve = Curve(name, safe_title(row.title or row.id), recording, settings, model)
        if facts and curve.recording.course.facts is None:
            said = facts_said(Inspection.open(self._store, name), lambda *_: give_way())
            course = curve.recording.course.with_facts(FactSteps(said))
            curve = replace(curve, recording=replace(curve.recording, course=course))
        self._known[name] = curve
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        return curve
