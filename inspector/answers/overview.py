"""Data for the list of conversations, computed in the background: first the live list, then losses and findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from inspector.answers.kept_results import AnswerKind
from inspector.answers.live_sizes import Live, live_of
from inspector.answers.resolving import resolve
from inspector.config.dismissals import Dismissals
from inspector.config.price_list import is_kept
from inspector.core.conversations import ConversationRow
from inspector.core.errors import InspectorError
from inspector.core.memory import give_back
from inspector.stores.base import Store

T = TypeVar("T")


def answer_in_worker(
    paths: tuple[Path, ...], flags: Mapping[str, Any], config: Path | None, ask: Callable[..., T],
    conversation: str, *more: Any,
) -> T | None:  # fmt: skip
    """Return the answer to a question in a worker process; None if the conversation cannot be read."""
    try:
        store = _opened(paths)
        row = next(row for row in store.conversations() if row.id == conversation)
        return ask(store, row, flags, config, *more)
    except (InspectorError, StopIteration):
        return None


@lru_cache(maxsize=1)
def _opened(paths: tuple[Path, ...]) -> Store:
    from inspector.answers.answers import Answers

    give_back()
    return Answers.of(paths, {}, None).store


class Overview(NamedTuple):
    """Counts of a conversation.

    `lost` facts are lost for good, and `constraints` are the constraints among them. `findings` counts errors and
    warnings; findings with one cause count once. `unknown` counts what cannot be judged (ConversationLosses.unjudged),
    `uncertain` facts that may be lost.
    """

    conversation: str
    lost: int
    constraints: int
    weakened: int
    findings: int
    unknown: int
    uncertain: int


LIVE: AnswerKind[Live] = AnswerKind("live", Live)
#: An overview, and the keys that dismiss each of its errors and warnings, including dismissed ones.
OVERVIEW: AnswerKind[tuple[Overview, tuple[tuple[str, ...], ...]]] = AnswerKind(
    "overview", tuple[Overview, tuple[tuple[str, ...], ...]]
)


def can_resolve(row: ConversationRow) -> bool:
    """Return whether the settings of a conversation can be resolved without the list of prices, which needs 22 MB. A
    lookup of stored results does not load it.
    """
    return row.window is not None or is_kept(row.model, row.provider)


def stored_live(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None
) -> Live | None:
    """Return the live list if it is stored, else None. Raises StoreErrors."""
    return LIVE.of(store, row.id, resolve(store, row, flags, config)).stored() if can_resolve(row) else None


def read_live(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None,
    watch: Callable[[int], None] | None = None,
) -> Live:  # fmt: skip
    """Count the live list and store the result; `watch` as in live_of. Raises StoreErrors."""
    kept = LIVE.of(store, row.id, resolve(store, row, flags, config))
    live = live_of(store, row, flags, config, watch)
    kept.keep(live)
    return live


def stored_overview(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None
) -> Overview | None:
    """Return the overview if it is stored, else None. Raises StoreErrors."""
    if not can_resolve(row):
        return None
    stored = OVERVIEW.of(store, row.id, resolve(store, row, flags, config)).stored()
    return None if stored is None else _without_dismissed(row, *stored)


def _without_dismissed(row: ConversationRow, overview: Overview, grave: Sequence[Sequence[str]]) -> Overview:
    """Return the overview without dismissed errors and warnings; `grave` are the keys that dismiss each of them."""
    dismissed = Dismissals.load().findings_of(row.root)
    return overview._replace(findings=sum(dismissed.isdisjoint(keys) for keys in grave))


def read_overview(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None
) -> Overview:
    """Return the overview. Missing parts are computed and stored. Raises StoreErrors and EngineErrors."""
    # The app imports this module to look up kept results. The computing modules are imported later.
    from inspector.answers.fact_results import work_out
    from inspector.answers.findings import read_findings
    from inspector.answers.inspection import Inspection
    from inspector.answers.shown_settings import settings_of
    from inspector.answers.store_losses import LOSSES
    from inspector.quality.grouping import dismissal_keys, grouped

    kept = OVERVIEW.of(store, row.id, resolve(store, row, flags, config))
    inspection = Inspection(store, store.open(row.id), config=config)
    losses = LOSSES.of(store, row.id).stored()
    if losses is None:
        losses = work_out(inspection)[0]
        give_back()
    findings = read_findings(inspection, settings_of(inspection, flags))
    groups = grouped(finding for finding in findings if finding.severity != "info")
    grave = tuple(tuple(dismissal_keys(group.first)) for group in groups)
    rules = losses.lost.get("constraint", 0)
    overview = Overview(
        row.id,
        losses.total,
        rules,
        losses.weakened,
        len(grave),
        losses.unjudged,
        losses.uncertain,
    )
    kept.keep((overview, grave))
    return _without_dismissed(row, overview, grave)
