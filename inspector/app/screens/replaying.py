"""The replay pane: the whole conversation under the settings on screen, and its steps."""

from __future__ import annotations

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.app.panes import Panes
from inspector.app.screens.base import ConversationBase, GoTo
from inspector.app.work import Failed
from inspector.core.errors import InspectorError
from inspector.engines.base import Settings
from inspector.inspection import Inspection
from inspector.replay.recording import Recording, record, recorded_metrics
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


class ReplayActions(ConversationBase):
    """Runs in a thread; what comes late for other settings is dropped."""

    _recording: tuple[Inspection, str, Recording] | None = None
    _steps: dict[tuple[int, int], int] | None = None

    def fill_replay(self) -> None:
        """Run the conversation under the settings on screen."""
        if self.inspection is not None and self.compactions is not None:
            self.run_conversation(self.inspection, self.settings)

    @work(thread=True, group="replay", exclusive=True, exit_on_error=False, description="replay")
    def run_conversation(self, inspection: Inspection, settings: Settings) -> None:
        """Read the conversation once, then run it."""
        worker = get_current_worker()
        try:
            known = self._recording
            if known is None or known[0] is not inspection or known[1] != settings.profile:
                known = (inspection, settings.profile, record(inspection, settings.profile))
                self._recording = known
            recording = known[2]
            if worker.is_cancelled:
                return
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
        places = event.recording.transcript.places
        self._steps = {(place.generation, place.index): step for step, place in enumerate(places, 1)}
        pane = self.query_one(ReplayPane)
        pane.set_view(event.view)
        self.show_step()

    def show_step(self) -> None:
        """Put the graph's cursor on the step at which the message on screen was said."""
        if self._steps is None or self.rows is None or self.query_one(Panes).current != "replay":
            return
        index = self.rows.index(self.query_one(MessageList).cursor)
        self.query_one(ReplayPane).set_step(self._steps.get((self.number, index), 0))

    @on(TokenGraph.StepChosen)
    def _step_chosen(self, event: TokenGraph.StepChosen) -> None:
        if self._recording is None or self.rows is None:
            return
        places = self._recording[2].transcript.places
        if not 1 <= event.step <= len(places):
            return
        place = places[event.step - 1]
        if place.generation == self.number:
            self.query_one(MessageList).move_cursor(self.rows.row_of(place.index), centre=True)
        else:
            self.post_message(GoTo(place.generation, place.index + self.offset_of(place.generation)))
        self.query_one(ReplayPane).set_step(event.step)


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
