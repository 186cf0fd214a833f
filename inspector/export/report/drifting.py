"""How far the summaries of a report drifted."""

from __future__ import annotations

from inspector.answers.inspection import Inspection
from inspector.answers.lineage import budgets_by_compaction, drift_with, lineage_of
from inspector.engines.base import Settings
from inspector.export.report.limits import DRIFT
from inspector.export.report.values import DriftLine, DriftPart, LengthLine
from inspector.quality.measures.measure import Share
from inspector.summaries.drift import Stale
from inspector.summaries.exact import Turn
from inspector.summaries.lineage import Lineage


def drift_part(inspection: Inspection, settings: Settings) -> DriftPart:
    """Lengths, what is left of the first summary, items that say something else, items that are stale."""
    compactions = inspection.compactions()
    lineage = lineage_of(compactions)
    if not any(column.summary for column in lineage.columns):
        return DriftPart()
    drift = drift_with(lineage, compactions, budgets_by_compaction(inspection, compactions, settings))
    left = {entry.column: Share(entry.items, entry.of_items) for entry in drift.left}
    numbers = [column.compaction for column in lineage.columns]
    lengths = tuple(
        LengthLine(numbers[one.column], one.tokens, one.budget, left.get(one.column)) for one in drift.lengths
    )
    settled = [turn for turn in drift.otherwise if turn.settled]
    otherwise = tuple(
        DriftLine(numbers[turn.column], "; ".join(map(_turn, turn.turns)), turn.text, turn.was)
        for turn in settled[:DRIFT]
    )
    stale = tuple(
        DriftLine(numbers[one.until], _stale(one, lineage), one.text) for one in drift.stale[:DRIFT]
    )
    return DriftPart(
        lengths,
        otherwise,
        max(0, len(settled) - DRIFT),
        stale,
        max(0, len(drift.stale) - DRIFT),
    )


def _turn(turn: Turn) -> str:
    if turn.was and turn.now:
        return f"{turn.kind}: {turn.was} became {turn.now}"
    return f"{turn.kind}: {turn.now} is new" if turn.now else f"{turn.kind}: {turn.was} is gone"


def _stale(one: Stale, lineage: Lineage) -> str:
    since = lineage.columns[one.since].compaction
    if one.why == "done" and one.by is not None:
        return f"{one.section}: done since summary {since}: {lineage.rows[one.by].text}"
    return f"{one.section}: listed unchanged since summary {since}, in {one.times} summaries"
