"""Findings as JSON and text, grouped by conversation, with advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from inspector.answers.findings import TitledFinding
from inspector.core.places import place_name
from inspector.core.signs import SEVERITY_SIGNS
from inspector.core.text import safe, safe_title
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.quality.catalogue import RULES, advice_of
from inspector.quality.finding import SEVERITIES, Finding
from inspector.quality.grouping import dismissal_key, ranges_of

_STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold"}


def finding_documents(answer: Iterable[TitledFinding]) -> list[Document]:
    """The answer of `findings`."""
    return [
        finding_document(entry.finding)
        | {"conversation_title": safe_title(entry.title), "dismissed": entry.dismissed}
        for entry in answer
    ]


def finding_document(finding: Finding) -> Document:
    """Return an entry of `findings`."""
    return {
        **fields_of(
            finding, "rule severity conversation compaction message generation index text cause:null"
        ),
        "key": dismissal_key(finding),
        **fields_of(RULES[finding.rule], "title means"),
        "advice": advice_of(finding),
    }


def print_findings(documents: Sequence[Document]) -> None:
    """Print findings of one rule and cause as one entry, with the advice at the first entry of a rule."""
    lines = StyledLines()
    for _, group in lines.each(groupby(documents, key=itemgetter("conversation")), "No findings."):
        entries = list(group)
        first = entries[0]
        name = safe(first["conversation"])
        title = first["conversation_title"] or name
        by_key: dict[str, list[Document]] = {}
        for entry in entries:
            by_key.setdefault(entry["key"], []).append(entry)
        shown = _counts([same[0] for same in by_key.values()])
        lines.add((title, "bold"), (f"  {name}  {shown}", "dim"))
        advised: set[str] = set()
        for same in by_key.values():
            entry, repeated = same[0], _repeated(same)
            sign, style = SEVERITY_SIGNS[entry["severity"]], _STYLES[entry["severity"]]
            about = f": “{safe_title(entry['cause'], 60)}”" if entry["cause"] else ""
            gone = " (dismissed)" if entry["dismissed"] else ""
            lines.add(
                (f"{sign} {entry['severity']:<8}", style),
                (entry["title"] + about + gone, ""),
                (f"  {_place(entry)}[{entry['rule']}]", "dim"),
            )
            lines.add((safe(entry["text"]) + repeated, ""), indent=4)
            if entry["rule"] not in advised:
                advised.add(entry["rule"])
                lines.add((f"→ {entry['advice']}", "dim"), indent=4)


def _repeated(same: Sequence[Document]) -> str:
    """Return the number and places of equal findings: " 11 times in all, at compactions 2 to 12."."""
    numbers = [entry["compaction"] for entry in same if entry["compaction"] is not None]
    if len(same) == 1:
        return ""
    where = f", at compactions {ranges_of(numbers)}" if len(set(numbers)) > 1 else ""
    return f" {len(same):,} times in all{where}."


def _counts(entries: Sequence[Document]) -> str:
    counts = Counter(entry["severity"] for entry in entries)
    return ", ".join(
        f"{counts[severity]} {severity}{'s' if counts[severity] > 1 and severity != 'info' else ''}"
        for severity in SEVERITIES
        if counts[severity]
    )


def _place(entry: Document) -> str:
    parts = []
    if entry["compaction"] is not None:
        parts.append(f"compaction {entry['compaction']}")
    if entry["index"] is not None:
        parts.append(place_name(entry["index"], entry["generation"]))
    return " · ".join(parts) + "  " if parts else ""
