"""The replay pane: the whole conversation under the settings on screen, and its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.answers.inspection import Inspection
from inspector.answers.recordings import read_recording
from inspector.app.courtesy import give_way
from inspector.app.panes import Panes
from inspector.app.screens.recalling import Recalled
from inspector.app.screens.tuning import TuningActions
from inspector.app.work import Failed
from inspector.core.errors import InspectorError
from inspector.engines.base import Settings
from inspector.export.comparison import summary_words
from inspector.replay.recording import Recording, recorded_metrics
from inspector.replay.whatif import Event, Metrics, SummaryModel, WhatIf
from widgets.lists.message_list import MessageList
from widgets.panes.replay_pane import ReplayPane, ReplayView, RunView
from widgets.panes.token_graph import GraphState, TokenGraph

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.quality.facts.risk import FactSteps

#: So long after a knob was turned the conversation is run, in seconds: behind the frame that shows the plan, which it
#: would hold up, and once for a key that is held.
_RUN_AFTER = 0.012
#: The recording, whether facts are counted, the settings with their summaries' size, and those kept as A.
RunKey = tuple[int, bool, Settings, float | None, tuple[Settings, float | None] | None]


class Ran(TextualMessage):
    """The conversation was run under settings."""

    def __init__(
        self, key: RunKey, recording: Recording, run: WhatIf, kept: WhatIf | None, view: ReplayView
    ) -> None:
        super().__init__()
        self.key = key
        self.recording = recording
        self.run = run
        self.kept = kept
        self.view = view


class ReplayActions(TuningActions):
    """Runs in a thread; what comes late for other settings is dropped."""

    #: The steps of messages by generation and place in it, and the recording whose they are.
    _steps: tuple[Recording, dict[tuple[int, int], int]] | None = None
    #: What the pane shows.
    _ran_for: RunKey | None = None
    _view: ReplayView | None = None
    _run_soon: Timer | None = None
    _recorded: tuple[Recording, FactSteps | None, Metrics] | None = None
    _other_read: tuple[Inspection, str, Recording] | None = None

    def fill_replay(self) -> None:
        """Run the conversation under the settings on screen."""
        if self.inspection is None or self.compactions is None:
            return
        self.find_facts()
        self.with_recording(self._run)

    @on(Recalled)
    def _facts_to_count(self) -> None:
        # The facts are kept by another part of the screen, when this message has gone round.
        self.call_later(self.fill, "replay", "tune")

    def fill_tune(self) -> None:
        """The knobs, and what the whole conversation would have been."""
        super().fill_tune()
        self.run_beside()

    def run_beside(self) -> None:
        """Run the conversation for the figures beside the knobs, where they are on screen."""
        if self.query_one(Panes).current == "tune":
            if self._run_soon is not None:
                self._run_soon.stop()
            self._run_soon = self.set_timer(_RUN_AFTER, self._run_beside)

    def _run_beside(self) -> None:
        self._run_soon = None
        self.with_recording(self._run)

    def _run(self) -> None:
        recording, inspection = self.recording(), self.inspection
        if recording is None or inspection is None:
            return
        facts = self.fact_steps()
        key: RunKey = (id(recording), facts is not None, self.settings, self.summary_size, self.kept)
        if self._ran_for == key:
            for pane in self.query(ReplayPane):
                if pane.view is not self._view:
                    pane.set_view(self._view)
            self.show_step()
        else:
            self.run_conversation(inspection, recording, key, facts)

    @work(thread=True, group="replay", exclusive=True, exit_on_error=False, description="replay")
    def run_conversation(
        self, inspection: Inspection, recording: Recording, key: RunKey, facts: FactSteps | None
    ) -> None:
        """Run the conversation under the settings, and under those that were kept; count facts where they are known."""
        worker = get_current_worker()
        _, _, settings, size, kept = key
        course = recording.course.with_facts(facts)
        try:
            run = course.run(settings, self.model(recording, size))
            other = None
            if kept is not None and kept[0].profile == settings.profile:
                other = course.run(kept[0], self.model(recording, kept[1]))
            elif kept is not None:
                # Other rules need their own reading, which is kept too.
                known = self._other_read
                if known is None or known[:2] != (inspection, kept[0].profile):
                    there = read_recording(inspection, kept[0].profile, lambda _: give_way())
                    known = (inspection, kept[0].profile, there)
                    self._other_read = known
                there = known[2]
                other = there.course.with_facts(facts).run(kept[0], self.model(there, kept[1]))
            recorded = self.recorded_figures(inspection, recording, facts)
            view = replay_view(recording, run, recorded, other, self.model(recording, size))
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if not worker.is_cancelled:
            self.post_message(Ran(key, recording, run, other, view))

    def recorded_figures(
        self, inspection: Inspection, recording: Recording, facts: FactSteps | None
    ) -> Metrics:
        """The recording's own figures, worked out once."""
        known = self._recorded
        if known is None or known[0] is not recording or known[1] is not facts:
            known = (recording, facts, recorded_metrics(recording, inspection.compactions(), facts))
            self._recorded = known
        return known[2]

    @on(Ran)
    def _ran(self, event: Ran) -> None:
        if event.key[2:] != (self.settings, self.summary_size, self.kept):
            return
        self._ran_for, self.run_now, self.run_kept = event.key, event.run, event.kept
        self._view = event.view
        for pane in self.query(ReplayPane):
            pane.set_view(event.view)
        self.show_step()
        if self.query_one(Panes).current == "tune":
            self.fill_tune()

    def show_step(self) -> None:
        """Put the graph's cursor on the step of the replay, else on that of the message on screen."""
        if self.rows is None or self.query_one(Panes).current != "replay":
            return
        if self.moment is not None:
            step = self.moment.step
        else:
            step = self._step_of(self.rows.index(self.query_one(MessageList).cursor))
        for pane in self.query(ReplayPane):
            pane.set_step(step)

    def _step_of(self, index: int) -> int:
        """The step that brought a message of the list on screen; 0 for one that no step brought."""
        recording = self.recording()
        if recording is None:
            return 0
        if self._steps is None or self._steps[0] is not recording:
            places = recording.transcript.places
            self._steps = recording, {(p.generation, p.index): step for step, p in enumerate(places, 1)}
        return self._steps[1].get((self.number, index), 0)

    @on(TokenGraph.StepChosen)
    def _step_chosen(self, event: TokenGraph.StepChosen) -> None:
        self.go_to_step(event.step)


