"""Requests for the cache pane, and the cost of each compaction in words."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.inspection import Inspection
from inspector.answers.requests import (
    Requests,
    answer_places,
    bills_of,
    requests_of,
    why_no_bill,
    with_differences,
)
from inspector.config.settings import ResolvedSettings
from inspector.core.shares import dollars
from inspector.core.watching import Watch
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
            if _sent_by(priced.request.generation, index, generation, length)
        ]
        until = replace(self.requests, priced=tuple(priced for priced, _ in sent), reported=0)
        return RequestsView(until.priced, tuple(index for _, index in sent), _note(until))


def _sent_by(number: int, index: int | None, generation: int, length: int) -> bool:
    """Whether a request of list `number` was sent by the time that a generation had `length` messages."""
    return number < generation or (number == generation and (index is None or index < length))


def read_requests(inspection: Inspection, resolved: ResolvedSettings, watch: Watch) -> RequestsRead:
    """Read every request with its cause and cost, and the bills of the compactions.

    Raises StoreErrors, EngineErrors, BadInput.
    """
    requests = with_differences(inspection, resolved, requests_of(inspection, resolved))
    watch.check()
    places = answer_places(inspection, resolved.settings.profile, requests)
    prefix = "estimated, " if requests.modelled else ""
    known = bills_of(inspection, requests)
    bills = {
        done.index: prefix + known[done.index][0].words
        if done.index in known
        else f"unknown: {why_no_bill(done, requests)}"
        for done in inspection.compactions()
    }
    idle = requests.idle().words if requests.priced else ()
    view = RequestsView(requests.priced, tuple(places), _note(requests), idle)
    return RequestsRead(requests, view, bills)


def _note(requests: Requests) -> str:
    parts = []
    if requests.modelled and requests.priced:
        reported = (
            f"; the provider reported {human.tokens(requests.reported)} in all" if requests.reported else ""
        )
        parts.append(f"Estimated from the messages: {human.tokens(requests.sent)} sent{reported}.")
    cost = requests.cost
    if cost is not None:
        dates = sorted(
            {
                priced.rates.date
                for priced in requests.priced
                if priced.rates is not None and priced.rates.date
            }
        )
        of = (
            f" at the prices of {dates[0]}" + (f" to {dates[-1]}" if dates[0] != dates[-1] else "")
            if dates
            else ""
        )
        parts.append(f"{dollars(cost.amount)} US dollars{of}.")
    elif requests.priced:
        parts.append(f"No costs: {'; '.join(requests.why_no_cost)}.")
    return " ".join(parts)
