"""The what-if pane: knobs, the curve of the whole conversation, and the derived numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from inspector.app.conversation.keys import key_of
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.player import step_on_screen
from inspector.app.conversation.resources import COSTING, FACTS, RECORDED_FIGURES, RECORDING, RUNS
from inspector.app.conversation.state import Tuning
from inspector.engines.base import Budgets, Plan, Settings
from inspector.engines.registry import engine, names
from inspector.engines.settings import SETTINGS
from widgets.bars.gauge import GaugeState, parting
from widgets.base import human
from widgets.panes.knob_values import TuneState
from widgets.panes.knobs import Knobs
from widgets.panes.run_lines import NamedRun, ReplayView
from widgets.panes.token_graph import GraphState, TokenGraph
from widgets.panes.what_if_pane import WhatIfPane

# These modules are imported when the pane is on screen.
if TYPE_CHECKING:
    from inspector.answers.costing import Costing
    from inspector.app.conversation.reading import RecordedFigures, Runs
    from inspector.config.settings import ResolvedSettings
    from inspector.replay.recording import Recording
    from inspector.replay.reproducing import Reproduction
    from inspector.replay.summary_model import SummaryModel


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded, derived = context.state, context.loaded, context.derived
    rows = context.messages.rows
    step = step_on_screen(state, loaded, rows.index(state.row)) if rows is not None else 0
    return (
        state.tuning,
        context.opened.resolved,
        derived.budgets,
        derived.plan,
        derived.gauge,
        loaded.current(RECORDING, state),
        # The previous run stays on screen until the next run is done, some ms after a turn of a knob.
        loaded.latest(RUNS),
        loaded.latest(RECORDED_FIGURES),
        loaded.latest(COSTING),
        step,
        loaded.failure((RECORDING, RECORDED_FIGURES, RUNS), state),
    )


def compute(
    tuning: Tuning,
    resolved: ResolvedSettings,
    budgets: Budgets,
    plan: Plan | None,
    gauge: GaugeState,
    recording: Recording | None,
    runs: Runs | None,
    figures: RecordedFigures | None,
    costing: Costing | None,
    step: int,
    failure: str = "",
) -> tuple[TuneState, ReplayView | None, int, str]:
    """The knobs with what follows from them, the runs, the step on screen, and why the runs cannot be read."""
    from inspector.app.conversation.reading import summary_model

    run = None
    # The previous run may stay for a turn of a knob, but not under the name of another profile.
    has_run = not failure and runs is not None and runs.run.settings.profile == tuning[0].profile
    if recording is not None and runs is not None and has_run and figures is not None:
        model = summary_model(recording, tuning[1])
        run = _replay_view(recording, runs, figures, model, costing)
    sentence = parting(gauge)
    reported = gauge.tokens if gauge.kind in ("reported", "grown", "fitted") else None
    exact = gauge.kind == "reported"
    gateway = recording is not None and recording.course.gateway
    outcome = (*_outcome(plan, tuning[0], reported, exact, gateway), *((sentence,) if sentence else ()))
    state = TuneState(
        settings=tuning[0],
        defaults=resolved.settings,
        budgets=budgets,
        profiles=names(),
        origins=dict(resolved.sources),
        outcome=outcome,
        summary_size=tuning[1],
        taken_over=_taken_over(tuning[0], resolved.settings),
    )
    return state, run, step, failure


def _taken_over(settings: Settings, force: Settings) -> tuple[str, ...]:
    """Return changed settings as lines for the user to put into the agent's configuration, after a sentence."""
    from inspector.export.config import settings_written

    if settings == force:
        return ()
    file, text = settings_written(settings, force)
    keys = f"{key_of('copy.settings')} copies these lines, {key_of('copy.write')} writes them to a new file"
    return (f"for {file} ({keys}):", *text.splitlines()) if file else (text.strip(),)


