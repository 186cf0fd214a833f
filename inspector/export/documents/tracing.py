"""The history of a phrase."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.tracing import Trace
from inspector.core.text import safe_line
from inspector.export.documents.aftermath import event_document
from inspector.export.documents.document import Document, built
from inspector.export.documents.facts import fate_after


def trace_documents(answer: Iterable[Trace]) -> list[Document]:
    """The answer of `trace`: one entry a conversation that has the phrase."""
    return [
        {
            "conversation": trace.row.id,
            "title": safe_line(trace.row.title),
            "text": trace.text,
            "said": built(trace.said),
            "fact": trace.fact or None,
            "fates": list(map(fate_after, trace.fates)),
            "aftermath": list(map(event_document, trace.aftermath)),
        }
        for trace in answer
    ]
