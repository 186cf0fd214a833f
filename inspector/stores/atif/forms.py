"""Steps of an ATIF trajectory as messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import text_at


def wires_of(steps: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages in a step: its text, then the results of its calls."""
    if not steps:
        return []
    step = steps[0]
    source, content = step.get("source"), _content(step.get("message"))
    if source != "agent":
        return [{"role": "user" if source == "user" else "system", "content": content}]
    wire: Wire = {"role": "assistant", "content": content}
    if thoughts := text_at(step, "reasoning_content"):
        wire["reasoning_content"] = thoughts
    calls = [_call(call) for call in _mappings(step.get("tool_calls"))]
    if calls:
        wire["tool_calls"] = calls
    observation = step.get("observation")
    results = _mappings(observation.get("results")) if isinstance(observation, Mapping) else []
    return [wire, *map(_result, results)]


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(call.get("arguments"), ensure_ascii=False)
    function = {"name": text_at(call, "function_name") or "?", "arguments": arguments}
    return {"id": text_at(call, "tool_call_id"), "type": "function", "function": function}


def _result(result: Mapping[str, Any]) -> Wire:
    return {
        "role": "tool",
        "tool_call_id": text_at(result, "source_call_id"),
        "content": _content(result.get("content")),
    }


def _content(content: object) -> Any:
    if isinstance(content, str) or content is None:
        return content or ""
    parts = _mappings(content)
    if parts and all(isinstance(part.get("text"), str) for part in parts):
        return "\n".join(part["text"] for part in parts)
    return [dict(part) for part in parts] if parts else json.dumps(content)


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
