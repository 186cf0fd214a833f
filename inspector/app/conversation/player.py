"""Replay: steps between moments, and the clock that plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.app.conversation.resources import RECORDING
from inspector.app.conversation.state import Loaded, State
from inspector.core.errors import UsageProblem
from inspector.replay.moments import Moment, Unit
from widgets.base import human

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.app.conversation.host import Host
    from inspector.replay.recording import Recording

#: Steps a second.
SPEEDS = (1, 2, 5, 10, 25, 50, 100, 250)
#: Maximum frames a second of a playing replay; faster speeds take several steps a frame.
_FRAMES = 25
_NOTHING_THERE = {
    "message": "This is the {end} step.",
    "call": "No request {where} this step.",
    "turn": "No user message {where} this step.",
    "compaction": "No compaction {where} this step.",
}


class Player:
    """Assigns the moment of the state. While the state plays, it does so at every tick of a clock.

    `beat(seconds, function)` starts a clock that calls the function at this interval.
    """

    def __init__(self, host: Host, beat: Callable[[float, Callable[[], None]], Timer]) -> None:
        self._host = host
        self._beat = beat
        self._clock: Timer | None = None
        self._speed = 0

    # Going to a moment.

    def step(self, unit: Unit, direction: int) -> None:
        """Go to the next message, call, user turn or compaction; the first step starts at the cursor."""
        self.pause()
        self._host.when(RECORDING, lambda recording: self._step(recording, unit, direction))

    def _step(self, recording: Recording, unit: Unit, direction: int) -> None:
        if not self._can_play(recording):
            return
        here = self._here(recording)
        there = recording.moments.next(here, unit, direction)
        if there is None:
            where, end = ("after", "last") if direction > 0 else ("before", "first")
            self._host.app.notify(_NOTHING_THERE[unit].format(where=where, end=end), timeout=1.5)
        self._show(there or here)

    def go_to(self, step: int) -> None:
        """Show the moment after a message, counted from 1."""
        self.pause()
        self._host.when(
            RECORDING,
            lambda recording: (
                self._show(recording.moments.of_step(step)) if self._can_play(recording) else None
            ),
        )

    def ask(self) -> None:
        """Ask for the number of a step."""
        self._host.question.ask("the step to go to", self._typed, back=self._host.message_list)

    def _typed(self, text: str) -> None:
        step = text.replace(",", "")
        if not step.isdecimal():
            raise UsageProblem(f"{text!r} is not a step; type a number.")
        self.go_to(int(step))

    def _can_play(self, recording: Recording) -> bool:
        """Return whether there is a message to step to. If not, notify the user."""
        if not len(recording.moments):
            self._host.app.notify("There is no message to step to.", timeout=1.5)
        return len(recording.moments) > 0

    def _here(self, recording: Recording) -> Moment:
        """Return the moment on screen, else that of the message under the cursor."""
        state, rows = self._host.state, self._host.messages.rows
        if state.moment is not None:
            return state.moment
        index = rows.index(state.row) if rows is not None else 0
        return recording.moments.of_message(state.generation, max(0, index))

    def _show(self, at: Moment, **changes: object) -> None:
        # Return the compaction in progress at this step. If there is none, return the compaction that made the list.
        made = max(1, at.generation - 1) if self._host.state.compaction else 0
        compaction = at.compaction or made
        self._host.change(moment=at, generation=at.generation, compaction=compaction, **changes)

    def leave(self) -> None:
        """Show the whole list again, with the cursor on the same message."""
        state, rows = self._host.state, self._host.messages.rows
        opened = self._host.loaded.opened
        if state.moment is None or rows is None or opened is None:
            return
        row = max(0, rows.index(state.row) + opened.offset(state.generation))
        self._host.change(moment=None, playing=False, row=row)

    # Playing.

    def toggle(self) -> None:
        """Play from here, or from the start if this is the end; pause if it plays."""
        if self._host.state.playing:
            self.pause()
        else:
            self._host.when(RECORDING, self._play)

    def _play(self, recording: Recording) -> None:
        if self._can_play(recording):
            here = self._here(recording)
            at_end = here.number >= len(recording.moments)
            self._show(recording.moments.moment(1) if at_end else here, playing=True)

    def pause(self) -> None:
        """Stop playing."""
        if self._host.state.playing:
            self._host.change(playing=False)

    def speed(self, by: int) -> None:
        """Play faster or slower."""
        at = SPEEDS.index(self._host.state.speed) + by
        speed = SPEEDS[max(0, min(at, len(SPEEDS) - 1))]
        self._host.app.notify(human.plural(speed, "step") + " a second", timeout=1)
        self._host.change(speed=speed)

    def follow(self, state: State) -> None:
        """Start or stop the clock as the state says."""
        wanted = state.speed if state.playing else 0
        if wanted == self._speed:
            return
        self._speed = wanted
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
        if wanted:
            self._clock = self._beat(1 / min(wanted, _FRAMES), self.advance)

    def advance(self) -> None:
        """Take one step, or several at a high speed."""
        state = self._host.state
        recording = self._host.loaded.current(RECORDING, state)
        if state.moment is None or not state.playing:
            self.pause()
        elif recording is not None:
            # Without a recording, the conversation is being read again; the clock waits.
            number = state.moment.number + max(1, state.speed // _FRAMES)
            there = recording.moments.moment(number)
            self._show(there, playing=there.number < len(recording.moments))


def same_moment(at: Moment, recording: Recording) -> Moment:
    """Return the same moment in another recording of the conversation."""
    same = recording.moments.moment(at.number)
    return same if (same.step, same.phase) == (at.step, at.phase) else recording.moments.of_step(at.step)


def step_on_screen(state: State, loaded: Loaded, index: int) -> int:
    """Return the step of the replay, else the step of the message at `index` of the list on screen; 0 for none."""
    if state.moment is not None:
        return state.moment.step
    recording = loaded.current(RECORDING, state)
    return 0 if recording is None else recording.moments.step_of(state.generation, index)
