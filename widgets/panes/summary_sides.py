"""The texts of two summaries side by side."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.diff_lines import NONE_BEFORE, Comparison
from widgets.panes.side_by_side import side_by_side
from widgets.panes.text_view import TextView


class SummarySides(Vertical):
    """The two texts of a Comparison, cut to the width."""

    DEFAULT_CSS = """
    SummarySides { background: $surface; }
    SummarySides > Headline { padding: 0 1; }
    SummarySides > TextView { height: 1fr; padding: 0 0 0 1; }
    """

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: Comparison | None = None
        self._width = 0
        self._headline = Headline(2)
        self.body = TextView()

    def compose(self) -> ComposeResult:
        """Yield the note and the texts."""
        yield self._headline
        yield self.body

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self.body.tooltip = "The previous summary on the left, this one on the right: − removed, + added."
        self._show(keep_place=False)

    def set_view(self, view: Comparison | None) -> None:
        """Show two summaries; None where there is no earlier one."""
        if view != self._view:
            self._view = view
            if self.is_mounted:
                self._show(keep_place=False)

    def on_resize(self) -> None:
        """Cut the texts to the width, once the lines have theirs."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if self._room != self._width:
            self._show(keep_place=True)

    @property
    def _room(self) -> int:
        # One cell stays free for a scrollbar.
        return self.body.size.width - 1

    def _show(self, *, keep_place: bool) -> None:
        view, self._width = self._view, self._room
        if view is None:
            self._headline.set_lines([TextLine(NONE_BEFORE, "muted")])
            self.body.set_text("")
            return
        self._headline.set_lines([TextLine(view.note, "muted")] if view.note else [])
        if self._width > 0:
            lines = side_by_side(view.old.summary or "", view.new.summary or "", self._width, view.titles)
            self.body.set_lines(lines, wrap=False, keep_place=keep_place)
