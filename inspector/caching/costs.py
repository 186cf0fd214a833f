"""Costs of requests and compactions. Money in US dollars, rates in US dollars per million tokens.

The cost of a request has four parts: uncached input, cache reads, cache writes (for five minutes or an hour) and
output. The cost of a compaction has three parts: reading the list before it (at the cache rate while the prefix is
cached, else at the input rate), the summary, and writing the new list to the cache. Each later request saves the price
of the removed tokens. docs/costs.md has the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.conversations import Request
from inspector.core.shares import dollars, plural

_MILLION = 1_000_000


class Rates(Struct, frozen=True):
    """A model's prices in US dollars per million tokens, None if the source has none.

    `source` names the origin, `date` the day ("2026-11-22"). `steps` are (tokens, rates), smallest first: a larger
    prompt pays those rates for all of its tokens.
    """

    input: float | None
    output: float | None
    cache_read: float | None
    cache_write_5m: float | None
    cache_write_1h: float | None
    source: str = ""
    date: str = ""
    steps: tuple[tuple[int, Rates], ...] = ()

    def at(self, tokens: float) -> Rates:
        """Return the rates of a request with a prompt of `tokens` tokens."""
        for above, rates in reversed(self.steps):
            if tokens > above:
                return rates
        return self


class Cost(NamedTuple):
    """A cost in US dollars, by part. `read` has the cost of cache reads and of uncached input."""

    read: float
    write: float
    output: float

    @property
    def amount(self) -> float:
        """Return the sum of the parts."""
        return self.read + self.write + self.output


class Bill(Struct, frozen=True):
    """Cost and savings of a compaction.

    `saved_a_request` is the saving of each later request that reads the cache, `saved_cold` the saving of a request
    that finds nothing in the cache. `later` is the number of requests after the first request that follows the
    compaction, up to the next compaction. `paid_by` is the number of the request that reached the break-even, None
    if no request reached it. `early`: the break-even came before `requests_to_pay_off` requests. `warm` is true if the
    summarized prefix was cached. `same_model`: one model answered before and after the compaction. If not, the
    fixed parts of their prompts differ, and the savings are unknown.
    """

    cost: Cost
    saved_a_request: float
    later: int
    warm: bool
    paid_by: int | None = None
    saved_cold: float = 0.0
    same_model: bool = True
    early: bool = False

    @property
    def requests_to_pay_off(self) -> int | None:
        """Return the number of requests to break even, None if the compaction never does or the savings are unknown."""
        saves = self.same_model and self.saved_a_request > 0
        return math.ceil(self.cost.amount / self.saved_a_request) if saves else None

    def paid(self, summary_cost: Cost, warm: bool) -> Bill:
        """Return the bill with `own`, the recorded cost of the summarizing call.

        `warm`: most of the prompt of this call was cached.
        """
        return replace(
            self,
            cost=Cost(summary_cost.read + summary_cost.write, self.cost.write, summary_cost.output),
            warm=warm,
        )

    @property
    def summary_call(self) -> Cost:
        """Return the cost of the summarizing call, without the cache writes of the next request."""
        return self.cost._replace(write=0.0)

    @property
    def words(self) -> str:
        """Return the bill as a sentence without a full stop."""
        parts, needed = self.cost, self.requests_to_pay_off
        cache = "warm" if self.warm else "cold"
        cost = (
            f"{dollars(parts.amount)} US dollars: reading {dollars(parts.read)} ({cache} cache), "
            f"summary {dollars(parts.output)}, writing {dollars(parts.write)}"
        )
        if not self.same_model:
            return f"{cost}; break-even unknown, because another model answered next"
        if needed is None:
            return f"{cost}; no later request is cheaper"
        expected = plural(needed, "request")
        if self.paid_by is not None:
            sooner = "; cache misses made it sooner" if self.early else ""
            return f"{cost}; break-even at request {self.paid_by:,} (expected after {expected}{sooner})"
        reached = "break-even reached" if self.paid_off else "break-even not reached"
        return f"{cost}; {reached}: it needs {expected}, {self.later:,} followed"

    @property
    def loss(self) -> float:
        """Return the cost less what the later requests saved, 0 if the savings are unknown."""
        return self.cost.amount - self.later * self.saved_a_request if self.same_model else 0.0

    @property
    def paid_off(self) -> bool:
        """Return whether enough requests followed to break even."""
        needed = self.requests_to_pay_off
        return self.paid_by is not None or (needed is not None and self.later >= needed)


class CompactionUsage(Struct, frozen=True):
    """Token counts of a compaction.

    `before` is the size of the list before the compaction, `after` the size of the first prompt after it. `written` is
    the number of tokens that this prompt wrote to the cache, `summary` the size of the summary. `warm`: the list before
    was still cached. `hour`: cache writes live an hour. `later`: see `Bill`. `cached`: later requests read earlier
    prompts from the cache.
    """

    before: int
    after: int
    written: int
    summary: int
    warm: bool
    hour: bool
    later: int
    cached: bool = True


def request_cost(request: Request, rates: Rates) -> Cost | None:
    """Return the cost of a request, None if a needed rate is unknown."""
    return pricer(rates)(request)


@lru_cache(maxsize=64)
def pricer(rates: Rates) -> Callable[[Request], Cost | None]:
    """Return a function that prices requests; it returns None if a needed rate is unknown."""
    if rates.steps:
        by_size = [(above, pricer(step)) for above, step in reversed(rates.steps)]
        base = pricer(replace(rates, steps=()))

        def by_its_size(request: Request) -> Cost | None:
            context = request.context
            return next((price for above, price in by_size if context > above), base)(request)

        return by_its_size
    given, out, read, short, hour = (
        (rate or 0.0) / _MILLION
        for rate in (rates.input, rates.output, rates.cache_read, rates.cache_write_5m, rates.cache_write_1h)
    )

    def price(request: Request) -> Cost:
        long = request.cache_write_1h or 0
        return Cost(
            request.input * given + request.cache_read * read,
            max(0, request.cache_write - long) * short + long * hour,
            request.output * out,
        )

    if None in (rates.input, rates.output, rates.cache_read, rates.cache_write_5m, rates.cache_write_1h):
        return lambda request: None if missing_rates(request, rates) else price(request)
    return price


def missing_rates(request: Request, rates: Rates) -> tuple[str, ...]:
    """Return the names of the parts of a request without a price."""
    rates, long = rates.at(request.context), request.cache_write_1h or 0
    parts = (
        (request.input, rates.input, "input"),
        (request.cache_read, rates.cache_read, "reads from the cache"),
        (max(0, request.cache_write - long), rates.cache_write_5m, "writes for five minutes"),
        (long, rates.cache_write_1h, "writes for an hour"),
        (request.output, rates.output, "output"),
    )
    return tuple(words for tokens, rate, words in parts if tokens and rate is None)


def bill(usage: CompactionUsage, rates: Rates) -> Bill | None:
    """Return the bill of a compaction, None if a rate is unknown."""
    large, small = rates.at(usage.before), rates.at(usage.after)
    read = _money(usage.before, large.cache_read if usage.warm else large.input)
    write = _money(usage.written, small.cache_write_1h if usage.hour else small.cache_write_5m)
    output = _money(usage.summary, large.output)
    was = _money(usage.before, large.cache_read if usage.cached else large.input)
    now = _money(usage.after, small.cache_read if usage.cached else small.input)
    if read is None or write is None or output is None or was is None or now is None:
        return None
    fewer = max(0, usage.before - usage.after)
    cold = _money(
        fewer,
        (large.cache_write_1h if usage.hour else large.cache_write_5m) if usage.written else large.input,
    )
    return Bill(
        Cost(read, write, output), max(0.0, was - now), usage.later, usage.warm, saved_cold=cold or 0.0
    )


def total(costs: Iterable[Cost | None]) -> Cost | None:
    """Return the sum of the costs, None if there are none or one is unknown."""
    read = write = output = 0.0
    none = True
    for cost in costs:
        if cost is None:
            return None
        none = False
        read, write, output = read + cost.read, write + cost.write, output + cost.output
    return None if none else Cost(read, write, output)


def _money(tokens: int, rate: float | None) -> float | None:
    """Return the price of tokens, None if the rate is unknown. Zero tokens cost nothing, even at an unknown rate."""
    if not tokens:
        return 0.0
    return None if rate is None else tokens * rate / _MILLION
