"""JSON and text as readable lines. Nothing here raises, for any text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from widgets.base.strips import one_line
from widgets.base.text_lines import Span, TextLine

#: Longer JSON is shown unindented, in characters.
JSON_LIMIT = 1_000_000

_TOKENS = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>\b(?:-?\d[\d.eE+-]*|true|false|null)\b)'
)
#: Longer lines are not coloured.
_SPAN_LIMIT = 2_000


def pretty_json(text: str) -> str | None:
    """The text indented where it is a JSON object or list; None if it is not, or is too long or too deep."""
    stripped = text.strip()
    if len(stripped) > JSON_LIMIT or stripped[:1] not in ("{", "["):
        return None
    try:
        return json.dumps(json.loads(stripped), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None


def readable(text: str, indent: str = "") -> Iterator[TextLine]:
    """The lines of a text: JSON indented and coloured, anything else as it is."""
    pretty = pretty_json(text)
    if pretty is None:
        for line in text.replace("\r\n", "\n").split("\n"):
            yield TextLine(line, prefix=indent)
        return
    for line in pretty.split("\n"):
        yield json_line(line, indent)


def json_line(line: str, indent: str) -> TextLine:
    """A line of indented JSON, coloured; its leading spaces become the indent of its wrapped rows."""
    body = line.lstrip(" ")
    lead = indent + line[: len(line) - len(body)]
    shown = one_line(body)
    spans: tuple[Span, ...] = ()
    if len(shown) <= _SPAN_LIMIT:
        spans = tuple(
            Span(match.start(), match.end(), match.lastgroup or "key") for match in _TOKENS.finditer(shown)
        )
    return TextLine(shown, spans=spans, prefix=lead)
