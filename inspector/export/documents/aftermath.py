"""The aftermath of compactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.answers.fact_results import ConversationAftermath
from inspector.core.text import safe_line
from inspector.export.documents.document import Document
from inspector.quality.aftermath import AftermathEvent, Place


def aftermath_documents(answer: Iterable[ConversationAftermath]) -> list[Document]:
    """The answer of `aftermath`: one entry an event."""
    return [
        {"conversation": entry.row.id, "title": safe_line(entry.row.title), **event_document(event)}
        for entry in answer
        for event in entry.events
    ]


def event_document(event: AftermathEvent) -> Document:
    """One event, with both places."""
    return {
        "compaction": event.compaction,
        "kind": event.kind,
        "message": event.place.message,
        "generation": event.place.generation,
        "index": event.place.index,
        "earlier": None if event.earlier is None else event.earlier.message,
        "earlier_place": None if event.earlier is None else dict(_place(event.earlier)),
        "fact": event.fact or None,
        "category": event.category or None,
        "fate": event.fate or None,
        "text": event.text,
        "tokens": event.tokens,
    }


def _place(place: Place) -> Iterator[tuple[str, int]]:
    yield "generation", place.generation
    yield "index", place.index
