"""What requests and compactions cost. Money in US dollars, rates in US dollars a million tokens.

A request costs its uncached input, what it read from the cache, what it wrote into it (for five minutes, for an hour)
and its output. A compaction costs reading what it summarized (at the rate of reads where the prefix was still cached,
else in full), writing the summary, and writing the new list into the cache; each later request saves reading what is
gone. docs/costs.md has the formulas with their sources.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from inspector.core.conversations import Request

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Rates:
    """A model's prices, US dollars a million tokens; None where the source names none. `source` says where from and
    `date` from which day ("2026-11-22")."""

    input: float | None
    output: float | None
    cache_read: float | None
    cache_write_5m: float | None
    cache_write_1h: float | None
    source: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What something cost. `read` is everything that was sent, from the cache or not."""

    read: float
    write: float
    output: float

    @property
    def amount(self) -> float:
        """All of it."""
        return self.read + self.write + self.output

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.read + other.read, self.write + other.write, self.output + other.output)


@dataclass(frozen=True, slots=True)
class Bill:
    """What a compaction cost, and what came back. `saved_a_request` is what each later request reads less;
    `requests_to_pay_off` is None where none would do. `later` requests followed until the next compaction, so that
    `paid_off` says whether it had come back by then. `warm` says that what was summarized was still cached."""

    cost: Cost
    saved_a_request: float
    requests_to_pay_off: int | None
    later: int
    warm: bool

    @property
    def words(self) -> str:
        """The bill in a sentence without a full stop."""
        parts, needed = self.cost, self.requests_to_pay_off
        told = (
            f"{parts.amount:.2f} US dollars: read {'warm' if self.warm else 'cold'} {parts.read:.2f}, summary "
            f"{parts.output:.2f}, written {parts.write:.2f}"
        )
        if needed is None:
            return f"{told}; it saves nothing"
        end = f"{self.later:,} followed" + ("" if self.paid_off else ": it never did")
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
    long = request.cache_write_1h or 0
    parts = (
        (request.input, rates.input),
        (request.cache_read, rates.cache_read),
        (request.cache_write - long, rates.cache_write_5m),
        (long, rates.cache_write_1h),
        (request.output, rates.output),
    )
    money = [_money(tokens, rate) for tokens, rate in parts]
    if any(part is None for part in money):
        return None
    sent, read, short, hour, output = (part or 0.0 for part in money)
    return Cost(sent + read, short + hour, output)


def bill(usage: CompactionUsage, rates: Rates) -> Bill | None:
    """What a compaction cost, and after how many requests that had come back; None where a rate is not known."""
    reading = rates.cache_read if usage.warm else rates.input
    writing = rates.cache_write_1h if usage.hour else rates.cache_write_5m
    read, write = _money(usage.before, reading), _money(usage.written, writing)
    output = _money(usage.summary, rates.output)
    saved = _money(max(0, usage.before - usage.after), rates.cache_read if usage.cached else rates.input)
    if read is None or write is None or output is None or saved is None:
        return None
    cost = Cost(read, write, output)
    requests = math.ceil(cost.amount / saved) if saved > 0 else None
    return Bill(cost, saved, requests, usage.later, usage.warm)


def total(costs: Iterable[Cost | None]) -> Cost | None:
    """The costs together; None where one of them is not known, or there is none."""
    whole: Cost | None = None
    for cost in costs:
        if cost is None:
            return None
        whole = cost if whole is None else whole + cost
    return whole


def _money(tokens: int, rate: float | None) -> float | None:
    """Nothing costs nothing, whatever the rate."""
    if not tokens:
        return 0.0
    return None if rate is None else tokens * rate / _MILLION
