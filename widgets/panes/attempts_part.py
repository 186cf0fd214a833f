"""Base of widgets that show attempts: a headline over a text."""

from __future__ import annotations

from abc import abstractmethod

from textual.app import ComposeResult
from textual.containers import Vertical

from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.attempt_lines import JUDGING, NONE_YET, AttemptsView
from widgets.panes.text_view import TextView


class AttemptsPart(Vertical):
    """Shows an AttemptsView, or says that there is none yet. A subclass fills headline and body."""

    DEFAULT_CSS = """
    AttemptsPart { background: $surface; }
    AttemptsPart > Headline { padding: 0 1; margin: 0 0 1 0; }
    AttemptsPart > TextView { height: 1fr; padding: 0 0 0 1; }
    """
    BODY_TOOLTIP = ""

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view = AttemptsView()
        self._headline = Headline(10)
        self.body = TextView()

    def compose(self) -> ComposeResult:
        """The headline, the text."""
        yield self._headline
        yield self.body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self.body.tooltip = self.BODY_TOOLTIP
        self._show()

    @property
    def headline(self) -> str:
        """What stands on top."""
        return self._headline.text

    def set_view(self, view: AttemptsView) -> None:
        """Show attempts; an equal value changes nothing."""
        if view == self._view:
            return
        self._view = view
        if self.is_mounted:
            self._show()
            self.refresh_bindings()

    @abstractmethod
    def _show(self) -> None:
        """Fill headline and body."""

    def _show_none(self) -> None:
        self._headline.set_lines([TextLine(JUDGING if self._view.pending else NONE_YET, "muted")])
        self.body.set_text("")
