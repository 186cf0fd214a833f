"""Records of Gemini CLI as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.content_parts import content_wires
from inspector.stores.entries import Wire
from inspector.stores.values import mappings_in, text_at
from inspector.stores.wires import call_of

#: Beginning of a message with a summary.
SNAPSHOT = "<state_snapshot>"


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages in a record. A message that grew has several records; the last one counts."""
    messages = messages_in(lines[-1])
    if messages is None:
        return message_wires(lines[-1])
    return [wire for message in messages for wire in message_wires(message)]


def messages_in(record: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the messages of a record that replaces the whole list, or of an older file; None for another record."""
    change = record.get("$set", record)
    messages = change.get("messages") if isinstance(change, Mapping) else None
    return mappings_in(messages) if isinstance(messages, list) else None


def message_wires(message: Mapping[str, Any]) -> list[Wire]:
    """Return a message as the model got it: an answer with the results of its calls, or a message to the model."""
    kind = text_at(message, "type")
    if kind not in ("user", "gemini"):
        # The program shows these texts only to the user.
        return []
    content = message.get("content")
    wires = content_wires(kind, content)
    called = mappings_in(message.get("toolCalls"))
    if kind == "gemini" and called:
        wires[0]["tool_calls"] = [
            call_of(call.get("id"), call.get("name"), call.get("args")) for call in called
        ]
        # If the calls are also in the content, as a resume writes them, the results are messages of their own.
        alone = not any("functionCall" in part for part in mappings_in(content))
        for call in called if alone else ():
            wires += content_wires("user", call["result"]) if isinstance(call.get("result"), list) else []
    thoughts = [text_at(thought, "description") for thought in mappings_in(message.get("thoughts"))]
    if kind == "gemini" and any(thoughts):
        wires[0]["reasoning_content"] = "\n".join(thoughts)
    return wires
