"""Findings."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.findings import TitledFinding
from inspector.core.text import safe_title
from inspector.export.documents.document import Document, fields_of
from inspector.quality.catalogue import RULES
from inspector.quality.finding import Finding
from inspector.quality.grouping import dismissal_key


def finding_documents(answer: Iterable[TitledFinding]) -> list[Document]:
    """The answer of `findings`."""
    return [
        finding_document(entry.finding)
        | {"conversation_title": safe_title(entry.title), "dismissed": entry.dismissed}
        for entry in answer
    ]


def finding_document(finding: Finding) -> Document:
    """One entry of `findings`."""
    return {
        **fields_of(
            finding,
            "rule",
            "severity",
            "conversation",
            "compaction",
            "message",
            "generation",
            "index",
            "text",
        ),
        "cause": finding.cause or None,
        "key": dismissal_key(finding),
        **fields_of(RULES[finding.rule], "title", "means", "advice"),
    }
