"""Events of OpenHands as messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import mapping_at, text_at


def wires_of(events: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the message of events that belong together: all events of an answer, or a single event."""
    if not events:
        return []
    event, kind = events[0], events[0].get("kind")
    if kind == "ActionEvent":
        return [_answer(events)]
    if kind == "MessageEvent":
        message = mapping_at(event, "llm_message")
        role = (
            "assistant"
            if message.get("role") == "assistant"
            else "user"
            if event.get("source") == "user"
            else "system"
        )
        return [{"role": role, "content": text_in(message.get("content"))}]
    if kind == "Condensation":
        return [{"role": "user", "content": text_at(event, "summary")}]
    if isinstance(event.get("tool_call_id"), str):
        return [_result(event)]
    return []


def _answer(actions: Sequence[Mapping[str, Any]]) -> Wire:
    wire: Wire = {
        "role": "assistant",
        "content": "\n".join(filter(None, (text_in(a.get("thought")) for a in actions))),
    }
    thoughts = [text_at(action, "reasoning_content") for action in actions]
    if any(thoughts):
        wire["reasoning_content"] = "\n".join(filter(None, thoughts))
    wire["tool_calls"] = [
        {
            "id": text_at(action, "tool_call_id"),
            "type": "function",
            "function": {
                "name": text_at(action, "tool_name") or "?",
                "arguments": text_at(action, "tool_call", "arguments")
                or json.dumps(action.get("action"), ensure_ascii=False),
            },
        }
        for action in actions
    ]
    return wire


def _result(event: Mapping[str, Any]) -> Wire:
    seen = mapping_at(event, "observation")
    text = text_in(seen.get("content")) or text_at(event, "error") or text_at(event, "rejection_reason")
    wire: Wire = {"role": "tool", "tool_call_id": text_at(event, "tool_call_id"), "content": text}
    wire["name"] = text_at(event, "tool_name")
    if seen.get("is_error") is True or "error" in event:
        wire["is_error"] = True
    return wire


def text_in(content: object) -> str:
    """The texts of a content."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(
        part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    )
