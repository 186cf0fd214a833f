"""Changes between a summary and the previous one, by section and item."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.diff_lines import NONE_BEFORE, Comparison, head_lines, section_lines
from widgets.panes.text_view import TextView

#: Below this height the head names the filter.
LOW = 16
FILTERS = (
    Mode("all", "all items", "Every item with its sign"),
    Mode("changes", "only changes", "Only changed items"),
)


class SummaryChanges(Vertical):
    """A Comparison: + added, − removed, ≈ reworded, → moved, = kept."""

    DEFAULT_CSS = """
    SummaryChanges { background: $surface; }
    SummaryChanges > Headline { padding: 0 1; }
    SummaryChanges > ModeBar { padding: 0 1; margin: 0 0 1 0; }
    SummaryChanges > TextView { height: 1fr; padding: 0 0 0 1; }
    SummaryChanges.-bare > ModeBar { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter", "Filter", id="changes.filter", tooltip="All items, or only changed ones"),
        Binding("J", "section(1)", "Next section", id="changes.next_section", show=False),
        Binding("K", "section(-1)", "Previous section", id="changes.previous_section", show=False),
    ]

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: Comparison | None = None
        self._places: list[int] = []
        self._wanted = ""
        self._headline = Headline(4)
        self._filters = ModeBar(FILTERS)
        self.body = TextView()

    def compose(self) -> ComposeResult:
        """Yield counts, filter, items."""
        yield self._headline
        yield self._filters
        yield self.body

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self.body.tooltip = "+ added   − removed   ≈ reworded   → moved   = kept"
        self._show()

    @property
    def filter(self) -> str:
        """all or changes."""
        return self._filters.mode

    def set_view(self, view: Comparison | None) -> None:
        """Show a comparison; None where there is no earlier summary."""
        if view == self._view:
            return
        came_or_went = (view is None) != (self._view is None)
        self._view = view
        if self.is_mounted:
            if came_or_went:
                self.refresh_bindings()
            self._show()

    def show_item(self, text: str) -> None:
        """Go to the item with this text, here and in the next comparisons, until J or K is pressed."""
        self._wanted = text
        if self.is_mounted:
            self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys while there is no comparison."""
        return self._view is not None or action not in ("filter", "section")

    def action_filter(self) -> None:
        """Show all items, or only changed ones."""
        self._filters.step(1)

    def action_section(self, by: int) -> None:
        """Go to the next or previous section."""
        self._wanted = ""
        if not self._places:
            return
        active = self.body.active
        if active is None:
            target = self._places[0 if by > 0 else -1]
        else:
            near = [place for place in self._places if (place > active if by > 0 else place < active)]
            target = (near[0] if by > 0 else near[-1]) if near else active
        self.body.set_active(target)

    @on(ModeBar.ModeChosen)
    def _filter_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Name the filter in the head of a low pane."""
        self._show_head()

    def _show_head(self) -> None:
        view, low = self._view, 0 < self.size.height < LOW
        self.set_class(low or view is None, "-bare")
        if view is None:
            self._headline.set_lines([TextLine(NONE_BEFORE, "muted")])
            return
        only = [TextLine("only changes", "muted")] if low and self.filter == "changes" else []
        self._headline.set_lines([*head_lines(view), *only])

    def _show(self) -> None:
        self._show_head()
        if self._view is None:
            self._places = []
            self.body.set_text("")
            return
        only_changes = self.filter == "changes"
        lines, self._places, place = section_lines(self._view.diff.sections, only_changes, self._wanted)
        self.body.set_lines(lines)
        if place is not None:
            self.body.set_active(place)
