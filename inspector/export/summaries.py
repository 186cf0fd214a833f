"""Summaries as JSON and text: the differences of two, and the lineage of all items."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.summaries import ComparedSummaries, SummaryLives
from inspector.core.shares import percent, share_of
from inspector.core.signs import CHANGE_SIGNS, STATE_SIGNS
from inspector.export.console import Table, print_table, say
from inspector.export.document import Document, built, fields_of
from inspector.summaries.drift import ChangedMeaning, Stale
from inspector.summaries.exact import turn_words
from inspector.summaries.lineage import Cell, Lineage, LineageRow
from inspector.summaries.summary import SectionDiff

#: The columns of a table of summaries.
LENGTH_COLUMNS = (">summary", ">tokens", ">budget", ">items of the first one left", ">of its words")
_STYLES = {"added": "green", "removed": "red", "reworded": "yellow", "moved": "cyan", "kept": "dim"}


def diff_documents(answer: Iterable[ComparedSummaries]) -> list[Document]:
    """The answer of `diff`."""
    return list(map(diff_document, answer))


def diff_document(step: ComparedSummaries) -> Document:
    """An entry of `diff`."""
    return {"from": step.first, "to": step.last, "sections": list(map(_section, step.diff.sections))}


def _section(section: SectionDiff) -> Document:
    items = [fields_of(item, "text change from_section to_section was") for item in section.items]
    return {**fields_of(section, "name was gone"), "items": items}


def lineage_document(answer: SummaryLives) -> Document:
    """The answer of `diff --lineage`: the lineage of all items, and how the summaries drifted."""
    lineage, drift = answer.lineage, answer.drift
    left = {entry.column: entry for entry in drift.left}
    columns = []
    for at, column in enumerate(lineage.columns):
        length, of = drift.lengths[at], left.get(at)
        columns.append(
            {
                **fields_of(column, "compaction fallback"),
                "summary": column.summary is not None,
                **fields_of(length, "tokens budget"),
                "left": of and fields_of(of, "items of_items words of_words"),
                "states": {state: count for state, count in lineage.counts(at).items() if count},
            }
        )
    return {
        "conversation": answer.conversation,
        "columns": columns,
        "groups": [
            {"name": group, "rows": [_row(lineage, row) for row in rows]} for group, rows in lineage.groups
        ],
        "otherwise": [
            {
                "row": change.row,
                "compaction": lineage.columns[change.column].compaction,
                **fields_of(change, "section was text settled"),
                "turns": [fields_of(turn, "kind how was:null now:null") for turn in change.turns],
            }
            for change in drift.changed_meanings
        ],
        "stale": [
            {
                **built(stale),
                "since": lineage.columns[stale.since].compaction,
                "until": lineage.columns[stale.until].compaction,
            }
            for stale in drift.stale
        ],
    }


def _row(lineage: Lineage, row: LineageRow) -> Document:
    return {
        **fields_of(row, "row=number text section"),
        "cells": [
            {"compaction": lineage.columns[at].compaction}
            | fields_of(cell, "state stands=is_listed section from_section:null text was others")
            for at, cell in enumerate(row.cells)
            if cell is not None
        ],
    }


def print_diff(steps: Iterable[ComparedSummaries]) -> None:
    """Print the differences, section by section and item by item."""
    for step in steps:
        say(f"summary {step.first} → summary {step.last}", "bold")
        for section in step.diff.sections:
            say(f"\n{section.name}", "underline")
            for item in section.items:
                text = f"  {CHANGE_SIGNS[item.change]} {item.text}"
                if item.change == "moved":
                    text += f"   (from {item.from_section})"
                say(text.replace("\n", "\n    "), _STYLES[item.change])
                if item.was and item.was != item.text:
                    say(f"      was: {item.was}".replace("\n", "\n      "), "dim")


def print_lineage(answer: SummaryLives) -> None:
    """Print items as rows and compactions as columns, with a sign and a word in each cell."""
    lineage, drift = answer.lineage, answer.drift
    columns = lineage.columns
    cells = 13 if len(columns) <= 6 else 3
    marks = ("!" if column.fallback else "" if column.summary else "?" for column in columns)
    numbers = "".join(
        f"{column.compaction}{mark}".ljust(cells) for column, mark in zip(columns, marks, strict=True)
    )
    say(f"    {numbers}item", "bold")
    stale = {entry.row for entry in drift.stale}
    changed = [change for change in drift.changed_meanings if change.settled]
    turned = {change.row for change in changed}
    for name, rows in lineage.groups:
        say(f"\n{name or '(no heading)'}", "underline")
        for row in rows:
            flag = "!" if row.number in turned else "◷" if row.number in stale else " "
            line = "".join(f"{_state_words(cell, cells):<{cells}}" for cell in row.cells)
            say(f"  {flag} {line}{' '.join(row.text.split())}")
    say("")
    print_table(Table(*LENGTH_COLUMNS, rows=length_rows(answer)))
    for change in changed:
        say(f"! {changed_words(lineage, change)}: {' '.join(change.text.split())}")
    for entry in drift.stale:
        say(f"◷ stale ({stale_words(lineage, entry)}): {' '.join(entry.text.split())}")


def length_rows(lives: SummaryLives) -> list[tuple[str, ...]]:
    """Return a row for each summary: its length, its budget, and the share of the first one that is left."""
    left = {entry.column: entry for entry in lives.drift.left}
    rows: list[tuple[str, ...]] = []
    for length in lives.drift.lengths:
        of = left.get(length.column)
        rows.append(
            (
                f"{lives.lineage.columns[length.column].compaction}",
                "–" if length.tokens is None else f"~{length.tokens:,}",
                "–" if length.budget is None else f"{length.budget:,}",
                "–" if of is None else share_of(of.items, of.of_items),
                "–" if of is None else percent(of.words, of.of_words),
            )
        )
    return rows


def changed_words(lineage: Lineage, change: ChangedMeaning) -> str:
    """Return what changed in an item, and since when."""
    turns = ", ".join(turn_words(turn.was, turn.now) for turn in change.turns)
    return f"since compaction {lineage.columns[change.column].compaction}: {turns}"


def stale_words(lineage: Lineage, stale: Stale) -> str:
    """Return why an item is stale, and since when."""
    why = "done" if stale.why == "done" else f"listed {stale.times} times"
    return f"{why} since compaction {lineage.columns[stale.since].compaction}"


def _state_words(cell: Cell | None, cells: int) -> str:
    if cell is None:
        return ""
    return f"{STATE_SIGNS[cell.state]} {cell.state}" if cells > 3 else STATE_SIGNS[cell.state]
