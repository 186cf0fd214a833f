"""Estimates of a message in the tail walk, and a check for parts on which the summary call fails."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.core.messages import IMAGE_PARTS
from inspector.engines.hermes.policies import IMAGE_TOKENS, Policies

_IMAGE_CHARS = IMAGE_TOKENS * 4
_REPLAYED = (
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
)


def content_chars(content: Any) -> int:
    """Return the characters of a content: its texts, and 6,400 for each picture. Raises as the release does."""
    if isinstance(content, str):
        return len(content)
    if not isinstance(content, list):
        return len(str(content or ""))
    total = 0
    for part in content:
        if isinstance(part, str):
            total += len(part)
        elif not isinstance(part, dict):
            total += len(str(part))
        elif part.get("type") in IMAGE_PARTS:
            total += _IMAGE_CHARS
        else:
            total += len(part.get("text", "") or "")
    return total


def call_tokens(wire: Mapping[str, Any], policies: Policies) -> int:
    """Return the tokens of a message in the tail walk besides its content: tool calls, and reasoning if it counts."""
    tokens = 0
    if policies.counts_whole_calls:
        for call in wire.get("tool_calls") or []:
            if isinstance(call, dict):
                tokens += len(str(call)) // 4
        for key in _REPLAYED if policies.counts_reasoning else ():
            if key in wire:
                tokens += serialized_chars(wire[key]) // 4
        return tokens
    for call in wire.get("tool_calls") or []:
        if isinstance(call, dict):
            tokens += len(call.get("function", {}).get("arguments", "")) // 4
    return tokens


def call_id(call: Any) -> Any:
    """Return the id that results have for a call: its call_id, else its id."""
    if isinstance(call, dict):
        return call.get("call_id", "") or call.get("id", "") or ""
    return ""


def has_text(content: Any) -> bool:
    """Return whether a content has a text that is not empty."""
    if isinstance(content, str):
        return bool(content.strip())
    if not isinstance(content, list):
        return False
    texts = (part.get("text") or part.get("content") for part in content if isinstance(part, dict))
    return any(isinstance(text, str) and text.strip() for text in texts)


def serialized_chars(value: Any) -> int:
    if value is None or value == "":
        return 0
    if isinstance(value, str):
        return len(value)
    try:
        return len(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str))
    except (TypeError, ValueError):
        return len(str(value))


def check_serializable(wire: Mapping[str, Any], policies: Policies) -> None:
    """Raise the exception of the release if it cannot write this message out for the summary model.

    Release 0.13.0 and 0.19.0, the serialization before the summary call: parts are joined, arguments are
    measured and roles are upper-cased without asking their types.
    """
    role = wire.get("role", "unknown")
    content = wire.get("content")
    if policies.joins_parts and isinstance(content, list):
        "\n".join(_texts(content))
    if role == "tool":
        return
    if role == "assistant":
        for call in wire.get("tool_calls", []) or []:
            if isinstance(call, dict):
                function = call.get("function", {})
                function.get("name", "?")
                if function.get("arguments", "") is None and not policies.reads_texts:
                    raise TypeError("arguments are None")
        return
    role.upper()


def _texts(parts: list[Any]) -> list[str]:
    return [_text(part) if isinstance(part, dict) else part for part in parts if isinstance(part, dict | str)]


def _text(part: dict[str, Any]) -> Any:
    kind = part.get("type")
    return part.get("text", "") if kind == "text" else "[picture]" if kind in IMAGE_PARTS else "[part]"
