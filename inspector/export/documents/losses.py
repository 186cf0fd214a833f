"""Losses over a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from inspector.answers.store_losses import ListedLoss
from inspector.core.text import safe_line
from inspector.export.documents.document import Document


def loss_documents(answer: Iterable[ListedLoss]) -> list[Document]:
    """The answer of `losses`."""
    return [
        {
            "conversation": one.row.id,
            "title": safe_line(one.row.title),
            "agent": one.agent,
            "compaction": one.loss.compaction,
            "at": one.loss.at,
            "lost": dict(one.loss.lost),
            "weakened": one.loss.weakened,
            "uncertain": one.loss.uncertain,
            "aftermath": dict(one.loss.aftermath),
            "aftermath_of_lost_rules": one.loss.broken,
            "facts": [asdict(fact) for fact in one.loss.facts],
        }
        for one in answer
    ]
