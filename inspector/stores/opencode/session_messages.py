"""Convert the messages of opencode 2 to the form of opencode 1, so that one reader handles both.

From 2.0 on a message is one document with a type: in the table session_message (next to session_v2; its `data` without
id and type) and in exports. A compaction is such a message too. It holds the summary, and the newest messages as a text
that stays behind it (`recent`). The forms are from opencode's source at 2.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.stores.values import mapping_at, mappings, mappings_in, text_at

Document = dict[str, Any]
#: Types of messages that opencode 2 writes under the user's role, and the field of their text.
_SPOKEN = {"synthetic": "text", "skill": "text", "system": "text"}
#: The part of a compaction's answer that has the newest messages as a text.
RECENT = "recent"


def is_newer(messages: object) -> bool:
    """Return whether an export's messages are in the form of opencode 2."""
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and "info" not in first and isinstance(first.get("type"), str)


def as_entries(messages: Sequence[object]) -> list[Document]:
    """Return the messages in order, in the form of opencode 1, without messages that the model does not get. An empty
    mapping stays for a message that cannot be read."""
    return [entry for message in mappings(messages) for entry in (_entries(message) if message else [{}])]


def session_info(info: Document) -> Document:
    """Convert the session data of an opencode 2 export to the names of opencode 1."""
    location = info.get("location")
    folder = text_at(location, "directory") if isinstance(location, dict) else ""
    return {"directory": folder, **info}


def _entries(message: Document) -> Iterator[Document]:
    kind = text_at(message, "type")
    if kind == "user":
        yield _entry(message, "user", list(_user_parts(message)))
    elif kind == "assistant":
        yield _entry(
            message, "assistant", list(map(_part, mappings_in(message.get("content")))), **_call(message)
        )
    elif kind == "compaction":
        yield from _compaction(message)
    elif words := _other_text(message, kind):
        yield _entry(message, "user", [_synthetic(words)])


def _entry(message: Document, role: str, parts: list[Document], **info: Any) -> Document:
    entry_info = {"id": message.get("id"), "time": message.get("time"), "role": role, **info}
    return {"info": entry_info, "parts": parts}


def _synthetic(text: str) -> Document:
    return {"type": "text", "text": text, "synthetic": True}


def _other_text(message: Document, kind: str) -> str:
    """Return the text of a message that neither the user nor the model wrote."""
    if kind == "shell":
        return f"$ {text_at(message, 'command')}\n{text_at(message, 'output', 'output') or text_at(message, 'output')}"
    if kind == "location-switched":
        folder = text_at(message, "location", "directory")
        return f"The working directory has been changed to {folder}."
    return text_at(message, _SPOKEN[kind]) if kind in _SPOKEN else ""


def _user_parts(message: Document) -> Iterator[Document]:
    for skill in mappings_in(message.get("skills")):
        if text_at(skill, "text"):
            yield _synthetic(text_at(skill, "text"))
    if text_at(message, "text"):
        yield {"type": "text", "text": text_at(message, "text")}
    for file in mappings_in(message.get("files")):
        name = file.get("name") or text_at(file, "source", "uri") or file.get("uri")
        yield {"type": "file", "mime": file.get("mime"), "filename": name}


def _call(message: Document) -> Document:
    """Return the data about the call for an answer or a summary: model, usage, and how it ended."""
    return {
        "modelID": text_at(message, "model", "id"),
        "providerID": text_at(message, "model", "providerID"),
        "tokens": message.get("tokens"),
        "finish": message.get("finish"),
        "error": message.get("error"),
    }


def _part(part: Document) -> Document:
    """Convert a part of an answer; only tools differ."""
    if part.get("type") != "tool":
        return part
    state = mapping_at(part, "state")
    pruned = mapping_at(part, "time").get("pruned")
    output = state.get("output")
    if not isinstance(output, str):
        output = "\n".join(_part_text(content) for content in mappings_in(state.get("content")))
    error = text_at(state, "error", "message") or text_at(state, "error")
    return {
        "type": "tool",
        "tool": part.get("name"),
        "callID": part.get("id"),
        "state": {
            "status": state.get("status"),
            "input": state.get("input"),
            "output": output,
            "error": "\n".join(text for text in (error, output) if text),
            "time": {"compacted": pruned},
        },
    }


def _part_text(content: Mapping[str, Any]) -> str:
    text = content.get("text")
    if isinstance(text, str):
        return text
    return f"({content.get('mime')}: {content.get('name') or content.get('uri')})"


def _compaction(message: Document) -> Iterator[Document]:
    """Yield the request for a compaction, and the answer with the summary."""
    status = text_at(message, "status")
    name = text_at(message, "id")
    request_id = f"{name} asked"
    reason = message.get("reason")
    auto = reason == "auto" if reason in ("auto", "manual") else None
    request = {"type": "compaction", "auto": auto, "unsent": True}
    yield {"info": {"id": request_id, "time": message.get("time"), "role": "user"}, "parts": [request]}
    done = status in ("completed", "")
    parts = [
        {"type": "text", "text": text_at(message, "summary")},
        {"type": RECENT, "text": text_at(message, "recent")},
    ]
    # A provider's own checkpoint has no text that others could read.
    call = {**_call(message), "finish": "stop" if done else None, "encrypted": "providerContext" in message}
    yield _entry(message, "assistant", parts if done else [], summary=True, parentID=request_id, **call)
