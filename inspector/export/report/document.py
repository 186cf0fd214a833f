"""A report as a document: its values, with facts as in the command `facts`."""

from __future__ import annotations

from typing import Any

from inspector.export.document import Document, built
from inspector.export.facts import life_document
from inspector.export.report.values import Report
from inspector.quality.facts.carry import plain
from inspector.quality.facts.fact import Life
from inspector.quality.facts.risk import AtRisk


def report_document(report: Report) -> Document:
    """Everything that the page and the Markdown of a report say."""
    document: Document = built(report, _fact)
    return document


def _fact(value: Any) -> Document | None:
    if isinstance(value, Life):
        return life_document(value)
    if isinstance(value, AtRisk):
        return plain(value.fact) | {"once": value.once, "places": list(value.places)}
    return None
