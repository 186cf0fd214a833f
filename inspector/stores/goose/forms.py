"""Messages of goose as messages: a role, and contents with a type each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import mapping_at, text_at

#: goose writes these words into its own line after a summary that the user asked for.
_BY_HAND = "at the user's request"


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages in a record: an answer with its calls, or results of tools and words of the user. A summary
    comes with goose's own line after it."""
    wires = [wire for line in lines for wire in _wires(line)]
    return [{**wires[0], "role": "user"}, *wires[1:]] if len(lines) > 1 and wires else wires


def is_visible(record: Mapping[str, Any], whom: str) -> bool:
    """Return whether the agent or the user sees a message: `whom` is "agentVisible" or "userVisible"."""
    return mapping_at(record, "metadata").get(whom) is not False


def is_summary(record: Mapping[str, Any], following: Mapping[str, Any] | None) -> bool:
    """Return whether a message is a summary: the user does not see it, nor goose's own line after it."""
    if following is None or record.get("role") != "user" or following.get("role") != "assistant":
        return False
    return not is_visible(record, "userVisible") and not is_visible(following, "userVisible")


def trigger_of(line: Mapping[str, Any]) -> str:
    """Return what started a compaction, given goose's own line after the summary."""
    said = " ".join(text for wire in _wires(line) if isinstance(text := wire["content"], str))
    return "manual" if _BY_HAND in " ".join(said.split()) else "auto"


def _wires(record: Mapping[str, Any]) -> list[Wire]:
    listed = record.get("content")
    contents = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    if record.get("role") == "assistant":
        return _answer(contents)
    if record.get("role") != "user":
        return []
    # goose puts a short summary in the place of a tool call; the user does not see it.
    role = "user" if is_visible(record, "userVisible") or not is_visible(record, "agentVisible") else "system"
    return _said(contents, role)


def _answer(contents: Sequence[Mapping[str, Any]]) -> list[Wire]:
    texts = [text_at(one, "text") for one in contents if one.get("type") == "text"]
    thoughts = [text_at(one, "thinking") for one in contents if one.get("type") == "thinking"]
    calls = [_call(one) for one in contents if one.get("type") in ("toolRequest", "frontendToolRequest")]
    if not texts and not calls:
        return []
    wire: Wire = {"role": "assistant", "content": "\n".join(texts)}
    if any(thoughts):
        wire["reasoning_content"] = "\n".join(thoughts)
    if calls:
        wire["tool_calls"] = calls
    return [wire]


def _call(content: Mapping[str, Any]) -> dict[str, Any]:
    call = mapping_at(content, "toolCall", "value")
    arguments = json.dumps(call.get("arguments"), ensure_ascii=False)
    function = {"name": text_at(call, "name") or "?", "arguments": arguments}
    return {"id": text_at(content, "id"), "type": "function", "function": function}


def _said(contents: Sequence[Mapping[str, Any]], role: str) -> list[Wire]:
    wires: list[Wire] = []
    for content in contents:
        kind = content.get("type")
        if kind == "toolResponse":
            wires.append(_result(content))
        elif kind == "image":
            wires.append({"role": role, "content": [{"type": "image"}]})
        elif kind == "text":
            text = text_at(content, "text")
            if wires and wires[-1]["role"] == role and isinstance(wires[-1]["content"], str):
                wires[-1]["content"] += f"\n{text}"
            else:
                wires.append({"role": role, "content": text})
    return wires


def _result(content: Mapping[str, Any]) -> Wire:
    result = mapping_at(content, "toolResult")
    wire: Wire = {"role": "tool", "tool_call_id": text_at(content, "id")}
    value = result.get("value")
    # Earlier releases recorded the list of contents alone.
    listed = value.get("content") if isinstance(value, Mapping) else value
    parts = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    wire["content"] = "\n".join(text_at(one, "text") for one in parts if one.get("type") == "text")
    if result.get("status") == "error":
        wire |= {"content": text_at(result, "error"), "is_error": True}
    elif isinstance(value, Mapping) and value.get("isError") is True:
        wire["is_error"] = True
    return wire
