"""Records of DeepSeek Harness as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import mapping_at, text_at

CHECKPOINT = "compact-checkpoint"


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """The message in a record; none for most records."""
    if not lines:
        return []
    kind, data = lines[0].get("type"), mapping_at(lines[0], "data")
    if kind == "user/message":
        own = text_at(data, "source", "kind") not in ("user", CHECKPOINT, "")
        return [{"role": "system" if own else "user", "content": _text(data.get("content"))}]
    message = mapping_at(data, "message")
    if kind == "assistant/message":
        return [_answer(message)]
    if kind == "tool/result":
        wire: Wire = {
            "role": "tool", "tool_call_id": text_at(message, "toolCallId"), "content": _text(message.get("content")),
        }  # fmt: skip
        return [{**wire, "is_error": True} if message.get("isError") is True else wire]
    return []


def _answer(message: Mapping[str, Any]) -> Wire:
    texts: list[str] = []
    thoughts: list[str] = []
    calls = []
    for block in _blocks(message.get("content")):
        kind = text_at(block, "type")
        if kind == "text":
            texts.append(text_at(block, "text"))
        elif kind in ("reasoning", "thinking"):
            thoughts.append(text_at(block, "text") or text_at(block, "thinking"))
        elif kind == "tool-call":
            function = {"name": text_at(block, "name") or "?", "arguments": text_at(block, "arguments")}
            calls.append({"id": text_at(block, "id"), "type": "function", "function": function})
    wire: Wire = {"role": "assistant", "content": "\n".join(texts)}
    if any(thoughts):
        wire["reasoning_content"] = "\n".join(thoughts)
    if calls:
        wire["tool_calls"] = calls
    return wire


def _text(content: object) -> Any:
    """Text where there is nothing else, else the blocks."""
    blocks = _blocks(content)
    if all(isinstance(block.get("text"), str) for block in blocks):
        return "\n".join(str(block["text"]) for block in blocks)
    return [dict(block) for block in blocks]


def _blocks(content: object) -> list[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []


def summary_text(data: Mapping[str, Any]) -> str:
    """The text of a summary record."""
    text = _text(data.get("summary"))
    return text if isinstance(text, str) else ""
