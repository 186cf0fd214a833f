"""Base of widgets that show attempts: a headline over a text."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widget import Widget

from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.attempt_lines import JUDGING, NO_ATTEMPTS, NONE_YET, AttemptsView
from widgets.panes.part import TextPart
from widgets.panes.text_view import TextView


class AttemptsPart(TextPart[AttemptsView]):
    """Shows an AttemptsView, or says that there is none yet."""

    DEFAULT_CSS = """
    AttemptsPart > Headline { margin: 0 0 1 0; }
    """

    def __init__(self, tooltip: str, above: Sequence[Widget] = ()) -> None:
        self.head, self.body = Headline(10), TextView()
        self.body.tooltip = tooltip
        super().__init__(*above, self.head, self.body)
        self.view = NO_ATTEMPTS

    @property
    def attempts(self) -> AttemptsView:
        """The view on screen."""
        return self.view or NO_ATTEMPTS

    @property
    def filled(self) -> bool:
        """Whether there is an attempt."""
        return bool(self.attempts.attempts)

    def show_none(self) -> None:
        """Show that there are no attempts."""
        self.head.set_lines([TextLine(JUDGING if self.attempts.pending else NONE_YET, "muted")])
        self.body.set_text("")
