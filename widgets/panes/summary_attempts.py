"""An attempt compared with the recorded summary, by section."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.text_lines import TextLine
from widgets.intents import DeleteAttempt
from widgets.panes.attempt_lines import AttemptView, head_lines
from widgets.panes.attempts_part import AttemptsPart
from widgets.panes.diff_lines import section_lines


class SummaryAttempts(AttemptsPart):
    """Shows one attempt of an AttemptsView: + only in it, − only in the recorded one, ≈ in other words, = in both.

    Posts DeleteAttempt when D is pressed twice.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("full_stop", "next(1)", "Next attempt", id="attempts.next", key_display="."),
        Binding("comma", "next(-1)", "Previous attempt", id="attempts.previous", show=False, key_display=","),
        Binding("J", "tag(1)", "Next section", id="attempts.next_section", show=False),
        Binding("K", "tag(-1)", "Previous section", id="attempts.previous_section", show=False),
        Binding("D", "delete", "Delete", id="attempts.delete", tooltip="Delete the attempt, its prompt with it"),
    ]  # fmt: skip

    NEEDY = frozenset({"next", "tag", "delete"})

    def __init__(self) -> None:
        self._asked: int | None = None
        self._choices = ModeBar(title="attempt")
        tooltip = "+ only in the attempt   − only in the recorded one   ≈ in other words   = in both"
        super().__init__(tooltip, (self._choices,))

    def show_view(self) -> None:
        """Keep the attempt on screen if it exists, else show the newest one."""
        modes = [Mode(str(attempt.id), attempt.label, attempt.made) for attempt in self.attempts.attempts]
        stays = any(mode.name == self._choices.mode for mode in modes)
        self._choices.set_modes(modes, self._choices.mode if stays else modes[-1].name if modes else "")
        self._choices.display = bool(modes)
        self._show_one()

    def _chosen(self) -> AttemptView | None:
        return next(
            (attempt for attempt in self.attempts.attempts if str(attempt.id) == self._choices.mode), None
        )

    @on(ModeBar.ModeChosen)
    def _choice_made(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._asked = None
        self._show_one()

    def _show_one(self) -> None:
        one = self._chosen()
        if one is None:
            self.show_none()
            return
        self.head.set_lines(head_lines(one, self.attempts.recorded))
        lines, _ = section_lines(one.sections, False)
        self.body.set_lines(lines if one.sections else [TextLine(line) for line in one.text.split("\n")])

    def action_next(self, by: int) -> None:
        """Show the next or previous attempt."""
        self._choices.step(by)

    def action_delete(self) -> None:
        """Delete the attempt on show, asked for twice."""
        one = self._chosen()
        if one is None:
            return
        if self._asked != one.id:
            self._asked = one.id
            self.app.notify(f"D once more deletes attempt {one.id}, its prompt with it.", timeout=4)
            return
        self._asked = None
        self.post_message(DeleteAttempt(one.id))
