"""The what-if pane: knobs, the curve of the whole conversation, and the derived numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual import on

from inspector.app.conversation.intents import GoToStep, UseSettings
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.player import step_on_screen
from inspector.app.conversation.resources import COSTING, FACTS, RECORDED_FIGURES, RECORDING, RUNS
from inspector.app.conversation.state import Tuning
from inspector.engines.base import Budgets, Plan, Settings
from inspector.engines.capabilities import default_threshold
from inspector.engines.registry import engine, names, with_profile
from widgets.bars.gauge import GaugeState, parting
from widgets.base import human
from widgets.panes.knob_values import SUMMARY_SIZE
from widgets.panes.knobs import Knobs
from widgets.panes.token_graph import TokenGraph
from widgets.panes.what_if_pane import Preset, ReplayView, TuneState, WhatIfPane

# These modules are imported when the pane is on screen.
if TYPE_CHECKING:
    from inspector.answers.costing import Costing
    from inspector.app.conversation.reading import RecordedFigures, Runs
    from inspector.config.settings import ResolvedSettings
    from inspector.replay.recording import Recording


class WhatIf(WhatIfPane):
    """Turns the settings of the screen, and goes to steps of the curve."""

    tuning: Tuning = (Settings(), None)
    force = Settings()

    @on(WhatIfPane.PresetChosen)
    def _preset_chosen(self, event: WhatIfPane.PresetChosen) -> None:
        event.stop()
        self.post_message(UseSettings((event.preset.settings, self.tuning[1])))

    @on(WhatIfPane.ResetWanted)
    def _reset_wanted(self, event: Any) -> None:
        event.stop()
        self.post_message(UseSettings((self.force, self.tuning[1])))

    @on(WhatIfPane.SettingChanged)
    def _setting_changed(self, event: Any) -> None:
        event.stop()
        settings, size = self.tuning
        if event.name == SUMMARY_SIZE:
            size = event.value if isinstance(event.value, int | float) else None
        elif event.name == "profile":
            settings = with_profile(settings, str(event.value))
        else:
            settings = settings.with_(**{event.name: event.value})
        # A key may turn the knob again before the screen has answered.
        self.tuning = settings, size
        self.post_message(UseSettings(self.tuning))

    @on(WhatIfPane.StepChosen)
    def _step_chosen(self, event: Any) -> None:
        event.stop()
        self.post_message(GoToStep(event.step))


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
) -> tuple[TuneState, ReplayView | None, int]:
    """The knobs with what follows from them, the runs, and the step on screen."""
    from inspector.app.conversation.runs import replay_view
    from inspector.app.conversation.summary_size import summary_model

    run = None
    if recording is not None and runs is not None and figures is not None:
        model = summary_model(recording, tuning[1])
        run = replay_view(recording, runs, figures, model, costing)
    sentence = parting(gauge)
    reported = gauge.tokens if gauge.kind == "reported" else None
    outcome = (*_outcome(plan, tuning[0], reported), *((sentence,) if sentence else ()))
    force = resolved.settings
    state = TuneState(
        settings=tuning[0],
        defaults=force,
        budgets=budgets,
        profiles=names(),
        presets=presets(tuning[0], force),
        origins=dict(resolved.sources),
        outcome=outcome,
        summary_size=tuning[1],
    )
    return state, run, step


def presets(settings: Settings, force: Settings) -> tuple[Preset, ...]:
    """Settings under names: those in force, the profile's defaults, early and late compaction."""
    plain = Settings(profile=force.profile, context_length=force.context_length)
    share = default_threshold(engine(force.profile), force.context_length)
    plain = plain if share is None else replace(plain, threshold=share)
    early = settings.with_(threshold=0.4, target_ratio=0.3)
    late = settings.with_(threshold=0.8, target_ratio=0.15)
    return (
        Preset("in force", force, "What the flags, config.yaml, the store and the model tell"),
        Preset("defaults", plain, "The profile's defaults"),
        Preset("early", early, "Compact early, keep a long tail"),
        Preset("late", late, "Compact late, keep a short tail"),
    )


def _outcome(plan: Plan | None, settings: Settings, reported: int | None) -> tuple[str, ...]:
    """Return sentences about a compaction now. `reported` is the size of the list in tokens by the agent's report."""
    if plan is None:
        return ("Reading the list …",)
    size = plan.tokens_before if reported is None else reported
    left = human.count(plan.budgets.threshold_tokens - size)
    when = {
        "agent": "The list is over the threshold: the agent would compact before the next call.",
        "hygiene": "Gateway hygiene would compact before the next message.",
        None: f"{'~' if reported is None else ''}{left} tokens are left before a compaction.",
    }[engine(settings.profile).fires(size, settings)]
    if not plan.compacts:
        return when, f"A compaction now would change nothing: {plan.reason}."
    return (
        when,
        f"A compaction now: ~{human.count(plan.tokens_before)} → about {human.count(plan.tokens_after)} tokens, "
        f"{human.count(plan.length)} → {human.count(plan.length_after)} messages.",
    )


def _show(pane: WhatIf, view: tuple[TuneState, ReplayView | None, int] | None) -> None:
    if view is not None:
        tune, run, step = view
        pane.tuning, pane.force = (tune.settings, tune.summary_size), tune.defaults
        pane.set_settings(tune)
        pane.set_run(run)
        pane.set_step(step)


PANE = Pane(
    "The settings as knobs, the whole conversation step by step (tokens as recorded, and as they would have been under "
    "the settings), and every number that follows from them with its reasons (◆ a rule that changed it). ← → turn a "
    "knob, enter begins a value to type. R puts all back to what is in force, ctrl+z takes the last change back, "
    "= keeps the settings as A to compare with.",
    WhatIf,
    _needs,
    compute,
    _show,
    lambda state: (RECORDING, COSTING, RUNS, RECORDED_FIGURES, FACTS),
    parts=(("", Knobs), ("", TokenGraph)),
)
