"""The replay pane: the whole conversation under the settings on screen, and its steps."""

from __future__ import annotations

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.app.panes import Panes
from inspector.app.screens.stepping import SteppingActions
from inspector.app.work import Failed
from inspector.core.errors import InspectorError
from inspector.engines.base import Settings
from inspector.inspection import Inspection
from inspector.replay.recording import Recording, recorded_metrics, rules_for
from inspector.replay.whatif import Metrics, WhatIf
from widgets.message_list import MessageList
from widgets.replay_pane import ReplayPane, ReplayView, RunView
from widgets.token_graph import GraphState, TokenGraph


class Ran(TextualMessage):
    """The conversation was run under settings."""

    def __init__(self, recording: Recording, settings: Settings, view: ReplayView) -> None:
        super().__init__()
        self.recording = recording
        self.settings = settings
        self.view = view


class ReplayActions(SteppingActions):
    """Runs in a thread; what comes late for other settings is dropped."""

    _steps: dict[tuple[int, int], int] | None = None
    #: Which recording and settings the pane shows.
    _ran_for: tuple[int, Settings] | None = None

    def fill_replay(self) -> None:
        """Run the conversation under the settings on screen."""
        if self.inspection is None or self.compactions is None:
            return
        if rules_for(self.settings.profile) != self.settings.profile:
            for pane in self.query(ReplayPane):
                pane.set_view(None, f"The engine {self.settings.profile} cannot run a whole conversation.")
            return
        self.with_recording(self._run)

    def _run(self) -> None:
        recording, inspection = self.recording(), self.inspection
        if recording is None or inspection is None:
            return
        if self._ran_for == (id(recording), self.settings):
            self.show_step()
            return
        self.run_conversation(inspection, recording, self.settings)

    @work(thread=True, group="replay", exclusive=True, exit_on_error=False, description="replay")
    def run_conversation(self, inspection: Inspection, recording: Recording, settings: Settings) -> None:
        """Run the conversation under settings."""
        worker = get_current_worker()
        try:
            run = recording.course.run(settings, recording.model)
            view = replay_view(recording, run, recorded_metrics(recording, inspection.compactions()))
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if not worker.is_cancelled:
            self.post_message(Ran(recording, settings, view))

    @on(Ran)
    def _ran(self, event: Ran) -> None:
        if event.settings != self.settings:
            return
        self._ran_for = (id(event.recording), event.settings)
        places = event.recording.transcript.places
        self._steps = {(place.generation, place.index): step for step, place in enumerate(places, 1)}
        for pane in self.query(ReplayPane):
            pane.set_view(event.view)
        self.show_step()

    def show_step(self) -> None:
        """Put the graph's cursor on the step of the replay, else on that of the message on screen."""
        if self.rows is None or self.query_one(Panes).current != "replay":
            return
        if self.moment is not None:
            step = self.moment.step
        else:
            index = self.rows.index(self.query_one(MessageList).cursor)
            step = (self._steps or {}).get((self.number, index), 0)
        for pane in self.query(ReplayPane):
            pane.set_step(step)

    @on(TokenGraph.StepChosen)
    def _step_chosen(self, event: TokenGraph.StepChosen) -> None:
        self.go_to_step(event.step)


def replay_view(recording: Recording, run: WhatIf, recorded: Metrics) -> ReplayView:
    """A run beside the recording, for the pane."""
    same = [(e.step, e.head_end, e.tail_start) for e in run.events] == [
        (e.step, e.head_end, e.tail_start) for e in recording.events
    ]
    notes = ["These settings compact where the recording did."] if same else []
    if run.gave_up_at is not None:
        notes.append(f"The agent would give up compacting at step {run.gave_up_at:,}.")
    sizes = (
        "as recorded"
        if any(size is not None for size in recording.model.recorded)
        else "as large as their budget"
    )
    notes.append(f"Summaries are taken to be {sizes}; mended tool pairs are not counted.")
    return ReplayView(
        GraphState(
            recorded=recording.tokens,
            whatif=run.tokens,
            threshold=run.budgets.threshold_tokens,
            hygiene=run.budgets.hygiene_tokens,
            context=run.settings.context_length,
            recorded_events=tuple(event.step for event in recording.events),
            whatif_events=tuple(event.step for event in run.events),
        ),
        (_run_view("recorded", recorded), _run_view("what-if", run.metrics)),
        tuple(notes),
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
    )
