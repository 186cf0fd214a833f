"""Token estimates of texts and messages (releases from 0.20.0 on, `estimate_tokens_rough`,
`_estimate_msg_budget_tokens`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.core.patterns import late_pattern
from inspector.core.rough import IMAGE_TOKENS, message_images, without_pictures
from inspector.engines.hermes.estimates import content_chars, serialized_chars
from inspector.engines.hermes.policies import MESSAGE_OVERHEAD, Policies

#: Scripts whose characters each count as a token: Hangul, Han and kana, full-width forms.
_DENSE = late_pattern("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_REPLAYED = ("reasoning", "reasoning_content", "codex_reasoning_items", "codex_message_items")
#: Hardly any message has one of these.
THOUGHT = frozenset({*_REPLAYED, "reasoning_details"})
_NOT_SENT = ("_anthropic_content_blocks", "reasoning_details")


def text_tokens(text: str) -> int:
    """Return a quarter of the characters, rounded up; characters of dense scripts count whole."""
    if text.isascii():
        return (len(text) + 3) // 4
    dense = len(text) - len(_DENSE.sub("", text))
    return dense + (len(text) - dense + 3) // 4


def message_tokens(wire: Mapping[str, Any], policies: Policies, newest: bool = True) -> int:
    """Return the tokens of a message in walks over the list. `newest`: no assistant message follows it.

    Raises as the release does.
    """
    content = wire.get("content") or ""
    size = text_tokens(content) if isinstance(content, str) else content_chars(content) // 4
    tokens = size + MESSAGE_OVERHEAD
    for call in wire.get("tool_calls") or []:
        if isinstance(call, dict):
            tokens += text_tokens(str(call))
    if THOUGHT.isdisjoint(wire):
        return tokens
    if policies.lean_tail:
        return tokens + _current_reasoning(wire, newest)
    for key in _REPLAYED:
        tokens += serialized_chars(wire.get(key)) // 4
    if not (wire.get("reasoning") or wire.get("reasoning_content")):
        tokens += _thinking_chars(wire.get("reasoning_details")) // 4
    return tokens


def _current_reasoning(wire: Mapping[str, Any], newest: bool) -> int:
    tokens = 0
    for key in ("codex_reasoning_items", "codex_message_items"):
        tokens += serialized_chars(_without_cipher(wire.get(key))) // 4
    if newest and wire.get("role") == "assistant":
        reasoning = wire.get("reasoning_content") or wire.get("reasoning")
        tokens += (
            serialized_chars(reasoning) if reasoning else _thinking_chars(wire.get("reasoning_details"))
        ) // 4
    return tokens


def _without_cipher(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: "" if key == "encrypted_content" else _without_cipher(item) for key, item in value.items()
        }
    return [_without_cipher(item) for item in value] if isinstance(value, list) else value


def _thinking_chars(value: Any) -> int:
    if not value:
        return 0
    if isinstance(value, str):
        return len(value)
    total = 0
    for part in [value] if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(part, str):
            total += len(part)
        elif isinstance(part, dict):
            texts = (part.get(key) for key in ("thinking", "text", "summary"))
            total += sum(len(text) for text in texts if isinstance(text, str))
    return total


def rough_tokens(wire: Mapping[str, Any]) -> int:
    """Return the tokens of a message in the rough estimate of a list: the printed mapping as sent, and pictures."""
    return text_tokens(str(_sent(wire))) + message_images(wire) * IMAGE_TOKENS


def _sent(wire: Mapping[str, Any]) -> dict[str, Any]:
    sidecar = wire.get("api_content")
    replaced = isinstance(sidecar, str) and bool(sidecar) and wire.get("role") in ("user", "assistant")
    sent: dict[str, Any] = {}
    for key, value in wire.items():
        if key in _NOT_SENT:
            continue
        if key == "api_content":
            if replaced:
                sent["content"] = value
        elif key != "content":
            sent[key] = value
        elif not replaced:
            sent[key] = without_pictures(value)
    return sent
