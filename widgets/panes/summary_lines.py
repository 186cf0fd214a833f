"""A summary as lines: its size and trouble, and its sections with their items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from widgets.base import human
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, line_of


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


def head_lines(view: SummaryView, low: bool) -> list[TextLine]:
    """What stands above a summary: which it is, what is wrong with it, its size against its budget."""
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
    if low and view.tokens is not None:
        parts += [("  ", ""), *_size(view.tokens, view.budget)]
    if parts:
        lines.append(line_of(*parts))
    if view.tokens is not None and not low:
        lines.append(line_of(*_size(view.tokens, view.budget, bar=20)))
    if view.note:
        lines.append(TextLine(view.note, "muted"))
    return lines or [TextLine("No summary is chosen.", "muted")]


def _size(tokens: int, budget: int | None, bar: int = 0) -> list[tuple[str, str]]:
    """How long it is against its budget, with a bar of so many cells."""
    parts = [(f"~{human.count(tokens)} tokens", "")]
    if budget:
        full = min(bar, -(-tokens * bar // budget))
        over = tokens > budget
        style = "error" if over else "key"
        if bar:
            parts += [("  " + "▓" * full, style), ("░" * (bar - full), "rest")]
        of = "the budget of " if bar else ""
        told = f"  {human.percent(tokens, budget)} of {of}{human.count(budget)}"
        parts.append((told, "error" if over else "muted"))
    return parts


def section_lines(
    sections: Sequence[SummarySection], folded: Callable[[str], bool], gaps: bool = True
) -> tuple[list[TextLine], list[int]]:
    """Sections as lines tagged "section:0", those that are folded without their items, and the lines of the headings.

    `gaps` sets sections apart by empty lines.
    """
    lines: list[TextLine] = []
    places = []
    for index, section in enumerate(sections):
        if gaps and lines and (section.level <= 2 or section.items):
            lines.append(TextLine(""))
        places.append(len(lines))
        parent = index + 1 < len(sections) and sections[index + 1].level > section.level
        lines.append(_heading(section, folded(section.name), parent, f"section:{index}"))
        if not folded(section.name):
            lines += [line for item in section.items for line in _item(item, section.level)]
    return lines, places


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
