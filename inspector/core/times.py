"""Times as seconds since the epoch, 0.0 if unknown."""

from __future__ import annotations

import time

#: From here on a time is in milliseconds: as seconds it would be thousands of years ahead.
_MILLISECONDS = 1e12
#: The first second of the year 9999: in every time zone the calendar has all earlier times.
LATEST = 253_370_764_800.0


def calendar_time(value: float) -> float:
    """Return a time in seconds; milliseconds are converted. 0.0 for a time that no calendar has (and for NaN)."""
    if not 0 < value < LATEST * 1000:
        return 0.0
    seconds = value / 1000 if value >= _MILLISECONDS else value
    return float(seconds) if seconds < LATEST else 0.0


def local_time(value: float, pattern: str = "%Y-%m-%d %H:%M") -> str:
    """Return a time in the time zone of the user: 2026-03-14 09:26; "" if it is unknown."""
    seconds = calendar_time(value)
    return time.strftime(pattern, time.localtime(seconds)) if seconds else ""


def has_no_calendar_time(value: float) -> bool:
    """Return whether a value is a time that no calendar has; `calendar_time` drops it."""
    return value != 0 and calendar_time(value) == 0.0
