"""A request with the cause of its cache miss and its price."""

from __future__ import annotations

from typing import NamedTuple

from inspector.caching.costs import Cost, Rates, missing_rates
from inspector.caching.idle import miss_cost
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
        """Return the extra cost of the miss in US dollars, None if unknown."""
        return miss_cost(self.judged, self.rates)

    @property
    def why_no_cost(self) -> str:
        """Return a sentence about the missing price, "" if there is a cost."""
        if self.cost is not None:
            return ""
        if self.rates is None:
            return f"no price of {self.request.model or 'the model'} is known"
        missing = " and ".join(missing_rates(self.request, self.rates))
        return f"{self.rates.source} has no price of {missing}"
