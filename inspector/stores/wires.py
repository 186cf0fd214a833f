"""Messages in the form of OpenAI's API, which readers make of an agent's records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import mappings_in


def answer_of(
    texts: Iterable[str],
    thoughts: Iterable[str] = (),
    calls: Iterable[dict[str, Any]] = (),
    between: str = "\n",
) -> Wire:
    """Make an answer of the model. `between` separates its texts, and its thoughts."""
    thought, called = list(thoughts), list(calls)
    wire: Wire = {"role": "assistant", "content": between.join(texts)}
    if any(thought):
        wire["reasoning_content"] = between.join(thought)
    if called:
        wire["tool_calls"] = called
    return wire


def json_text(value: object) -> str:
    """Return a text unchanged, and another value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def call_of(identity: object, name: object, arguments: object) -> dict[str, Any]:
    """Make a tool call. Arguments that are not a text become JSON."""
    function = {"name": str(name or "?"), "arguments": json_text(arguments)}
    return {"id": str(identity or ""), "type": "function", "function": function}


def result_of(identity: object, content: Any, is_error: bool = False) -> Wire:
    """Make the result of a tool call."""
    wire: Wire = {"role": "tool", "tool_call_id": str(identity or ""), "content": content}
    return {**wire, "is_error": True} if is_error else wire


def add_text(wires: list[Wire], role: str, text: str) -> None:
    """Add a text to the last message if this is a text of the same role, else as a separate message."""
    last = wires[-1] if wires else {}
    if last.get("role") == role and isinstance(last["content"], str):
        last["content"] += f"\n{text}"
    else:
        wires.append({"role": role, "content": text})


def plain(content: object) -> Any:
    """Return the text of a content if it has only text, else its parts. An unknown content becomes JSON."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = mappings_in(content)
    if not isinstance(content, list) or len(parts) < len(content):
        return json.dumps(content, ensure_ascii=False)
    texts = [part.get("text") for part in parts]
    return "\n".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else parts


def blocks_in(content: object) -> list[dict[str, Any]]:
    """Return the blocks of a content; a text is one block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else mappings_in(content)


def texts_in(content: object) -> list[str]:
    """Return the texts of the blocks of a content."""
    return [block["text"] for block in blocks_in(content) if isinstance(block.get("text"), str)]
