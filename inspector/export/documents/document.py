"""What a document is, and how it is written."""

from __future__ import annotations

import json
import re
from typing import Any

Document = dict[str, Any]
#: What JSON leaves unescaped although a terminal may act on it: DEL, C1 controls, and what turns text round.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def json_bytes(document: Any) -> bytes:
    """JSON in UTF-8, whatever the locale. What a terminal could act on is escaped, which says the same in JSON; so is
    all of a text with lone surrogates, which UTF-8 lacks, or whole numbers of more than 64 bits."""
    import msgspec

    try:
        # The standard library writes indented JSON in Python: tens of megabytes of facts take it seconds.
        text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode("utf-8")
        return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(document, indent=2).encode("ascii")
