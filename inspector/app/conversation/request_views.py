"""Requests as the cache pane shows them, and what a compaction cost in words. Pure functions over values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.answers.inspection import Inspection
from inspector.answers.recordings import shared_recording
from inspector.answers.request_places import answer_places
from inspector.answers.requests import PricedRequest, Requests, bills_of, requests_of
from inspector.config.settings import ResolvedSettings
from inspector.core.places import place_name
from inspector.core.watching import Watch
from widgets.base import human
from widgets.lists.fact_list import FactPlace
from widgets.lists.request_list import RequestView
from widgets.panes.requests_part import RequestsView


@dataclass(frozen=True, slots=True, eq=False)
class RequestsRead:
    """The requests of a conversation as they are shown, the time of each, and by compaction what it cost in words."""

    view: RequestsView
    bills: Mapping[int, str]
    generations: tuple[int, ...]

    def until(self, generation: int, length: int | None) -> RequestsView:
        """The requests that were sent by the time that a generation had so many messages; None: all of them."""
        if length is None:
            return self.view
        shown = tuple(
            one
            for one, number in zip(self.view.requests, self.generations, strict=True)
            if number < generation
            or (number == generation and (one.place is None or one.place.index < length))
        )
        return RequestsView(shown, self.view.note)


def read_requests(inspection: Inspection, resolved: ResolvedSettings, watch: Watch) -> RequestsRead:
    """Every request of a conversation with its cause and cost, and the bills of its compactions. Raises StoreErrors,
    EngineErrors, BadInput."""
    recording = shared_recording(inspection, resolved.settings.profile)
    found = requests_of(inspection, resolved, recording)
    watch.check()
    requests = [one.judged.request for one in found.priced]
    places = answer_places(inspection.conversation, recording, requests, found.modelled)
    views = tuple(_view(one, index) for one, index in zip(found.priced, places, strict=True))
    how = "modelled, " if found.modelled else ""
    bills = {index: how + bill.words for index, (bill, _) in bills_of(inspection, found).items()}
    numbers = tuple(one.generation for one in requests)
    return RequestsRead(RequestsView(views, _note(found)), bills, numbers)


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
        parts.append(f"{cost.amount:.2f} US dollars{of}.")
    elif found.priced:
        parts.append("No full price is known of the model: no costs.")
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
    )
