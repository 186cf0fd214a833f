"""Databases, their conversations, and the hits of a search, as JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from inspector.answers.conversations import Database, ListedConversation, ListedStore, SearchHit
from inspector.core.conversations import Usage
from inspector.core.shares import plural
from inspector.core.text import distinct_titles, safe_line
from inspector.export.console import WIDTH, Table, console_for, print_table, say
from inspector.export.document import Document, built, fields_of
from inspector.stores.hermes.fitting import fit_text


def conversation_documents(answer: Iterable[ListedConversation]) -> list[Document]:
    """The answer of `conversations`."""
    return [_conversation(entry) for entry in answer]


def _conversation(entry: ListedConversation) -> Document:
    conversation = entry.conversation
    row, generations = conversation.row, len(conversation.generations)
    return {
        **fields_of(row, "id root title:line model:line"),
        **fields_of(entry, "context_length=settings.context_length sessions=conversation.row.sessions"),
        "generations": generations,
        "compactions": max(0, generations - 1),
        **fields_of(entry, "lost unknown uncertain"),
        "messages": len(conversation.live),
        **fields_of(entry, "profile=settings.profile agent=conversation.row.agent store"),
        **fields_of(row, "folder:line kind parent source:line started_at last_active"),
        "reported": _reported(conversation.usage),
    }


def _reported(usage: Usage) -> Document | None:
    """Return the reported usage; None if nothing is recorded."""
    if usage == Usage():
        return None
    return {**built(usage), "calls": usage.calls or None, "cost": usage.cost or None}


def database_documents(answer: Iterable[Database]) -> list[Document]:
    """The answer of `store`: each database and its tables."""
    return [
        {
            "path": str(entry.info.path),
            **fields_of(entry.info, "kind schema profile profile_reason open_profiles"),
            "fits": [{**built(fit), "text": fit_text(fit)} for fit in entry.fits],
            "conversations": entry.conversations,
            **(built(entry.description) or {}),
            **fields_of(entry, "notes=info.notes"),
        }
        for entry in answer
    ]


def print_conversations(listed: Sequence[ListedConversation]) -> None:
    """Print a line for each conversation; ↳ marks branches and sub-agents.

    A terminal cuts titles and leaves out columns. A narrow one also cuts ids to a unique prefix.
    """
    ids = [entry.conversation.id for entry in listed]
    console = console_for()
    names = dict(zip(ids, ids, strict=True)) if console.width >= WIDTH else shortest_names(ids)
    table = Table(
        "title", "agent", "project", ">messages", ">compactions", ">lost", "profile", "id",
        spare=("profile", "messages", "project") if console.is_terminal else (),
        cut=("title",) if console.is_terminal else (),
    )  # fmt: skip
    for entry in listed:
        conversation, row = entry.conversation, entry.conversation.row
        kind = "" if row.kind == "conversation" else f" ({row.kind})"
        sign = "↳ " if row.parent else ""
        table.add(
            sign + (safe_line(row.title) or row.id) + kind, row.agent, PurePath(safe_line(row.folder)).name or "–",
            f"{len(conversation.live):,}", max(0, len(conversation.generations) - 1), _lost(entry),
            entry.settings.profile, names[row.id],
        )  # fmt: skip
    print_table(table, "There are no conversations in this database.")
    if any(entry.lost is None for entry in listed):
        say("· its losses are not read yet: run `compaction-inspector losses`.")
    if any(entry.unknown for entry in listed):
        say(
            "? unknown fates: the summary or a part of the conversation is missing or cannot be read, or the list "
            "before a compaction is missing."
        )
    if any(entry.uncertain for entry in listed):
        say("± uncertain facts: they may be lost.")


def _lost(entry: ListedConversation) -> str:
    if entry.lost is None:
        return "·"
    number = "" if entry.unknown and not entry.lost else f"{entry.lost:,}"
    marked = [f"{sign}{count:,}" for sign, count in (("?", entry.unknown), ("±", entry.uncertain)) if count]
    return " ".join([number, *marked]).strip()


def shortest_names(ids: Sequence[str]) -> dict[str, str]:
    """Return the shortest unique prefix of each id, of eight characters or more."""
    ordered = sorted(set(ids))
    names = {}
    for at, name in enumerate(ordered):
        beside = ordered[max(0, at - 1) : at] + ordered[at + 1 : at + 2]
        names[name] = next(
            (
                name[:end]
                for end in range(8, len(name))
                if not any(other.startswith(name[:end]) for other in beside)
            ),
            name,
        )
    return names


def print_stores(databases: Sequence[Database]) -> None:
    """Print a description of each database."""
    for entry in databases:
        info, description = entry.info, entry.description
        say(str(info.path), "bold")
        schema = "" if description is None else ", of no known schema"
        schema = schema if info.schema is None else f", schema {info.schema}"
        say(f"{info.kind}{schema} · profile {info.profile}: {info.profile_reason}")
        for fit in entry.fits:
            off = f", others differ by up to {fit.off:,} messages" if fit.fits < fit.of else ""
            say(f"  {fit_text(fit)}{off}")
        conversations = plural(entry.conversations, "conversation")
        if description is None:
            say(conversations)
            continue
        say(f"{conversations} · {description.size:,} bytes · journal {description.journal_mode}")
        table = Table("table", ">rows", "text")
        for about in description.tables:
            what = "full-text index" if about.full_text else ", ".join(about.columns)
            table.add(about.name, "unreadable" if about.rows is None else f"{about.rows:,}", what)
        print_table(table)


def print_store_list(stores: Sequence[ListedStore]) -> None:
    """Print a line for each store, with its limits below."""
    for store in stores:
        say(store.path, "bold")
        say(f"  {store.agent} · {plural(store.sessions, 'conversation')} · {store.size:,} bytes")
        for note in store.notes:
            say(f"  {note}")


def print_hits(hits: Sequence[SearchHit]) -> None:
    """Print the hits of a search, with the list of each message, and the compaction that removed it."""
    table = Table("conversation", ">row", "list", "role", "text", spare=("role",), cut=("conversation",))
    names = distinct_titles({hit.conversation: hit.title for hit in hits})
    for hit in hits:
        where = f"left c{hit.left_with}" if hit.left_with else "live"
        generation = "" if hit.generation is None else f"gen {hit.generation}, {where}"
        table.add(names[hit.conversation], hit.message, generation, hit.role, hit.text)
    print_table(table, "No message contains that.")
