"""Requests for the cache pane, and the cost of each compaction in words."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answer_places import answer_places, with_differences
from inspector.answers.bills import costs_of
from inspector.answers.inspection import Inspection
from inspector.answers.requests import requests_of
from inspector.caching.requests import Requests
from inspector.config.settings import ResolvedSettings
from inspector.core.shares import dollars
from inspector.core.watching import Watch
from inspector.export.requests import price_dates, price_words, recorded_words
from widgets.base import human
from widgets.panes.requests_part import RequestsView


class RequestsRead(Struct, frozen=True, eq=False):
    """The requests of a conversation, and by compaction its cost in words."""

    requests: Requests
    view: RequestsView
    bills: Mapping[int, str]

    def until(self, generation: int, length: int | None) -> RequestsView:
        """Return the requests before a generation had more than `length` messages, by default all."""
        if length is None:
            return self.view
        sent = [
            (priced, index)
            for priced, index in zip(self.view.requests, self.view.places, strict=True)
            if (priced.request.generation, -1 if index is None else index) < (generation, length)
        ]
        until = replace(
            self.requests,
            priced=tuple(priced for priced, _ in sent),
            reported=0,
            unlisted=tuple(index for index in self.requests.unlisted if index < generation),
            recorded_cost=0.0,
        )
        return RequestsView(until.priced, tuple(index for _, index in sent), _note(until))


def read_requests(inspection: Inspection, resolved: ResolvedSettings, watch: Watch) -> RequestsRead:
    """Read every request with its cause and cost, and the bills of the compactions.

    Raises StoreErrors, EngineErrors, BadInput.
    """
    requests = with_differences(inspection, resolved, requests_of(inspection, resolved))
    watch.check()
    places = answer_places(inspection, resolved.settings.profile, requests)
    bills = {index: cost.words for index, cost in costs_of(inspection, requests).items()}
    idle = requests.idle().words if requests.priced else ()
    view = RequestsView(requests.priced, tuple(places), _note(requests), idle)
    return RequestsRead(requests, view, bills)


def _note(requests: Requests) -> str:
    parts = []
    if requests.is_estimated and requests.priced:
        sum_of = f"; the provider reported {human.tokens(requests.reported)}" if requests.reported else ""
        parts.append(f"Estimated from the messages: {human.tokens(requests.sent)} sent{sum_of}.")
    cost = requests.cost
    if cost is not None:
        # The calls of some agents for summaries are among the requests.
        without = ", without summary calls" if requests.unlisted else ""
        parts.append(
            f"{dollars(cost.amount)} US dollars{price_words(price_dates(requests.priced))}{without}."
        )
    elif requests.priced:
        parts.append(f"No costs: {'; '.join(requests.why_no_cost)}.")
    if requests.recorded_cost:
        parts.append(recorded_words(requests.recorded_cost))
    return " ".join(parts)
