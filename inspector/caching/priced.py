"""A request with the cause of its cache miss and its price."""

from __future__ import annotations

from typing import NamedTuple

from inspector.caching.costs import Cost, Rates, missing_rates
from inspector.caching.idle import miss_cost
from inspector.caching.misses import JudgedRequest


class PricedRequest(NamedTuple):
    """A judged request with its cost and the rates behind it; None where the price is unknown.

    `differs` says where the prompt first differs from the previous one, for a miss with that cause.
    """

    judged: JudgedRequest
    cost: Cost | None
    rates: Rates | None
    differs: str = ""

    @property
    def more(self) -> float | None:
        """Cost of the miss in US dollars: how much less the request would have cost without; None if unknown."""
        return miss_cost(self.judged, self.rates)

    @property
    def why_no_cost(self) -> str:
        """A sentence about the missing price; "" where there is a cost."""
        if self.cost is not None:
            return ""
        if self.rates is None:
            return f"no price of {self.judged.request.model or 'the model'} is known"
        missing = " and ".join(missing_rates(self.judged.request, self.rates))
        return f"{self.rates.source} has no price of {missing}"
