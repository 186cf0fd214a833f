"""Entries of pi as messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspector.core.patterns import late_pattern
from inspector.stores.entries import Wire
from inspector.stores.values import mapping_at, mappings_in, text_at
from inspector.stores.wires import answer_of, call_of, plain, result_of

#: The call of a skill by an extension, with its comment. Pi puts the text of the skill in the place of a typed call.
_BY_EXTENSION = late_pattern(r"/skill:\S+\s*<!--")
#: An argument that was empty when pi filled a prompt template, and a heading.
_EMPTY_ARGUMENT = late_pattern(r"(?<=\s)``(?=[\s.,;:)])")
_HEADING = late_pattern(r"^#{1,3} ", re.MULTILINE)


def entry_wires(value: Mapping[str, Any]) -> list[Wire]:
    """Return the message of an entry; text of pi with the role `user` gets the role `system`."""
    kind = value.get("type")
    if kind == "compaction":
        summary = value.get("summary")
        return [{"role": "user", "content": summary}] if isinstance(summary, str) else []
    if kind == "branch_summary":
        return [{"role": "system", "content": str(value.get("summary") or "")}]
    if kind == "custom_message":
        return [{"role": "system", "content": plain(value.get("content"))}]
    message = value.get("message")
    if kind != "message" or not isinstance(message, Mapping):
        return []
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        return [_assistant(content)]
    if role == "toolResult":
        wire = result_of(message.get("toolCallId"), plain(content), _failed(message))
        return [{**wire, "name": str(message.get("toolName") or "")}]
    if role == "user":
        text = plain(content)
        by_program = _by_openclaw(message) or (isinstance(text, str) and _is_filled(text))
        return [{"role": "system" if by_program else "user", "content": text}]
    if role == "system":
        # The system prompt precedes every list, so no list has it.
        return []
    if role == "bashExecution":
        return [{"role": "system", "content": f"$ {message.get('command')}\n{message.get('output')}"}]
    return [{"role": "system", "content": plain(content if content is not None else message.get("summary"))}]


def edited(value: Mapping[str, Any], edit: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry with the content that a `context_edit` gives it."""
    content = mapping_at(edit, "replacement").get("content")
    message = value.get("message")
    if isinstance(message, Mapping):
        return {**value, "message": {**message, "content": content}}
    return {**value, "content": content}


def _failed(message: Mapping[str, Any]) -> bool:
    """Return whether a tool failed. OpenClaw records this in the details of a result."""
    details = message.get("details")
    details = details if isinstance(details, Mapping) else {}
    ended = details.get("status") in ("error", "failed") or details.get("exitCode") not in (None, 0)
    return message.get("isError") is True or ended


def _is_filled(text: str) -> bool:
    """Return whether an extension called a skill, or pi filled a prompt template without arguments.

    The record has only the text of a template: it is known by an empty argument, in a document with headings.
    """
    if _BY_EXTENSION.match(text):
        return True
    return _EMPTY_ARGUMENT.search(text) is not None and len(_HEADING.findall(text)) > 1


def _by_openclaw(message: Mapping[str, Any]) -> bool:
    """Return whether OpenClaw records that an agent in another session, or the program itself, wrote a message.

    The task of a sub-agent and of a scheduled job stay the user's.
    """
    source = mapping_at(message, "provenance")
    if source.get("kind") == "internal_system":
        return not source.get("jobId")
    return source.get("kind") == "inter_session" and source.get("sourceTool") != "sessions_spawn"


def _assistant(content: object) -> Wire:
    texts: list[str] = []
    thoughts: list[str] = []
    calls = []
    for part in mappings_in(content if isinstance(content, list) else [{"type": "text", "text": content}]):
        if part.get("type") == "text":
            texts.append(text_at(part, "text"))
        elif part.get("type") == "thinking":
            thoughts.append(text_at(part, "thinking"))
        elif part.get("type") == "toolCall":
            calls.append(call_of(part.get("id"), part.get("name"), part.get("arguments")))
    return answer_of(texts, thoughts, calls, between="\n\n")


def prompt_in(message: object) -> str:
    """Return the system prompt in a message with the role system: its text and its sections."""
    if not isinstance(message, Mapping) or message.get("role") != "system":
        return ""
    sections = message.get("sections")
    texts = [plain(message.get("content")), *(sections.values() if isinstance(sections, Mapping) else ())]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)