def _replay_view(
    recording: Recording, ran: Runs, recorded: RecordedFigures, model: SummaryModel, costing: Costing | None
) -> ReplayView:
    """Return the recording, the run, and the kept run if there is one. `costing` is None until costs are read."""
    from inspector.export.comparison import summary_words
    from inspector.replay.event import places_of
    from inspector.replay.reproducing import left_out
    from inspector.replay.whatif import stuck

    run, kept = ran.run, ran.kept
    notes = _reproduction_notes(recorded.reproduces)
    if places_of(run.events) == places_of(recording.events):
        alike = "These settings compact at the recorded steps."
        notes.append(
            alike if run.events else "Nothing is compacted, in the recording or under these settings."
        )
    if stuck(run):
        notes.append(stuck(run))
    if kept is not None:
        notes += [f"A  {stuck(kept)}"] if stuck(kept) else []
        notes += [f"A  {_words_of(kept.settings)}", f"B  {_words_of(run.settings)}"]
    if run.budgets.max_summary_tokens:
        notes.append(
            f"Summaries of the what-if have {summary_words(model)}. Repaired tool pairs do not count."
        )
    else:
        notes.append("This engine writes no summaries. Repaired tool pairs do not count.")
    notes.append(recording.course.scale.sentence())
    if costing is not None and costing.note:
        notes.append(costing.note)
    runs = [NamedRun("recorded", recorded.metrics, recorded.alternative_costs)]
    if kept is not None:
        runs.append(NamedRun("A", kept.metrics, ran.kept_alternative_costs))
    runs.append(NamedRun("what-if" if kept is None else "B", run.metrics, ran.alternative_costs))
    graph = GraphState.of(
        recording,
        run,
        kept=kept.tokens if kept is not None else (),
        low=tuple(map(min, *(side.tokens for side in ran.half_and_double))) if ran.half_and_double else (),
        high=tuple(map(max, *(side.tokens for side in ran.half_and_double))) if ran.half_and_double else (),
    )
    return ReplayView(
        graph if recording.course.gateway else replace(graph, hygiene=0),
        tuple(runs),
        tuple(notes),
        costing is not None,
        left_out(recording.events),
    )


def _reproduction_notes(fit: Reproduction | None) -> list[str]:
    """Return sentences about the fit of the settings in force to the record."""
    if fit is None:
        return []
    if not fit.recorded:
        return [f"{fit.agreement[0].upper()}{fit.agreement[1:]}.", *fit.inferred, *fit.changed, *fit.why_not]
    doubt = "" if fit.trusted else " What other settings would do is uncertain here."
    return [
        f"The settings in force reproduce {fit.agreement}.{doubt}",
        *fit.inferred,
        *fit.changed,
        *fit.why_not,
    ]


def _words_of(settings: Settings) -> str:
    """Return a line with the profile, and its usual and its changed settings."""
    budgets = engine(settings.profile).budgets(settings)
    written = [
        f"{name} {value:,.12g}" if isinstance(value, int | float) else f"{name} {value}"
        for name, row in SETTINGS.items()
        if name != "profile"
        and not budgets.why_unused(name)
        and ((value := getattr(settings, name)) != row.default or row.written == "always")
    ]
    return ", ".join([settings.profile, *written])


def _outcome(
    plan: Plan | None, settings: Settings, reported: int | None, exact: bool, gateway: bool
) -> tuple[str, ...]:
    """Return sentences about a compaction now. `reported` is the size of the list in tokens by the agent's report;
    `exact`: no part of it is rough. `gateway`: a gateway checks the list between turns."""
    if plan is None:
        return ("Reading the list …",)
    size = plan.tokens_before if reported is None else reported
    fires = engine(settings.profile).fires(size, settings)
    left = f"{'' if exact else '~'}{plan.budgets.threshold_tokens - size:,}"
    # The gauge may show an exact count of the same list, so this sentence names the count that it uses.
    when = f"{left} {'rough tokens' if reported is None else 'tokens'} are left before a compaction."
    if fires == "agent":
        when = "The list is over the threshold: the agent would compact before the next call."
    elif fires == "hygiene" and gateway:
        when = "Gateway hygiene would compact before the next message."
    if not plan.compacts:
        return when, f"A compaction now would change nothing: {plan.reason}."
    return (
        when,
        # A plan counts messages roughly; a reported size also has the system prompt and the tools.
        f"A compaction now: ~{plan.tokens_before:,} → ~{plan.tokens_after:,} rough tokens, "
        f"{plan.length:,} → {human.plural(plan.length_after, 'message')}.",
    )


def _show(pane: WhatIfPane, view: tuple[TuneState, ReplayView | None, int, str] | None) -> None:
    if view is not None:
        tune, run, step, failure = view
        pane.set_settings(tune)
        pane.set_run(run)
        pane.set_failure(failure)
        pane.set_step(step)


PANE = Pane(
    "The settings as knobs, a graph of the tokens, recorded and under these settings, and every derived number with "
    "its reasons. “rule” marks a rule that changed the number. The peak is the largest request. The curve can be "
    "higher: if the agent compacts a list first, it does not send this list. ← → turn a knob, enter lets you type a "
    "value. R resets all knobs to the settings in force, ctrl+z undoes the last change, = keeps the settings as A to "
    "compare with.",
    WhatIfPane,
    _needs,
    compute,
    lambda state: (RECORDING, COSTING, RUNS, RECORDED_FIGURES, FACTS),
    show=_show,
    parts=(("", Knobs), ("", TokenGraph)),
)
