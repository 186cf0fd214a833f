"""Records of Kimi Code's wire files as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import mapping_at, mappings_in, text_at
from inspector.stores.wires import answer_of, call_of, plain, result_of

#: The origins of messages that the user wrote. The others are from programs.
_WRITTEN = ("", "user")
#: The origins of messages that the user wrote if a slash command made them.
_COMMANDS = ("skill_activation", "plugin_command")


def wires_of(records: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the message in some records: one record, or all parts of an answer. Empty for other records."""
    first = records[0]
    kind, event = text_at(first, "type"), mapping_at(first, "event")
    if kind == "context.append_message":
        return [_message(mapping_at(first, "message"))]
    if kind == "context.apply_compaction":
        return [{"role": "user", "content": summary_in(first, "contextSummary", "summary")}]
    if event.get("type") == "tool.result":
        result = mapping_at(event, "result")
        content = plain(result.get("output"))
        note = text_at(result, "note")
        if note and isinstance(content, str):
            content = f"{content}\n{note}" if content else note
        return [result_of(event.get("toolCallId"), content, is_error=result.get("isError") is True)]
    events = [mapping_at(record, "event") for record in records]
    parts = [mapping_at(event, "part") for event in events if event.get("type") == "content.part"]
    calls = [
        call_of(event.get("toolCallId"), event.get("name"), event.get("args", {}))
        for event in events
        if event.get("type") == "tool.call"
    ]
    return [_answer(parts, calls)] if parts or calls else []


def summary_in(record: Mapping[str, Any], *names: str) -> str:
    """Return the summary of a compaction under the first name with a text. Early releases recorded a message."""
    texts = (text_at(record, name) or text_of(mapping_at(record, name)) for name in names)
    return next(filter(None, texts), "")


def text_of(message: Mapping[str, Any]) -> str:
    """Return the texts of a recorded message, as Kimi Code joins them."""
    return "".join(text_at(part, "text") for part in mappings_in(message.get("content")))


def with_text(message: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a recorded message with another text."""
    return {**message, "content": [{"type": "text", "text": text}]}


def is_of_user(message: Mapping[str, Any]) -> bool:
    """Return whether the user wrote a recorded message. A compaction keeps such messages."""
    origin = mapping_at(message, "origin")
    kind = text_at(origin, "kind")
    by_command = kind in _COMMANDS and origin.get("trigger") == "user-slash"
    return message.get("role") == "user" and (kind in _WRITTEN or by_command)


def _message(message: Mapping[str, Any]) -> Wire:
    content, role = message.get("content"), text_at(message, "role")
    if role == "assistant":
        calls = [_recorded_call(call) for call in mappings_in(message.get("toolCalls"))]
        return _answer(mappings_in(content), calls)
    if role == "tool":
        is_error = message.get("isError") is True
        return result_of(message.get("toolCallId"), plain(content), is_error=is_error)
    # Texts of programs are sent with the role of the user.
    return {"role": "user" if is_of_user(message) else "system", "content": plain(content)}


def _recorded_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call of a recorded message. The first version of the wire has the name in an inner mapping."""
    function = mapping_at(call, "function") or call
    return call_of(call.get("id"), function.get("name"), function.get("arguments") or "{}")


def _answer(parts: Sequence[Mapping[str, Any]], calls: Sequence[dict[str, Any]]) -> Wire:
    thoughts = [text_at(part, "think") for part in parts if part.get("type") == "think"]
    return answer_of([text_at(part, "text") for part in parts if "text" in part], thoughts, calls)
