"""A summary by section: headings that fold, with items and tokens of each, and its size against the budget."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.summary_lines import SummaryView, head_lines, section_lines
from widgets.panes.text_view import TextView

#: Below this height the head has one line less.
LOW = 16


class SummaryText(Vertical):
    """A SummaryView. Folded sections stay folded by name, from summary to summary."""

    DEFAULT_CSS = """
    SummaryText { background: $surface; }
    SummaryText > Headline { padding: 0 1; margin: 0 0 1 0; }
    SummaryText > TextView { height: 1fr; padding: 0 0 0 1; }
    SummaryText.-low > Headline { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("J", "section(1)", "Next section", id="summary.next_section", show=False),
        Binding("K", "section(-1)", "Previous section", id="summary.previous_section", show=False),
        Binding("enter,space", "fold", "Fold", id="summary.fold", tooltip="Fold or unfold the section"),
        Binding("z", "fold_all", "Fold all", id="summary.fold_all", tooltip="Fold or unfold all sections"),
    ]

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view = SummaryView()
        self._folded: frozenset[str] = frozenset()
        self._section = 0
        self._places: list[int] = []
        self._headline = Headline(6)
        self.body = TextView()

    def compose(self) -> ComposeResult:
        """Yield the head and the sections."""
        yield self._headline
        yield self.body

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self.body.tooltip = "Click a heading to fold it."
        self._show_head()
        self._show(keep_place=False)

    @property
    def folded(self) -> frozenset[str]:
        """Names of the folded sections."""
        return self._folded

    def set_view(self, view: SummaryView) -> None:
        """Show a summary; an equal value changes nothing."""
        if view == self._view:
            return
        foldable = bool(self._view.sections)
        self._view, self._section = view, 0
        if self.is_mounted:
            if foldable != bool(view.sections):
                self.refresh_bindings()
            self._show_head()
            self._show(keep_place=False)

    def on_resize(self, event: events.Resize) -> None:
        """Shorten the head in a low pane."""
        self._show_head()

    def _show_head(self) -> None:
        low = 0 < self.size.height < LOW
        self.set_class(low, "-low")
        self._headline.set_lines(head_lines(self._view, low))

    def _show(self, *, keep_place: bool) -> None:
        view = self._view
        lines, self._places = section_lines(view, self._folded.__contains__)
        if not view.sections:
            body = view.text or "There is no summary."
            lines = [TextLine(line, "" if view.text else "muted") for line in body.split("\n")]
        self.body.set_lines(lines, keep_place=keep_place)
        if self._places and keep_place:
            self.body.set_active(self._places[self._section])

    @on(TextView.LineClicked)
    def _clicked(self, event: TextView.LineClicked) -> None:
        event.stop()
        kind, _, number = event.tag.partition(":")
        if kind == "section":
            self._section = int(number)
            self.action_fold()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys while there are no sections."""
        return bool(self._view.sections) if action in ("section", "fold", "fold_all") else True

    def action_section(self, by: int) -> None:
        """Go to the next or previous section."""
        if not self._places:
            return
        if self.body.active is None:
            self._section = 0 if by > 0 else len(self._places) - 1
        else:
            self._section = max(0, min(self._section + by, len(self._places) - 1))
        self.body.set_active(self._places[self._section])

    def action_fold(self) -> None:
        """Fold or unfold the section."""
        if self._places:
            self._folded ^= {self._view.sections[self._section].name}
            self._show(keep_place=True)

    def action_fold_all(self) -> None:
        """Fold all sections, or unfold them when all are folded."""
        names = frozenset(section.name for section in self._view.sections)
        self._folded = frozenset() if names <= self._folded else names
        if self._places:
            self._show(keep_place=True)
