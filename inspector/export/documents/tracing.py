"""The history of a phrase."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.tracing import Trace
from inspector.core.text import safe_line
from inspector.export.documents.aftermath import event_document
from inspector.export.documents.document import Document, built


def trace_documents(answer: Iterable[Trace]) -> list[Document]:
    """The answer of `trace`: one entry a conversation that has the phrase."""
    return [
        {
            "conversation": trace.row.id,
            "title": safe_line(trace.row.title),
            "text": trace.text,
            "said": built(trace.said),
            "fact": trace.fact or None,
            "fates": [
                {
                    "compaction": fate.compaction,
                    "fate": fate.outcome,
                    "where": fate.where,
                    "evidence": fate.excerpt,
                }
                for fate in trace.fates
            ],
            "aftermath": [event_document(event) for event in trace.aftermath],
        }
        for trace in answer
    ]
