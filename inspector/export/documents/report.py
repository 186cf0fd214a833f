"""A report as a document: its values, with facts as in the command `facts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from typing import Any

from inspector.export.documents.document import Document
from inspector.export.documents.facts import life_document
from inspector.export.report.values import Report
from inspector.quality.facts.carry import plain
from inspector.quality.facts.fact import Life
from inspector.quality.facts.risk import AtRisk


def report_document(report: Report) -> Document:
    """Everything that the page and the Markdown of a report say."""
    return {field.name: _plain(getattr(report, field.name)) for field in fields(report)}


def _plain(value: Any) -> Any:
    if isinstance(value, Life):
        return life_document(value)
    if isinstance(value, AtRisk):
        return plain(value.fact) | {"once": value.once, "places": list(value.places)}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, Sequence | Set) and not isinstance(value, str):
        return [_plain(part) for part in value]
    return value
