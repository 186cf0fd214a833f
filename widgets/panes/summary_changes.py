"""Changes between a summary and the previous one, by section and item."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.diff_lines import NONE_BEFORE, SummaryComparison, head_lines, section_lines
from widgets.panes.part import TextPart
from widgets.panes.text_view import TextView

FILTERS = (
    Mode("all", "all items", "Every item with its sign"),
    Mode("changes", "only changes", "Only changed items"),
)


class SummaryChanges(TextPart[SummaryComparison]):
    """A Comparison: + added, − removed, ≈ reworded, → moved, = kept; None without an earlier summary."""

    DEFAULT_CSS = """
    SummaryChanges > ModeBar { margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter", "Filter", id="changes.filter", tooltip="All items, or only changed ones"),
        Binding("J", "section(1)", "Next section", id="changes.next_section", show=False),
        Binding("K", "section(-1)", "Previous section", id="changes.previous_section", show=False),
    ]
    #: Below this height the head names the filter.
    LOW = 16
    NEEDY = frozenset({"filter", "section"})

    def __init__(self) -> None:
        self._wanted = ""
        self._filters = ModeBar(FILTERS)
        self.head, self.body = Headline(4), TextView()
        super().__init__(self.head, self._filters, self.body)
        self.body.tooltip = "+ added   − removed   ≈ reworded   → moved   = kept"

    @property
    def filter(self) -> str:
        """all or changes."""
        return self._filters.mode

    def show_item(self, text: str) -> None:
        """Go to the item with this text, here and in the next comparisons, until J or K is pressed."""
        self._wanted = text
        if self.is_mounted:
            self.show_view()

    def action_filter(self) -> None:
        """Show all items, or only changed ones."""
        self._filters.step(1)

    def action_section(self, by: int) -> None:
        """Go to the next or previous section."""
        self._wanted = ""
        self.action_tag(by)

    @on(ModeBar.ModeChosen)
    def _filter_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self.show_view()

    def fit(self) -> None:
        """Name the filter in the head of a low part."""
        self._filters.display = not self.low and self.view is not None
        if self.view is None:
            self.head.set_lines([TextLine(NONE_BEFORE, "muted")])
            return
        only = [TextLine("only changes", "muted")] if self.low and self.filter == "changes" else []
        self.head.set_lines([*head_lines(self.view), *only])

    def show_view(self) -> None:
        """Show the counts and the items."""
        self.fit()
        if self.view is None:
            self.body.set_text("")
            return
        lines, place = section_lines(self.view.diff.sections, self.filter == "changes", self._wanted)
        self.body.set_lines(lines)
        if place is not None:
            self.body.set_active(place)
