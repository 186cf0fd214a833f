"""One message of a live list, as the agent held it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

#: Types of a content part with a picture (OpenAI chat, OpenAI responses, Anthropic).
# Not a set: the value in the place of a type may be of any kind, even unhashable.
IMAGE_PARTS = ("image", "image_url", "input_image")


class ToolCall(Struct, frozen=True):
    """A call by an assistant message. `arguments` is the model's text (usually JSON)."""

    id: str
    name: str
    arguments: str


class Message(Struct, frozen=True):
    """A message and its origin. Messages are equal if `wire` and `id` are.

    `wire` is the OpenAI-style mapping that the agent sent (role, content, tool_calls, tool_call_id, ...) with exactly
    its keys; it is never changed. `id` is the row in the store, -1 where there is none. `timestamp` is in seconds
    since the epoch, 0.0 if unknown. `note` is a sentence about unreadable parts, usually empty. `summary` says
    that the store marks the message as a compaction's summary, with any wording. `whole` is the path of the file
    with the full text, where the model received only its beginning; usually empty. `by_program` says that a program
    wrote the message in the user's name.
    """

    wire: Mapping[str, Any]
    id: int = -1
    session: str = ""
    timestamp: float = 0.0
    note: str = ""
    summary: bool = False
    whole: str = ""
    by_program: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.wire, self.id) == (other.wire, other.id)

    @property
    def role(self) -> str:
        """Return user, assistant, tool or system; an empty string where the message has none."""
        role = self.wire.get("role")
        return role if isinstance(role, str) else ""

    @property
    def speaker(self) -> str:
        """Return the role, but "system" for a message that a program wrote in the user's name."""
        return "system" if self.by_program else self.role

    @property
    def content(self) -> Any:
        """Return the original content: a string, a list of parts, a mapping, or None."""
        return self.wire.get("content")

    @property
    def text(self) -> str:
        """Return every text of the content, joined with newlines; pictures are left out."""
        return text_of(self.wire.get("content"))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls of an assistant message, in order; malformed entries are left out."""
        return tool_calls_of(self.wire)

    @property
    def tool_call_id(self) -> str:
        """Return the id of the call that a tool result answers; an empty string for other messages."""
        value = self.wire.get("tool_call_id")
        return value if isinstance(value, str) else ""

    @property
    def tool_name(self) -> str:
        """Return the tool of a result, where the store names it."""
        value = self.wire.get("tool_name") or self.wire.get("name")
        return value if isinstance(value, str) else ""

    @property
    def images(self) -> int:
        """Return the number of pictures in the content."""
        content = self.wire.get("content")
        return sum(map(is_image, content)) if isinstance(content, list) else 0


def is_image(part: object) -> bool:
    """Return whether a content part is a picture."""
    return isinstance(part, Mapping) and part.get("type") in IMAGE_PARTS


def text_of(content: object) -> str:
    """Return every text in a message's content, joined with newlines. Never raises."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (
            p if isinstance(p, str) else p.get("text") if isinstance(p, Mapping) else None for p in content
        )
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    if isinstance(content, Mapping):
        summary = content.get("text_summary")
        if isinstance(summary, str):
            return summary
    return str(content)


def tool_calls_of(wire: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """Return the calls of a message as values; entries that are not mappings are left out."""
    calls = wire.get("tool_calls")
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        return ()
    return tuple(_tool_call(entry) for entry in calls if isinstance(entry, Mapping))


def _tool_call(entry: Mapping[str, Any]) -> ToolCall:
    function = entry.get("function")
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments")
    return ToolCall(
        id=str(entry.get("call_id") or entry.get("id") or ""),
        name=str(function.get("name") or "?"),
        arguments=arguments if isinstance(arguments, str) else str(arguments or ""),
    )


def arguments_in(text: str) -> dict[str, Any]:
    """Return the JSON arguments of a call by key; empty if they are not a JSON object."""
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}


def shrunk_arguments(arguments: Any, longest: int = 200) -> Any:
    """Return the JSON arguments of a call with every text cut to `longest` characters, as Hermes' releases cut them;
    unchanged if they are not JSON, or nested too deeply."""

    def cut(text: str) -> str:
        return text if len(text) <= longest else text[:longest] + "...[truncated]"

    try:
        return json.dumps(with_texts(json.loads(arguments), cut), ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return arguments


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with every text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: with_texts(item, change) for key, item in value.items()}
    return [with_texts(item, change) for item in value] if isinstance(value, list) else value


def messages_from(wires: Iterable[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Return messages of a plain list, each numbered by its index."""
    return tuple(Message(wire, id=index) for index, wire in enumerate(wires))
