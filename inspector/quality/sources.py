"""Tokens of a list by source: the user, the agent, its reasoning, tools by name, files, the system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.rough import IMAGE_TOKENS, text_tokens
from inspector.quality.acts import acts_of_call

#: Sources other than tools.
SYSTEM_PROMPT, SYSTEM, USER, AGENT, REASONING, SUMMARY, PICTURES, FILES = (
    "system prompt", "system messages", "user", "agent", "reasoning", "summaries", "pictures", "files read",
)  # fmt: skip
#: Keys of a message with the reasoning of the model. The first one that holds a text counts.
_REASONING_KEYS = ("reasoning_content", "reasoning")


class SourceShare(Struct, frozen=True):
    """Rough tokens of a source, and the number of its messages. Tools are named "tool NAME"."""

    name: str
    tokens: int
    messages: int


def source_shares(messages: Iterable[Message], prompt: str = "") -> tuple[SourceShare, ...]:
    """Return the share of each source in a list with its system prompt, the largest first.

    A tool's share is that of its calls and results. Results of calls that read files count as FILES.
    """
    tokens: dict[str, int] = {}
    counts: dict[str, int] = {}

    def add(name: str, size: int) -> None:
        if size:
            tokens[name] = tokens.get(name, 0) + size
            counts[name] = counts.get(name, 0) + 1

    add(SYSTEM_PROMPT, text_tokens(len(prompt)))
    sources: dict[str, str] = {}
    for message in messages:
        for call in message.tool_calls:
            add(f"tool {call.name}", text_tokens(len(call.arguments)))
            reads = any(act.kind == "read" for act in acts_of_call(call))
            sources[call.id] = FILES if reads else f"tool {call.name}"
        add(_source_of(message, sources), text_tokens(len(message.text)))
        add(REASONING, text_tokens(len(_reasoning(message.wire))))
        add(PICTURES, message.images * IMAGE_TOKENS)
    shares = (SourceShare(name, size, counts[name]) for name, size in tokens.items())
    return tuple(sorted(shares, key=lambda share: (-share.tokens, share.name)))


def _source_of(message: Message, sources: dict[str, str]) -> str:
    if message.role == "tool":
        return sources.get(message.tool_call_id) or f"tool {message.tool_name or 'unknown'}"
    if handoff_of(message) is not None:
        return SUMMARY
    return {"user": USER, "assistant": AGENT}.get(message.role, SYSTEM)


def _reasoning(wire: Any) -> str:
    return next((value for key in _REASONING_KEYS if isinstance(value := wire.get(key), str) and value), "")
