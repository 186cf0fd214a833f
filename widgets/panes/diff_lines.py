"""Two summaries compared, as lines: sections and items, each with the sign of what became of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from inspector.core.signs import CHANGE_SIGNS
from widgets.base import human
from widgets.base.strips import one_line
from widgets.base.text_lines import Span, TextLine, line_of

Change = Literal["kept", "added", "removed", "reworded", "moved"]

#: The sign and the style of each change, in the order in which they are counted.
CHANGES: dict[str, tuple[str, str]] = {
    "added": (CHANGE_SIGNS["added"], "added"),
    "removed": (CHANGE_SIGNS["removed"], "removed"),
    "reworded": (CHANGE_SIGNS["reworded"], "changed"),
    "moved": (CHANGE_SIGNS["moved"], "moved"),
    "kept": (CHANGE_SIGNS["kept"], "kept"),
}
#: What is said where there is nothing to show, or not yet.
NONE_BEFORE = "There is no earlier summary to compare with."
COMPARING = "Comparing the two summaries …"
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


def _counts(items: tuple[DiffItem, ...]) -> list[tuple[str, str]]:
    found = Counter[str](item.change for item in items)
    return [
        (f"  {sign} {found[change]}", style) for change, (sign, style) in CHANGES.items() if found[change]
    ]


def head_lines(view: DiffView) -> list[TextLine]:
    """Which two summaries they are, how much changed, a note."""
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


def section_lines(
    sections: Sequence[DiffSection], only_changes: bool, wanted: str = ""
) -> tuple[list[TextLine], list[int], int | None]:
    """Sections as lines, the lines of their headings, and that of the first item of the `wanted` wording."""
    lines: list[TextLine] = []
    places: list[int] = []
    place: int | None = None
    for section in sections:
        items = [item for item in section.items if not (only_changes and item.change == "kept")]
        if only_changes and not items and section.change == "kept":
            continue
        if lines:
            lines.append(TextLine(""))
        places.append(len(lines))
        lines.append(_heading(section))
        for item in items:
            if place is None and wanted and wanted in (item.text, item.was):
                place = len(lines)
            lines += _item_lines(item)
    return lines or [TextLine("Nothing changed.", "muted")], places, place


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
