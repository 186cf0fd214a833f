"""Lines of Kimi CLI's context files as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import mappings_in
from inspector.stores.wires import plain

_COMPACTED = "<system>Previous context has been compacted"


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the message in a line; empty for a line with data of the program, whose role begins with an underscore."""
    if not isinstance(lines[0].get("role"), str) or lines[0]["role"].startswith("_"):
        return []
    wire: Wire = dict(lines[0])
    content = wire.get("content")
    parts = mappings_in(content)
    if parts:
        thoughts = [str(part.get("think") or "") for part in parts if part.get("type") == "think"]
        wire["content"] = plain([part for part in parts if part.get("type") != "think"])
        if any(thoughts):
            wire["reasoning_content"] = "\n".join(thoughts)
    elif not isinstance(content, str):
        wire["content"] = ""
    return [wire]


def summary_in(line: Mapping[str, Any]) -> str | None:
    """Return the summary in a line that a compaction wrote; None for other lines."""
    texts = [part.get("text") for part in mappings_in(line.get("content"))]
    if line.get("role") != "user" or not texts or not str(texts[0]).startswith(_COMPACTED):
        return None
    return "\n".join(text for text in texts[1:] if isinstance(text, str))
