"""Settings and the numbers derived from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from inspector.engines.base import Budgets, Settings
from inspector.export.documents.document import Document


def settings_document(settings: Settings, sources: Mapping[str, str]) -> Document:
    """The settings in force and where each came from."""
    return asdict(settings) | {"sources": dict(sources)}


def budgets_document(budgets: Budgets) -> Document:
    """The derived numbers, and the steps that made each."""
    return {
        "threshold_tokens": budgets.threshold_tokens,
        "tail_token_budget": budgets.tail_token_budget,
        "max_summary_tokens": budgets.max_summary_tokens,
        "hygiene_tokens": budgets.hygiene_tokens,
        "explained": {name: [asdict(step) for step in steps] for name, steps in budgets.steps.items()},
    }
