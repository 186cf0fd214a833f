"""Records of DeepSeek Harness as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import mapping_at, text_at
from inspector.stores.wires import answer_of, blocks_in, call_of, plain, result_of

_CHECKPOINT = "compact-checkpoint"
#: The plugin that wrote checkpoints in earlier formats.
_COMPACT = "compact"


def is_checkpoint(data: Mapping[str, Any]) -> bool:
    """Return whether the data of a message of the user are a checkpoint, which a compaction wrote."""
    kind, plugin = text_at(data, "source", "kind"), text_at(data, "source", "plugin")
    return kind == _CHECKPOINT or (kind == "plugin" and plugin == _COMPACT)


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the message of a record; most records have none."""
    kind, data = lines[0].get("type"), mapping_at(lines[0], "data")
    if kind == "user/message":
        written_by_program = text_at(data, "source", "kind") not in ("user", "") and not is_checkpoint(data)
        return [{"role": "system" if written_by_program else "user", "content": plain(data.get("content"))}]
    # The first releases wrote no message around the content.
    message = mapping_at(data, "message") or data
    if kind == "assistant/message":
        return [_answer(message)]
    if kind == "tool/result":
        # Earlier formats have the result in a block.
        blocks = (block for block in blocks_in(message.get("content")) if block.get("type") == "tool-result")
        result = next(blocks, message)
        content, is_error = plain(result.get("content")), result.get("isError") is True
        return [result_of(result.get("toolCallId") or data.get("callId"), content, is_error)]
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
