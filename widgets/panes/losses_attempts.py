"""The fate of each fact with every summary of the chosen compaction: a column per summary."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from widgets.base.text_lines import TextLine
from widgets.lists.fact_list import source_of
from widgets.panes.attempt_lines import fact_lines, life_lines, table_lines
from widgets.panes.attempts_part import AttemptsPart


class LossesAttempts(AttemptsPart):
    """Shows an AttemptsView: how many facts of each kind each summary keeps, every fact with its fates, and lives.

    Posts GoTo for the place where a fact was said.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "d", "differing", "Only differences", id="losses.differing",
            tooltip="Only facts with different fates, or all",
        ),
        Binding("J", "tag(1)", "Next fact", id="losses.next_fact", show=False),
        Binding("K", "tag(-1)", "Previous fact", id="losses.previous_fact", show=False),
        Binding("enter", "open", "Open", id="losses.open_fact", tooltip="Go to where it was said"),
    ]  # fmt: skip

    NEEDY = frozenset({"differing", "tag", "open"})

    def __init__(self) -> None:
        super().__init__(
            "A column for each summary, the recorded one first. Enter goes to where the fact was said."
        )
        self._differing = False
        self._width = 0

    def fit(self) -> None:
        """The facts are cut to the width, once the text has its own."""
        self.call_after_refresh(self._cut)

    def _cut(self) -> None:
        if self.body.size.width - 2 != self._width:
            self.show_view()

    def show_view(self) -> None:
        """Fill the table and the facts."""
        view, self._width = self.attempts, self.body.size.width - 2
        if not view.attempts:
            self.show_none()
            return
        only = [TextLine("only what differs", "muted")] if self._differing else []
        self.head.set_lines([*table_lines(view, self._width), *only])
        facts = zip(view.facts, fact_lines(view, max(20, self._width)), strict=True)
        chosen = [line for fact, line in facts if not self._differing or len(set(fact.outcomes)) > 1]
        chosen = chosen or [TextLine("No fact has different fates.", "muted")]
        self.body.set_lines([*chosen, *life_lines(view.lives)], keep_place=True)

    def action_differing(self) -> None:
        """Only facts whose fates differ, or all."""
        self._differing = not self._differing
        self.show_view()

    def open(self, tag: str) -> None:
        """Go to where the fact was said."""
        fact = self.attempts.facts[int(tag.partition(":")[2])]
        self.post_message(source_of(fact.life, 0))
