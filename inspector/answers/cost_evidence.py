"""What findings ask of requests: bills of compactions, what the cache did, what pauses cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inspector.answers.inspection import Inspection
from inspector.answers.requests import Requests, bills_of, requests_of
from inspector.caching.costs import Bill
from inspector.caching.idle import IdleCosts
from inspector.caching.priced import PricedRequest
from inspector.config.settings import ResolvedSettings
from inspector.quality.evidence import CacheEvidence, ClearedEvidence

#: Behind these causes the prompt changed for a reason that is known.
_KNOWN = frozenset({"first", "compaction", "microcompaction", "model", "ttl"})


@dataclass(frozen=True, slots=True)
class CostEvidence:
    """The bills by compaction, whether they are modelled; what the cache did and what idling cost, None where there are
    no requests; the microcompactions of which saved and missed tokens are known."""

    bills: Mapping[int, Bill] = field(default_factory=dict)
    modelled: bool = False
    cache: CacheEvidence | None = None
    idle: IdleCosts | None = None
    cleared: tuple[ClearedEvidence, ...] = ()


def cost_evidence(
    inspection: Inspection, resolved: ResolvedSettings, requests: Requests | None = None
) -> CostEvidence:
    """What is known of a conversation's costs. Without compactions nothing is worked out from messages. Raises
    StoreErrors, EngineErrors, BadInput for a file of prices that cannot be used.

    `requests` are its requests where somebody has worked them out already.
    """
    if not inspection.compactions() and not inspection.store.requests(inspection.conversation):
        return CostEvidence()
    found = requests or requests_of(inspection, resolved)
    if not found.priced:
        return CostEvidence()
    return CostEvidence(
        {index: bill for index, (bill, _) in bills_of(inspection, found).items()},
        found.modelled,
        None if found.modelled else _cache(found.priced),
        found.idle(),
        tuple(_cleared(inspection, found)),
    )


def _cache(priced: Sequence[PricedRequest]) -> CacheEvidence:
    judged = [one.judged for one in priced]
    warm = [one for one in judged if one.cause not in _KNOWN]
    changed = [one for one in warm if one.cause == "prefix"]
    return CacheEvidence(
        sum(one.request.cache_write > 0 for one in judged),
        sum(one.request.cache_write for one in judged),
        sum(one.request.cache_read for one in judged),
        len(warm),
        len(changed),
        sum(one.missed for one in changed),
        max((one.request.cache_read for one in changed), default=0),
    )


def _cleared(inspection: Inspection, found: Requests) -> list[ClearedEvidence]:
    cleared = []
    for one in inspection.store.microcompactions(inspection.conversation):
        behind = (
            other
            for other in found.priced
            if other.judged.request.generation == one.generation and other.judged.request.at > one.at
        )
        first = next(behind, None)
        saved = one.tokens_saved_reported
        if saved is not None and first is not None and first.judged.cause == "microcompaction":
            missed = first.judged.missed
            cleared.append(ClearedEvidence(one.index, one.generation, one.place, saved, missed, first.more))
    return cleared
