"""Data for the list of conversations, computed in the background: first the live list, then losses and findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from inspector.answers.kept_results import KeptResults, basis_of
from inspector.answers.resolving import live_of, resolve
from inspector.config.dismissals import Dismissals
from inspector.config.price_list import is_kept
from inspector.core.conversations import ConversationRow
from inspector.core.memory import give_back
from inspector.stores.base import Store


class Live(NamedTuple):
    """Messages and rough tokens of a conversation's live list, its threshold in tokens, its compactions; None stays
    unknown."""

    conversation: str
    messages: int
    tokens: int | None
    threshold: int | None
    compactions: int | None


class Overview(NamedTuple):
    """The numbers of facts that a conversation lost for good, of constraints among them, of weakened facts, of errors
    and warnings, and of facts with an unknown fate."""

    conversation: str
    lost: int
    constraints: int
    weakened: int
    findings: int
    unknown: int


def can_tell(row: ConversationRow) -> bool:
    """Return whether the settings of a conversation are resolved without the list of prices, which takes 22 MB.

    A lookup of kept results leaves that list to the process that computes them.
    """
    return row.window is not None or is_kept(row.model, row.provider)


def known_live(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None, kept: KeptResults
) -> Live | None:
    """The live list as it is known from earlier, None where it is not. Raises StoreErrors."""
    if not can_tell(row):
        return None
    document = kept.get(basis_of(store, row.id, "live", resolve(store, row, flags, config)))
    return None if document is None else Live(row.id, *document)


def read_live(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None, kept: KeptResults,
    watch: Callable[[int], None] | None = None,
) -> Live:  # fmt: skip
    """The live list, counted and kept; `watch` as in live_of. Raises StoreErrors."""
    basis = basis_of(store, row.id, "live", resolve(store, row, flags, config))
    live = Live(row.id, *live_of(store, row, flags, config, watch))
    kept.put(basis, live[1:])
    return live


def known_overview(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None, kept: KeptResults
) -> Overview | None:
    """The overview as it is known from earlier, None where it is not. Raises StoreErrors."""
    if not can_tell(row):
        return None
    document = kept.get(basis_of(store, row.id, "overview", resolve(store, row, flags, config)))
    return None if document is None else _overview(row, *document)


def _overview(
    row: ConversationRow, lost: int, constraints: int, weakened: int, grave: Sequence[str], unknown: int
) -> Overview:
    """An overview from a kept document; `grave` are the keys of errors and warnings, also of dismissed ones."""
    dismissed = Dismissals.load().findings_of(row.root)
    count = sum(key not in dismissed for key in grave)
    return Overview(row.id, lost, constraints, weakened, count, unknown)


def read_overview(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None, kept: KeptResults
) -> Overview:
    """The overview, what is not known of it worked out and kept. Raises StoreErrors and EngineErrors."""
    # The app imports this module to look up kept results. The computing modules are imported later.
    from inspector.answers.fact_results import work_out
    from inspector.answers.findings import read_findings
    from inspector.answers.inspection import Inspection
    from inspector.answers.store_losses import known_losses
    from inspector.quality.grouping import dismissal_key

    resolved = resolve(store, row, flags, config)
    basis = basis_of(store, row.id, "overview", resolved)
    inspection = Inspection(store, store.open(row.id), alone=True)
    losses = known_losses(store, row.id, kept)
    if losses is None:
        losses = work_out(inspection, kept)[0]
        give_back()
    found = read_findings(inspection, resolved, kept)
    grave = [dismissal_key(finding) for finding in found if finding.severity != "info"]
    rules = losses.lost.get("constraint", 0)
    document = (losses.total, rules, losses.weakened, grave, losses.unknown)
    kept.put(basis, document)
    return _overview(row, *document)
