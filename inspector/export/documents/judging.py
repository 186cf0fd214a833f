"""Judgements of a model."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.judging import JudgedStatement, Judgement
from inspector.core.conversations import ConversationRow
from inspector.core.text import safe_line
from inspector.export.documents.document import Document, built, fields_of


def judgement_documents(row: ConversationRow, judgements: Iterable[Judgement]) -> Document:
    """The answer of `judge`, without what was sent."""
    found = list(judgements)
    return {
        "conversation": row.id,
        "title": safe_line(row.title),
        "facts": [_statement(one, judgement) for judgement in found for one in judgement.statements],
        "judgements": [
            {
                **fields_of(one, "compaction", "model", "pieces", "answered", "dropped", "unproven"),
                "agreement": built(one.agreement),
            }
            for one in found
        ],
    }


def _statement(one: JudgedStatement, judgement: Judgement) -> Document:
    statement = one.statement
    return {
        "source": f"model {judgement.model}",
        "category": statement.kind,
        "text": statement.quote,
        **fields_of(statement, "role", "importance"),
        "compaction": judgement.compaction,
        **fields_of(one, "message", "index"),
        "fate": statement.fate,
        "where": one.where,
        "evidence": statement.evidence or None,
    }
