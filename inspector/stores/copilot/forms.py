"""Events of GitHub Copilot CLI as messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import text_at


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """The message that an event is; none for most events."""
    if not lines:
        return []
    event, data = lines[0], _data(lines[0])
    kind = event.get("type")
    if kind == "user.message":
        return [{"role": "user", "content": text_at(data, "content")}]
    if kind == "assistant.message":
        return [_answer(data)]
    if kind == "tool.execution_complete":
        return [_result(data)]
    if kind == "session.compaction_complete":
        return [{"role": "user", "content": text_at(data, "summaryContent")}]
    return []


def _data(event: Mapping[str, Any]) -> Mapping[str, Any]:
    data = event.get("data")
    return data if isinstance(data, Mapping) else {}


def _answer(data: Mapping[str, Any]) -> Wire:
    wire: Wire = {"role": "assistant", "content": text_at(data, "content")}
    if thoughts := text_at(data, "reasoningText"):
        wire["reasoning_content"] = thoughts
    requests = data.get("toolRequests")
    calls = (
        [_call(call) for call in requests if isinstance(call, Mapping)] if isinstance(requests, list) else []
    )
    if calls:
        wire["tool_calls"] = calls
    return wire


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = call.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    function = {"name": text_at(call, "name") or "?", "arguments": text}
    return {"id": text_at(call, "toolCallId"), "type": "function", "function": function}


def _result(data: Mapping[str, Any]) -> Wire:
    success = data.get("success") is not False
    content = text_at(data, "result", "content") if success else text_at(data, "error", "message")
    wire: Wire = {"role": "tool", "tool_call_id": text_at(data, "toolCallId"), "content": content}
    if not success:
        wire["is_error"] = True
    return wire
