"""Answers as plain lines, for screen readers: no table, no frame, no sign, one field a line."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from inspector.core.text import safe

#: Keys of times, in seconds since the epoch.
_TIMES = ("at", "started_at", "last_active")


def plain_lines(document: Any, name: str = "entry") -> Iterator[str]:
    """Yield the lines of a JSON document. Entries of a list are numbered; unknown values are named as unknown."""
    if isinstance(document, list):
        if not document:
            yield "Nothing."
        for number, entry in enumerate(document, start=1):
            yield f"{name} {number} of {len(document)}"
            yield from plain_lines(entry) if isinstance(entry, dict) else [_value(entry)]
    elif isinstance(document, dict):
        for key, value in document.items():
            words = key.replace("_", " ")
            if isinstance(value, list) and any(isinstance(one, dict) for one in value):
                yield f"{words}: {len(value)}"
                yield from plain_lines(value, words)
            elif isinstance(value, dict) and any(isinstance(one, dict | list) for one in value.values()):
                yield f"{words}:"
                yield from plain_lines(value)
            else:
                shown = _time(value) if key in _TIMES and isinstance(value, float) else _value(value)
                yield f"{words}: {shown}"
    else:
        yield _value(document)


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _value(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.6g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(map(_value, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_value(one)}" for key, one in value.items()) or "none"
    return " ".join(safe(str(value)).split()) or "none"
