"""Settings and the numbers derived from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from inspector.engines.base import Budgets, Settings
from inspector.export.documents.document import Document


def settings_document(settings: Settings, sources: Mapping[str, str], notes: Sequence[str] = ()) -> Document:
    """The settings in force, where each came from, and sentences about what was refused or read differently."""
    return asdict(settings) | {"sources": dict(sources), "notes": list(notes)}


def budgets_document(budgets: Budgets) -> Document:
    """The derived numbers, and the steps that made each."""
    return {
        "threshold_tokens": budgets.threshold_tokens,
        "tail_token_budget": budgets.tail_token_budget,
        "max_summary_tokens": budgets.max_summary_tokens,
        "hygiene_tokens": budgets.hygiene_tokens or None,
        "observed": budgets.observed,
        "explained": {name: [asdict(step) for step in steps] for name, steps in budgets.steps.items()},
    }
