"""Summaries: the differences of two, and the lives of all items."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.diffs import ComparedSummaries
from inspector.answers.lineage import SummaryLives
from inspector.export.documents.document import Document, built, fields_of
from inspector.summaries.exact import Turn
from inspector.summaries.lineage import Cell, Lineage, LineageRow


def diff_documents(answer: Iterable[ComparedSummaries]) -> list[Document]:
    """The answer of `diff`."""
    return [{"from": step.first, "to": step.last, "sections": step.diff.to_json()} for step in answer]


def lineage_document(answer: SummaryLives) -> Document:
    """The answer of `diff --life`: the lives of all items, and how the summaries drifted."""
    lineage, drift = answer.lineage, answer.drift
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
                "left": None if of is None else fields_of(of, "items", "of_items", "words", "of_words"),
                "states": {state: count for state, count in lineage.counts(at).items() if count},
            }
        )
    return {
        "conversation": answer.conversation,
        "columns": columns,
        "groups": [
            {"name": group, "rows": [_row(lineage, row) for row in rows]} for group, rows in lineage.groups
        ],
        "otherwise": [
            {
                "row": turn.row,
                "compaction": lineage.columns[turn.column].compaction,
                **fields_of(turn, "section", "was", "text", "settled"),
                "turns": [_turn(one) for one in turn.turns],
            }
            for turn in drift.otherwise
        ],
        "stale": [
            {
                **built(stale),
                "since": lineage.columns[stale.since].compaction,
                "until": lineage.columns[stale.until].compaction,
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
        **fields_of(cell, "state", "stands", "section"),
        "from_section": cell.from_section or None,
        **fields_of(cell, "text", "was", "others"),
    }


def _turn(turn: Turn) -> Document:
    return {"kind": turn.kind, "how": turn.how, "was": turn.was or None, "now": turn.now or None}
