"""The texts of two summaries side by side."""

from __future__ import annotations

from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.diff_lines import NONE_BEFORE, SummaryComparison
from widgets.panes.part import TextPart
from widgets.panes.side_by_side import side_by_side
from widgets.panes.text_view import TextView


class SummarySides(TextPart[SummaryComparison]):
    """The two texts of a Comparison, cut to the width; None without an earlier summary."""

    def __init__(self) -> None:
        self.head, self.body = Headline(2), TextView()
        super().__init__(self.head, self.body)
        self.body.tooltip = "The earlier summary on the left, this one on the right: − removed, + added."
        self._width = 0

    def fit(self) -> None:
        """Cut the texts to the width, once the lines have theirs."""
        self.call_after_refresh(self._cut)

    def _cut(self) -> None:
        if self._room != self._width:
            self._show(keep_place=True)

    @property
    def _room(self) -> int:
        # One cell stays free for a scrollbar.
        return self.body.size.width - 1

    def show_view(self) -> None:
        """Show the note and the texts."""
        self._show(keep_place=False)

    def _show(self, *, keep_place: bool) -> None:
        view, self._width = self.view, self._room
        if view is None:
            self.head.set_lines([TextLine(NONE_BEFORE, "muted")])
            self.body.set_text("")
            return
        self.head.set_lines([TextLine(view.note, "muted")] if view.note else [])
        if self._width > 0:
            lines = side_by_side(view.old.summary or "", view.new.summary or "", self._width, view.titles)
            self.body.set_lines(lines, wrap=False, keep_place=keep_place)
