"""What became of each fact with every summary of the chosen compaction: a column a summary."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.attempt_lines import JUDGING, NONE_YET, AttemptsView, fact_lines, life_lines, table_lines
from widgets.panes.choices import PlaceChosen
from widgets.panes.text_view import TextView


class LossesAttempts(Vertical):
    """Shows an AttemptsView: how many facts of each kind each summary keeps, every fact with its fates, and lives.

    Posts PlaceChosen for where a fact was said.
    """

    DEFAULT_CSS = """
    LossesAttempts { background: $surface; }
    LossesAttempts > Headline { padding: 0 1; margin: 0 0 1 0; }
    LossesAttempts > TextView { height: 1fr; padding: 0 0 0 1; }
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

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view = AttemptsView()
        self._differing = False
        self._width = 0
        self._headline = Headline(10)
        self._body = TextView()

    def compose(self) -> ComposeResult:
        """The table, the facts."""
        yield self._headline
        yield self._body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self._body.tooltip = (
            "A column a summary, the recorded one first. Enter goes to where the fact was said."
        )
        self._show()

    @property
    def body(self) -> TextView:
        """The text on show."""
        return self._body

    @property
    def headline(self) -> str:
        """What stands on top."""
        return self._headline.text

    def set_view(self, view: AttemptsView) -> None:
        """Show facts and their fates; an equal value changes nothing."""
        if view == self._view:
            return
        self._view = view
        if self.is_mounted:
            self._show()
            self.refresh_bindings()

    def on_resize(self) -> None:
        """The facts are cut to the width."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if self._body.size.width - 2 != self._width:
            self._show()

    @property
    def _facts(self) -> list[int]:
        facts = self._view.facts
        return [at for at, fact in enumerate(facts) if not self._differing or len(set(fact.outcomes)) > 1]

    def _show(self) -> None:
        view, self._width = self._view, self._body.size.width - 2
        if not view.attempts:
            self._headline.set_lines([TextLine(JUDGING if view.pending else NONE_YET, "muted")])
            self._body.set_text("")
            return
        only = [TextLine("only what differs", "muted")] if self._differing else []
        self._headline.set_lines([*table_lines(view), *only])
        lines = fact_lines(view.facts, max(20, self._width))
        chosen = [lines[at] for at in self._facts]
        chosen = chosen or [TextLine("No fact has different fates.", "muted")]
        self._body.set_lines([*chosen, *life_lines(view.lives)], keep_place=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without attempts there is nothing to go through, and the keys are free for others."""
        return bool(self._view.attempts) if action in ("differing", "next", "open") else True

    def action_differing(self) -> None:
        """Only facts whose fates differ, or all."""
        self._differing = not self._differing
        self._show()

    def action_next(self, by: int) -> None:
        """Go to the next fact, or the one before."""
        count, active = len(self._facts), self._body.active
        if count:
            self._body.set_active(0 if active is None else max(0, min(active + by, count - 1)))

    def action_open(self) -> None:
        """Go to where the fact was said."""
        if self._body.active is not None and self._body.active < len(self._facts):
            self._open(self._facts[self._body.active])

    @on(TextView.LineClicked)
    def _clicked(self, event: TextView.LineClicked) -> None:
        event.stop()
        kind, _, number = event.tag.partition(":")
        if kind == "fact":
            self._body.set_active(event.line)
            self._open(int(number))

    def _open(self, number: int) -> None:
        source = self._view.facts[number].source
        if source is not None:
            self.post_message(PlaceChosen(source))
