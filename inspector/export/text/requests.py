"""Requests, what they missed and cost, and what idling did."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console

from inspector.core.shares import dollars
from inspector.core.text import safe_line
from inspector.export.documents.document import Document
from inspector.export.text.console import Table, console_for, print_table, say


def print_requests(documents: Sequence[Document], sums: Document) -> None:
    """A line a call: its context, what of it came from the cache, what had to be sent again and why, what it cost; then
    all of it in sums."""
    console = console_for()
    names = ("#", "context", "read", "written", "of 1h", "input", "output")
    table = Table(
        *((name, True) for name in names), ("generation", True), ("again", True), ("cause", False), ("USD", True),
        ("model", False), spare=("model", "of 1h", "generation", "output", "input", "context"),
    )  # fmt: skip
    for entry in documents:
        sizes = (
            entry["context_tokens"], entry["cache_read_tokens"], entry["cache_write_tokens"],
            entry["cache_write_1h_tokens"], entry["input_tokens"], entry["output_tokens"],
        )  # fmt: skip
        rough = "~" if entry["modelled"] else ""
        shown = ["" if size is None else f"{rough}{size:,}" for size in sizes]
        if entry["output_estimated"]:
            shown[-1] = f"~{entry['output_tokens']:,}"
        cost = "" if entry["cost"] is None else f"{rough}{entry['cost']['amount']:.4f}"
        missed = f"{rough}{entry['missed_tokens']:,}" if entry["missed_tokens"] else ""
        table.add(str(entry["index"]), *shown, str(entry["generation"]), missed, entry["cause"] or "", cost,
            entry["model"],
        )  # fmt: skip
    print_table(console, table)
    for entry in documents:
        if entry["differs"]:
            say(console, f"request {entry['index']:,} differs from the one before {entry['differs']}")
    print_sums(sums)


def print_sums(sums: Document) -> None:
    """Missed tokens by cause, the cost of all requests, and the cost of idling."""
    console = console_for()
    how = "modelled " if sums["modelled"] else ""
    for one in sums["by_cause"]:
        more = (
            ""
            if not one["missed_cost"]
            else f", {dollars(one['missed_cost'])} US dollars more than reading them"
        )
        say(
            console,
            f"{one['cause']:<16} {one['misses']:>5,}  {one['missed_tokens']:>12,} tokens sent again{more}",
        )
    if sums["cost"] is not None:
        cost = f"{dollars(sums['cost']['amount']):>12} US dollars"
        say(console, f"{how + 'requests':<17}{sums['requests']:>5,}  {cost}{_prices(sums['prices_of'])}")
    elif sums["requests"]:
        say(
            console, f"{how + 'requests':<17}{sums['requests']:>5,}  no cost: {'; '.join(sums['cost_notes'])}"
        )
    for sentence in sums["idle"]["text"]:
        say(console, sentence)


def _prices(dates: Sequence[str]) -> str:
    """Dates of the prices."""
    if not dates:
        return ""
    return f" at the prices of {dates[0]}" + (f" to {dates[-1]}" if dates[0] != dates[-1] else "")


def print_sent(document: Document) -> None:
    """A request as it was sent: its parts, and which of them carry a cache breakpoint."""
    console = console_for()
    marked = {tuple(path[:2]) for path in document["breakpoints"]}
    say(console, f"request {document['number']:,} of {document['of']:,} · {document['model']}", "bold")
    for number, block in enumerate(document["system"]):
        _part(console, f"system {number}", block.get("text"), ("system", number) in marked)
    say(console, f"  {len(document['tools']):,} tools")
    for number, message in enumerate(document["messages"]):
        _part(
            console, f"{number} {message.get('role')}", message.get("content"), ("messages", number) in marked
        )


def _part(console: Console, name: str, content: object, marked: bool) -> None:
    parts = content if isinstance(content, list) else [content]
    texts = [
        part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in parts if part
    ]
    mark = " ◆ breakpoint" if marked else ""
    say(console, f"  {safe_line(name, 40)}{mark}: {safe_line(' '.join(texts), 160)}")
