"""Evidence of costs for findings: bills of compactions, use of the cache, cost of pauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from inspector.answers.answer_places import answer_finders, answer_places
from inspector.answers.bills import bills_of
from inspector.answers.cut_prompts import cut_requests
from inspector.answers.inspection import Inspection
from inspector.answers.requests import requests_of
from inspector.caching.misses import FIVE_MINUTES
from inspector.caching.priced import PricedRequest
from inspector.caching.requests import Requests
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import TOOL, Request
from inspector.quality.evidence import (
    CacheEvidence,
    CostEvidence,
    CutEvidence,
    FallEvidence,
    MissedEvidence,
    starts_turn,
)
from inspector.quality.limits import FALL_SHARE, FALL_TOKENS, MISSED_SHARE, NOTICED_DOLLARS

#: Causes of a miss that need no further explanation.
_EXPLAINED = frozenset({"first", "compaction", "microcompaction", "model", "ttl"})
#: Share of a prompt that a request reads from the cache if nothing in it was removed.
_UNBROKEN = 0.9
#: If two agents share a session, the size returns within this number of requests after a fall.
_SOON = 5


def cost_evidence(
    inspection: Inspection, resolved: ResolvedSettings, requests: Requests | None = None
) -> CostEvidence:
    """Return the evidence of costs of a conversation. Without compactions, requests are not estimated. Raises
    StoreErrors, EngineErrors, BadInput for a file of prices that cannot be used.

    `requests` are its requests if they are known.
    """
    if not inspection.compactions() and not inspection.requests():
        return CostEvidence()
    requests = requests or requests_of(inspection, resolved)
    if not requests.priced:
        return CostEvidence()
    bills = {index: bill for index, (bill, _) in bills_of(inspection, requests).items()}
    if requests.is_estimated:
        return CostEvidence(bills, True, idle=requests.idle())
    parts = inspection, requests, resolved.settings.profile
    return CostEvidence(
        bills, False, cache_evidence(requests.priced), requests.idle(), tuple(_falls(*parts)),
        tuple(_missed(*parts)), tuple(_cuts(*parts)),
    )  # fmt: skip


def _falls(inspection: Inspection, requests: Requests, profile: str) -> Iterator[FallEvidence]:
    """Yield requests that sent much less than the previous request of the same list without a microcompaction between.

    Falls with another explanation are left out. Agents drop the thoughts of an answered request, and rebuild the prompt
    after a pause. If the list lacks the answer, the user went back. If the prompt is soon as long as before, two agents
    share a session. If the prompt was read from the cache, nothing was removed, because a removal breaks the prefix.
    """
    steps = inspection.store.microcompactions(inspection.conversation)
    listed = tuple(call for call in _in_lists(inspection, profile, requests) if not call.request.unsized)
    places = answer_places(inspection, profile, replace(requests, priced=listed))
    thoughts = 0
    for number, ((earlier, later), place) in enumerate(zip(pairwise(listed), places[1:], strict=True)):
        before, request = earlier.request, later.request
        fell = before.context - request.context
        thoughts += before.reasoning
        cleared = any(
            step.generation == request.generation and before.at <= step.at <= request.at for step in steps
        )
        if request.generation != before.generation or cleared or before.model != request.model:
            continue
        if fell < FALL_TOKENS or fell < FALL_SHARE * before.context:
            continue
        dropped, thoughts = thoughts, 0
        if request.cache_read > _UNBROKEN * request.context:
            continue
        paused = before.at and request.at - before.at > FIVE_MINUTES
        if paused or fell - dropped < FALL_TOKENS:
            continue
        soon = [call.request for call in listed[number + 2 : number + 2 + _SOON]]
        if any(call.generation == request.generation and call.context >= before.context for call in soon):
            continue
        generation = inspection.generation(request.generation)
        index = inspection.token_index(generation, profile)
        stop = len(generation) if place is None else place
        results = [at for at in range(stop) if generation.roles[at] == TOOL]
        yield FallEvidence(
            request.index, before.index, request.context, before.context, request.generation, place, len(results),
            sum(map(index.tokens, results)),
        )  # fmt: skip


def _cuts(inspection: Inspection, requests: Requests, profile: str) -> Iterator[CutEvidence]:
    """Yield the inputs that several requests in a row report although their list was larger, each once."""
    listed = _in_lists(inspection, profile, requests)
    places = answer_places(inspection, profile, replace(requests, priced=listed))
    place_of = {entry.request.index: place for entry, place in zip(listed, places, strict=True)}
    by_size: dict[int, list[Request]] = {}
    largest: dict[int, int] = {}
    for run in cut_requests(entry.request for entry in listed):
        first, last = place_of[run[0].index], place_of[run[-1].index]
        index = inspection.token_index(inspection.generation(run[0].generation), profile)
        sent = 0 if last is None else index.rough_until(last)
        if first is not None and last is not None and last > first and sent > run[-1].context:
            by_size.setdefault(run[0].context, []).extend(run)
            largest[run[0].context] = max(sent, largest.get(run[0].context, 0))
    for tokens, cut in by_size.items():
        first_one = cut[0]
        yield CutEvidence(
            tokens,
            len(cut),
            first_one.index,
            largest[tokens],
            first_one.generation,
            place_of[first_one.index],
        )


def _in_lists(inspection: Inspection, profile: str, requests: Requests) -> tuple[PricedRequest, ...]:
    """Return the requests whose answers are in the lists. Return all requests if the times of most answers do not
    match."""
    lists = answer_finders(inspection, profile, requests)
    answered = tuple(priced for priced in requests.priced if not priced.request.summarizes)
    listed = tuple(
        entry
        for entry in answered
        if (request := entry.request).generation in lists and lists[request.generation].has(request)
    )
    return listed if 2 * len(listed) > len(answered) else answered


def _missed(inspection: Inspection, requests: Requests, profile: str) -> Iterator[MissedEvidence]:
    """Yield the expensive misses of a prefix that was still within its time to live."""
    places = answer_places(inspection, profile, requests)
    # Only requests that write to the cache count: an API that caches by itself does not promise a hit.
    missed = [
        (entry, place)
        for entry, place in zip(requests.priced, places, strict=True)
        if entry.judged.cause == "prefix" and entry.request.cache_write
    ]
    more = sum(entry.more or 0.0 for entry, _ in missed)
    cost = requests.cost
    if not missed or cost is None or more < max(NOTICED_DOLLARS, MISSED_SHARE * cost.amount):
        return
    first, place = missed[0]
    numbers = tuple(entry.request.index for entry, _ in missed)
    tokens = sum(entry.judged.missed for entry, _ in missed)
    generation = first.request.generation
    largest = max((entry.judged for entry, _ in missed), key=lambda judged: judged.missed)
    read = largest.request.cache_read
    # A list without calls of tools has nothing but turns.
    turns = [starts_turn(inspection.generation(entry.request.generation).roles, at) for entry, at in missed]
    works = any(TOOL in inspection.generation(entry.request.generation).roles for entry, _ in missed)
    yield MissedEvidence(
        len(missed), numbers, tokens, more, cost.amount, read, generation, place, sum(turns) if works else 0
    )


def cache_evidence(priced: Sequence[PricedRequest]) -> CacheEvidence:
    """Return how requests used the prompt cache."""
    judged = [entry.judged for entry in priced]
    warm = [entry for entry in judged if entry.cause not in _EXPLAINED]
    changed = [entry for entry in warm if entry.cause == "prefix"]
    return CacheEvidence(
        sum(entry.request.cache_write > 0 for entry in judged),
        sum(entry.request.cache_write for entry in judged),
        sum(entry.request.cache_read for entry in judged),
        len(warm),
        len(changed),
        sum(entry.missed for entry in changed),
        max((entry.request.cache_read for entry in changed), default=0),
    )
