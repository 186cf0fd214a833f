"""Findings as JSON and text, grouped by conversation, with advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from inspector.answers.findings import TitledFinding
from inspector.core.places import place_name
from inspector.core.signs import SEVERITY_SIGNS
from inspector.core.text import safe, safe_title
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.quality.catalogue import RULES, advice_of
from inspector.quality.finding import Finding, severity_words
from inspector.quality.grouping import dismissal_key, grouped

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


def print_findings(listed: Iterable[TitledFinding]) -> None:
    """Print findings of one rule and cause as one entry, with the advice at the first entry of a rule."""
    lines = StyledLines()
    for conversation, group in lines.each(
        groupby(listed, key=lambda entry: entry.finding.conversation), "No findings."
    ):
        entries = list(group)
        groups = grouped(entry.finding for entry in entries)
        dismissed = {entry.finding for entry in entries if entry.dismissed}
        name = safe(conversation)
        counts = severity_words(Counter(same.first.severity for same in groups))
        lines.add((safe_title(entries[0].title) or name, "bold"), (f"  {name}  {counts}", "dim"))
        advised: set[str] = set()
        for same in groups:
            finding = same.first
            about = f": “{safe_title(finding.cause, 60)}”" if finding.cause else ""
            gone = " (dismissed)" if finding in dismissed else ""
            lines.add(
                (f"{SEVERITY_SIGNS[finding.severity]} {finding.severity:<8}", _STYLES[finding.severity]),
                (RULES[finding.rule].title + about + gone, ""),
                (f"  {_place(finding)}[{finding.rule}]", "dim"),
            )
            lines.add((safe(same.text), ""), indent=4)
            if finding.rule not in advised:
                advised.add(finding.rule)
                lines.add((f"→ {advice_of(finding)}", "dim"), indent=4)


def _place(finding: Finding) -> str:
    parts = []
    if finding.compaction is not None:
        parts.append(f"compaction {finding.compaction}")
    if finding.index is not None:
        parts.append(place_name(finding.index, finding.generation))
    return " · ".join(parts) + "  " if parts else ""
