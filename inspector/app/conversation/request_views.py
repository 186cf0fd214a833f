"""Requests as the cache pane shows them, and what a compaction cost in words. Pure functions over values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from inspector.answers.inspection import Inspection
from inspector.answers.requests import (
    PricedRequest,
    Requests,
    answer_places,
    bills_of,
    requests_of,
    why_no_bill,
    with_differences,
)
from inspector.config.settings import ResolvedSettings
from inspector.core.places import place_name
from inspector.core.shares import dollars
from inspector.core.watching import Watch
from widgets.base import human
from widgets.lists.fact_list import FactPlace
from widgets.lists.request_list import RequestView
from widgets.panes.requests_part import RequestsView


@dataclass(frozen=True, slots=True, eq=False)
class RequestsRead:
    """The requests of a conversation, as they are shown, and by compaction what it cost in words."""

    found: Requests
    view: RequestsView
    bills: Mapping[int, str]

    def until(self, generation: int, length: int | None) -> RequestsView:
        """The requests that were sent by the time that a generation had so many messages; None: all of them."""
        if length is None:
            return self.view
        pairs = [
            (priced, shown)
            for priced, shown in zip(self.found.priced, self.view.requests, strict=True)
            if _sent_by(priced.judged.request.generation, shown, generation, length)
        ]
        until = replace(self.found, priced=tuple(priced for priced, _ in pairs), reported=0)
        return RequestsView(tuple(shown for _, shown in pairs), _note(until))


def _sent_by(number: int, shown: RequestView, generation: int, length: int) -> bool:
    """Whether a request of list `number` was sent by the time that a generation had so many messages."""
    here = shown.place is None or shown.place.index < length
    return number < generation or (number == generation and here)


def read_requests(inspection: Inspection, resolved: ResolvedSettings, watch: Watch) -> RequestsRead:
    """Every request of a conversation with its cause and cost, and the bills of its compactions. Raises StoreErrors,
    EngineErrors, BadInput."""
    found = with_differences(inspection, resolved, requests_of(inspection, resolved))
    watch.check()
    places = answer_places(inspection, resolved.settings.profile, found)
    views = tuple(_view(one, index) for one, index in zip(found.priced, places, strict=True))
    how = "modelled, " if found.modelled else ""
    told = bills_of(inspection, found)
    bills = {
        done.index: how + told[done.index][0].words
        if done.index in told
        else f"not known: {why_no_bill(done, found)}"
        for done in inspection.compactions()
    }
    idle = found.idle().words if views else ()
    return RequestsRead(found, RequestsView(views, _note(found), idle), bills)


def _note(found: Requests) -> str:
    parts = []
    if found.modelled and found.priced:
        reported = f"; the provider reported {human.tokens(found.reported)} in all" if found.reported else ""
        parts.append(f"Modelled from the messages, {human.tokens(found.sent)} sent{reported}.")
    cost = found.cost
    if cost is not None:
        dates = sorted({one.rates.date for one in found.priced if one.rates is not None and one.rates.date})
        of = (
            f" at the prices of {dates[0]}" + (f" to {dates[-1]}" if dates[0] != dates[-1] else "")
            if dates
            else ""
        )
        parts.append(f"{dollars(cost.amount)} US dollars{of}.")
    elif found.priced:
        parts.append(f"No costs: {'; '.join(found.why_no_cost)}.")
    return " ".join(parts)


def _view(one: PricedRequest, index: int | None) -> RequestView:
    judged, request = one.judged, one.judged.request
    place = None
    if index is not None:
        place = FactPlace(request.generation, index, "", place_name(index, generation=request.generation))
    return RequestView(
        request.index,
        request.cache_read,
        request.cache_write,
        request.input,
        request.output,
        judged.cause or "",
        judged.missed,
        None if one.cost is None else one.cost.amount,
        human.clock(request.at) if request.at else "",
        request.model,
        place,
        one.more,
        one.differs.partition(" (")[0],
        judged.modelled,
    )
