"""What changed between two summaries: by section and item, or the two texts side by side."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.diff_lines import DiffItem, DiffSection, DiffView, head_lines, section_lines
from widgets.panes.side_by_side import side_by_side
from widgets.panes.text_view import TextView

__all__ = ["MODES", "DiffItem", "DiffPane", "DiffSection", "DiffView"]

MODES = (
    Mode("all", "all items", "Every item with its sign"),
    Mode("changes", "changes", "Only what changed"),
    Mode("sides", "side by side", "The two texts beside each other"),
)


class DiffPane(Vertical):
    """Shows a DiffView: + added, − removed, ~ reworded, → moved, = kept."""

    DEFAULT_CSS = """
    DiffPane { background: $surface; }
    DiffPane > Headline { padding: 0 1; }
    DiffPane > ModeBar { padding: 0 1; margin: 0 0 1 0; }
    DiffPane > TextView { height: 1fr; padding: 0 0 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "m",
            "mode(1)",
            "Next view",
            id="diff.next_mode",
            tooltip="All items, changes only, side by side",
        ),
        Binding("M", "mode(-1)", "View before", id="diff.previous_mode", show=False),
        Binding("J", "section(1)", "Next section", id="diff.next_section", show=False),
        Binding("K", "section(-1)", "Previous section", id="diff.previous_section", show=False),
    ]

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: DiffView | None = None
        self._places: list[int] = []
        self._wanted = ""
        self._sides_width = 0
        self._headline = Headline(4)
        self._modes = ModeBar(MODES)
        self._body = TextView()

    def compose(self) -> ComposeResult:
        """Counts, modes, items."""
        yield self._headline
        yield self._modes
        yield self._body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self._body.tooltip = "+ added   − removed   ~ reworded   → moved   = kept"
        self.set_view(self._view)

    @property
    def body(self) -> TextView:
        """The text on show."""
        return self._body

    @property
    def mode(self) -> str:
        """all, changes or sides."""
        return self._modes.mode

    def set_view(self, view: DiffView | None) -> None:
        """Show two summaries compared; None where there is no second one."""
        self._view = view
        if not self.is_mounted:
            return
        self._modes.display = view is not None
        if view is None:
            self._headline.set_lines([TextLine("There is no earlier summary to compare with.", "muted")])
            self._body.set_text("")
            return
        self._headline.set_lines(head_lines(view))
        self._show()

    def set_mode(self, mode: str) -> None:
        """Show all, changes or sides."""
        self._modes.choose(mode)

    def show_item(self, text: str) -> None:
        """Go to the item of that wording, new or old, in this comparison and in those that come, until J or K."""
        self._wanted = text
        self._show()

    def action_mode(self, by: int) -> None:
        """Show the comparison in another way."""
        self._modes.step(by)

    def action_section(self, by: int) -> None:
        """Go to the next section, or the one before."""
        self._wanted = ""
        if not self._places:
            return
        active = self._body.active
        if active is None:
            target = self._places[0 if by > 0 else -1]
        else:
            near = [place for place in self._places if (place > active if by > 0 else place < active)]
            target = (near[0] if by > 0 else near[-1]) if near else active
        self._body.set_active(target)

    @on(ModeBar.ModeChosen)
    def _mode_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """The sides are cut to the width."""
        if self._modes.mode == "sides":
            self.call_after_refresh(self._show_sides)

    def _show(self) -> None:
        if self._view is None:
            return
        self._places = []
        self._sides_width = 0
        if self._modes.mode == "sides":
            self._show_sides()
            return
        only_changes = self._modes.mode == "changes"
        lines, self._places, found = section_lines(self._view.sections, only_changes, self._wanted)
        self._body.set_lines(lines)
        if found is not None:
            self._body.set_active(found)

    def _show_sides(self) -> None:
        view = self._view
        # A cell is left for the scrollbar, which may come with the lines.
        width = self._body.size.width - 1
        if view is None or self._modes.mode != "sides" or width == self._sides_width:
            return
        keep_place, self._sides_width = self._sides_width > 0, width
        lines = side_by_side(view.old_text, view.new_text, width, (view.old_title, view.new_title))
        self._body.set_lines(lines, wrap=False, keep_place=keep_place)
