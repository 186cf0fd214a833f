"""Costs of cache misses and of idling, and their alternatives: another time to live, a keep-alive.

The cost of a miss is the difference to the same request if it had read the cached tokens. Another time to live changes
the pauses after which the cache expires, and the price of written tokens. A keep-alive sends a request shortly before
each time to live ends. Each of these requests reads all cached tokens, so the next request need not write them again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.caching.costs import Cost, Rates, request_cost, total
from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR, JudgedRequest
from inspector.caching.priced import PricedRequest, read_back
from inspector.core.conversations import Request
from inspector.core.shares import dollars, plural


class IdleCosts(Struct, frozen=True):
    """Costs of idling, in US dollars; None if usage or prices are unknown.

    `misses` requests sent `tokens` again because the cache had expired. `more` is their extra cost over reading these
    tokens. `hour` is true if the cache lived an hour. `cost` is the cost of all requests with this time to live,
    `other` with the other time to live. `gap` is the longest pause in seconds for which a keep-alive pays; `saved` is
    its saving over all shorter pauses.
    """

    misses: int
    tokens: int
    more: float | None
    hour: bool
    cost: Cost | None
    other: Cost | None
    gap: float | None
    saved: float | None

    @property
    def cheaper(self) -> float:
        """Return the savings of the other time to live, in US dollars."""
        return max(self.cost.amount - self.other.amount, 0.0) if self.cost and self.other else 0.0

    @property
    def words(self) -> tuple[str, ...]:
        """Return these costs as sentences."""
        sentences = []
        if self.misses:
            cost = "" if self.more is None else f": {dollars(self.more)} US dollars more than reading them"
            sentences.append(
                f"{plural(self.misses, 'request')} came after the cache had expired and sent {self.tokens:,} tokens "
                f"again{cost}."
            )
        if self.cost is not None and self.other is not None:
            names = ("5 minutes", "1 hour") if self.hour else ("1 hour", "5 minutes")
            by = self.other.amount - self.cost.amount
            sentences.append(
                f"With a cache of {names[0]} instead of {names[1]}, all requests would have cost "
                f"{dollars(self.other.amount)} US dollars instead of {dollars(self.cost.amount)}: "
                f"{dollars(abs(by))} {'more' if by >= 0 else 'less'}."
            )
        if self.gap is not None:
            saved = f"; they would have saved {dollars(self.saved)} US dollars here" if self.saved else ""
            calls = "Calls that keep the cache alive cost less than a miss"
            sentences.append(f"{calls} for pauses of up to {_pause(self.gap)}{saved}.")
        return tuple(sentences)


def _pause(seconds: float) -> str:
    return f"{seconds / 3600:.0f} hours" if seconds >= 2 * ONE_HOUR else f"{seconds / 60:.0f} minutes"


def with_ttl(judged: Iterable[JudgedRequest], hour: bool) -> Iterator[Request]:
    """Return the requests under a time to live of an hour (`hour`) or five minutes.

    A request reads the cache after pauses that no longer expire it, and writes again after pauses that now do.
    """
    time_to_live = ONE_HOUR if hour else FIVE_MINUTES
    for before in judged:
        request, idle = before.request, before.idle or 0.0
        if before.cause == "ttl" and idle <= time_to_live:
            request = read_back(before)
        elif before.cause != "first" and idle > time_to_live:
            written = request.cache_read + request.cache_write
            request = replace(request, cache_read=0, cache_write=written)
        yield replace(request, cache_write_1h=request.cache_write if hour else 0)


def idle_costs(requests: Sequence[PricedRequest]) -> IdleCosts:
    """Return the costs of idling in a conversation, and cheaper alternatives."""
    missed = [priced for priced in requests if priced.judged.cause == "ttl"]
    more = [priced.more for priced in missed]
    long = sum(priced.request.cache_write_1h or 0 for priced in requests)
    written = sum(priced.request.cache_write for priced in requests)
    hour = 2 * long > written
    cost = other = gap = saved = None
    if written:
        cost = total(priced.cost for priced in requests)
        changed = with_ttl((priced.judged for priced in requests), not hour)
        other = total(
            None if priced.rates is None else request_cost(request, priced.rates)
            for priced, request in zip(requests, changed, strict=True)
        )
        gap = keep_alive_gap(requests[-1].rates, hour)
        saved = None if gap is None else _saved(missed, gap, hour)
    tokens = sum(priced.judged.missed for priced in missed)
    extra = None if any(cost is None for cost in more) else sum(cost or 0.0 for cost in more)
    return IdleCosts(len(missed), tokens, extra, hour, cost, other, gap, saved)


def keep_alive_gap(rates: Rates | None, hour: bool) -> float | None:
    """Return the longest pause in seconds for which a keep-alive costs less than writing the cache again.

    n keep-alive requests read the cached tokens n times. In return, the request after the pause reads these tokens
    instead of writing them. None if prices are unknown.
    """
    writing = None if rates is None else rates.cache_write_1h if hour else rates.cache_write_5m
    if rates is None or writing is None or not rates.cache_read or writing <= rates.cache_read:
        return None
    # Round to ten digits, so that a rounding error does not count as one more request.
    times = math.ceil(round(writing / rates.cache_read - 1, 10)) - 1
    return (times + 1) * (ONE_HOUR if hour else FIVE_MINUTES)


def _saved(missed: Sequence[PricedRequest], gap: float, hour: bool) -> float | None:
    """Return the savings of a keep-alive over all pauses shorter than `gap` seconds; None if a price is unknown."""
    time_to_live, saved = ONE_HOUR if hour else FIVE_MINUTES, 0.0
    for priced in missed:
        judged, rates, more = priced.judged, priced.rates, priced.more
        if more is None or rates is None or rates.cache_read is None:
            return None
        if judged.idle is not None and judged.idle < gap:
            calls = math.ceil(judged.idle / time_to_live) - 1
            reading = rates.at(judged.missed).cache_read or 0.0
            saved += max(0.0, more - calls * judged.missed * reading / 1_000_000)
    return saved
