"""Events of OpenHands as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import mapping_at, text_at
from inspector.stores.wires import answer_of, call_of, result_of, texts_in


def wires_of(events: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages of events that belong together: all events of an answer, or a single event.

    A message of the user may come with text that OpenHands adds from skills and rules.
    """
    event, kind = events[0], events[0].get("kind")
    if kind == "ActionEvent":
        return [_answer(events)]
    if kind == "MessageEvent":
        message = mapping_at(event, "llm_message")
        role = "user" if event.get("source") == "user" else "system"
        role = "assistant" if message.get("role") == "assistant" else role
        added = text_in(event.get("extended_content"))
        return [
            {"role": role, "content": text_in(message.get("content"))},
            *([{"role": "system", "content": added}] if added else ()),
        ]
    if kind == "Condensation":
        return [{"role": "user", "content": text_at(event, "summary")}]
    if isinstance(event.get("tool_call_id"), str):
        return [_result(event)]
    return []


def _answer(actions: Sequence[Mapping[str, Any]]) -> Wire:
    texts = (text_in(action.get("thought")) for action in actions)
    thoughts = (text_at(action, "reasoning_content") for action in actions)
    calls = (
        call_of(
            action.get("tool_call_id"),
            action.get("tool_name"),
            text_at(action, "tool_call", "arguments") or action.get("action"),
        )
        for action in actions
    )
    return answer_of(filter(None, texts), filter(None, thoughts), calls)


def _result(event: Mapping[str, Any]) -> Wire:
    seen = mapping_at(event, "observation")
    text = text_in(seen.get("content")) or text_at(event, "error") or text_at(event, "rejection_reason")
    is_error = seen.get("is_error") is True or "error" in event
    return {**result_of(event.get("tool_call_id"), text, is_error), "name": text_at(event, "tool_name")}


def text_in(content: object) -> str:
    """Return the text of a content."""
    return "\n".join(texts_in([content] if isinstance(content, dict) else content))
