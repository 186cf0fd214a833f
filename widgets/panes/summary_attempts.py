"""An attempt compared with the recorded summary, by fact and by section."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.intents import DeleteAttempt
from widgets.lists.fact_list import source_of
from widgets.panes.attempt_lines import (
    JUDGING,
    NO_ATTEMPTS,
    NONE_YET,
    AttemptsView,
    AttemptView,
    changed_lines,
    head_lines,
)
from widgets.panes.diff_lines import section_lines
from widgets.panes.part import TextPart
from widgets.panes.text_view import TextView


class SummaryAttempts(TextPart[AttemptsView]):
    """Shows one attempt of an AttemptsView: facts with another fate than the recorded one, then its sections: + only in
    it, − only in the recorded one, ≈ in other words, = in both.

    Posts GoTo for the place where a fact was said, and DeleteAttempt when D is pressed twice.
    """

    DEFAULT_CSS = """
    SummaryAttempts > Headline { margin: 0 0 1 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("full_stop", "next(1)", "Next attempt", id="attempts.next", key_display="."),
        Binding("comma", "next(-1)", "Previous attempt", id="attempts.previous", show=False, key_display=","),
        Binding("J", "tag(1)", "Next fact or section", id="attempts.next_section", show=False),
        Binding("K", "tag(-1)", "Previous fact or section", id="attempts.previous_section", show=False),
        Binding("enter", "open", "Open", id="attempts.open", tooltip="Go to where the fact was said"),
        Binding("D", "delete", "Delete", id="attempts.delete", tooltip="Delete the attempt, its prompt with it"),
    ]  # fmt: skip

    NEEDY = frozenset({"next", "tag", "open", "delete"})

    def __init__(self) -> None:
        self._asked: int | None = None
        self._choices = ModeBar(title="attempt")
        self.head, self.body = Headline(10), TextView()
        self.body.tooltip = (
            "+ only in the attempt   − only in the recorded one   ≈ in other words   = in both"
        )
        super().__init__(self._choices, self.head, self.body)
        self.view = NO_ATTEMPTS

    @property
    def attempts(self) -> AttemptsView:
        """The view on screen."""
        return self.view or NO_ATTEMPTS

    @property
    def filled(self) -> bool:
        """Whether there is an attempt."""
        return bool(self.attempts.attempts)

    def show_view(self) -> None:
        """Keep the attempt on screen if it exists, else show the newest one."""
        modes = [Mode(str(one.id), one.label, one.made) for one in self.attempts.attempts]
        stays = any(mode.name == self._choices.mode for mode in modes)
        self._choices.set_modes(modes, self._choices.mode if stays else modes[-1].name if modes else "")
        self._choices.display = bool(modes)
        self._show_one()

    def _chosen(self) -> AttemptView | None:
        return next((one for one in self.attempts.attempts if str(one.id) == self._choices.mode), None)

    @on(ModeBar.ModeChosen)
    def _choice_made(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._asked = None
        self._show_one()

    def _show_one(self) -> None:
        one = self._chosen()
        if one is None:
            self.head.set_lines([TextLine(JUDGING if self.attempts.pending else NONE_YET, "muted")])
            self.body.set_text("")
            return
        self.head.set_lines(head_lines(one, self.attempts.recorded))
        lines, _ = section_lines(one.sections, False)
        facts = changed_lines(one)
        if not one.sections:
            lines = [TextLine(line) for line in one.text.split("\n")]
        self.body.set_lines([*facts, *([TextLine("")] if facts else []), *lines])

    def open(self, tag: str) -> None:
        """Go to where a fact was said."""
        one, (what, _, number) = self._chosen(), tag.partition(":")
        if one is not None and what == "fact" and number.isdecimal() and int(number) < len(one.changed):
            self.post_message(source_of(one.changed[int(number)].life, 0))

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
