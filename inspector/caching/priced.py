"""A request with the cause of its cache miss and its price, and the extra cost of the miss."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from inspector.caching.costs import Cost, Rates, missing_rates, request_cost
from inspector.caching.misses import JudgedRequest
from inspector.core.conversations import Request


class PricedRequest(NamedTuple):
    """A judged request with its cost and its rates; None if the price is unknown.

    `differs` says where the prompt first differs from the previous prompt, for a miss with the cause "prefix", else "".
    """

    judged: JudgedRequest
    cost: Cost | None
    rates: Rates | None
    differs: str = ""

    @property
    def request(self) -> Request:
        """The request."""
        return self.judged.request

    @property
    def more(self) -> float | None:
        """Return the extra cost of the miss over reading the cache, in US dollars; None if unknown."""
        if not self.judged.missed:
            return 0.0
        if self.rates is None:
            return None
        paid, warm = request_cost(self.request, self.rates), request_cost(read_back(self.judged), self.rates)
        return None if paid is None or warm is None else paid.amount - warm.amount

    @property
    def why_no_cost(self) -> str:
        """Return a sentence about the missing price, "" if there is a cost."""
        if self.cost is not None:
            return ""
        if self.rates is None:
            return f"no price of {self.request.model or 'the model'} is known"
        missing = " and ".join(missing_rates(self.request, self.rates))
        return f"{self.rates.source} has no price of {missing}"


def read_back(judged: JudgedRequest) -> Request:
    """Return the request without its miss: tokens that were sent again are read from the cache."""
    request, missed = judged.request, judged.missed
    written = min(missed, request.cache_write)
    left = request.cache_write - written
    long = request.cache_write_1h
    return replace(
        request,
        input=request.input - min(missed - written, request.input),
        cache_read=request.cache_read + missed,
        cache_write=left,
        cache_write_1h=None if long is None else min(long, left),
    )
