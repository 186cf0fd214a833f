"""Databases, their conversations, and the hits of a search."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.conversations import ListedConversation
from inspector.answers.databases import Database, ListedStore, TitledHit
from inspector.core.text import safe_line
from inspector.export.documents.document import Document, built, fields_of
from inspector.stores.hermes.fitting import fit_text


def conversation_documents(answer: Iterable[ListedConversation]) -> list[Document]:
    """The answer of `conversations`."""
    return [_conversation(entry) for entry in answer]


def _conversation(entry: ListedConversation) -> Document:
    conversation, settings = entry.conversation, entry.settings
    row, generations = conversation.row, len(conversation.generations)
    return {
        "id": row.id,
        "root": row.root,
        "title": safe_line(row.title),
        "model": safe_line(row.model),
        "context_length": settings.context_length,
        "sessions": list(row.sessions),
        "generations": generations,
        "compactions": max(0, generations - 1),
        **fields_of(entry, "lost", "unknown"),
        "messages": len(conversation.live),
        "profile": settings.profile,
        "agent": row.agent,
        "store": entry.store,
        "folder": safe_line(row.folder),
        **fields_of(row, "kind", "parent"),
        "source": safe_line(row.source),
        **fields_of(row, "started_at", "last_active"),
        "reported": built(conversation.usage),
    }


def database_documents(answer: Iterable[Database]) -> list[Document]:
    """The answer of `store`: each database and its tables."""
    return [
        {
            "path": str(entry.info.path),
            **fields_of(entry.info, "kind", "schema", "profile", "profile_reason", "open_profiles"),
            "fits": [{**built(fit), "text": fit_text(fit)} for fit in entry.fits],
            "conversations": entry.conversations,
            **(built(entry.description) or {}),
            "notes": list(entry.info.notes),
        }
        for entry in answer
    ]


def store_documents(answer: Iterable[ListedStore]) -> list[Document]:
    """The answer of `stores`: path, agent and limits of each."""
    return [
        {
            "path": str(entry.info.path),
            "agent": entry.info.kind,
            **fields_of(entry, "sessions", "size"),
            "notes": [*entry.info.limits, *entry.info.notes],
        }
        for entry in answer
    ]


def hit_documents(answer: Iterable[TitledHit]) -> list[Document]:
    """The answer of `search`."""
    return [
        {
            "conversation": entry.hit.conversation,
            "title": safe_line(entry.title),
            "session": entry.hit.session,
            "message": entry.hit.message,
            "generation": entry.place.generation if entry.place else None,
            "left_with": (entry.place.left_with or None) if entry.place else None,
            "role": entry.hit.role,
            "text": safe_line(entry.hit.excerpt),
        }
        for entry in answer
    ]
