"""Lines of Qwen Code as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.content_parts import content_wires
from inspector.stores.entries import Wire
from inspector.stores.values import mapping_at, mappings_in, text_at


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages in a line: a message, the list after a compaction, or the first list of a sub-agent.

    An answer may have several lines.
    """
    line = lines[0]
    if line.get("type") == "system":
        payload = mapping_at(line, "systemPayload")
        contents = mappings_in(payload.get("compressedHistory") or payload.get("history"))
        return [
            wire
            for content in contents
            for wire in content_wires(text_at(content, "role"), content.get("parts"))
        ]
    message = line.get("message")
    parts = [part for one in lines for part in mappings_in(mapping_at(one, "message").get("parts"))]
    # Qwen Code shows these and does not send them.
    if line.get("subtype") in ("realtime_message", "code_mode_tool_result"):
        return []
    if not isinstance(message, Mapping):
        return []
    wires = content_wires(text_at(message, "role"), parts)
    if text_at(line, "provenance") not in ("", "real_user", "assistant_output", "tool_result"):
        # The agent itself wrote this under the user's role.
        return [{**wire, "role": "system"} if wire["role"] == "user" else wire for wire in wires]
    return wires
