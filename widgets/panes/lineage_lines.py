"""The items of all summaries as lines: changes of one summary, and the history of one item."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.summaries.exact import turn_words
from widgets.base import human
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, counted, line_of
from widgets.lists.lineage_list import SIGNS
from widgets.panes.diff_lines import new_words

if TYPE_CHECKING:
    from inspector.summaries.drift import ChangedMeaning, Drift, Stale
    from inspector.summaries.lineage import Cell, Lineage, LineageRow


class LineageView(Struct, frozen=True, dict=True):
    """A lineage and its drift. `column` counts from 0 and is that of the chosen compaction; `note` is a sentence."""

    lineage: Lineage
    drift: Drift
    column: int = 0
    note: str = ""

    @cached_property
    def stale(self) -> dict[int, Stale]:
        """Stale items by row."""
        return {stale.row: stale for stale in self.drift.stale}

    @cached_property
    def changed_meanings(self) -> dict[int, list[ChangedMeaning]]:
        """Changes of meaning by row."""
        changes: dict[int, list[ChangedMeaning]] = {}
        for change in self.drift.changed_meanings:
            changes.setdefault(change.row, []).append(change)
        return changes

    def has_changed_meaning(self, row: int) -> bool:
        """Whether the meaning of an item certainly changed."""
        return any(change.settled for change in self.changed_meanings.get(row, ()))

    @property
    def flags(self) -> dict[int, str]:
        """Signs of items by row: its meaning changed, or it is stale."""
        flags = dict.fromkeys(self.stale, "◷")
        return flags | {row: "!" for row in self.changed_meanings if self.has_changed_meaning(row)}


def head_lines(view: LineageView, at: int, width: int, low: bool) -> list[TextLine]:
    """Lines with the changes of a column, the remaining share of the first summary, and problems."""
    lineage = view.lineage
    if not lineage.rows:
        return [TextLine("No compaction has a summary to follow.", "muted")]
    column = lineage.columns[at]
    counts = lineage.counts(at)
    parts = [(f"compaction {column.compaction} of {len(lineage.columns)}   ", "strong")]
    worded = counted(SIGNS, counts, "{sign} {count} {name}" + ("  " if low else "   "))
    # A low pane shows signs without words.
    fits = not low or sum(len(text) for text, _ in parts + worded) - 2 <= width
    parts += worded if fits else counted(SIGNS, counts, "{sign} {count}  ")
    if column.summary is None:
        parts.append(("no summary was found", "warning"))
    elif column.fallback:
        parts.append(("fallback", "warning"))
    lines = [line_of(*parts), line_of(*_left(view, at))]
    if not low:
        lines.append(line_of(*_trouble(view)))
        if view.note:
            lines.append(TextLine(view.note, "muted"))
    return lines


def _left(view: LineageView, at: int) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    left = next((left for left in view.drift.left if left.column == at), None)
    if left is not None and left.of_items:
        parts.append(("first summary: ", "muted"))
        share = human.percent(left.words, left.of_words)
        parts.append((f"{left.items} of {left.of_items} items left, {share} of words   ", ""))
    length = view.drift.lengths[at] if at < len(view.drift.lengths) else None
    if length is not None and length.tokens is not None:
        of = f" of {human.tokens(length.budget)}" if length.budget else ""
        over = length.share is not None and length.share > 1
        size = f"{human.tokens(length.tokens)}{of} tokens{' — over budget' if over else ''}"
        parts.append((size, "warning" if over else ""))
    return parts


def _trouble(view: LineageView) -> list[tuple[str, str]]:
    changed = sum(view.has_changed_meaning(row) for row in view.changed_meanings)
    return [
        (f"! {human.plural(changed, 'item')} with changed meaning   ", "warning" if changed else "muted"),
        (f"◷ {human.plural(len(view.stale), 'stale open item')}", "changed" if view.stale else "muted"),
    ]


def item_lines(view: LineageView, item: LineageRow, at: int) -> tuple[list[TextLine], int]:
    """Return the history of an item as lines, and the number of the line of column `at`."""
    lines = _warnings(view, item)
    place = len(lines)
    text = ""
    for number, (column, cell) in enumerate(zip(view.lineage.columns, item.cells, strict=True)):
        here = number == at
        if here:
            place = len(lines)
        lines += _cell_lines(view.lineage, number, column.compaction, cell, here, text)
        text = cell.text if cell is not None and cell.is_listed else text
    return lines, place


def _warnings(view: LineageView, item: LineageRow) -> list[TextLine]:
    columns = view.lineage.columns
    lines = []
    for change in view.changed_meanings.get(item.number, ()):
        turns = ((one_line(part.was, 120), one_line(part.now, 120)) for part in change.turns)
        changes = ", ".join(turn_words(was, now) for was, now in turns)
        text = f"changed meaning at compaction {columns[change.column].compaction}: {changes}"
        style = "warning" if change.settled else "muted"
        lines.append(TextLine(one_line(text, 600), style, prefix="! ", prefix_style="warning"))
    stale = view.stale.get(item.number)
    if stale is not None:
        since = columns[stale.since].compaction
        if stale.by is not None:
            done = view.lineage.rows[stale.by].text
            text = f"stale: done at compaction {since} (“{one_line(done, 160)}”), but still listed as open"
        else:
            text = f"stale: {stale.times} summaries since compaction {since} list it in the same words"
        lines.append(TextLine(one_line(text, 600), "changed", prefix="◷ ", prefix_style="warning"))
    return lines


def _cell_lines(
    lineage: Lineage, at: int, compaction: int, cell: Cell | None, here: bool, before: str
) -> list[TextLine]:
    """Lines of one column: state, section, and the text if it changed."""
    mark = "›" if here else " "
    if cell is None:
        return [line_of((f"{mark}{compaction:>3}  ", "muted"), ("absent", "muted"))] if here else []
    sign, style = SIGNS[cell.state]
    parts = [(f"{mark}{compaction:>3}  ", "strong" if here else "muted"), (f"{sign} {cell.state}", style)]
    source, section = one_line(cell.from_section, 80), one_line(cell.section, 80)
    parts.append((f"   {source} → {section}" if source else f"   {section}", "muted"))
    lines = [line_of(*parts)]
    if cell.text != before and cell.is_listed:
        text = one_line(cell.text)
        lines.append(TextLine(text, spans=new_words(cell, text), prefix="      "))
    for other in cell.others:
        kin = lineage.rows[other]
        standing = kin.standing(at)
        word = "with" if cell.state == "merged" else "and"
        text = one_line(standing.text if standing else kin.text, 400)
        lines.append(TextLine(text, "muted", prefix=f"      {word} "))
    return lines
