"""The lives of a conversation's summaries: lineage and drift, and the document that tells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspector.answers.inspection import Inspection
from inspector.config.fact_rules import load_stemmer
from inspector.core.conversations import Compaction
from inspector.core.errors import UnknownConversation
from inspector.core.rough import text_tokens
from inspector.engines.base import Settings
from inspector.summaries.drift import Drift, drift_of
from inspector.summaries.exact import Turn
from inspector.summaries.lineage import Cell, Column, Lineage, LineageRow, follow
from inspector.summaries.parse import parse_summary

if TYPE_CHECKING:
    from inspector.answers.answers import Answers

Document = dict[str, Any]


def lineage_of(compactions: Sequence[Compaction]) -> Lineage:
    """The items of all summaries followed."""
    return follow(
        [
            Column(c.index, None if c.summary is None else parse_summary(c.summary), c.fallback)
            for c in compactions
        ]
    )


def drift_with(lineage: Lineage, compactions: Sequence[Compaction], budgets: Mapping[int, int]) -> Drift:
    """The drift of a lineage; `budgets` are rough tokens by compaction, as far as they are known."""
    tokens = [None if c.summary is None else text_tokens(len(c.summary)) for c in compactions]
    return drift_of(lineage, load_stemmer(), tokens, [budgets.get(c.index) for c in compactions])


def budgets_by_compaction(
    inspection: Inspection, compactions: Sequence[Compaction], settings: Settings
) -> dict[int, int]:
    """What the settings' engine asks of each compaction's summary, in tokens. Reads the lists; raises EngineErrors."""
    budgets = {}
    for recorded in compactions:
        plan = inspection.plan(inspection.generation(recorded.index), settings)
        if plan.compacts:
            budgets[recorded.index] = plan.summary_budget
    return budgets


def lineage_document(answers: Answers, name: str) -> Document:
    """The lives of all items, and how the summaries drifted. Raises UnknownConversation where none left a summary."""
    inspection, resolved = answers.opened(name)
    compactions = inspection.compactions()
    lineage = lineage_of(compactions)
    if not any(column.summary for column in lineage.columns):
        raise UnknownConversation("No compaction of this conversation left a summary.")
    drift = drift_with(
        lineage, compactions, budgets_by_compaction(inspection, compactions, resolved.settings)
    )
    left = {entry.column: entry for entry in drift.left}
    columns = []
    for at, column in enumerate(lineage.columns):
        length, of = drift.lengths[at], left.get(at)
        columns.append(
            {
                "compaction": column.compaction,
                "fallback": column.fallback,
                "summary": column.summary is not None,
                "tokens": length.tokens,
                "budget": length.budget,
                "left": None
                if of is None
                else {
                    "items": of.items,
                    "of_items": of.of_items,
                    "words": of.words,
                    "of_words": of.of_words,
                },
                "states": {state: count for state, count in lineage.counts(at).items() if count},
            }
        )
    return {
        "conversation": inspection.conversation.id,
        "columns": columns,
        "groups": [
            {"name": group, "rows": [_row(lineage, row) for row in rows]} for group, rows in lineage.groups
        ],
        "otherwise": [
            {
                "row": turn.row,
                "compaction": lineage.columns[turn.column].compaction,
                "section": turn.section,
                "was": turn.was,
                "text": turn.text,
                "settled": turn.settled,
                "turns": [_turn(one) for one in turn.turns],
            }
            for turn in drift.otherwise
        ],
        "stale": [
            {
                "row": stale.row,
                "why": stale.why,
                "since": lineage.columns[stale.since].compaction,
                "until": lineage.columns[stale.until].compaction,
                "times": stale.times,
                "section": stale.section,
                "text": stale.text,
                "by": stale.by,
            }
            for stale in drift.stale
        ],
    }


def _row(lineage: Lineage, row: LineageRow) -> Document:
    return {
        "row": row.number,
        "text": row.text,
        "section": row.section,
        "cells": [
            _cell(cell, lineage.columns[at].compaction)
            for at, cell in enumerate(row.cells)
            if cell is not None
        ],
    }


def _cell(cell: Cell, compaction: int) -> Document:
    return {
        "compaction": compaction,
        "state": cell.state,
        "stands": cell.stands,
        "section": cell.section,
        "from_section": cell.from_section or None,
        "text": cell.text,
        "was": cell.was,
        "others": list(cell.others),
    }


def _turn(turn: Turn) -> Document:
    return {"kind": turn.kind, "how": turn.how, "was": turn.was or None, "now": turn.now or None}
