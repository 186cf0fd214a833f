"""What changed between two summaries: by section and item, or the two texts side by side."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.strips import one_line
from widgets.base.text_lines import Span, TextLine, line_of
from widgets.panes.side_by_side import side_by_side
from widgets.panes.text_view import TextView

Change = Literal["kept", "added", "removed", "reworded", "moved"]

#: The sign and the style of each change, in the order in which they are counted.
CHANGES: dict[str, tuple[str, str]] = {
    "added": ("+", "added"),
    "removed": ("−", "removed"),
    "reworded": ("~", "changed"),
    "moved": ("→", "moved"),
    "kept": ("=", "kept"),
}
#: Longer items are not compared word by word.
_WORDS_LIMIT = 600
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class DiffItem:
    """An item and what became of it. `was` is its former wording; sections are set for moved ones."""

    change: Change
    text: str
    was: str = ""
    from_section: str = ""
    to_section: str = ""


@dataclass(frozen=True, slots=True)
class DiffSection:
    """A section; `change` says whether the section itself is new or gone."""

    name: str
    items: tuple[DiffItem, ...] = ()
    change: Literal["kept", "added", "removed"] = "kept"


@dataclass(frozen=True, slots=True)
class DiffView:
    """Two summaries compared. Titles name them ("compaction 1"); the texts are their whole bodies."""

    old_title: str = ""
    new_title: str = ""
    sections: tuple[DiffSection, ...] = ()
    old_text: str = ""
    new_text: str = ""
    note: str = ""


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
        self._headline.set_lines(_headline(view))
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
        lines: list[TextLine] = []
        found: int | None = None
        only_changes = self._modes.mode == "changes"
        for section in self._view.sections:
            items = [item for item in section.items if not (only_changes and item.change == "kept")]
            if only_changes and not items and section.change == "kept":
                continue
            if lines:
                lines.append(TextLine(""))
            self._places.append(len(lines))
            lines.append(_heading(section))
            for item in items:
                if self._wanted and self._wanted in (item.text, item.was):
                    found = len(lines) if found is None else found
                lines += _item_lines(item)
        self._body.set_lines(lines or [TextLine("Nothing changed.", "muted")])
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


def _counts(items: tuple[DiffItem, ...]) -> list[tuple[str, str]]:
    found = Counter[str](item.change for item in items)
    return [
        (f"  {sign} {found[change]}", style) for change, (sign, style) in CHANGES.items() if found[change]
    ]


def _headline(view: DiffView) -> list[TextLine]:
    items = tuple(item for section in view.sections for item in section.items)
    found = Counter[str](item.change for item in items)
    title = f"{one_line(view.old_title, 60)} → {one_line(view.new_title, 60)}"
    parts = []
    for change, (sign, style) in CHANGES.items():
        if found[change]:
            parts.append((f"{sign} {human.count(found[change])} {change}   ", style))
    lines = [TextLine(title, "strong"), line_of(*parts)]
    if view.note:
        lines.append(TextLine(view.note, "muted"))
    return lines


def _heading(section: DiffSection) -> TextLine:
    parts = [(one_line(section.name, 200) or "(no heading)", "heading")]
    if section.change != "kept":
        sign, style = CHANGES[section.change]
        parts.append((f"  {sign} section {section.change}", style))
    return line_of(*parts, *_counts(section.items))


def _item_lines(item: DiffItem) -> list[TextLine]:
    sign, style = CHANGES[item.change]
    text = one_line(item.text)
    prefix = f"  {sign} "
    if item.change == "reworded" or (item.change == "moved" and item.was and item.was != item.text):
        was = one_line(item.was)
        old, new = word_spans(was, text)
        lines = [
            TextLine(text, spans=new, prefix=prefix, prefix_style=style),
            TextLine(was, "kept", spans=old, prefix="    was ", prefix_style="muted"),
        ]
    else:
        lines = [TextLine(text, style, prefix=prefix, prefix_style=style)]
    if item.change == "moved":
        source, target = one_line(item.from_section, 100), one_line(item.to_section, 100)
        lines.append(TextLine(f"{source} → {target}", "muted", prefix="    "))
    return lines


def word_spans(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The words that only the old text has, and those that only the new one has, as spans of each."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if len(before) > _WORDS_LIMIT or len(after) > _WORDS_LIMIT:
        return (), ()
    gone: list[Span] = []
    come: list[Span] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            continue
        for words, low, high, spans, style in (
            (before, old_from, old_to, gone, "removed-word"),
            (after, new_from, new_to, come, "added-word"),
        ):
            start = sum(map(len, words[:low]))
            text = "".join(words[low:high])
            bare = text.strip()
            if bare:
                start += len(text) - len(text.lstrip())
                spans.append(Span(start, start + len(bare), style))
    return tuple(gone), tuple(come)
