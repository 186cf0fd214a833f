"""Evidence of costs for findings: bills of compactions, use of the cache, cost of pauses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.answers.inspection import Inspection
from inspector.answers.requests import Requests, answer_places, bills_of, places_by_list, requests_of
from inspector.caching.costs import Bill
from inspector.caching.idle import IdleCosts
from inspector.caching.misses import FIVE_MINUTES
from inspector.caching.priced import PricedRequest
from inspector.config.settings import ResolvedSettings
from inspector.quality.evidence import TOOL, CacheEvidence, FallEvidence, MissedEvidence
from inspector.quality.limits import FALL_SHARE, FALL_TOKENS, MISSED_SHARE, NOTICED_DOLLARS

#: Causes that explain why the prompt was not read from the cache.
_KNOWN = frozenset({"first", "compaction", "microcompaction", "model", "ttl"})
#: Share of a prompt that a request reads from the cache if nothing in it was removed.
_UNBROKEN = 0.9
#: If two agents share a session, the size returns within this number of requests after a fall.
_SOON = 5


class CostEvidence(Struct, frozen=True):
    """Evidence about costs: the bills by compaction (`modelled` or recorded), the use of the cache, the cost of idling.

    `cache` and `idle` are None without requests. `missed` are the microcompactions with known saved and missed tokens.
    """

    bills: Mapping[int, Bill] = field(default_factory=dict)
    modelled: bool = False
    cache: CacheEvidence | None = None
    idle: IdleCosts | None = None
    falls: tuple[FallEvidence, ...] = ()
    missed: tuple[MissedEvidence, ...] = ()


def cost_evidence(
    inspection: Inspection, resolved: ResolvedSettings, requests: Requests | None = None
) -> CostEvidence:
    """Return the evidence of costs of a conversation. Without compactions, requests are not modelled. Raises
    StoreErrors, EngineErrors, BadInput for a file of prices that cannot be used.

    `requests` are its requests if they are known.
    """
    if not inspection.compactions() and not inspection.requests():
        return CostEvidence()
    found = requests or requests_of(inspection, resolved)
    if not found.priced:
        return CostEvidence()
    return CostEvidence(
        {index: bill for index, (bill, _) in bills_of(inspection, found).items()},
        found.modelled,
        None if found.modelled else cache_evidence(found.priced),
        found.idle(),
        () if found.modelled else tuple(_falls(inspection, found, resolved.settings.profile)),
        () if found.modelled else tuple(_missed(inspection, found, resolved.settings.profile)),
    )


def _falls(inspection: Inspection, found: Requests, profile: str) -> Iterator[FallEvidence]:
    """Yield requests that sent much less than the previous request of the same list without a microcompaction between.

    Agents drop the thoughts of an answered request, and rebuild the prompt after a pause. So a fall by no more than
    the thoughts, or after a pause, is left out. If the list lacks the answer, the user went back. If the prompt is
    soon as long as before, two agents share a session. If the prompt was read from the cache, nothing was removed,
    because a removal breaks the prefix. These falls are left out too.
    """
    cleared = [(one.generation, one.at) for one in inspection.store.microcompactions(inspection.conversation)]
    asked = tuple(one for one in _in_lists(inspection, profile, found) if not one.request.summed)
    places = answer_places(inspection, profile, replace(found, priced=asked))
    thoughts = 0
    for number, ((earlier, later), place) in enumerate(zip(pairwise(asked), places[1:], strict=True)):
        before, request = earlier.request, later.request
        fell = before.context - request.context
        thoughts += before.reasoning
        known = any(where == request.generation and before.at <= at <= request.at for where, at in cleared)
        if request.generation != before.generation or known or before.model != request.model:
            continue
        if fell < FALL_TOKENS or fell < FALL_SHARE * before.context:
            continue
        dropped, thoughts = thoughts, 0
        if request.cache_read > _UNBROKEN * request.context:
            continue
        paused = before.at and request.at - before.at > FIVE_MINUTES
        if paused or fell - dropped < FALL_TOKENS:
            continue
        soon = [one.request for one in asked[number + 2 : number + 2 + _SOON]]
        if any(one.generation == request.generation and one.context >= before.context for one in soon):
            continue
        generation = inspection.generation(request.generation)
        index = inspection.token_index(generation, profile)
        stop = len(generation) if place is None else place
        results = [at for at in range(stop) if generation.roles[at] == TOOL]
        yield FallEvidence(
            request.index, before.index, request.context, before.context, request.generation, place, len(results),
            sum(map(index.tokens, results)),
        )  # fmt: skip


def _in_lists(inspection: Inspection, profile: str, found: Requests) -> tuple[PricedRequest, ...]:
    """Return the requests whose answers are in the lists. Return all requests if the times of most answers do not
    match."""
    lists = places_by_list(inspection, profile, found)
    asked = tuple(priced for priced in found.priced if not priced.request.summarizes)
    there = tuple(
        one
        for one in asked
        if (request := one.request).generation in lists and lists[request.generation].has(request)
    )
    return there if 2 * len(there) > len(asked) else asked


def _missed(inspection: Inspection, found: Requests, profile: str) -> Iterator[MissedEvidence]:
    """Yield the expensive misses of a prefix that was still within its time to live."""
    places = answer_places(inspection, profile, found)
    # Only requests that write to the cache count: an API that caches by itself does not promise a hit.
    missed = [
        (one, place)
        for one, place in zip(found.priced, places, strict=True)
        if one.judged.cause == "prefix" and one.request.cache_write
    ]
    more = sum(one.more or 0.0 for one, _ in missed)
    cost = found.cost
    if not missed or cost is None or more < max(NOTICED_DOLLARS, MISSED_SHARE * cost.amount):
        return
    first, place = missed[0]
    numbers = tuple(one.request.index for one, _ in missed)
    tokens = sum(one.judged.missed for one, _ in missed)
    generation = first.request.generation
    most_read = max((one.judged for one, _ in missed), key=lambda judged: judged.missed).request.cache_read
    yield MissedEvidence(len(missed), numbers, tokens, more, cost.amount, most_read, generation, place)


def cache_evidence(priced: Sequence[PricedRequest]) -> CacheEvidence:
    """Return how requests used the prompt cache."""
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
