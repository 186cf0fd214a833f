"""The document of `replay`."""

from __future__ import annotations

from dataclasses import asdict

from inspector.answers.answers import Answers
from inspector.answers.fact_reading import default_cache, facts_said
from inspector.answers.recordings import read_recording
from inspector.core.conversations import ROLE_NAMES
from inspector.export.documents import Document, settings_document
from inspector.quality.facts.risk import FactSteps
from inspector.replay.recording import Recording, recorded_metrics
from inspector.replay.transcript import calls
from inspector.replay.whatif import Metrics, WhatIf

#: What the summary's size was taken from, in words.
_MODELS = {
    True: "the sizes of the recorded summaries, then their median share of the budget",
    False: "the budget of the rules: no summary was recorded",
}


def replay_document(answers: Answers, name: str, facts: bool = False) -> Document:
    """Recorded and what-if side by side, and every step of the recording; with `facts` those at risk are counted."""
    inspection, resolved = answers.opened(name)
    settings = resolved.settings
    recording = read_recording(inspection, settings.profile)
    found = None
    if facts:
        cache = default_cache()
        found = FactSteps(facts_said(inspection, cache))
        if cache.problem:
            answers.note(cache.problem)
    run = recording.course.with_facts(found).run(settings, recording.model)
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
        "recorded": recorded_part(recording, recorded_metrics(recording, inspection.compactions(), found)),
        "whatif": whatif_part(run, recording),
        "steps": steps,
    }


def recorded_part(recording: Recording, metrics: Metrics) -> Document:
    """What was recorded, in steps of the logical transcript."""
    return {
        "messages": len(recording.transcript),
        "compactions": [event._asdict() for event in recording.events],
        **_figures(metrics),
    }


def whatif_part(run: WhatIf, recording: Recording) -> Document:
    """What the settings would have done."""
    same = [(e.step, e.head_end, e.tail_start) for e in run.events] == [
        (e.step, e.head_end, e.tail_start) for e in recording.events
    ]
    return {
        "compactions": [event._asdict() for event in run.events],
        **_figures(run.metrics),
        "tokens": list(run.tokens),
        "gave_up_at": run.gave_up_at,
        "as_recorded": same,
        "summary_size": _MODELS[any(size is not None for size in recording.model.recorded)],
    }


def _figures(metrics: Metrics) -> Document:
    """The figures by name; those of facts only where facts were counted."""
    return {
        name: value for name, value in asdict(metrics).items() if name != "compactions" and value is not None
    }
