"""Databases, their conversations, and the hits of a search, as JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from inspector.answers.conversations import Database, ListedConversation
from inspector.core.conversations import Usage
from inspector.core.shares import plural
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


def print_conversations(documents: Sequence[Document]) -> None:
    """Print a line for each conversation. On narrow terminals, ids are cut to a unique prefix."""
    ids = [entry["id"] for entry in documents]
    names = dict(zip(ids, ids, strict=True)) if console_for().width >= WIDTH else shortest_names(ids)
    table = Table(
        "title", "agent", "project", ">messages", ">compactions", ">lost", "profile", "id",
        spare=("profile", "messages", "project"), cut=("title",),
    )  # fmt: skip
    for entry in documents:
        kind = "" if entry["kind"] == "conversation" else f" ({entry['kind']})"
        table.add((entry["title"] or entry["id"]) + kind, entry["agent"], PurePath(entry["folder"]).name or "–",
            f"{entry['messages']:,}", entry["compactions"], _lost(entry), entry["profile"], names[entry["id"]],
        )  # fmt: skip
    print_table(table, "There are no conversations in this database.")
    if any(entry["lost"] is None for entry in documents):
        say("· its losses are not read yet: run `compaction-inspector losses`.")
    if any(entry["unknown"] for entry in documents):
        say(
            "? unknown fates: the summary or a part of the conversation is missing or cannot be read, or the list "
            "before a compaction is missing."
        )
    if any(entry["uncertain"] for entry in documents):
        say("± uncertain facts: they may be lost.")


def _lost(entry: Document) -> str:
    if entry["lost"] is None:
        return "·"
    number = "" if entry["unknown"] and not entry["lost"] else f"{entry['lost']:,}"
    marked = [
        f"{sign}{entry[name]:,}" for sign, name in (("?", "unknown"), ("±", "uncertain")) if entry[name]
    ]
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


def print_stores(documents: Sequence[Document]) -> None:
    """Print a description of each database."""
    for entry in documents:
        say(entry["path"], "bold")
        schema = "" if entry["schema"] is None else f", schema {entry['schema']}"
        schema = ", of no known schema" if entry["schema"] is None and "tables" in entry else schema
        say(f"{entry['kind']}{schema} · profile {entry['profile']}: {entry['profile_reason']}")
        for fit in entry["fits"]:
            off = f", others differ by up to {fit['off']:,} messages" if fit["fits"] < fit["of"] else ""
            say(f"  {fit['text']}{off}")
        if "tables" not in entry:
            say(plural(entry["conversations"], "conversation"))
            continue
        say(
            f"{plural(entry['conversations'], 'conversation')} · {entry['size']:,} bytes · "
            f"journal {entry['journal_mode']}"
        )
        table = Table("table", ">rows", "text")
        for about in entry["tables"]:
            what = "full-text index" if about["full_text"] else ", ".join(about["columns"])
            table.add(about["name"], "unreadable" if about["rows"] is None else f"{about['rows']:,}", what)
        print_table(table)


def print_store_list(documents: Sequence[Document]) -> None:
    """Print a line for each store, with its limits below."""
    for entry in documents:
        say(entry["path"], "bold")
        say(f"  {entry['agent']} · {plural(entry['sessions'], 'conversation')} · {entry['size']:,} bytes")
        for note in entry["notes"]:
            say(f"  {note}")


def _list_of(hit: Document) -> str:
    """Return the list of a message, and the compaction that removed it, in words."""
    if hit["generation"] is None:
        return ""
    return f"gen {hit['generation']}, {'left c' + str(hit['left_with']) if hit['left_with'] else 'live'}"


def print_hits(documents: Sequence[Document]) -> None:
    """Print the hits of a search."""
    table = Table("conversation", ">row", "list", "role", "text", spare=("role",), cut=("conversation",))
    for entry in documents:
        table.add(entry["title"], entry["message"], _list_of(entry), entry["role"], entry["text"])
    print_table(table, "No message contains that.")
