"""Losses over a store, as JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from inspector.answers.store_losses import ListedLoss
from inspector.core.places import place_name
from inspector.core.signs import FATE_SIGNS
from inspector.core.text import safe_line, safe_title
from inspector.core.times import calendar_time
from inspector.export.aftermath import aftermath_counts
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of

_WORDS = {"constraint": "rule", "preference": "preference", "decision": "decision", "value": "value"}


def loss_documents(answer: Iterable[ListedLoss]) -> list[Document]:
    """The answer of `losses`."""
    return [
        {
            "conversation": one.row.id,
            "title": safe_line(one.row.title),
            "agent": one.agent,
            **fields_of(one.loss, "compaction", "at", "lost", "weakened", "uncertain", "aftermath"),
            "aftermath_of_lost_rules": one.loss.broken,
            **fields_of(one.loss, "facts"),
        }
        for one in answer
    ]


def print_losses(documents: Sequence[Document]) -> None:
    """Every compaction that lost something, the worst first, with the worst of what it lost."""
    lines = StyledLines()
    if not documents:
        lines.add(("No compaction lost anything that was found.", ""))
        return
    for number, entry in enumerate(documents):
        if number:
            lines.add()
        title = safe_title(entry["title"] or entry["conversation"], 200)
        lines.add(
            (title, "bold"),
            (f"  compaction {entry['compaction']}{_when(entry['at'])}  ", ""),
            (told_losses(entry["lost"], entry["weakened"]), "red"),
            (f", {entry['uncertain']:,} uncertain" if entry["uncertain"] else "", ""),
        )
        if entry["aftermath"]:
            lines.add((f"then {aftermath_counts(entry['aftermath'])}", "yellow"), indent=2)
        for fact in entry["facts"]:
            lines.add(
                (f"{FATE_SIGNS[fact['fate']]} {fact['category']:<10} {fact['fate']}  ", "red"),
                (f"{fact['role']}, {place_name(fact['index'], fact['message'])}", "dim"),
                indent=2,
            )
            lines.add((safe_title(fact["text"], 400), ""), indent=6)


def told_losses(lost: Mapping[str, int], weakened: int) -> str:
    """Lost facts in words, the gravest first: "2 rules, 1 value lost, 1 weakened"."""
    counts = [
        f"{lost[kind]:,} {word}{'' if lost[kind] == 1 else 's'}"
        for kind, word in _WORDS.items()
        if lost.get(kind)
    ]
    told = [f"{', '.join(counts)} lost"] if counts else []
    return ", ".join([*told, *([f"{weakened:,} weakened"] if weakened else [])]) or "nothing lost"


def _when(at: float | None) -> str:
    time = calendar_time(at or 0.0)
    return f", {datetime.fromtimestamp(time):%Y-%m-%d %H:%M}" if time else ""
