"""Messages of a task of Cline's editor as messages.

The tools of most models are XML in the text of an answer. A result is two texts under the user's role: a line with the
name of the tool, and the output. Words of the user are in tags; other texts are from Cline.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.stores.claude_code.forms import assistant_wire
from inspector.stores.entries import Wire
from inspector.stores.message_logs.forms import anthropic_wires
from inspector.stores.wires import blocks_in, call_of, result_of, texts_in

#: Cline's sentence before a summary that the model wrote.
CONTINUED = "This session is being continued from a previous conversation that ran out of context"
#: Tags around words of the user.
_WORDS = re.compile(r"\s*<(task|feedback|user_message|answer)>\s*(.*?)\s*</\1>\s*", re.DOTALL)
#: Beginnings of Cline's own texts.
_HARNESS = re.compile(
    r"\s*(?:<(?:environment_details|explicit_instructions|file_content|hook_context)\b"
    r"|\[(?:ERROR|TASK RESUMPTION|NOTE)\b|# (?:task_progress|TODO LIST)\b|New instructions for task continuation:)"
)
_RESULT = "] Result:"
_TAG = re.compile(r"<(/?)([a-z][a-z_]*)>")
_FOLDER = re.compile(r"^# Current (?:Working Directory|Workspace Directory) \(([^)\n]+)\)", re.MULTILINE)


def task_wires(message: Mapping[str, Any]) -> list[Wire]:
    """Return the messages in a record: an answer with its calls, or results of tools and words of the user."""
    blocks = blocks_in(message.get("content"))
    if message.get("role") == "assistant":
        return [_answer(blocks)] if blocks else []
    if message.get("role") != "user":
        return []
    wires: list[Wire] = []
    for block in blocks:
        text = block.get("text")
        # The output of a tool is the text after its name.
        waits = bool(wires) and wires[-1]["role"] == "tool" and not wires[-1]["content"]
        if block.get("type") != "text" or not isinstance(text, str):
            wires += map(_as_summary, anthropic_wires({"role": "user", "content": [block]}))
        elif (result := _result(text)) is not None:
            wires.append(_as_summary(result))
        elif waits and not _HARNESS.match(text):
            wires[-1] = _as_summary({**wires[-1], "content": text})
        else:
            wires.append(_text_wire(text))
    return wires


def folder_in(message: Mapping[str, Any]) -> str:
    """Return the working folder that Cline's details of the environment name; "" if they name none."""
    matches = map(_FOLDER.search, texts_in(message.get("content")))
    return next((match[1] for match in matches if match), "")


def is_summary(wire: Wire) -> bool:
    """Return whether a message is Cline's handoff with a summary of the model."""
    return wire["role"] == "user" and isinstance(wire["content"], str) and CONTINUED in wire["content"]


def with_updates(message: Mapping[str, Any], updates: Mapping[int, str]) -> dict[str, Any]:
    """Return a message with other texts in the blocks with these numbers, as Cline sent it."""
    blocks = blocks_in(message.get("content"))
    changed = [
        {**block, "text": updates[number]} if number in updates and block.get("type") == "text" else block
        for number, block in enumerate(blocks)
    ]
    return {**message, "content": changed}


def _answer(blocks: Sequence[Mapping[str, Any]]) -> Wire:
    wire = assistant_wire(blocks)
    text, calls, remaining, stop = wire["content"], [], "", 0
    for tool in _elements(text):
        arguments = {inner.name: text[inner.start : inner.end].strip("\n") for inner in _elements(text, tool)}
        if "_" in tool.name and arguments:
            identity = _identity(tool.name, next(iter(arguments.values())))
            calls.append(call_of(identity, tool.name, arguments))
            remaining += text[stop : tool.before]
            stop = tool.after
    if calls:
        wire["content"] = (remaining + text[stop:]).strip()
        wire["tool_calls"] = [*wire.get("tool_calls", ()), *calls]
    return wire


class _Element(NamedTuple):
    """An XML element: its name, the places before and after it, and the start and end of its content."""

    name: str
    before: int
    start: int
    end: int
    after: int


def _elements(text: str, within: _Element | None = None) -> Iterator[_Element]:
    """Yield the outermost elements of a text, or of the content of an element."""
    first, last = (0, len(text)) if within is None else (within.start, within.end)
    tags = list(_TAG.finditer(text, first, last))
    ends: dict[str, list[int]] = {}
    for tag in tags:
        if tag[1]:
            ends.setdefault(tag[2], []).append(tag.start())
    for tag in tags:
        stops = ends.get(tag[2], [])
        place = bisect_left(stops, tag.end())
        if not tag[1] and tag.start() >= first and place < len(stops):
            end = stops[place]
            first = end + len(f"</{tag[2]}>")
            yield _Element(tag[2], tag.start(), tag.end(), end, first)


def _result(text: str) -> Wire | None:
    """Return the result of a tool whose name a text begins with; None for another text."""
    head, mark, output = text.strip().partition(_RESULT)
    name, _, subject = head.removeprefix("[").partition(" for '")
    if not mark or not head.startswith("[") or not name.isidentifier():
        return None
    identity = _identity(name, subject.rpartition("'")[0])
    return result_of(identity, output.strip())


def _identity(name: str, subject: str) -> str:
    """Return an id for a call and its result: Cline names both by the tool and its first argument."""
    return f"{name} {subject}".strip()


def _as_summary(wire: Wire) -> Wire:
    content = wire["content"]
    if wire["role"] == "tool" and isinstance(content, str) and CONTINUED in content:
        return {"role": "user", "content": content}
    return wire


def _text_wire(text: str) -> Wire:
    words = _WORDS.fullmatch(text)
    if words is not None:
        return {"role": "user", "content": words[2]}
    return {"role": "system" if _HARNESS.match(text) else "user", "content": text}
