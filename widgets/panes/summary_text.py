"""A summary by section: headings that fold, with items and tokens of each, and its size against the budget."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.panes.part import TextPart
from widgets.panes.summary_lines import SummaryView, head_lines, section_lines
from widgets.panes.text_view import TextView


class SummaryText(TextPart[SummaryView]):
    """A SummaryView. Folded sections stay folded by name, from summary to summary."""

    DEFAULT_CSS = """
    SummaryText > Headline { margin: 0 0 1 0; }
    SummaryText.-low > Headline { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("J", "tag(1)", "Next section", id="summary.next_section", show=False),
        Binding("K", "tag(-1)", "Previous section", id="summary.previous_section", show=False),
        Binding("enter,space", "open", "Fold", id="summary.fold", tooltip="Fold or unfold the section"),
        Binding("z", "fold_all", "Fold all", id="summary.fold_all", tooltip="Fold or unfold all sections"),
    ]
    #: Below this height the head has one line less.
    LOW = 16
    NEEDY = frozenset({"tag", "open", "fold_all"})

    def __init__(self) -> None:
        self.head, self.body = Headline(6), TextView()
        super().__init__(self.head, self.body)
        self.body.tooltip = "Click a heading to fold it."
        #: Names of the folded sections.
        self.folded: frozenset[str] = frozenset()

    @property
    def summary(self) -> SummaryView:
        """The summary on screen."""
        return self.view or SummaryView()

    @property
    def filled(self) -> bool:
        """Whether there is a section."""
        return bool(self.summary.sections)

    def fit(self) -> None:
        """Shorten the head of a low part."""
        reading = [TextLine("Reading the summary …", "muted")]
        self.head.set_lines(reading if self.view is None else head_lines(self.view, self.low))

    def show_view(self) -> None:
        """Show the head and the sections."""
        self.fit()
        self._show(keep_place=False)

    def _show(self, *, keep_place: bool) -> None:
        view, tag = self.summary, self.body.active_tag
        lines = section_lines(view, self.folded.__contains__)
        if not view.sections:
            missing = view.compaction is not None and not view.compaction.encrypted
            body = view.text or ("There is no summary." if missing else "")
            lines = [TextLine(line, "" if view.text else "muted") for line in body.split("\n")]
        self.body.set_lines(lines, keep_place=keep_place)
        if tag and keep_place:
            self.body.set_active(next((at for at, line in enumerate(lines) if line.tag == tag), None))

    def open(self, tag: str) -> None:
        """Fold or unfold a section."""
        self.folded ^= {self.summary.sections[int(tag.partition(":")[2])].name}
        self._show(keep_place=True)

    def action_fold_all(self) -> None:
        """Fold all sections, or unfold them when all are folded."""
        names = frozenset(section.name for section in self.summary.sections)
        self.folded = frozenset() if names <= self.folded else names
        self._show(keep_place=True)
