"""Requests as the cache pane shows them, and what a compaction cost in words. Pure functions over values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.answers.inspection import Inspection
from inspector.answers.requests import PricedRequest, Requests, bills_of, requests_of
from inspector.caching.costs import total
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import ROLE_CODES, Generation
from inspector.core.places import place_name
from inspector.core.watching import Watch
from widgets.base import human
from widgets.lists.fact_list import FactPlace
from widgets.lists.request_list import RequestView
from widgets.panes.requests_part import RequestsView

_ASSISTANT = ROLE_CODES["assistant"]


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
    found = requests_of(inspection, resolved)
    watch.check()
    places = {
        g.number: _answers(inspection, g, resolved.settings.profile)
        for g in inspection.conversation.generations
    }
    views = tuple(_view(one, places) for one in found.priced)
    how = "modelled, " if found.modelled else ""
    bills = {index: how + bill.words for index, (bill, _) in bills_of(inspection, found).items()}
    numbers = tuple(one.judged.request.generation for one in found.priced)
    return RequestsRead(RequestsView(views, _note(found)), bills, numbers)


def _note(found: Requests) -> str:
    parts = []
    if found.modelled and found.priced:
        reported = f"; the provider reported {human.tokens(found.reported)} in all" if found.reported else ""
        parts.append(f"Modelled from the messages, {human.tokens(found.sent)} sent{reported}.")
    cost = total(one.cost for one in found.priced)
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


def _answers(inspection: Inspection, generation: Generation, profile: str) -> Sequence[tuple[float, int]]:
    """(time, index) of each answer of a list, by time."""
    times = inspection.gathered(generation, profile).times
    return sorted(
        (time, index)
        for index, (time, role) in enumerate(zip(times, generation.roles, strict=False))
        if role == _ASSISTANT
    )


def _view(one: PricedRequest, places: Mapping[int, Sequence[tuple[float, int]]]) -> RequestView:
    judged, request = one.judged, one.judged.request
    answers = places.get(request.generation, ())
    at = bisect_left(answers, (request.at - 0.001, -1))
    place = None
    if request.at and at < len(answers) and abs(answers[at][0] - request.at) < 1:
        index = answers[at][1]
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
