"""Replay in the conversation screen: the ways from one step to another, and playing."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.timer import Timer
from textual.widgets import Input

from inspector.app.screens.standing import StandingActions
from inspector.replay.moments import Moment, Unit
from inspector.replay.recording import Recording
from widgets.bars.timeline import Timeline
from widgets.base import human
from widgets.lists.message_list import MessageList

#: Steps a second.
SPEEDS = (1, 2, 5, 10, 25, 50, 100, 250)
#: A playing replay draws at most so many frames a second; faster ones go several steps a frame.
_FRAMES = 25
_NOTHING_THERE = {
    "message": "That is the {end} step.",
    "call": "The model was not asked {where} this step.",
    "turn": "No user message {where} this step.",
    "compaction": "No compaction {where} this step.",
}


class SteppingActions(StandingActions):
    """Going to a moment, and playing from one to the next."""

    _beat: Timer | None = None

    # Going to a moment.

    def action_replay(self, unit: Unit, direction: int) -> None:
        """Step by message, call, user turn or to a compaction; the first step begins where the cursor is."""
        self.stop()
        self.with_recording(lambda: self._step(unit, direction))

    def action_compaction(self, direction: int) -> None:
        """In a replay the moment before the next compaction, else the list on its other side."""
        if self.moment is not None:
            self.action_replay("compaction", direction)
        else:
            super().action_compaction(direction)

    def action_jump(self, kind: str, direction: int) -> None:
        """In a replay the step of the next user message, else the next one of a kind in the list."""
        if self.moment is not None and kind == "user":
            self.action_replay("turn", direction)
        else:
            super().action_jump(kind, direction)

    def _step(self, unit: Unit, direction: int) -> bool:
        recording = self.recording()
        if recording is None or not len(recording.moments):
            return False
        there = recording.moments.next(self._here(recording), unit, direction)
        if there is None:
            where, end = ("after", "last") if direction > 0 else ("before", "first")
            self.app.notify(_NOTHING_THERE[unit].format(where=where, end=end), timeout=1.5)
            if self.moment is None:
                self.show_moment(self._here(recording))
            return False
        self.show_moment(there)
        return True

    def _here(self, recording: Recording) -> Moment:
        """The moment on screen; without one that of the message under the cursor."""
        if self.moment is not None:
            return self.moment
        index = self.rows.index(self.query_one("#messages", MessageList).cursor) if self.rows else 0
        return recording.moments.of_message(self.number, max(0, index))

    def go_to_step(self, step: int) -> None:
        """Show the moment behind a message, counted from 1."""

        def go() -> None:
            recording = self.recording()
            if recording is not None and len(recording.moments):
                self.show_moment(recording.moments.of_step(step))

        self.stop()
        self.with_recording(go)

    @on(Timeline.StepChosen)
    def _step_chosen_on_timeline(self, event: Timeline.StepChosen) -> None:
        self.go_to_step(event.step)

    @on(Timeline.StepWanted)
    def _step_wanted_on_timeline(self, event: Timeline.StepWanted) -> None:
        self.action_replay("message", event.by)

    def action_step_number(self) -> None:
        """Type the number of a step."""
        box = self.query_one("#step", Input)
        box.display = True
        box.focus()

    @on(Input.Submitted, "#step")
    def _step_typed(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.replace(",", "").strip()
        if not text or text.isdecimal():
            self.close_step_number()
        if text.isdecimal():
            self.go_to_step(int(text))
        elif text:
            # The prompt stays, so that it can be mended.
            self.app.notify(f"{text!r} is no step; type a number.", severity="warning", markup=False)

    def close_step_number(self) -> None:
        """Put the prompt away."""
        box = self.query_one("#step", Input)
        box.value = ""
        box.display = False
        self.query_one("#messages", MessageList).focus()

    # Playing.

    def action_play(self) -> None:
        """Play from here, from the start where the end is reached; again to pause."""
        if self.playing:
            self.stop()
        else:
            self.with_recording(self._play)

    def _play(self) -> None:
        recording = self.recording()
        if recording is None or not len(recording.moments):
            return
        here = self._here(recording)
        if here.number >= len(recording.moments):
            here = recording.moments.moment(1)
        self.playing = True
        self.show_moment(here)
        self._beat = self.beat(1 / min(self.speed, _FRAMES), self.play_on)

    def beat(self, seconds: float, then: Callable[[], None]) -> Timer:
        """Call something every so many seconds."""
        return self.set_interval(seconds, then)

    def play_on(self) -> None:
        """What a beat does: one step, several where it plays fast."""
        if self.moment is None:
            self.stop()
            return
        recording = self.recording()
        if recording is None:
            # Somebody wrote, or other rules are in force: the conversation is being read again, and then it goes on.
            return
        number = self.moment.number + max(1, self.speed // _FRAMES)
        self.show_moment(recording.moments.moment(number))
        if self.moment.number >= len(recording.moments):
            self.stop()

    def stop(self) -> None:
        """Pause."""
        if self._beat is not None:
            self._beat.stop()
            self._beat = None
        if self.playing:
            self.playing = False
            self._show_position()
            self.rest()

    def action_speed(self, by: int) -> None:
        """Play faster or slower."""
        place = max(0, min(SPEEDS.index(self.speed) + by, len(SPEEDS) - 1))
        self.speed = SPEEDS[place]
        self.app.notify(human.plural(self.speed, "step") + " a second", timeout=1)
        if self.playing and self._beat is not None:
            self._beat.stop()
            self._beat = self.beat(1 / min(self.speed, _FRAMES), self.play_on)
            self._show_position()
