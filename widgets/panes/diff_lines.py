"""Two summaries compared, as lines: sections and items, each with the sign of its change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from inspector.core.conversations import Compaction
from inspector.core.signs import CHANGE_SIGNS
from inspector.summaries.diff import diff_summaries
from inspector.summaries.lineage import Cell
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import Change, ItemChange, SectionDiff, SummaryDiff
from widgets.base.strips import one_line
from widgets.base.text_lines import Span, TextLine, counted, line_of

#: Sign and style of each change, in the order of the counts.
CHANGES: dict[Change, tuple[str, str]] = {
    "added": (CHANGE_SIGNS["added"], "added"),
    "removed": (CHANGE_SIGNS["removed"], "removed"),
    "reworded": (CHANGE_SIGNS["reworded"], "changed"),
    "moved": (CHANGE_SIGNS["moved"], "moved"),
    "kept": (CHANGE_SIGNS["kept"], "kept"),
}
#: Text if there is nothing to compare.
NONE_BEFORE = "There is no earlier summary to compare with."


class SummaryComparison(Struct, frozen=True):
    """The summaries of two compactions, compared."""

    old: Compaction
    new: Compaction
    diff: SummaryDiff

    @property
    def titles(self) -> tuple[str, str]:
        """The two compactions in words."""
        return f"compaction {self.old.index}", f"compaction {self.new.index}"

    @property
    def note(self) -> str:
        """A sentence about fallback texts; "" if a model wrote both summaries."""
        count = self.old.fallback + self.new.fallback
        return ("", "One of the two is a fallback text.", "Both are fallback texts.")[count]


def compare(old: Compaction | None, new: Compaction | None) -> SummaryComparison | None:
    """Compare the summaries of two compactions; None if a summary is missing."""
    if old is None or new is None or old.summary is None or new.summary is None:
        return None
    return SummaryComparison(old, new, diff_summaries(parse_summary(old.summary), parse_summary(new.summary)))


def head_lines(view: SummaryComparison) -> list[TextLine]:
    """The two compactions, the number of items by change, a note."""
    parts = counted(CHANGES, view.diff.counts(), "{sign} {count:,} {name}   ")
    lines = [TextLine(" → ".join(view.titles), "strong"), line_of(*parts)]
    return [*lines, TextLine(view.note, "muted")] if view.note else lines


def section_lines(
    sections: Sequence[SectionDiff], only_changes: bool, wanted: str = ""
) -> tuple[list[TextLine], int | None]:
    """Sections as lines, headings with a tag, and the line of the first item with the `wanted` text."""
    lines: list[TextLine] = []
    place: int | None = None
    for section in sections:
        items = [item for item in section.items if not (only_changes and item.change == "kept")]
        if only_changes and not items and section.was is not None and not section.gone:
            continue
        if lines:
            lines.append(TextLine(""))
        lines.append(_heading(section))
        for item in items:
            if place is None and wanted and wanted in (item.text, item.was):
                place = len(lines)
            lines += _item_lines(item)
    return lines or [TextLine("Nothing changed.", "muted")], place


def _heading(section: SectionDiff) -> TextLine:
    parts = [(one_line(section.name, 200) or "(no heading)", "heading")]
    change: Change | None = "added" if section.was is None else "removed" if section.gone else None
    if change is not None:
        sign, style = CHANGES[change]
        parts.append((f"  {sign} section {change}", style))
    counts = Counter[Change](item.change for item in section.items)
    return line_of(*parts, *counted(CHANGES, counts, "  {sign} {count}"), tag=section.name or "(no heading)")


def _item_lines(item: ItemChange) -> list[TextLine]:
    sign, style = CHANGES[item.change]
    text = one_line(item.text)
    prefix = f"  {sign} "
    if item.was is not None and item.was != item.text:
        was = one_line(item.was)
        lines = [
            TextLine(text, spans=new_words(item, text), prefix=prefix, prefix_style=style),
            TextLine(was, "kept", spans=_old_words(item, was), prefix="    was ", prefix_style="muted"),
        ]
    else:
        lines = [TextLine(text, style, prefix=prefix, prefix_style=style)]
    if item.change == "moved":
        source, target = one_line(item.from_section or "", 100), one_line(item.to_section or "", 100)
        lines.append(TextLine(f"{source} → {target}", "muted", prefix="    "))
    return lines


def new_words(changed: ItemChange | Cell, shown: str) -> tuple[Span, ...]:
    """Spans of the words that only the new wording has; none if the safe text has another length than the item."""
    if len(shown) != len(changed.text):
        return ()
    return tuple(Span(word.start, word.end, "added-word") for word in changed.words if word.end > word.start)


def _old_words(item: ItemChange, shown: str) -> tuple[Span, ...]:
    """Spans of the words that only the old wording has."""
    if len(shown) != len(item.was or ""):
        return ()
    return tuple(
        Span(word.was_start, word.was_end, "removed-word")
        for word in item.words
        if word.was_end > word.was_start
    )
