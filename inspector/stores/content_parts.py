"""Contents of the Gemini API (a role and parts) as messages; several agents record these."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import text_at
from inspector.stores.wires import add_text, answer_of, call_of, result_of

#: Text of an agent under the user's role.
HARNESS = re.compile(
    r"\s*(?:<(?:session_context|loaded_context|system-reminder|environment_context)\b|Recently accessed file \("
    r"|This is the (?:Gemini CLI|Qwen Code))"
)


def content_wires(role: str, parts: object) -> list[Wire]:
    """Return the messages in a content: the model's answer with its calls, or tool results and text of the user."""
    items: Sequence[object] = parts if isinstance(parts, list) else [{"text": parts}]
    mappings = [part if isinstance(part, Mapping) else {"text": part} for part in items]
    return [_answer(mappings)] if role in ("model", "assistant", "gemini") else _user_wires(mappings)


def _user_wires(parts: Sequence[Mapping[str, Any]]) -> list[Wire]:
    wires: list[Wire] = []
    for part in parts:
        response = part.get("functionResponse")
        if isinstance(response, Mapping):
            wires.append(_result(response))
        elif isinstance(part.get("text"), str):
            add_text(wires, "system" if HARNESS.match(part["text"]) else "user", part["text"])
        elif part:
            wires.append({"role": "user", "content": [_other_part(part)]})
    return wires


def _other_part(part: Mapping[str, Any]) -> dict[str, Any]:
    data = part.get("inlineData") or part.get("fileData")
    kind = text_at(data, "mimeType") if isinstance(data, Mapping) else ""
    return {"type": "image"} if kind.startswith("image/") else {"type": "text", "text": json.dumps(part)}


def _result(response: Mapping[str, Any]) -> Wire:
    answer = response.get("response")
    is_error = isinstance(answer, Mapping) and "error" in answer
    if isinstance(answer, Mapping):
        content = text_at(answer, "error" if is_error else "output") or json.dumps(answer, ensure_ascii=False)
    else:
        content = answer if isinstance(answer, str) else json.dumps(answer)
    return {**result_of(text_at(response, "id"), content, is_error), "name": text_at(response, "name")}


def _answer(parts: Sequence[Mapping[str, Any]]) -> Wire:
    texts: list[str] = []
    thoughts: list[str] = []
    calls = []
    for part in parts:
        call, text = part.get("functionCall"), part.get("text")
        if isinstance(call, Mapping):
            calls.append(call_of(text_at(call, "id"), text_at(call, "name"), call.get("args")))
        elif isinstance(text, str):
            (thoughts if part.get("thought") is True else texts).append(text)
    return answer_of(texts, thoughts, calls)