def replay_view(
    recording: Recording, run: WhatIf, recorded: Metrics, kept: WhatIf | None, model: SummaryModel
) -> ReplayView:
    """A run beside the recording and, where there is one, a run that was kept, for the pane."""
    notes = []
    if places_of(run.events) == places_of(recording.events):
        alike = "These settings compact where the recording did."
        notes.append(alike if run.events else "Neither the recording nor these settings compact anything.")
    if run.gave_up_at is not None:
        notes.append(f"The agent would give up compacting at step {run.gave_up_at:,}.")
    if kept is not None:
        notes += [f"A  {words_of(kept.settings)}", f"B  {words_of(run.settings)}"]
    notes.append(f"Summaries are taken to be {summary_words(model)}; mended tool pairs are not counted.")
    runs = [_run_view("recorded", recorded)]
    if kept is not None:
        runs += [_run_view("A", kept.metrics), _run_view("B", run.metrics)]
    else:
        runs.append(_run_view("what-if", run.metrics))
    return ReplayView(
        GraphState(
            recorded=recording.tokens,
            whatif=run.tokens,
            threshold=run.budgets.threshold_tokens,
            hygiene=run.budgets.hygiene_tokens,
            context=run.settings.context_length,
            recorded_events=tuple(event.step for event in recording.events),
            whatif_events=tuple(event.step for event in run.events),
            kept=kept.tokens if kept is not None else (),
        ),
        tuple(runs),
        tuple(notes),
    )


def places_of(events: Sequence[Event]) -> list[tuple[int, int, int]]:
    """Where and with which boundaries compactions came."""
    return [(event.step, event.head_end, event.tail_start) for event in events]


def words_of(settings: Settings) -> str:
    """Settings in one line."""
    return (
        f"{settings.profile}, threshold {settings.threshold:g}, target_ratio {settings.target_ratio:g}, "
        f"first {settings.protect_first_n}, last {settings.protect_last_n}, context {settings.context_length:,}"
    )


def _run_view(name: str, metrics: Metrics) -> RunView:
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
    )
