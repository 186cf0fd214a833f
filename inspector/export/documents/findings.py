"""Findings."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.findings import TitledFinding
from inspector.core.text import safe_title
from inspector.export.documents.document import Document
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
    rule = RULES[finding.rule]
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "conversation": finding.conversation,
        "compaction": finding.compaction,
        "message": finding.message,
        "generation": finding.generation,
        "index": finding.index,
        "text": finding.text,
        "cause": finding.cause or None,
        "key": dismissal_key(finding),
        "title": rule.title,
        "means": rule.means,
        "advice": rule.advice,
    }
