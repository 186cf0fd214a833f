"""What misses cost, and what idling did: another time to live, a keep-alive.

A miss is beside the same request had it read back what was cached. Another time to live changes which pauses were too
long and what a written token costs. A keep-alive asks once a time to live, so that what is cached stays: each time it
reads all of it, and it spares writing all of it again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.caching.costs import Cost, Rates, request_cost, total
from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR, JudgedRequest
from inspector.core.conversations import Request
from inspector.core.shares import dollars

#: A request with its cause, and what its model cost (None where that is not known).
Rated = tuple[JudgedRequest, Rates | None]


@dataclass(frozen=True, slots=True)
class IdleCosts:
    """What idling cost. `misses` sent `tokens` again since the cache had not lived so long; `more` is what that cost
    beside reading them, in US dollars. `hour` says that the cache lived an hour, and `other` what all requests would
    have cost with the other time to live, beside the `cost` they had. `gap` is up to how many seconds of idling a
    keep-alive pays, and `saved` what one would have saved in those pauses. None where usage or prices do not tell."""

    misses: int
    tokens: int
    more: float | None
    hour: bool
    cost: Cost | None
    other: Cost | None
    gap: float | None
    saved: float | None

    @property
    def words(self) -> tuple[str, ...]:
        """Sentences about it."""
        told = []
        if self.misses:
            cost = "" if self.more is None else f": {dollars(self.more)} US dollars more than reading them"
            times = "miss" if self.misses == 1 else "misses"
            told.append(f"{self.misses:,} {times} by idling sent {self.tokens:,} tokens again{cost}.")
        if self.cost is not None and self.other is not None:
            names = ("5 minutes", "1 hour") if self.hour else ("1 hour", "5 minutes")
            by = self.other.amount - self.cost.amount
            told.append(
                f"Kept for {names[0]} instead of {names[1]} all requests would have cost {dollars(self.other.amount)} "
                f"instead of {dollars(self.cost.amount)} US dollars: {dollars(abs(by))} "
                f"{'more' if by >= 0 else 'less'}."
            )
        if self.gap is not None:
            saved = f"; it would have saved {dollars(self.saved)} US dollars here" if self.saved else ""
            told.append(f"A keep-alive pays up to a pause of {_pause(self.gap)}{saved}.")
        return tuple(told)


def _pause(seconds: float) -> str:
    return f"{seconds / 3600:.0f} hours" if seconds >= 2 * ONE_HOUR else f"{seconds / 60:.0f} minutes"


def read_back(one: JudgedRequest) -> Request:
    """The request had it missed nothing: what it sent again is read, not written or sent."""
    request, missed = one.request, one.missed
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


def miss_cost(one: JudgedRequest, rates: Rates | None) -> float | None:
    """What a miss cost more than reading what was cached, in US dollars; None where a rate is not known."""
    if not one.missed:
        return 0.0
    if rates is None:
        return None
    paid, warm = request_cost(one.request, rates), request_cost(read_back(one), rates)
    return None if paid is None or warm is None else paid.amount - warm.amount


def with_ttl(judged: Iterable[JudgedRequest], hour: bool) -> Iterator[Request]:
    """The requests had the cache lived an hour, or five minutes. Pauses that were too long and are not any more are
    read back; what was read after one that is too long now is written again."""
    lives = ONE_HOUR if hour else FIVE_MINUTES
    for one in judged:
        request, idle = one.request, one.idle or 0.0
        if one.cause == "ttl" and idle <= lives:
            request = read_back(one)
        elif one.cause != "first" and idle > lives:
            written = request.cache_read + request.cache_write
            request = replace(request, cache_read=0, cache_write=written)
        yield replace(request, cache_write_1h=request.cache_write if hour else 0)


def idle_costs(rated: Sequence[Rated]) -> IdleCosts:
    """What idling cost in a conversation, and what would have been cheaper."""
    missed = [(one, rates) for one, rates in rated if one.cause == "ttl"]
    more = [miss_cost(one, rates) for one, rates in missed]
    long = sum(one.request.cache_write_1h or 0 for one, _ in rated)
    written = sum(one.request.cache_write for one, _ in rated)
    hour = 2 * long > written
    cost = other = gap = saved = None
    if written:
        cost = _cost(rated, (one.request for one, _ in rated))
        other = _cost(rated, with_ttl((one for one, _ in rated), not hour))
        gap = keep_alive_gap(rated[-1][1], hour)
        saved = None if gap is None else _saved(missed, gap, hour)
    known = None if any(one is None for one in more) else sum(one or 0.0 for one in more)
    return IdleCosts(len(missed), sum(one.missed for one, _ in missed), known, hour, cost, other, gap, saved)


def _cost(rated: Sequence[Rated], requests: Iterable[Request]) -> Cost | None:
    return total(
        None if rates is None else request_cost(request, rates)
        for (_, rates), request in zip(rated, requests, strict=True)
    )


def keep_alive_gap(rates: Rates | None, hour: bool) -> float | None:
    """Up to how many seconds of idling asking once a time to live costs less than writing all of it again; None where
    the prices do not tell. Asking n times reads n times what is cached, and spares writing it instead of reading it."""
    writing = None if rates is None else rates.cache_write_1h if hour else rates.cache_write_5m
    if rates is None or writing is None or not rates.cache_read or writing <= rates.cache_read:
        return None
    # Ten digits: 6.25 / 0.5 is no whole number of requests more because of how it is kept.
    times = math.ceil(round(writing / rates.cache_read - 1, 10)) - 1
    return (times + 1) * (ONE_HOUR if hour else FIVE_MINUTES)


def _saved(missed: Sequence[Rated], gap: float, hour: bool) -> float | None:
    """What a keep-alive would have saved in the pauses that are short enough for one."""
    lives, saved = ONE_HOUR if hour else FIVE_MINUTES, 0.0
    for one, rates in missed:
        more = miss_cost(one, rates)
        if more is None or rates is None or rates.cache_read is None:
            return None
        if one.idle is not None and one.idle < gap:
            asked = math.ceil(one.idle / lives) - 1
            reading = rates.at(one.missed).cache_read or 0.0
            saved += max(0.0, more - asked * one.missed * reading / 1_000_000)
    return saved
