"""Documents, and how they are written: as JSON, or as plain lines for screen readers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache
from typing import Any

from msgspec import Struct

from inspector.core.text import safe, safe_line, safe_title
from inspector.core.times import local_time

Document = dict[str, Any]
#: Characters that JSON leaves unescaped and a terminal may act on: DEL, C1 controls, bidi marks.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
#: From this number on, six digits would be written with a power of ten.
_POWERS = 999_999
#: Keys of times, in seconds since the epoch.
_TIMES = ("at", "started_at", "last_active")


def built(value: Any, special: Callable[[Any], Any] = lambda value: None) -> Any:
    """Return a frozen value as dicts by the names of its fields, and lists. An unknown number (NaN) is None.

    `special` returns None for other values.
    """
    document = special(value)
    if document is not None:
        return document
    if value is None or isinstance(value, str | float | int):
        # Most values are plain. A check for an abstract class takes much longer.
        return None if value != value else value
    if isinstance(value, Struct):
        return {name: built(getattr(value, name), special) for name in value.__struct_fields__}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: built(part, special) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): built(part, special) for name, part in value.items()}
    if isinstance(value, Sequence | Set):
        return [built(part, special) for part in value]
    return value


#: How a field is written.
_FORMS: dict[str, Callable[[Any], Any]] = {
    "": built,
    "line": safe_line,
    "title": safe_title,
    "null": lambda value: built(value) or None,
}


def fields_of(value: Any, /, *fields: str) -> Document:
    """Return fields of a frozen value; `fields` has words of the form KEY, KEY=PATH or KEY:FORM=PATH.

    PATH is the name of a field, or of a field of a field: "row.id". Without it, it is KEY. If a field on the path is
    None, the value is null. FORM is "line" or "title" for safe text, or "null" for null instead of an empty value.
    """
    return {key: form(_at(value, path)) for key, form, path in _parsed(fields)}


@cache
def _parsed(fields: tuple[str, ...]) -> tuple[tuple[str, Callable[[Any], Any], tuple[str, ...]], ...]:
    parsed = []
    for field in " ".join(fields).split():
        name, _, path = field.partition("=")
        key, _, form = name.partition(":")
        parsed.append((key, _FORMS[form], tuple((path or key).split("."))))
    return tuple(parsed)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if value is None:
            return None
        value = getattr(value, name)
    return value


def json_bytes(document: Any) -> bytes:
    """Return JSON in UTF-8, for any locale.

    Characters that a terminal could act on are escaped. So are whole documents with lone surrogates, which UTF-8
    lacks, or with integers of more than 64 bits.
    """
    import msgspec

    try:
        # The standard library writes indented JSON in Python: tens of megabytes of facts take it seconds.
        text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode("utf-8")
        return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode("utf-8")
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(document, indent=2).encode("ascii")


def plain_lines(document: Any, name: str = "entry") -> Iterator[str]:
    """Yield a document as lines without table, frame and sign, one field per line.

    Entries of a list are numbered. Null reads "no value": it means unknown in some fields and none in others.
    """
    if isinstance(document, list):
        if not document:
            yield "Nothing."
        for number, entry in enumerate(document, start=1):
            yield f"{name} {number} of {len(document)}"
            yield from plain_lines(entry) if isinstance(entry, dict) else [_value(entry)]
    elif isinstance(document, dict):
        for key, value in document.items():
            words = key.replace("_", " ")
            if isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
                yield f"{words}: {len(value)}"
                yield from plain_lines(value, words)
            elif isinstance(value, dict) and any(isinstance(part, dict | list) for part in value.values()):
                yield f"{words}:"
                yield from plain_lines(value)
            else:
                is_time = key in _TIMES and isinstance(value, float)
                yield f"{words}: {(local_time(value) if is_time else '') or _value(value)}"
    else:
        yield _value(document)


def _value(value: Any) -> str:
    if value is None:
        return "no value"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < _POWERS else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(map(_value, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_value(part)}" for key, part in value.items()) or "none"
    return " ".join(safe(str(value)).split()) or "none"
