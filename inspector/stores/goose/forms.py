"""goose's messages, each with a role and typed contents, as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import mapping_at, mappings_in, text_at
from inspector.stores.wires import add_text, answer_of, call_of, result_of

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
    text_of_line = " ".join(text for wire in _wires(line) if isinstance(text := wire["content"], str))
    return "manual" if _BY_HAND in " ".join(text_of_line.split()) else "auto"


def _wires(record: Mapping[str, Any]) -> list[Wire]:
    contents = mappings_in(record.get("content"))
    if record.get("role") == "assistant":
        return _answer(contents)
    if record.get("role") != "user":
        return []
    # goose replaces a tool call by a short summary; the user does not see it.
    role = "user" if is_visible(record, "userVisible") or not is_visible(record, "agentVisible") else "system"
    return _user_wires(contents, role)


def _answer(contents: Sequence[Mapping[str, Any]]) -> list[Wire]:
    texts = [text_at(content, "text") for content in contents if content.get("type") == "text"]
    thoughts = [text_at(one, "thinking") for one in contents if one.get("type") == "thinking"]
    calls = [_call(one) for one in contents if one.get("type") in ("toolRequest", "frontendToolRequest")]
    return [answer_of(texts, thoughts, calls)] if texts or calls else []


def _call(content: Mapping[str, Any]) -> dict[str, Any]:
    call = mapping_at(content, "toolCall", "value")
    return call_of(content.get("id"), call.get("name"), call.get("arguments"))


def _user_wires(contents: Sequence[Mapping[str, Any]], role: str) -> list[Wire]:
    wires: list[Wire] = []
    for content in contents:
        kind = content.get("type")
        if kind == "toolResponse":
            wires.append(_result(content))
        elif kind == "image":
            wires.append({"role": role, "content": [{"type": "image"}]})
        elif kind == "text":
            add_text(wires, role, text_at(content, "text"))
    return wires


def _result(content: Mapping[str, Any]) -> Wire:
    result, value = mapping_at(content, "toolResult"), mapping_at(content, "toolResult", "value")
    if result.get("status") == "error":
        return result_of(content.get("id"), text_at(result, "error"), is_error=True)
    # Earlier releases recorded the list of contents alone.
    parts = mappings_in(value.get("content") or result.get("value"))
    text = "\n".join(text_at(part, "text") for part in parts if part.get("type") == "text")
    return result_of(content.get("id"), text, value.get("isError") is True)
