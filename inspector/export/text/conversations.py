"""Databases, their conversations, and the hits of a search."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from inspector.export.documents.document import Document
from inspector.export.text.console import add_row, console_for, say, table_of


def print_conversations(documents: Sequence[Document]) -> None:
    """One line a conversation."""
    if not documents:
        say(console_for(), "There are no conversations in this database.")
        return
    table = table_of(
        ("title", False), ("model", False), ("messages", True), ("generations", True), ("compactions", True),
        ("lost", True), ("profile", False), ("id", False),
    )  # fmt: skip
    for entry in documents:
        kind = "" if entry["kind"] == "conversation" else f" ({entry['kind']})"
        add_row(
            table, (entry["title"] or entry["id"]) + kind, entry["model"], f"{entry['messages']:,}",
            entry["generations"], entry["compactions"],
            "·" if entry["lost"] is None else entry["lost"], entry["profile"], entry["id"],
        )  # fmt: skip
    console_for().print(table)


def conversations(number: int) -> str:
    """How many, in words."""
    return f"{number:,} conversation{'' if number == 1 else 's'}"


def print_stores(documents: Sequence[Document]) -> None:
    """What each database is."""
    console = console_for()
    for entry in documents:
        say(console, entry["path"], "bold")
        schema = "of no known schema" if entry["schema"] is None else f"schema {entry['schema']}"
        say(console, f"{entry['kind']}, {schema} · profile {entry['profile']}: {entry['profile_reason']}")
        for fit in entry["fits"]:
            off = f", others differ by up to {fit['off']:,} messages" if fit["fits"] < fit["of"] else ""
            say(console, f"  {fit['text']}{off}")
        if "tables" not in entry:
            say(console, conversations(entry["conversations"]))
            continue
        say(
            console,
            f"{conversations(entry['conversations'])} · {entry['size']:,} bytes · journal {entry['journal_mode']}",
        )
        table = table_of(("table", False), ("rows", True), ("text", False))
        for found in entry["tables"]:
            what = "full-text index" if found["full_text"] else ", ".join(found["columns"])
            add_row(
                table, found["name"], "unreadable" if found["rows"] is None else f"{found['rows']:,}", what
            )
        console.print(table)


def print_store_list(documents: Sequence[Document]) -> None:
    """A line a store, and below it what it cannot tell."""
    console = console_for()
    for entry in documents:
        say(console, entry["path"], "bold")
        say(console, f"  {entry['agent']} · {conversations(entry['sessions'])} · {entry['size']:,} bytes")
        for note in entry["notes"]:
            say(console, f"  {note}")


def print_hits(documents: Sequence[Document]) -> None:
    """The hits of a search."""
    table = table_of(("conversation", False), ("message", True), ("role", False), ("text", False))
    for entry in documents:
        add_row(table, entry["title"], entry["message"], entry["role"], entry["text"])
    console_for().print(table if documents else Text("No message contains that."))
