"""Losses over a store."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.store_losses import ListedLoss
from inspector.core.text import safe_line
from inspector.export.documents.document import Document, fields_of


def loss_documents(answer: Iterable[ListedLoss]) -> list[Document]:
    """The answer of `losses`."""
    return [
        {
            "conversation": one.row.id,
            "title": safe_line(one.row.title),
            "agent": one.agent,
            **fields_of(one.loss, "compaction", "at", "lost", "weakened", "uncertain", "aftermath"),
            "aftermath_of_lost_rules": one.loss.broken,
            **fields_of(one.loss, "facts"),
        }
        for one in answer
    ]
