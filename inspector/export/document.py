"""Documents, and how they are written as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from typing import Any

Document = dict[str, Any]
#: Characters that JSON leaves unescaped and a terminal may act on: DEL, C1 controls, bidi marks.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def built(value: Any, special: Callable[[Any], Any] = lambda value: None) -> Any:
    """Return a frozen value as dicts by the names of its fields, and lists. `special` returns None for other values."""
    document = special(value)
    if document is not None:
        return document
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: built(getattr(value, field.name), special) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: built(part, special) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): built(part, special) for name, part in value.items()}
    if isinstance(value, Sequence | Set) and not isinstance(value, str):
        return [built(part, special) for part in value]
    return value


def fields_of(value: Any, *names: str) -> Document:
    """Return some fields of a frozen value by their names."""
    return {name: built(getattr(value, name)) for name in names}


def json_bytes(document: Any) -> bytes:
    """Return JSON in UTF-8, for any locale.

    Characters that a terminal could act on are escaped. So are whole documents with lone surrogates, which UTF-8
    lacks, or with integers of more than 64 bits.
    """
    import msgspec

    try:
        # The standard library writes indented JSON in Python: tens of megabytes of facts take it seconds.
        text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode("utf-8")
        return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(document, indent=2).encode("ascii")
