"""How far the summaries of a report drifted."""

from __future__ import annotations

from inspector.answers.inspection import Inspection
from inspector.answers.lineage import budgets_by_compaction, drift_with, lineage_of
from inspector.engines.base import Settings
from inspector.export.document import Document, fields_of
from inspector.export.report.limits import DRIFT
from inspector.quality.measures.measure import Share
from inspector.summaries.drift import Stale
from inspector.summaries.exact import Turn
from inspector.summaries.lineage import Lineage


def drift_part(inspection: Inspection, settings: Settings) -> Document:
    """How far the summaries drifted from the first one.

    `lengths` have the share of the first one's items that is left (None: unknown). `otherwise` are items that say
    something else, `stale` items that are done or never change; each with the number of those left out.
    """
    compactions = inspection.compactions()
    lineage = lineage_of(compactions)
    if not any(column.summary for column in lineage.columns):
        return {"lengths": [], "otherwise": [], "otherwise_more": 0, "stale": [], "stale_more": 0}
    drift = drift_with(lineage, compactions, budgets_by_compaction(inspection, compactions, settings))
    left = {entry.column: Share(entry.items, entry.of_items) for entry in drift.left}
    numbers = [column.compaction for column in lineage.columns]
    settled = [turn for turn in drift.otherwise if turn.settled]
    return {
        "lengths": [
            {
                "compaction": numbers[one.column],
                **fields_of(one, "tokens", "budget"),
                "items": left.get(one.column),
            }
            for one in drift.lengths
        ],
        "otherwise": [
            _line(numbers[turn.column], "; ".join(map(_turn, turn.turns)), turn.text, turn.was)
            for turn in settled[:DRIFT]
        ],
        "otherwise_more": max(0, len(settled) - DRIFT),
        "stale": [_line(numbers[one.until], _stale(one, lineage), one.text) for one in drift.stale[:DRIFT]],
        "stale_more": max(0, len(drift.stale) - DRIFT),
    }


def _line(compaction: int, note: str, text: str, was: str = "") -> Document:
    return {"compaction": compaction, "note": note, "text": text, "was": was}


def _turn(turn: Turn) -> str:
    if turn.was and turn.now:
        return f"{turn.kind}: {turn.was} became {turn.now}"
    return f"{turn.kind}: {turn.now} is new" if turn.now else f"{turn.kind}: {turn.was} is gone"


def _stale(one: Stale, lineage: Lineage) -> str:
    since = lineage.columns[one.since].compaction
    if one.why == "done" and one.by is not None:
        return f"{one.section}: done since summary {since}: {lineage.rows[one.by].text}"
    return f"{one.section}: listed unchanged since summary {since}, in {one.times} summaries"
