"""Runs of a whole conversation as the what-if pane shows them: pure functions over values."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.costing import Costing
from inspector.app.conversation.reading import Otherwise, RecordedFigures, Runs
from inspector.engines.base import Settings
from inspector.engines.settings import SETTINGS
from inspector.export.comparison import summary_words
from inspector.replay.event import Event
from inspector.replay.recording import Recording
from inspector.replay.reproducing import Reproduction
from inspector.replay.summary_model import SummaryModel
from inspector.replay.whatif import Metrics, stuck
from widgets.panes.run_lines import ReplayView, RunView
from widgets.panes.token_graph import GraphState


def replay_view(
    recording: Recording, ran: Runs, recorded: RecordedFigures, model: SummaryModel, costing: Costing | None
) -> ReplayView:
    """Return the recording, the run, and the kept run if there is one. `costing` is None until costs are read."""
    run, kept = ran.run, ran.kept
    notes = _reproduction_notes(recorded.reproduces)
    if places_of(run.events) == places_of(recording.events):
        alike = "These settings compact where the recording did."
        notes.append(alike if run.events else "Neither the recording nor these settings compact anything.")
    if stuck(run):
        notes.append(stuck(run))
    if kept is not None:
        notes += [f"A  {stuck(kept)}"] if stuck(kept) else []
        notes += [f"A  {words_of(kept.settings)}", f"B  {words_of(run.settings)}"]
    if run.budgets.max_summary_tokens:
        notes.append(f"Summaries are taken to be {summary_words(model)}; mended tool pairs are not counted.")
    else:
        notes.append("This engine writes no summaries; mended tool pairs are not counted.")
    notes.append(recording.course.scale.sentence())
    if costing is not None and costing.why:
        notes.append(costing.why)
    elif costing is not None and costing.modelled:
        notes.append("Costs are modelled from the messages: the store keeps no usage of single calls.")
    runs = [_run_view("recorded", recorded.metrics, recorded.otherwise)]
    if kept is not None:
        runs.append(_run_view("A", kept.metrics, ran.kept_otherwise))
    runs.append(_run_view("what-if" if kept is None else "B", run.metrics, ran.otherwise))
    return ReplayView(
        GraphState(
            recorded=recording.tokens,
            whatif=run.tokens,
            threshold=run.budgets.threshold_tokens,
            hygiene=run.budgets.hygiene_tokens if recording.course.gateway else 0,
            context=run.settings.context_length,
            recorded_events=tuple(event.step for event in recording.events),
            whatif_events=tuple(event.step for event in run.events),
            kept=kept.tokens if kept is not None else (),
            low=tuple(map(min, *(side.tokens for side in ran.sides))) if ran.sides else (),
            high=tuple(map(max, *(side.tokens for side in ran.sides))) if ran.sides else (),
        ),
        tuple(runs),
        tuple(notes),
        costing is not None,
    )


def _reproduction_notes(found: Reproduction | None) -> list[str]:
    """How well the settings in force reproduce the recording, and why not."""
    if found is None:
        return []
    if not found.recorded:
        return [f"{found.words[0].upper()}{found.words[1:]}.", *found.why_not]
    doubt = "" if found.trusted else " What other settings would do is uncertain here."
    return [f"The settings in force reproduce {found.words}.{doubt}", *found.why_not]


def places_of(events: Sequence[Event]) -> list[tuple[int, int, int]]:
    """Step and boundaries of each compaction."""
    return [(event.step, event.head_end, event.tail_start) for event in events]


def words_of(settings: Settings) -> str:
    """The profile, the usual settings, and those that differ from their defaults, in one line."""
    written = [
        f"{name} {value:,.12g}" if isinstance(value, int | float) else f"{name} {value}"
        for name, row in SETTINGS.items()
        if name != "profile"
        and ((value := getattr(settings, name)) != row.default or row.written == "always")
    ]
    return ", ".join([settings.profile, *written])


def _run_view(name: str, metrics: Metrics, otherwise: Otherwise) -> RunView:
    return RunView(
        name=name,
        compactions=metrics.compactions,
        peak=metrics.peak_tokens,
        mean=metrics.mean_tokens,
        input=metrics.input_tokens,
        summarized=metrics.summarized_share,
        resummarized=metrics.resummarized_share,
        user_steps=metrics.user_steps,
        facts=metrics.facts,
        facts_at_risk=metrics.facts_at_risk,
        constraints_at_risk=metrics.constraints_at_risk,
        cost=metrics.cost,
        otherwise=otherwise,
    )
