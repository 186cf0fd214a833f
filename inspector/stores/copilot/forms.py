"""Events of GitHub Copilot CLI as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import mapping_at, mappings_in, text_at
from inspector.stores.wires import answer_of, call_of, result_of


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the message of an event; empty for most events."""
    kind, data = lines[0].get("type"), mapping_at(lines[0], "data")
    if kind == "user.message":
        return [{"role": "user", "content": text_at(data, "content")}]
    if kind == "assistant.message":
        return [_answer(data)]
    if kind == "tool.execution_complete":
        return [_result(data)]
    if kind == "session.compaction_complete":
        return [{"role": "user", "content": text_at(data, "summaryContent")}]
    return []


def _answer(data: Mapping[str, Any]) -> Wire:
    calls = [
        call_of(call.get("toolCallId"), call.get("name"), call.get("arguments"))
        for call in mappings_in(data.get("toolRequests"))
    ]
    return answer_of([text_at(data, "content")], [text_at(data, "reasoningText")], calls)


def _result(data: Mapping[str, Any]) -> Wire:
    success = data.get("success") is not False
    content = text_at(data, "result", "content") if success else text_at(data, "error", "message")
    return result_of(data.get("toolCallId"), content, is_error=not success)
