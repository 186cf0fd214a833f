"""Where a release fails while it writes the text that takes a summary's place (0.16.0 to 0.18.2).

Such a text has a line about every tool result that leaves the list, by the code that pruning uses on long ones alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.pruning import UNKNOWN_TOOL, Tool, extent_of


def fallback_raises(wires: Sequence[Mapping[str, Any]], start: int, stop: int, policies: Policies) -> str:
    """Return the error of the release when [start:stop] leave the list, such as "TypeError at message 3"; "" for
    none."""
    if not policies.tells_dropped or policies.guards_lines:
        return ""
    tools: dict[str, Tool] = {}
    for wire in wires[start:stop]:
        for call in (wire.get("tool_calls") or []) if wire.get("role") == "assistant" else []:
            identifier = str(call.get("id") or "") if isinstance(call, dict) else ""
            if identifier:
                function = call.get("function") or {}
                tools[identifier] = (
                    str(function.get("name") or "unknown"),
                    str(function.get("arguments") or ""),
                )
    for index, wire in enumerate(wires[start:stop], start):
        if wire.get("role") == "tool":
            tool = tools.get(str(wire.get("tool_call_id") or ""), UNKNOWN_TOOL)
            raises = extent_of(tool, policies).raises
            if raises:
                return f"{raises} at message {index}"
    return ""
