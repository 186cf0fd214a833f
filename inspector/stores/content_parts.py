"""Contents of the Gemini API (a role and parts) as messages; several agents record these."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import text_at

#: Text of an agent under the user's role.
HARNESS = re.compile(
    r"\s*(?:<(?:session_context|system-reminder|environment_context)\b|Recently accessed file \("
    r"|This is the (?:Gemini CLI|Qwen Code))"
)


def content_wires(role: str, parts: object) -> list[Wire]:
    """The messages in a content: an answer of the model with its calls, or results of tools and words of the user."""
    listed: Sequence[object] = parts if isinstance(parts, list) else [{"text": parts}]
    known = [part if isinstance(part, Mapping) else {"text": part} for part in listed]
    return [_answer(known)] if role in ("model", "assistant", "gemini") else _said(known)


def _said(parts: Sequence[Mapping[str, Any]]) -> list[Wire]:
    wires: list[Wire] = []
    for part in parts:
        response = part.get("functionResponse")
        if isinstance(response, Mapping):
            wires.append(_result(response))
            continue
        if isinstance(part.get("text"), str):
            text = part["text"]
            role = "system" if HARNESS.match(text) else "user"
            if wires and wires[-1]["role"] == role and isinstance(wires[-1]["content"], str):
                wires[-1]["content"] += f"\n{text}"
            else:
                wires.append({"role": role, "content": text})
        elif part:
            wires.append({"role": "user", "content": [_other(part)]})
    return wires


def _other(part: Mapping[str, Any]) -> dict[str, Any]:
    data = part.get("inlineData") or part.get("fileData")
    kind = text_at(data, "mimeType") if isinstance(data, Mapping) else ""
    return {"type": "image"} if kind.startswith("image/") else {"type": "text", "text": json.dumps(part)}


def _result(response: Mapping[str, Any]) -> Wire:
    answer = response.get("response")
    wire: Wire = {"role": "tool", "tool_call_id": text_at(response, "id"), "name": text_at(response, "name")}
    if isinstance(answer, Mapping):
        key = "error" if "error" in answer else "output"
        wire["content"] = text_at(answer, key) or json.dumps(answer, ensure_ascii=False)
        if key == "error":
            wire["is_error"] = True
    else:
        wire["content"] = answer if isinstance(answer, str) else json.dumps(answer)
    return wire


def _answer(parts: Sequence[Mapping[str, Any]]) -> Wire:
    texts: list[str] = []
    thoughts: list[str] = []
    calls = []
    for part in parts:
        call, text = part.get("functionCall"), part.get("text")
        if isinstance(call, Mapping):
            calls.append(call_of(call))
        elif isinstance(text, str):
            (thoughts if part.get("thought") is True else texts).append(text)
    wire: Wire = {"role": "assistant", "content": "\n".join(texts)}
    if any(thoughts):
        wire["reasoning_content"] = "\n".join(thoughts)
    if calls:
        wire["tool_calls"] = calls
    return wire


def call_of(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call of a tool, given `id`, `name` and `args`."""
    function = {
        "name": text_at(call, "name") or "?",
        "arguments": json.dumps(call.get("args"), ensure_ascii=False),
    }
    return {"id": text_at(call, "id"), "type": "function", "function": function}
