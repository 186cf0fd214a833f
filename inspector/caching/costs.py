"""What requests and compactions cost. Money in US dollars, rates in US dollars a million tokens.

A request costs its uncached input, what it read from the cache, what it wrote into it (for five minutes, for an hour)
and its output. A compaction costs reading what it summarized (at the rate of reads where the prefix was still cached,
else in full), writing the summary, and writing the new list into the cache; each later request saves reading what is
gone. docs/costs.md has the formulas with their sources.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from inspector.core.conversations import Request
from inspector.core.shares import dollars

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Rates:
    """A model's prices, US dollars a million tokens; None where the source names none. `source` says where from and
    `date` from which day ("2026-11-22"). `steps` are (tokens, rates) by size, smallest first: a prompt of more tokens
    pays those for everything."""

    input: float | None
    output: float | None
    cache_read: float | None
    cache_write_5m: float | None
    cache_write_1h: float | None
    source: str = ""
    date: str = ""
    steps: tuple[tuple[int, Rates], ...] = ()

    def at(self, tokens: float) -> Rates:
        """The rates of a request whose prompt has so many tokens."""
        for above, rates in reversed(self.steps):
            if tokens > above:
                return rates
        return self


class Cost(NamedTuple):
    """What something cost. `read` is everything that was sent, from the cache or not."""

    read: float
    write: float
    output: float

    @property
    def amount(self) -> float:
        """All of it."""
        return self.read + self.write + self.output


@dataclass(frozen=True, slots=True)
class Bill:
    """What a compaction cost, and what came back. `saved_a_request` is what each later request reads less. `later`
    requests followed until the next compaction, so that `paid_off` says whether it had come back by then; `paid_by` is
    the number of the request with which it had. `warm` says that what was summarized was still cached."""

    cost: Cost
    saved_a_request: float
    later: int
    warm: bool
    paid_by: int | None = None

    @property
    def requests_to_pay_off(self) -> int | None:
        """After how many requests what it cost has come back; None where it never does."""
        return math.ceil(self.cost.amount / self.saved_a_request) if self.saved_a_request > 0 else None

    def paid(self, own: Cost) -> Bill:
        """The same where what its own call cost is known."""
        return replace(self, cost=Cost(own.read + own.write, self.cost.write, own.output))

    @property
    def own(self) -> Cost:
        """What the call that summarized cost; what is written is the next request's."""
        return self.cost._replace(write=0.0)

    @property
    def words(self) -> str:
        """The bill in a sentence without a full stop."""
        parts, needed = self.cost, self.requests_to_pay_off
        told = (
            f"{dollars(parts.amount)} US dollars: read {'warm' if self.warm else 'cold'} {dollars(parts.read)}, "
            f"summary {dollars(parts.output)}, written {dollars(parts.write)}"
        )
        if needed is None:
            return f"{told}; it saves nothing"
        end = f"{self.later:,} followed" + ("" if self.paid_off else ": it never did")
        end += f", paid off with request {self.paid_by:,}" if self.paid_by is not None else ""
        return f"{told}; pays off after {needed:,} requests, {end}"

    @property
    def paid_off(self) -> bool:
        """Whether as many requests followed as it takes."""
        return self.requests_to_pay_off is not None and self.later >= self.requests_to_pay_off


@dataclass(frozen=True, slots=True)
class CompactionUsage:
    """The tokens of a compaction: of the prompt `before` and of the first one `after` it, `written` into the cache with
    that, the length of the `summary`. `warm`: the prompt before was still cached. `hour`: what is written lives an
    hour. `later` requests followed; `cached`: they read from the cache what they sent before."""

    before: int
    after: int
    written: int
    summary: int
    warm: bool
    hour: bool
    later: int
    cached: bool = True


def request_cost(request: Request, rates: Rates) -> Cost | None:
    """What a request cost; None where a rate that it takes is not known."""
    return pricer(rates)(request)


@lru_cache(maxsize=64)
def pricer(rates: Rates) -> Callable[[Request], Cost | None]:
    """What gives each of many requests its cost; None where a rate that it takes is not known."""
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
            (request.cache_write - long) * short + long * hour,
            request.output * out,
        )

    if None in (rates.input, rates.output, rates.cache_read, rates.cache_write_5m, rates.cache_write_1h):
        return lambda request: None if missing_rates(request, rates) else price(request)
    return price


def missing_rates(request: Request, rates: Rates) -> tuple[str, ...]:
    """What of a request has no price, in words."""
    rates, long = rates.at(request.context), request.cache_write_1h or 0
    parts = (
        (request.input, rates.input, "input"),
        (request.cache_read, rates.cache_read, "reads from the cache"),
        (request.cache_write - long, rates.cache_write_5m, "writes for five minutes"),
        (long, rates.cache_write_1h, "writes for an hour"),
        (request.output, rates.output, "output"),
    )
    return tuple(words for tokens, rate, words in parts if tokens and rate is None)


def bill(usage: CompactionUsage, rates: Rates) -> Bill | None:
    """What a compaction cost, and after how many requests that had come back; None where a rate is not known."""
    large, small = rates.at(usage.before), rates.at(usage.after)
    read = _money(usage.before, large.cache_read if usage.warm else large.input)
    write = _money(usage.written, small.cache_write_1h if usage.hour else small.cache_write_5m)
    output = _money(usage.summary, large.output)
    was = _money(usage.before, large.cache_read if usage.cached else large.input)
    now = _money(usage.after, small.cache_read if usage.cached else small.input)
    if read is None or write is None or output is None or was is None or now is None:
        return None
    saved = max(0.0, was - now)
    return Bill(Cost(read, write, output), saved, usage.later, usage.warm)


def total(costs: Iterable[Cost | None]) -> Cost | None:
    """The costs together; None where one of them is not known, or there is none."""
    read = write = output = 0.0
    none = True
    for cost in costs:
        if cost is None:
            return None
        none = False
        read, write, output = read + cost.read, write + cost.write, output + cost.output
    return None if none else Cost(read, write, output)


def _money(tokens: int, rate: float | None) -> float | None:
    """Nothing costs nothing, whatever the rate."""
    if not tokens:
        return 0.0
    return None if rate is None else tokens * rate / _MILLION
