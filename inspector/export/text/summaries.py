"""Summaries: the differences of two, section by section, and the lives of all items, a column a compaction."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.shares import percent
from inspector.core.signs import CHANGE_SIGNS, STATE_SIGNS
from inspector.export.documents.document import Document
from inspector.export.text.console import console_for, say
from inspector.summaries.lineage import State

_STYLES = {"added": "green", "removed": "red", "reworded": "yellow", "moved": "cyan", "kept": "dim"}


def print_diff(documents: Sequence[Document]) -> None:
    """Section by section, item by item."""
    console = console_for()
    if not documents:
        say(console, "There are not two summaries to compare.")
    for entry in documents:
        say(console, f"summary {entry['from']} → summary {entry['to']}", "bold")
        for section in entry["sections"]:
            say(console, f"\n{section['name']}", "underline")
            for item in section["items"]:
                text = f"  {CHANGE_SIGNS[item['change']]} {item['text']}"
                if item["change"] == "moved":
                    text += f"   (from {item['from_section']})"
                say(console, text.replace("\n", "\n    "), _STYLES[item["change"]])
                if item.get("was") and item["was"] != item["text"]:
                    say(console, f"      was: {item['was']}".replace("\n", "\n      "), "dim")


def print_lineage(document: Document) -> None:
    """Items as rows, compactions as columns: a sign and a word in each."""
    console = console_for()
    columns = document["columns"]
    cells = 13 if len(columns) <= 6 else 3
    numbers = "".join(f"{_number(column):<{cells}}" for column in columns)
    say(console, f"    {numbers}item", "bold")
    stale = {entry["row"] for entry in document["stale"]}
    turned = {entry["row"] for entry in document["otherwise"] if entry["settled"]}
    places = [column["compaction"] for column in columns]
    for group in document["groups"]:
        say(console, f"\n{group['name'] or '(no heading)'}", "underline")
        for row in group["rows"]:
            flag = "!" if row["row"] in turned else "◷" if row["row"] in stale else " "
            states = {cell["compaction"]: cell["state"] for cell in row["cells"]}
            line = "".join(f"{_told(states.get(place), cells):<{cells}}" for place in places)
            say(console, f"  {flag} {line}{' '.join(row['text'].split())}")
    say(console, "")
    for column in columns:
        left = column["left"]
        if left is not None:
            words = percent(left["words"], left["of_words"]) if left["of_words"] else "100%"
            budget = f" of {column['budget']:,}" if column["budget"] else ""
            say(
                console,
                f"summary {column['compaction']}: {left['items']} of {left['of_items']} items of the first and "
                f"{words} of its words are left; {column['tokens']:,}{budget} tokens",
            )
    for entry in document["otherwise"]:
        if entry["settled"]:
            told = ", ".join(_turned(turn) for turn in entry["turns"])
            say(
                console,
                f"! since compaction {entry['compaction']}: {told}: {' '.join(entry['text'].split())}",
            )
    for entry in document["stale"]:
        why = "done" if entry["why"] == "done" else f"listed {entry['times']} times"
        say(console, f"◷ stale ({why} since compaction {entry['since']}): {' '.join(entry['text'].split())}")


def _number(column: Document) -> str:
    return f"{column['compaction']}{'!' if column['fallback'] else '' if column['summary'] else '?'}"


def _told(state: State | None, cells: int) -> str:
    if state is None:
        return ""
    return f"{STATE_SIGNS[state]} {state}" if cells > 3 else STATE_SIGNS[state]


def _turned(turn: Document) -> str:
    if turn["how"] == "changed":
        return f"{turn['was']} became {turn['now']}"
    return f"{turn['was']} is gone" if turn["how"] == "gone" else f"{turn['now']} has come"
