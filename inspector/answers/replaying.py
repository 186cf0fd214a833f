"""A replayed conversation: the record and the run under other settings."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.costing import Costing, costing_of
from inspector.answers.fact_reading import facts_without_fates
from inspector.answers.inspection import Inspection
from inspector.answers.recordings import shared_recording
from inspector.answers.shown_settings import settings_of
from inspector.config.settings import ResolvedSettings
from inspector.engines.capabilities import SHOWN
from inspector.engines.registry import engine
from inspector.quality.facts.risk import FactSteps
from inspector.replay.recording import Recording, recorded_metrics
from inspector.replay.reproducing import Reproduction, reproduction
from inspector.replay.run import half_and_double, run_course
from inspector.replay.whatif import Metrics, Range, WhatIf, range_of


class Replay(Struct, frozen=True):
    """The answer of `replay`: the record with its figures, and the run under the settings with its range.

    `costing` is the basis of costs. `reproduces` is the fit of the settings in force to the record.
    """

    conversation: str
    resolved: ResolvedSettings
    recording: Recording
    recorded: Metrics
    run: WhatIf
    costing: Costing
    range: Range
    reproduces: Reproduction


def beside(answers: Answers, name: str, profiles: Sequence[str], facts: bool = False) -> tuple[Replay, ...]:
    """Run the conversation under the rules of other profiles, each with its settings in force.

    Problems are noted under the name of the profile. Raises as `replay` does, and UsageProblem for an unknown profile.
    """
    replays = []
    for profile in profiles:
        engine(profile)
        other = Answers(answers.store, {**answers.flags, "profile": profile}, answers.config)
        replays.append(replay(other, name, facts))
        for note in other.notes():
            answers.note(f"{profile}: {note}")
    return tuple(replays)


def replay(answers: Answers, name: str, facts: bool = False) -> Replay:
    """Return the recorded compactions next to a run; with `facts`, facts at risk are counted.

    Raises UnknownConversation, StoreErrors and EngineErrors.
    """
    inspection, resolved = answers.opened(name)
    recording = shared_recording(inspection, resolved.settings.profile)
    costing = costing_of(inspection, resolved, recording)
    if costing.note:
        answers.note(costing.note)
    recording = recording.with_costs(costing.basis)
    fact_steps = FactSteps(facts_without_fates(inspection)) if facts else None
    course = recording.course.with_facts(fact_steps)
    run = run_course(course, resolved.settings, recording.model)
    return Replay(
        inspection.conversation.id,
        resolved,
        recording,
        recorded_metrics(recording, inspection.compactions(), fact_steps),
        run,
        costing,
        range_of([run, *half_and_double(course, resolved.settings, recording.model)]),
        reproduced(inspection),
    )


def reproduced(inspection: Inspection) -> Reproduction:
    """Compare a run under the settings in force with the recorded compactions, once. Raises as `replay` does."""
    compared: Reproduction | None = inspection.reproduction
    if compared is None:
        resolved = settings_of(inspection, {})
        force = resolved.settings
        recording = shared_recording(inspection, force.profile)
        run = run_course(recording.course, force, recording.model, steps=False)
        models = len({session.model for session in inspection.conversation.sessions if session.model})
        compared = reproduction(recording.course, recording.events, run, models)
        inferred = (
            f"The {name} in force is {source}, so this agreement does not prove it."
            for setting, name in (("threshold", "threshold"), ("tail_tokens", "size of the tail"))
            if (source := resolved.sources.get(setting, "")).startswith(SHOWN)
        )
        compared = inspection.reproduction = replace(compared, inferred=tuple(inferred))
    return compared
