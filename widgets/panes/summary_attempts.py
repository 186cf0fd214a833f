"""An attempt compared with the recorded summary, by section."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
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

    DEFAULT_CSS = """
    SummaryAttempts > ModeBar { padding: 0 1; }
    SummaryAttempts.-empty > ModeBar { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("full_stop", "next(1)", "Next attempt", id="attempts.next", key_display="."),
        Binding("comma", "next(-1)", "Attempt before", id="attempts.previous", show=False, key_display=","),
        Binding("J", "section(1)", "Next section", id="attempts.next_section", show=False),
        Binding("K", "section(-1)", "Previous section", id="attempts.previous_section", show=False),
        Binding("D", "delete", "Delete it", id="attempts.delete", tooltip="Delete the attempt, its prompt with it"),
    ]  # fmt: skip

    BODY_TOOLTIP = "+ only in the attempt   − only in the recorded one   ≈ in other words   = in both"

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._places: list[int] = []
        self._asked: int | None = None
        self._choices = ModeBar(title="attempt")

    def compose(self) -> ComposeResult:
        """The attempts, what is to be said of one, its sections."""
        yield self._choices
        yield from super().compose()

    def _show(self) -> None:
        # The attempt on screen stays if it exists, else the newest one comes up.
        attempts = self._view.attempts
        modes = [Mode(str(one.id), one.label, one.made) for one in attempts]
        stays = any(mode.name == self._choices.mode for mode in modes)
        self._choices.set_modes(modes, self._choices.mode if stays else modes[-1].name if modes else "")
        self.set_class(not attempts, "-empty")
        self._show_one()

    def _chosen(self) -> AttemptView | None:
        return next((one for one in self._view.attempts if str(one.id) == self._choices.mode), None)

    @on(ModeBar.ModeChosen)
    def _choice_made(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._asked = None
        self._show_one()

    def _show_one(self) -> None:
        one = self._chosen()
        if one is None:
            self._places = []
            self._show_none()
            return
        self._headline.set_lines(head_lines(one, self._view.recorded))
        lines, self._places, _ = section_lines(one.sections, False)
        self.body.set_lines(lines if one.sections else [TextLine(line) for line in one.text.split("\n")])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without an attempt there is nothing to go through, and the keys are free for others."""
        return bool(self._view.attempts) if action in ("next", "section", "delete") else True

    def action_next(self, by: int) -> None:
        """Show the next or previous attempt."""
        self._choices.step(by)

    def action_section(self, by: int) -> None:
        """Go to the next or previous section."""
        if self._places:
            active = self.body.active
            near = [
                place
                for place in self._places
                if active is None or (place > active if by > 0 else place < active)
            ]
            if near:
                self.body.set_active(near[0] if by > 0 else near[-1])

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
