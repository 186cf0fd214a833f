"""Numbers the way a person reads them: tokens, sizes, ages, percentages."""

from __future__ import annotations

import time
from math import isnan

from inspector.core import shares
from inspector.core.shares import percent as percent
from inspector.core.shares import plural as plural
from inspector.core.times import local_time

_DAY = 86_400


def tokens(count: int) -> str:
    """A token count in at most six cells: 42, 2.1k, 61.0k, 128k, 1.2M."""
    sign = "-" if count < 0 else ""
    size = abs(count)
    if size < 1_000:
        return f"{count}"
    if size < 99_950:
        return f"{sign}{size / 1_000:.1f}k"
    if size < 999_500:
        return f"{sign}{size / 1_000:.0f}k"
    return f"{sign}{size / 1_000_000:.1f}M"


def figure(form: str, value: float) -> str:
    """A figure of a run by the form of its metric: 12, ~61.0k, 45.0%, 3.2, 17.68."""
    is_size = form == "tokens" and not isnan(value)
    return f"~{tokens(round(value))}" if is_size else shares.figure(form, value)


def duration(seconds: float) -> str:
    """A length of time in its largest unit: 40 s, 5 min, 3 h, 12 d."""
    if seconds < 60:
        return f"{max(0, int(seconds))} s"
    if seconds < 3_600:
        return f"{int(seconds // 60)} min"
    if seconds < _DAY:
        return f"{int(seconds // 3_600)} h"
    return f"{int(seconds // _DAY):,} d"


def ago(then: float, now: float | None = None) -> str:
    """Return an age in words: now, 40 s ago, 3 h ago; a date from two weeks on; – where the time is unknown.

    Times are seconds since the epoch; dates are local.
    """
    if then <= 0:
        return "–"
    age = (time.time() if now is None else now) - then
    if -60 < age < 10:
        return "now"
    if 0 <= age < 14 * _DAY:
        return f"{duration(age)} ago"
    return date(then)


def date(then: float) -> str:
    """A local date: 2026-03-14; – where the time is unknown or no date."""
    return _local("%Y-%m-%d", then)


def clock(then: float) -> str:
    """A local date and time: 2026-03-14 09:26:53; – where the time is unknown or no date."""
    return _local("%Y-%m-%d %H:%M:%S", then)


def _local(pattern: str, then: float) -> str:
    return local_time(then, pattern) or "–"
