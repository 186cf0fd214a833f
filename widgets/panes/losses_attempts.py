"""The fate of each fact with every summary of the chosen compaction: a column per summary."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from widgets.base.text_lines import TextLine
from widgets.lists.fact_list import source_of
from widgets.panes.attempt_lines import fact_lines, life_lines, table_lines
from widgets.panes.attempts_part import AttemptsPart
from widgets.panes.text_view import TextView


class LossesAttempts(AttemptsPart):
    """Shows an AttemptsView: how many facts of each kind each summary keeps, every fact with its fates, and lives.

    Posts GoTo for the place where a fact was said.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "d", "differing", "Only what differs", id="losses.differing",
            tooltip="Only facts with different fates, or all",
        ),
        Binding("J", "next(1)", "Next fact", id="losses.next_fact", show=False),
        Binding("K", "next(-1)", "Previous fact", id="losses.previous_fact", show=False),
        Binding("enter", "open", "Open", id="losses.open_fact", tooltip="Go to where it was said"),
    ]  # fmt: skip

    BODY_TOOLTIP = "A column a summary, the recorded one first. Enter goes to where the fact was said."

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._differing = False
        self._width = 0

    def on_resize(self) -> None:
        """The facts are cut to the width."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if self.body.size.width - 2 != self._width:
            self._show()

    @property
    def _facts(self) -> list[int]:
        facts = self._view.facts
        return [at for at, fact in enumerate(facts) if not self._differing or len(set(fact.outcomes)) > 1]

    def _show(self) -> None:
        view, self._width = self._view, self.body.size.width - 2
        if not view.attempts:
            self._show_none()
            return
        only = [TextLine("only what differs", "muted")] if self._differing else []
        self._headline.set_lines([*table_lines(view), *only])
        lines = fact_lines(view.facts, max(20, self._width))
        chosen = [lines[at] for at in self._facts]
        chosen = chosen or [TextLine("No fact has different fates.", "muted")]
        self.body.set_lines([*chosen, *life_lines(view.lives)], keep_place=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without attempts there is nothing to go through, and the keys are free for others."""
        return bool(self._view.attempts) if action in ("differing", "next", "open") else True

    def action_differing(self) -> None:
        """Only facts whose fates differ, or all."""
        self._differing = not self._differing
        self._show()

    def action_next(self, by: int) -> None:
        """Go to the next or previous fact."""
        count, active = len(self._facts), self.body.active
        if count:
            self.body.set_active(0 if active is None else max(0, min(active + by, count - 1)))

    def action_open(self) -> None:
        """Go to where the fact was said."""
        if self.body.active is not None and self.body.active < len(self._facts):
            self._open(self._facts[self.body.active])

    @on(TextView.LineClicked)
    def _clicked(self, event: TextView.LineClicked) -> None:
        event.stop()
        kind, _, number = event.tag.partition(":")
        if kind == "fact":
            self.body.set_active(event.line)
            self._open(int(number))

    def _open(self, number: int) -> None:
        self.post_message(source_of(self._view.facts[number].life, 0))
