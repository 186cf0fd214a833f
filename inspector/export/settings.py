"""Settings and the numbers derived from them."""

from __future__ import annotations

from inspector.config.settings import ResolvedSettings
from inspector.engines.base import Budgets
from inspector.export.document import Document, built, fields_of


def settings_document(resolved: ResolvedSettings) -> Document:
    """The settings in force, where each came from, and sentences about what was refused or read differently."""
    return built(resolved.settings) | fields_of(resolved, "sources", "notes")  # type: ignore[no-any-return]


def budgets_document(budgets: Budgets) -> Document:
    """The derived numbers, and the steps that made each."""
    return {
        **fields_of(budgets, "threshold_tokens", "tail_token_budget", "max_summary_tokens"),
        "hygiene_tokens": budgets.hygiene_tokens or None,
        "observed": budgets.observed,
        "explained": built(budgets.steps),
    }
