"""The requests of a conversation with their misses and costs."""

from __future__ import annotations

from msgspec import Struct

from inspector.caching.costs import Cost, total
from inspector.caching.idle import IdleCosts, idle_costs
from inspector.caching.misses import CAUSES, Cause
from inspector.caching.priced import PricedRequest


class CauseSum(Struct, frozen=True):
    """The misses of a cause. `misses` is their number and `tokens` the tokens sent again. `more` is the extra cost over
    reading these tokens from the cache, in US dollars (None if a price is unknown)."""

    cause: Cause
    misses: int
    tokens: int
    more: float | None


class Requests(Struct, frozen=True):
    """The requests of a conversation, in order.

    `is_estimated`: the requests are estimated from messages. `reported` is the total of tokens that all sessions sent,
    as the store records it (0: not recorded). `unlisted` has the index of each compaction whose summary call is not
    among the requests. `recorded_cost` is the cost of all sessions in US dollars, as the agent recorded it, with calls
    that are not listed (0.0: not recorded).
    """

    priced: tuple[PricedRequest, ...]
    is_estimated: bool
    reported: int = 0
    unlisted: tuple[int, ...] = ()
    recorded_cost: float = 0.0

    @property
    def sent(self) -> int:
        """Return the tokens of all prompts."""
        return sum(priced.request.context for priced in self.priced)

    @property
    def cost(self) -> Cost | None:
        """Return the cost of all requests; None if a price is unknown."""
        return total(priced.cost for priced in self.priced)

    @property
    def why_no_cost(self) -> tuple[str, ...]:
        """Return the reasons why requests have no cost, as clauses."""
        return tuple(sorted({priced.why_no_cost for priced in self.priced} - {""}))

    def by_cause(self) -> tuple[CauseSum, ...]:
        """Return the misses by cause, without causes that did not occur."""
        sums = []
        for cause in CAUSES:
            missed = [priced for priced in self.priced if priced.judged.cause == cause]
            costs = [priced.more for priced in missed]
            more = None if any(cost is None for cost in costs) else sum(cost or 0.0 for cost in costs)
            if missed:
                tokens = sum(priced.judged.missed for priced in missed)
                sums.append(CauseSum(cause, len(missed), tokens, more))
        return tuple(sums)

    def idle(self) -> IdleCosts:
        """Return the costs of idling."""
        return idle_costs(self.priced)
