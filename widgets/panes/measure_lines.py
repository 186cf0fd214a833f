"""Measures as lines: whose they are, and the chosen one with its definition, its parts and its curve."""

from __future__ import annotations

from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.measure_table import FALLBACK, MISSING, MeasureCell, MeasureRow, MeasuresView

#: What a curve is called, where there is room and where there is less.
_SO_FAR = ("of all so far", "so far")
#: Cells for three numbers beside a curve.
_NUMBERS = 60
_BLOCKS = "▁▂▃▄▅▆▇█"
_WAITING = "Looking for facts to measure …"
_NOTHING = "Nothing was compacted so far, so there is nothing to measure."


def head_lines(view: MeasuresView | None, column: int, low: bool) -> list[TextLine]:
    """Which compaction the column is of, and what the signs above the columns say."""
    if view is None:
        return [TextLine(_WAITING, "muted")]
    if not view.columns:
        return [TextLine(_NOTHING, "muted")]
    count = len(view.columns)
    if column == count:
        parts = [("the only compaction" if count == 1 else f"all {count:,} compactions together", "strong")]
    else:
        here = view.columns[column]
        parts = [(f"compaction {here.number} of {count:,}", "strong")]
        if here.fallback:
            parts.append((f"   {FALLBACK} a fallback text, which no model wrote", "warning"))
        elif here.encrypted:
            parts.append((f"   {MISSING} its summary is encrypted", "warning"))
        elif not here.summary:
            parts.append((f"   {MISSING} no summary was found", "warning"))
    if low:
        return [line_of(*parts)]
    legend = []
    if any(column.fallback for column in view.columns):
        legend.append(f"{FALLBACK} fallback text")
    if any(not column.summary and not column.fallback and not column.encrypted for column in view.columns):
        legend.append(f"{MISSING} no summary found")
    encrypted = any(column.encrypted for column in view.columns)
    if encrypted:
        legend.append(f"{MISSING} an encrypted summary")
    legend.append("– not known, or nothing to measure" if encrypted else "– nothing to measure")
    return [line_of(*parts), TextLine("   ".join(legend), "muted")]


def measure_lines(
    view: MeasuresView, row: int, column: int, width: int, *, low: bool, defined: bool, curve: bool
) -> list[TextLine]:
    """A measure of a column in lines of so many cells; `defined` tells its definition, `curve` all columns' numbers."""
    measure, cell = view.rows[row], view.cell(row, column)
    encrypted = column < len(view.columns) and view.columns[column].encrypted
    untold = "not known: the summary is encrypted" if encrypted else "nothing to measure"
    title = [(one_line(measure.title), "strong"), (f"   {cell.told or untold}", "accent")]
    if low:
        parts = [(f"   {what} {number}", "muted") for what, number in cell.parts]
        # A second line for them would take one from the evidence.
        if sum(len(text) for text, _ in title + parts) <= width:
            title += parts
    lines = [line_of(*title)]
    if defined:
        lines.append(TextLine(measure.counts, "muted"))
    if cell.parts and not low:
        lines.append(line_of(*_parts(cell)))
    points = _curve(view, measure, column, width) if curve else []
    if points:
        lines.append(line_of(*points))
    if not cell.evidence and cell.told and not low:
        lines.append(TextLine("It is counted in tokens; there is nothing to list.", "muted"))
    return lines


def _curve(view: MeasuresView, row: MeasureRow, here: int, width: int) -> list[tuple[str, str]]:
    """What is known of everything so far, after each compaction: a block each, and the numbers."""
    points = [
        (column, cell)
        for column, cell in enumerate(row.cells)
        if cell.so_far is not None and cell.so_far_told
    ]
    if not points:
        return []
    told = [
        (f"  {view.columns[column].head} {block(cell.so_far)} {cell.so_far_told}", column)
        for column, cell in points
    ]
    room = width - sum(len(text) for text, _ in told)
    if room >= len(_SO_FAR[-1]):
        lead = next(lead for lead in _SO_FAR if len(lead) <= room)
        return [(lead, "muted"), *((text, _style(column == here)) for text, column in told)]
    # As many blocks as leave room for three of the numbers: the first, the chosen and the last.
    every = -(-len(points) // max(8, width - _NUMBERS))
    parts = [(_SO_FAR[-1] + "  ", "muted")]
    parts += [(block(cell.so_far), _style(column == here)) for column, cell in points[::every]]
    ends = (points[0][0], here, points[-1][0])
    for column, cell in points:
        if column in ends:
            parts.append((f"  {view.columns[column].head} {cell.so_far_told}", _style(column == here)))
    return parts


def block(share: float | None) -> str:
    """A block as high as a share; the lowest one is for nothing at all."""
    return _BLOCKS[max(0, min(len(_BLOCKS) - 1, round((share or 0.0) * (len(_BLOCKS) - 1))))]


def _style(here: bool) -> str:
    return "strong" if here else "kept"


def _parts(cell: MeasureCell) -> list[tuple[str, str]]:
    return [
        part
        for at, (what, number) in enumerate(cell.parts)
        for part in ((f"{'   ' if at else ''}{what} ", "muted"), (number, ""))
    ]
