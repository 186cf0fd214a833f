"""Entries of pi as messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import text_at


def entry_wires(value: Mapping[str, Any]) -> list[Wire]:
    """The message that an entry is to the model; what pi says under the user's role becomes `system`."""
    kind = value.get("type")
    if kind == "compaction":
        summary = value.get("summary")
        return [{"role": "user", "content": summary}] if isinstance(summary, str) else []
    if kind == "branch_summary":
        return [{"role": "system", "content": str(value.get("summary") or "")}]
    if kind == "custom_message":
        return [{"role": "system", "content": _content(value.get("content"))}]
    message = value.get("message")
    if kind != "message" or not isinstance(message, Mapping):
        return []
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        return [_assistant(content)]
    if role == "toolResult":
        wire: Wire = {
            "role": "tool",
            "tool_call_id": str(message.get("toolCallId") or ""),
            "content": _content(content),
        }
        wire["name"] = str(message.get("toolName") or "")
        if message.get("isError") is True:
            wire["is_error"] = True
        return [wire]
    if role == "user":
        return [{"role": "user", "content": _content(content)}]
    if role == "system":
        # Return the system prompt, which precedes every list.
        return []
    if role == "bashExecution":
        return [{"role": "system", "content": f"$ {message.get('command')}\n{message.get('output')}"}]
    return [
        {"role": "system", "content": _content(content if content is not None else message.get("summary"))}
    ]


def _assistant(content: object) -> Wire:
    texts: list[str] = []
    thoughts: list[str] = []
    calls = []
    parts: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for part in parts:
        if not isinstance(part, dict):
            continue
        if part.get("type") == "text":
            texts.append(text_at(part, "text"))
        elif part.get("type") == "thinking":
            thoughts.append(text_at(part, "thinking"))
        elif part.get("type") == "toolCall":
            arguments = json.dumps(part.get("arguments"), ensure_ascii=False)
            function = {"name": str(part.get("name") or "?"), "arguments": arguments}
            calls.append({"id": str(part.get("id") or ""), "type": "function", "function": function})
    wire: Wire = {"role": "assistant", "content": "\n\n".join(texts)}
    if any(thoughts):
        wire["reasoning_content"] = "\n\n".join(thoughts)
    if calls:
        wire["tool_calls"] = calls
    return wire


def _content(content: object) -> Any:
    """Text where there is nothing else, else the parts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "" if content is None else json.dumps(content)
    parts = [part for part in content if isinstance(part, Mapping)]
    if all(part.get("type") == "text" and isinstance(part.get("text"), str) for part in parts):
        return "\n".join(part["text"] for part in parts)
    return [dict(part) for part in parts]


def prompt_in(message: object) -> str:
    """The system prompt in a message with the role system: its text, and its sections."""
    if not isinstance(message, Mapping) or message.get("role") != "system":
        return ""
    sections = message.get("sections")
    texts = [_content(message.get("content")), *(sections.values() if isinstance(sections, Mapping) else ())]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)
