"""The aftermath of compactions."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.fact_results import ConversationAftermath
from inspector.core.text import safe_line
from inspector.export.documents.document import Document, fields_of
from inspector.quality.aftermath import AftermathEvent


def aftermath_documents(answer: Iterable[ConversationAftermath]) -> list[Document]:
    """The answer of `aftermath`: one entry an event."""
    return [
        {"conversation": entry.row.id, "title": safe_line(entry.row.title), **event_document(event)}
        for entry in answer
        for event in entry.events
    ]


def event_document(event: AftermathEvent) -> Document:
    """One event, with both places."""
    earlier = event.earlier
    return {
        **fields_of(event, "compaction", "kind"),
        **fields_of(event.place, "message", "generation", "index"),
        "earlier": None if earlier is None else earlier.message,
        "earlier_place": None if earlier is None else fields_of(earlier, "generation", "index"),
        "fact": event.fact or None,
        "category": event.category or None,
        "fate": event.fate or None,
        **fields_of(event, "text", "tokens"),
    }
