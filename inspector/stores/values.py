"""Values in JSON records, which may lack a key or have a value of another type under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from inspector.core.conversations import Usage
from inspector.core.times import calendar_time


def text_at(value: Mapping[str, Any] | None, *path: str) -> str:
    """Return the text under a path of keys; "" if there is none."""
    inner = _inner(value, path)
    return inner if isinstance(inner, str) else ""


def _inner(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def mapping_at(value: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """Return the mapping under a path of keys; empty if there is none."""
    inner = _inner(value, path)
    return inner if isinstance(inner, dict) else {}


def listed(value: object) -> list[Any]:
    """Return a list; an empty one for another value."""
    return value if isinstance(value, list) else []


def mappings_in(value: object) -> list[dict[str, Any]]:
    """Return the mappings in a list; empty for another value."""
    return [item for item in listed(value) if isinstance(item, dict)]


def strings(value: object) -> list[str]:
    """Return the texts in a list; empty for another value."""
    return [item for item in listed(value) if isinstance(item, str)]


def mappings(value: object) -> list[dict[str, Any]]:
    """Return the items of a list as mappings, with an empty one for another item."""
    return [item if isinstance(item, dict) else {} for item in listed(value)]


def text_of(value: Mapping[str, Any], key: str) -> str:
    """Return the text under one key; "" if there is none."""
    text = value.get(key)
    return text if isinstance(text, str) else ""


def texts_of(value: Mapping[str, Any], *keys: str) -> list[str]:
    """Return the texts under some keys; "" if there is none."""
    return [text if isinstance(text := value.get(key), str) else "" for key in keys]


def count_at(value: Mapping[str, Any] | None, *path: str) -> int | None:
    """Return the whole number under a path of keys, not below 0; None if there is none."""
    return count_of(mapping_at(value or {}, *path[:-1]), path[-1])


def count_of(value: Mapping[str, Any], key: str) -> int | None:
    """Return the whole number under one key, not below 0; None if there is none."""
    number = value.get(key)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return int(number) if 0 <= number < 1 << 62 else None


def counts_of(value: Mapping[str, Any], *keys: str) -> list[int]:
    """Return the whole numbers under some keys; 0 if there is none."""
    return [count_of(value, key) or 0 for key in keys]


def usage_of(
    record: Mapping[str, Any],
    input: str,
    output: str,
    cache_read: str = "",
    cache_write: str = "",
    *,
    thoughts: str = "",
    reasoning: str = "",
    input_has_cache: bool = False,
    cost: object = None,
) -> Usage:
    """Return the usage of a call. The texts are the keys of its numbers in a record.

    `input_has_cache`: the input includes the tokens read from the cache and written to it. `output` includes the tokens
    of `reasoning`, but not those of `thoughts`. `cost` is the recorded cost in US dollars.
    """
    keys = (input, output, cache_read, cache_write, thoughts, reasoning)
    sent, answered, read, written, thought, reasoned = counts_of(record, *keys)
    new = max(0, sent - read - written) if input_has_cache else sent
    return Usage(new, answered + thought, read, written, thought + reasoned, cost=amount_of(cost))


def amount_of(value: object) -> float:
    """Return a recorded amount of money; 0.0 if the value is not a positive number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 < value < 1e12 else 0.0


def seconds_of(value: object, zone: tzinfo | None = UTC) -> float:
    """Return a time as seconds since the epoch, from an ISO text or a number of seconds or milliseconds; 0.0 for
    anything else, and for a time that no calendar has.

    `zone` is the zone of a text that names no zone; None for the zone of this machine.
    """
    if isinstance(value, str):
        try:
            time = datetime.fromisoformat(value)
            return calendar_time((time if time.tzinfo else time.replace(tzinfo=zone)).timestamp())
        except (ValueError, OverflowError, OSError):
            return 0.0
    return calendar_time(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
