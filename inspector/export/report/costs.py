"""Costs of requests and compactions for a report."""

from __future__ import annotations

from inspector.answers.requests import Requests, why_no_bill
from inspector.caching.costs import Bill, Rates
from inspector.core.conversations import Compaction
from inspector.export.report.values import CostsPart


def costs_part(found: Requests) -> CostsPart:
    """The requests of a conversation in sums."""
    rates = [one.rates for one in found.priced if one.rates is not None]
    return CostsPart(
        len(found.priced),
        found.modelled,
        found.sent,
        sum(one.judged.request.cache_read for one in found.priced),
        found.reported,
        found.cost,
        found.why_no_cost,
        tuple(sorted({one.date for one in rates if one.date})),
        found.by_cause(),
        found.idle().words if found.priced else (),
    )


def bill_words(recorded: Compaction, found: tuple[Bill, Rates] | None, requests: Requests) -> str:
    """Cost of a compaction, or why it is unknown."""
    if found is None:
        return f"not known: {why_no_bill(recorded, requests)}"
    return ("modelled, " if requests.modelled else "") + found[0].words
