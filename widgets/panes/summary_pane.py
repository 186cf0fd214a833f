"""A summary by section: headings that fold, how many items and tokens each has, and the size against its budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.panes.text_view import TextView


@dataclass(frozen=True, slots=True)
class SummaryItem:
    """An item; `mark` is its number or bullet ("3.", "-"; "" for a paragraph), `depth` counts from 0."""

    text: str
    mark: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class SummarySection:
    """A section; `level` counts from 1. `tokens` are rough, None where nobody counted."""

    name: str
    items: tuple[SummaryItem, ...] = ()
    tokens: int | None = None
    level: int = 1


@dataclass(frozen=True, slots=True)
class SummaryView:
    """A summary. `tokens` and `budget` are rough; a budget of None is not known.

    `kind`: "summary", "merged" (into the first tail message), "fallback" (no summary could be made) or "none".
    `title` says which ("compaction 2 of 3"), `note` is a sentence that belongs to it, `text` the whole body.
    """

    kind: Literal["summary", "merged", "fallback", "none"] = "none"
    title: str = ""
    sections: tuple[SummarySection, ...] = ()
    tokens: int | None = None
    budget: int | None = None
    note: str = ""
    text: str = ""


class SummaryPane(Vertical):
    """Shows a SummaryView. Which sections are folded is remembered by name, from summary to summary."""

    DEFAULT_CSS = """
    SummaryPane { background: $surface; }
    SummaryPane > Headline { padding: 0 1; margin: 0 0 1 0; }
    SummaryPane > TextView { height: 1fr; padding: 0 0 0 1; }
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
        self._body = TextView()

    def compose(self) -> ComposeResult:
        """Size and budget, sections."""
        yield self._headline
        yield self._body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self._body.tooltip = "Click a heading to fold it."
        self.set_view(self._view)

    @property
    def body(self) -> TextView:
        """The text on show."""
        return self._body

    @property
    def folded(self) -> frozenset[str]:
        """The names of the sections that are folded."""
        return self._folded

    def set_view(self, view: SummaryView) -> None:
        """Show a summary."""
        foldable = bool(self._view.sections)
        self._view, self._section = view, 0
        if self.is_mounted:
            if foldable != bool(view.sections):
                self.refresh_bindings()
            self._headline.set_lines(_headline(view))
            self._show(keep_place=False)

    def _show(self, *, keep_place: bool) -> None:
        view = self._view
        lines: list[TextLine] = []
        self._places = []
        for index, section in enumerate(view.sections):
            if lines and (section.level <= 2 or section.items):
                lines.append(TextLine(""))
            self._places.append(len(lines))
            parent = index + 1 < len(view.sections) and view.sections[index + 1].level > section.level
            lines.append(_heading(section, section.name in self._folded, parent, f"section:{index}"))
            if section.name not in self._folded:
                lines += [line for item in section.items for line in _item(item, section.level)]
        if not view.sections:
            body = view.text or "There is no summary here."
            lines = [TextLine(line, "" if view.text else "muted") for line in body.split("\n")]
        self._body.set_lines(lines, keep_place=keep_place)
        if self._places and keep_place:
            self._body.set_active(self._places[self._section])

    @on(TextView.LineClicked)
    def _clicked(self, event: TextView.LineClicked) -> None:
        event.stop()
        kind, _, number = event.tag.partition(":")
        if kind == "section":
            self._section = int(number)
            self.action_fold()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a section there is none to fold or to go to, and the keys are free for others."""
        return bool(self._view.sections) if action in ("section", "fold", "fold_all") else True

    def action_section(self, by: int) -> None:
        """Go to the next section, or the one before."""
        if not self._places:
            return
        if self._body.active is None:
            self._section = 0 if by > 0 else len(self._places) - 1
        else:
            self._section = max(0, min(self._section + by, len(self._places) - 1))
        self._body.set_active(self._places[self._section])

    def action_fold(self) -> None:
        """Fold the section, or unfold it."""
        if self._places:
            self._folded ^= {self._view.sections[self._section].name}
            self._show(keep_place=True)

    def action_fold_all(self) -> None:
        """Fold every section; unfold them where all are folded."""
        names = frozenset(section.name for section in self._view.sections)
        self._folded = frozenset() if names <= self._folded else names
        if self._places:
            self._show(keep_place=True)


def _headline(view: SummaryView) -> list[TextLine]:
    lines = []
    if view.kind == "fallback":
        lines.append(
            TextLine(
                "No summary was made: a fallback text took the place of the middle.", "error", prefix="✗ "
            )
        )
    title = one_line(view.title, 200)
    parts = [(title, "strong")] if title else []
    if view.kind == "merged":
        parts.append(("  merged into the first tail message", "accent"))
    if view.sections:
        items = sum(len(section.items) for section in view.sections)
        parts.append(
            (f"  {human.plural(len(view.sections), 'section')}, {human.plural(items, 'item')}", "muted")
        )
    if parts:
        lines.append(line_of(*parts))
    if view.tokens is not None:
        lines.append(_size(view.tokens, view.budget))
    if view.note:
        lines.append(TextLine(view.note, "muted"))
    return lines or [TextLine("No summary is chosen.", "muted")]


def _size(tokens: int, budget: int | None) -> TextLine:
    parts = [(f"~{human.count(tokens)} tokens", "")]
    if budget:
        cells = 20
        full = min(cells, -(-tokens * cells // budget))
        over = tokens > budget
        style = "error" if over else "key"
        parts += [
            ("  " + "▓" * full, style),
            ("░" * (cells - full), "rest"),
            (
                f"  {human.percent(tokens, budget)} of the budget of {human.count(budget)}",
                "error" if over else "muted",
            ),
        ]
    return line_of(*parts)


def _heading(section: SummarySection, folded: bool, parent: bool, tag: str) -> TextLine:
    facts = human.plural(len(section.items), "item") if section.items else "" if parent else "empty"
    if section.tokens is not None:
        facts += f"{' · ' if facts else ''}~{human.tokens(section.tokens)}"
    indent = "  " * max(0, section.level - 2)
    name = one_line(section.name, 200) or "(no heading)"
    parts = (f"{indent}{'▸' if folded else '▾'} ", "accent"), (name, "heading"), (f"  {facts}", "muted")
    return line_of(*parts, tag=tag)


def _item(item: SummaryItem, level: int) -> list[TextLine]:
    mark = one_line(item.mark, 8)
    bullet = "• " if mark in ("-", "*", "+", "•") else f"{mark} " if mark else ""
    prefix = "  " * (item.depth + max(1, level - 1)) + bullet
    first, *others = item.text.replace("\r\n", "\n").split("\n")
    lines = [TextLine(first, prefix=prefix, prefix_style="muted")]
    return lines + [TextLine(line, prefix=" " * len(prefix)) for line in others]
