"""Records of DeepSeek Harness as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.lines import mapping_at, text_at
from inspector.stores.wires import answer_of, blocks_in, call_of, plain, result_of

CHECKPOINT = "compact-checkpoint"


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the message of a record; most records have none."""
    kind, data = lines[0].get("type"), mapping_at(lines[0], "data")
    if kind == "user/message":
        own = text_at(data, "source", "kind") not in ("user", CHECKPOINT, "")
        return [{"role": "system" if own else "user", "content": plain(data.get("content"))}]
    message = mapping_at(data, "message")
    if kind == "assistant/message":
        return [_answer(message)]
    if kind == "tool/result":
        content, is_error = plain(message.get("content")), message.get("isError") is True
        return [result_of(message.get("toolCallId"), content, is_error)]
    return []


def _answer(message: Mapping[str, Any]) -> Wire:
    texts: list[str] = []
    thoughts: list[str] = []
    calls = []
    for block in blocks_in(message.get("content")):
        kind = text_at(block, "type")
        if kind == "text":
            texts.append(text_at(block, "text"))
        elif kind in ("reasoning", "thinking"):
            thoughts.append(text_at(block, "text") or text_at(block, "thinking"))
        elif kind == "tool-call":
            calls.append(call_of(block.get("id"), block.get("name"), text_at(block, "arguments")))
    return answer_of(texts, thoughts, calls)


def summary_text(data: Mapping[str, Any]) -> str:
    """Return the text of a summary record."""
    text = plain(data.get("summary"))
    return text if isinstance(text, str) else ""
