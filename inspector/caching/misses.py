"""Cache misses, request by request: the tokens that each request sent again, and the cause.

A request should read all tokens that the previous request read from the cache or wrote to it. Tokens that it sends
again instead are missed. Providers keep a prefix for five minutes or an hour after its last use. The recorded usage
has the tokens that were written for each of these two lifetimes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple, get_args

from inspector.core.conversations import Request

Cause = Literal["first", "compaction", "microcompaction", "model", "ttl", "prefix", "unknown"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
#: Lifetime of a prefix after its last use, in seconds.
FIVE_MINUTES, ONE_HOUR = 300.0, 3600.0
#: Largest ignored miss, in tokens and as a share of the previous prompt: breakpoints move by messages, and caches
#: count in blocks.
_TOLERATED, _TOLERATED_SHARE = 1_024, 0.02


class JudgedRequest(NamedTuple):
    """A request, the cause of its miss (None for a full read) and the tokens that it sent again.

    `idle` is the number of seconds since the previous request, None if unknown. `is_estimated`: the request was
    computed from messages, not recorded.
    """

    request: Request
    cause: Cause | None
    missed: int
    idle: float | None = None
    is_estimated: bool = False


def judge(
    requests: Iterable[Request],
    microcompacted: Collection[tuple[int, float]] = (),
    is_estimated: bool = False,
) -> tuple[JudgedRequest, ...]:
    """Return the requests of a conversation in order, each with the cause of its miss.

    `microcompacted` has (generation, time) of each microcompaction. The first request after a compaction always has the
    cause "compaction"; other requests have a cause only if they miss.
    """
    judged: list[JudgedRequest] = []
    last: Request | None = None
    lives = FIVE_MINUTES
    sent_last = cached = 0
    # What the cache had before a request with another prefix.
    aside: int | None = None
    cleared = sorted(microcompacted)
    for request in requests:
        read, written = request.cache_read, request.cache_write
        sent = request.input + read + written
        if last is None:
            judged.append(JudgedRequest(request, "first", 0, None, is_estimated))
        else:
            idle = max(0.0, request.at - last.at) if request.at and last.at else None
            # The sum of several calls does not show which tokens the last call cached.
            missed = 0 if request.unsized else (cached if cached < sent else sent) - read
            if read == aside or missed <= _TOLERATED or missed <= _TOLERATED_SHARE * sent_last:
                missed = 0
            cause: Cause | None = None
            if missed or request.generation != last.generation:
                cause = _cause(request, last, idle, lives, cleared)
            judged.append(JudgedRequest(request, cause, missed, idle, is_estimated))
            aside = cached if cause == "prefix" else None
        if written:
            lives = ONE_HOUR if request.cache_write_1h else FIVE_MINUTES
        last = request
        if not request.unsized:
            sent_last, cached = sent, read + written
    return tuple(judged)


def _cause(
    request: Request, last: Request, idle: float | None, lives: float, cleared: list[tuple[int, float]]
) -> Cause:
    """Return the cause of a miss, or of a list's first request."""
    if request.generation != last.generation:
        return "compaction"
    # Microcompactions of this list between the two requests.
    if any(where == request.generation and last.at <= at <= request.at for where, at in cleared):
        return "microcompaction"
    if request.model != last.model:
        return "model"
    if idle is not None and idle > lives:
        return "ttl"
    return "prefix" if request.cache_read else "unknown"
