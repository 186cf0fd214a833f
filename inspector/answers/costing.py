"""The basis for costs under other compactions, times to live and layouts, from the requests of a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.agents import row_of
from inspector.answers.answer_places import answer_places
from inspector.answers.bills import bills_of
from inspector.answers.inspection import Inspection
from inspector.answers.requests import estimate_requests, priced_again, requests_of
from inspector.answers.resolving import policy_of, ttl_of
from inspector.caching.breakpoints import Layout
from inspector.caching.idle import with_ttl
from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR
from inspector.caching.modelled import smallest_prefix
from inspector.caching.priced import PricedRequest
from inspector.caching.requests import Requests
from inspector.config.settings import ResolvedSettings
from inspector.core.rough import list_tokens
from inspector.core.shares import plural
from inspector.replay.event import Event
from inspector.replay.pricing import CostBasis, PricedCall, PricedCompaction
from inspector.replay.recording import Recording

#: Costs of a run with another time to live or layout of the cache, as (name, US dollars).
AlternativeCosts = tuple[tuple[str, float], ...]


class Costing(Struct, frozen=True, eq=False):
    """The basis of costs for the recorded requests, and `alternatives` with another time to live or another layout, by
    name.

    `why` explains a missing basis. `is_estimated`: the requests are estimated.
    """

    basis: CostBasis | None
    alternatives: tuple[tuple[str, CostBasis], ...] = ()
    why: str = ""
    is_estimated: bool = False

    @property
    def note(self) -> str:
        """Return a sentence about missing or estimated costs; "" if all recorded costs are known."""
        if self.why:
            return self.why
        if self.is_estimated:
            return "Costs are estimated from the messages, because the store keeps no usage of single calls."
        unknown = [] if self.basis is None else [one for one in self.basis.recorded if one.cost is None]
        if not unknown:
            return ""
        compactions = plural(len(unknown), "compaction")
        return f"The record lacks the cost of {compactions}, so all costs here include an estimate."

    def alternative_costs(self, events: Sequence[Event]) -> AlternativeCosts:
        """Return the alternative costs of a run with these events."""
        return tuple((name, basis.cost(events)) for name, basis in self.alternatives)


def costing_of(
    inspection: Inspection,
    resolved: ResolvedSettings,
    recording: Recording,
    with_alternatives: bool = True,
) -> Costing:
    """Return the basis of costs of a conversation with this recording.

    Raises StoreErrors, EngineErrors, BadInput for a file of prices that cannot be used.
    """
    requests = requests_of(inspection, resolved)
    if not requests.priced:
        return Costing(None, why="The store keeps no requests.")
    if requests.why_no_cost:
        return Costing(None, why=f"No costs: {requests.why_no_cost[0]}.", is_estimated=requests.is_estimated)
    places = answer_places(inspection, resolved.settings.profile, requests)
    alternatives = tuple(
        (name, _basis(inspection, recording, other, places))
        for name, other in (_alternatives(inspection, resolved, requests) if with_alternatives else ())
        if not other.why_no_cost
    )
    return Costing(
        _basis(inspection, recording, requests, places), alternatives, is_estimated=requests.is_estimated
    )


def _alternatives(
    inspection: Inspection, resolved: ResolvedSettings, requests: Requests
) -> list[tuple[str, Requests]]:
    """Return the requests under the other time to live and, if the release sets the layout, under the other layout."""
    written = sum(priced.request.cache_write for priced in requests.priced)
    if not written:
        return []
    long = sum(entry.request.cache_write_1h or 0 for entry in requests.priced)
    hour, profile = 2 * long > written, resolved.settings.profile
    name = "for 5 minutes" if hour else "for 1 hour"
    if not requests.is_estimated:
        changed = list(with_ttl((entry.judged for entry in requests.priced), not hour))
        return [(name, priced_again(inspection, requests, changed))]
    layout = policy_of(inspection.conversation.row, profile).layout
    other: Layout = "envelope" if layout == "native" else "native"
    other_ttl = estimate_requests(inspection, profile, not hour)
    other_layout = estimate_requests(inspection, profile, ttl_of(resolved) == "1h", other)
    return [
        (name, priced_again(inspection, requests, other_ttl)),
        (f"{other} layout", priced_again(inspection, requests, other_layout)),
    ]


def _basis(
    inspection: Inspection, recording: Recording, requests: Requests, places: Sequence[int | None]
) -> CostBasis:
    course, conversation = recording.course, inspection.conversation
    rough_sizes = [
        list_tokens(chars, images) + course.system
        for chars, images in zip(course.chars, course.images, strict=True)
    ]
    summarizing = inspection.summarizing(entry.request for entry in requests.priced)
    placed = [
        (entry, index)
        for entry, index in zip(requests.priced, places, strict=True)
        if entry.request.index not in summarizing
    ]
    priced = [entry for entry, _ in placed]
    writes = any(entry.request.cache_write for entry in priced)
    bills = bills_of(inspection, requests)
    ends = recording.transcript.ends
    recorded = [
        PricedCompaction(
            ends[entry.index - 1],
            entry.tokens_before,
            entry.tokens_after,
            bills[entry.index][0].summary_call.amount
            if entry.index in bills
            else 0.0
            if entry.fallback
            else None,
        )
        for entry in inspection.compactions()
        if entry.index <= len(ends)
    ]
    steps = _steps(recording, placed)
    calls = list(_calls(priced, steps, {entry.step for entry in recorded}, writes))
    return CostBasis(
        calls,
        rough_sizes,
        recorded,
        course.scale.scale,
        writes,
        smallest_prefix(conversation.row.model) if requests.is_estimated else 0,
        row_of(conversation.row.agent).warm_summaries,
    )


def _steps(recording: Recording, placed: Sequence[tuple[PricedRequest, int | None]]) -> list[int]:
    """Return the number of messages before each answer; it never decreases."""
    starts = (0, *recording.moments.generation_steps)
    steps: list[int] = []
    for entry, index in placed:
        number = entry.request.generation
        start = starts[min(number, len(starts)) - 1]
        step = 0 if index is None else recording.moments.step_of(number, index)
        steps.append(max(start, step - 1, steps[-1] if steps else 0))
    return steps


def _calls(
    priced: Sequence[PricedRequest], steps: Sequence[int], ends: set[int], writes: bool
) -> list[PricedCall]:
    calls: list[PricedCall] = []
    lives, cached, before = FIVE_MINUTES, 0, -1
    for entry, step in zip(priced, steps, strict=True):
        request, idle = entry.request, entry.judged.idle
        assert entry.rates is not None
        assert entry.cost is not None
        written, long = request.cache_write, request.cache_write_1h or 0
        calls.append(
            PricedCall(
                step,
                request.context,
                request.cache_read,
                written,
                request.input,
                request.output,
                long / written if written else float(lives == ONE_HOUR),
                min(1.0, request.cache_read / cached) if cached else 0.0,
                entry.judged.cause == "ttl" or (idle is not None and idle > lives and not request.cache_read),
                any(before < end <= step for end in ends),
                entry.cost.amount,
                entry.rates,
            )
        )
        if written:
            lives = ONE_HOUR if long else FIVE_MINUTES
        cached, before = request.cache_read + written if writes else request.context, step
    return calls
