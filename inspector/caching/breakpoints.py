"""Prompt-cache breakpoints of a request: at most four, at the system prompt and the last messages.

Source: releases 0.13.0 and 0.19.0, `agent/prompt_caching.py` (places of the breakpoints) and
`agent/anthropic_adapter.py` (breakpoints that reach Anthropic's own API).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.messages import Message

MAX_BREAKPOINTS = 4

#: native: Anthropic's own message format; envelope: OpenAI-style messages, for OpenRouter and others.
Layout = Literal["native", "envelope"]
Ttl = Literal["5m", "1h"]
#: Releases of Hermes, whose rules earlier and later releases have too.
Release = Literal["0.13", "0.19"]


class Messages(Protocol):
    """A list of messages whose bodies may be read on demand."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Message: ...


class Breakpoint(Struct, frozen=True):
    """One of the at most four breakpoints of a request.

    `number` counts from 1 in the order of the request. `message` is an index in the list, or None for the system
    prompt before it. `part` is its place in the message: "text" (the whole content becomes one part), "part N" (the
    N-th part of the content, from 1) or "message" (next to the content). `placed`: the release writes the breakpoint.
    `honored`: the provider uses it. `why` is a sentence about the place.
    """

    number: int
    message: int | None
    part: str
    honored: bool
    why: str
    ttl: Ttl = "5m"
    placed: bool = True


def bearing(message: Message, layout: Layout, release: Release) -> tuple[bool, bool]:
    """Return whether the release spends a breakpoint on a message, and whether the provider uses it."""
    if not _counts(message, layout, release):
        return False, False
    return True, _place(message, 0, layout, release, "5m").honored


def breakpoints(
    messages: Messages,
    system_prompt: str,
    layout: Layout = "native",
    ttl: Ttl = "5m",
    release: Release = "0.19",
) -> tuple[Breakpoint, ...]:
    """Return the breakpoints of a request with this list, in the request's order.

    `system_prompt` precedes the list, "" if there is none; a list may also start with a system message. The function
    reads the first message, and messages from the end of the list until it has four breakpoints.
    """
    points: list[Breakpoint] = []
    length = len(messages)
    if system_prompt:
        why = "The system prompt is the same in every request until it is edited."
        points.append(Breakpoint(1, None, "text", True, why, ttl))
    elif length and messages[0].role == "system":
        points.append(_place(messages[0], 0, layout, release, ttl))
    room = MAX_BREAKPOINTS - len(points)
    last: list[Breakpoint] = []
    for index in range(length - 1, -1, -1):
        if len(last) == room:
            break
        message = messages[index]
        if _counts(message, layout, release):
            last.append(_place(message, index, layout, release, ttl))
    points.extend(reversed(last))
    return tuple(replace(point, number=number) for number, point in enumerate(points, 1))


def measured_breakpoints(
    messages: Messages, before: Sequence[str], last: int, newest_user: bool, ttl: Ttl = "5m"
) -> tuple[Breakpoint, ...]:
    """Return the breakpoints of an agent by a measured rule, in the request's order.

    `before` names parts of the request before the messages. The last `last` messages have a breakpoint at their end,
    and with `newest_user` the newest message of the user. All results of a turn are one message of the request. The
    function reads messages from the end of the list on.
    """
    places: list[int] = []
    index = len(messages) - 1
    while index >= 0 and len(places) < last:
        places.append(index)
        index -= 1
        while messages[index + 1].role == "tool" and index >= 0 and messages[index].role == "tool":
            index -= 1
    if newest_user:
        newest = next((at for at in range(len(messages) - 1, -1, -1) if messages[at].role == "user"), None)
        places += [newest] if newest is not None and newest not in places else []
    points = [Breakpoint(0, None, part, True, "", ttl) for part in before]
    points += [
        Breakpoint(0, place, "the last part", True, "The breakpoint is at the end of the message.", ttl)
        for place in sorted(places)
    ]
    return tuple(replace(point, number=number) for number, point in enumerate(points, 1))


def _counts(message: Message, layout: Layout, release: Release) -> bool:
    """Return whether the release spends a breakpoint on a message."""
    if message.role == "system":
        return False
    if release == "0.13" or layout == "native":
        return True
    content = message.content
    if isinstance(content, list):
        return bool(content) and isinstance(content[-1], Mapping)
    return isinstance(content, str) and content != ""


def _place(message: Message, index: int, layout: Layout, release: Release, ttl: Ttl) -> Breakpoint:
    part, placed = _part(message, layout, release)
    honored, why = _honored(message, part, placed, layout, release)
    return Breakpoint(0, index, part, honored, why, ttl, placed)


def _part(message: Message, layout: Layout, release: Release) -> tuple[str, bool]:
    """Return the part of a message that gets the breakpoint, and whether the release writes it."""
    content = message.content
    if message.role == "tool":
        if layout == "native":
            return "message", True
        if release == "0.13":
            return "message", False
    if content is None or content == "":
        skipped = release == "0.19" and layout == "envelope" and message.role in ("tool", "assistant")
        return "message", not skipped
    if isinstance(content, str):
        return "text", True
    if isinstance(content, list) and content:
        return f"part {len(content)}", isinstance(content[-1], Mapping)
    return "message", False


def _honored(message: Message, part: str, placed: bool, layout: Layout, release: Release) -> tuple[bool, str]:
    if not placed:
        if message.role == "tool" and layout == "envelope":
            return (
                False,
                "The release counts this tool result as a breakpoint, but the envelope layout cannot mark it.",
            )
        return False, "The message has no part for a breakpoint, but the release counts it as one."
    if part == "text":
        if layout == "native" and message.role == "user" and not message.text.strip():
            return False, "The release replaces a text of white space, so the breakpoint is lost."
        return True, "The breakpoint is at the end of the text."
    if part != "message":
        return True, "The breakpoint is at the last part of the content."
    if layout == "envelope":
        return False, "The breakpoint is next to an empty content, where the provider does not look."
    if message.role == "tool":
        return True, "The breakpoint is in the tool result."
    if message.role == "assistant" and release == "0.19" and _calls(message.wire):
        return True, "The breakpoint is in the last tool call."
    if message.role == "assistant" and _calls(message.wire):
        return False, "This release loses the breakpoint when it converts a message that only calls tools."
    return False, "The breakpoint of an empty message is lost when the message is converted."


def _calls(wire: Mapping[str, Any]) -> bool:
    calls = wire.get("tool_calls")
    return isinstance(calls, list) and any(isinstance(call, Mapping) and call for call in calls)
