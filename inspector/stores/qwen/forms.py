"""Lines of Qwen Code as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.content_parts import content_wires
from inspector.stores.entries import Wire
from inspector.stores.lines import text_at


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages in a line: a message, or the list after a compaction."""
    if not lines:
        return []
    line = lines[0]
    if line.get("type") == "system":
        return [
            wire
            for content in new_list(line)
            for wire in content_wires(text_at(content, "role"), content.get("parts"))
        ]
    message = line.get("message")
    if not isinstance(message, Mapping):
        return []
    wires = content_wires(text_at(message, "role"), message.get("parts"))
    if text_at(line, "provenance") not in ("", "real_user", "assistant_output", "tool_result"):
        # Said under the user's role by the agent itself.
        return [{**wire, "role": "system"} if wire["role"] == "user" else wire for wire in wires]
    return wires


def new_list(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The contents that a compaction puts in the place of the list; empty for another line."""
    payload = line.get("systemPayload")
    contents = payload.get("compressedHistory") if isinstance(payload, Mapping) else None
    return (
        [content for content in contents if isinstance(content, Mapping)]
        if isinstance(contents, list)
        else []
    )
