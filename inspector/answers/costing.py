"""The basis for costs under other compactions, times to live and layouts, from the requests of a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.agents import has_warm_summaries
from inspector.answers.inspection import Inspection
from inspector.answers.requests import (
    Requests,
    answer_places,
    bills_of,
    modelled,
    requests_again,
    requests_of,
)
from inspector.answers.resolving import policy_of, ttl_of
from inspector.caching.breakpoints import Layout
from inspector.caching.idle import with_ttl
from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR
from inspector.caching.modelled import smallest_prefix
from inspector.caching.priced import PricedRequest
from inspector.config.settings import ResolvedSettings
from inspector.core.rough import list_tokens
from inspector.replay.event import Event
from inspector.replay.pricing import CostBasis, PricedCall, PricedCompaction
from inspector.replay.recording import Recording


class Costing(Struct, frozen=True, eq=False):
    """The basis of costs: `basis` for the recorded requests, and by name the same with the `other` time to live or
    layout.

    `why` explains a missing basis. `modelled`: the requests are estimated.
    """

    basis: CostBasis | None
    others: tuple[tuple[str, CostBasis], ...] = ()
    why: str = ""
    modelled: bool = False

    def variants(self, events: Sequence[Event]) -> tuple[tuple[str, float], ...]:
        """Return the alternative costs of a run with these events, in US dollars."""
        return tuple((name, basis.cost(events)) for name, basis in self.others)


def costing_of(
    inspection: Inspection,
    resolved: ResolvedSettings,
    recording: Recording,
    otherwise: bool = True,
) -> Costing:
    """Return the basis of costs of a conversation with this recording; with `otherwise` also the alternatives.

    Raises StoreErrors, EngineErrors, BadInput for a file of prices that cannot be used.
    """
    found = requests_of(inspection, resolved)
    if not found.priced:
        return Costing(None, why="The store keeps no requests.")
    if found.why_no_cost:
        return Costing(None, why=f"No costs: {found.why_no_cost[0]}.", modelled=found.modelled)
    places = answer_places(inspection, resolved.settings.profile, found)
    others = []
    for name, other in _others(inspection, resolved, found) if otherwise else ():
        if not other.why_no_cost:
            others.append((name, _basis(inspection, recording, other, places)))
    return Costing(_basis(inspection, recording, found, places), tuple(others), modelled=found.modelled)


def _others(
    inspection: Inspection, resolved: ResolvedSettings, found: Requests
) -> list[tuple[str, Requests]]:
    """Return the requests under the other time to live and, if the release sets the layout, under the other layout."""
    written = sum(priced.request.cache_write for priced in found.priced)
    if not written:
        return []
    long = sum(one.request.cache_write_1h or 0 for one in found.priced)
    hour, profile = 2 * long > written, resolved.settings.profile
    name = "for 5 minutes" if hour else "for 1 hour"
    if not found.modelled:
        changed = list(with_ttl((one.judged for one in found.priced), not hour))
        return [(name, requests_again(inspection, found, changed))]
    layout = policy_of(inspection.conversation.row, profile).layout
    other: Layout = "envelope" if layout == "native" else "native"
    kept = modelled(inspection, profile, not hour)
    laid = modelled(inspection, profile, ttl_of(resolved) == "1h", other)
    return [
        (name, requests_again(inspection, found, kept)),
        (f"{other} layout", requests_again(inspection, found, laid)),
    ]


def _basis(
    inspection: Inspection, recording: Recording, found: Requests, places: Sequence[int | None]
) -> CostBasis:
    course, conversation = recording.course, inspection.conversation
    plain = [
        list_tokens(chars, images) + course.system
        for chars, images in zip(course.chars, course.images, strict=True)
    ]
    own = inspection.summarizing(one.request for one in found.priced)
    placed = [
        (one, index) for one, index in zip(found.priced, places, strict=True) if one.request.index not in own
    ]
    priced = [one for one, _ in placed]
    writes = any(one.request.cache_write for one in priced)
    bills = bills_of(inspection, found)
    ends = recording.transcript.ends
    recorded = [
        PricedCompaction(
            ends[one.index - 1],
            one.tokens_before,
            one.tokens_after,
            bills[one.index][0].own.amount if one.index in bills else 0.0 if one.fallback else None,
        )
        for one in inspection.compactions()
        if one.index <= len(ends)
    ]
    steps = _steps(recording, placed)
    calls = list(_calls(priced, steps, {one.step for one in recorded}, writes))
    return CostBasis(
        calls,
        plain,
        recorded,
        course.scale.scale,
        writes,
        smallest_prefix(conversation.row.model) if found.modelled else 0,
        has_warm_summaries(conversation.row.agent),
    )


def _steps(recording: Recording, placed: Sequence[tuple[PricedRequest, int | None]]) -> list[int]:
    """Return the number of messages before each answer; it never decreases."""
    starts = (0, *recording.moments.generation_steps)
    steps: list[int] = []
    for one, index in placed:
        number = one.request.generation
        start = starts[min(number, len(starts)) - 1]
        step = 0 if index is None else recording.moments.step_of(number, index)
        steps.append(max(start, step - 1, steps[-1] if steps else 0))
    return steps


def _calls(
    priced: Sequence[PricedRequest], steps: Sequence[int], ends: set[int], writes: bool
) -> list[PricedCall]:
    calls: list[PricedCall] = []
    lives, cached, before = FIVE_MINUTES, 0, -1
    for one, step in zip(priced, steps, strict=True):
        request, idle = one.request, one.judged.idle
        assert one.rates is not None
        assert one.cost is not None
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
                one.judged.cause == "ttl" or (idle is not None and idle > lives and not request.cache_read),
                any(before < end <= step for end in ends),
                one.cost.amount,
                one.rates,
            )
        )
        if written:
            lives = ONE_HOUR if long else FIVE_MINUTES
        cached, before = request.cache_read + written if writes else request.context, step
    return calls
