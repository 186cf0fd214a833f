"""Kinds of messages for releases from 0.20.0 on: handoffs, echoes without text, messages of a person."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from inspector.core.messages import text_of
from inspector.engines.hermes.policies import Policies
from inspector.engines.hygiene import TODO_START

_LEGACY = "[CONTEXT SUMMARY]:"
_PRIOR = "[PRIOR CONTEXT — for reference only; not a new message]"
BELOW = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_MARK = "_compressed_summary"
#: SHA-256 of texts that a release writes as a user message if a compacted list has none.
_CONTINUATIONS = frozenset(
    {
        "813558469c3ee538148ddf78e284638f83a6e83fe6e252a03d24a6426f5fa507",
        "8e9df8ea1780496e6ce95b2bad9b21f7f0bce68f2dda54fb17a6d0362bd969f9",
    }
)
Wire = Mapping[str, Any]


def plain_text(content: Any) -> str:
    """Return the texts of a content, joined by line breaks; for a mapping its printed form."""
    return str(content) if isinstance(content, dict) else text_of(content)


def handoff_kind(content: Any, policies: Policies) -> Literal["", "standalone", "merged"]:
    """Return whether a content is a handoff in a wording of the release, or has one after its own text."""
    text = plain_text(content).lstrip()
    if BELOW in text:
        return "merged" if starts_as_handoff(text.split(BELOW, 1)[1].lstrip(), policies) else ""
    return "standalone" if starts_as_handoff(text, policies) else ""


def starts_as_handoff(text: str, policies: Policies) -> bool:
    """Return whether a text starts as a handoff in one of the release's wordings."""
    if text.startswith(_LEGACY):
        return True
    if not policies.wordings:
        return text.startswith("[CONTEXT COMPACTION")
    return text.startswith("[CONTEXT") and any(
        len(text) >= wording.length and _digest(text[: wording.length]) == wording.sha256
        for wording in policies.wordings
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def is_handoff(wire: Wire, policies: Policies) -> bool:
    """Return whether a message is or holds a handoff, by its mark or its wording."""
    return bool(wire.get(_MARK)) or bool(handoff_kind(wire.get("content"), policies))


def without_handoff(wire: Wire, policies: Policies) -> Wire | None:
    """Return the message without the handoff that was merged into it; None if nothing is left."""
    if not is_handoff(wire, policies):
        return wire
    content = wire.get("content")
    remaining = (
        _text_without_handoff(content)
        if isinstance(content, str)
        else _blocks_without_handoff(content)
        if isinstance(content, list)
        else None
    )
    if not remaining:
        return None
    return {**{key: value for key, value in wire.items() if key != _MARK}, "content": remaining}


def _text_without_handoff(content: str) -> str:
    if BELOW in content:
        return content.split(BELOW, 1)[0].strip().removeprefix(_PRIOR).lstrip()
    return content.partition(END)[2].lstrip()


def _blocks_without_handoff(content: list[Any]) -> list[Any]:
    before: list[Any] = []
    for item in content:
        text = _text_in(item)
        if text is not None and BELOW in text:
            front = text.split(BELOW, 1)[0]
            return _without_header([*before, _with_text(item, front)] if front.strip() else before)
        before.append(item)
    for index, item in enumerate(content):
        text = _text_in(item)
        if text is not None and END in text:
            rest = text.split(END, 1)[1].lstrip()
            return [*([_with_text(item, rest)] if rest else []), *content[index + 1 :]]
    return []


def _without_header(blocks: list[Any]) -> list[Any]:
    for index, item in enumerate(blocks):
        text = _text_in(item)
        if text is None or not text.lstrip().startswith(_PRIOR):
            continue
        remaining = text.lstrip()[len(_PRIOR) :].lstrip()
        return [*blocks[:index], *([_with_text(item, remaining)] if remaining else []), *blocks[index + 1 :]]
    return blocks


def _text_in(item: Any) -> str | None:
    text = item if isinstance(item, str) else item.get("text") if isinstance(item, dict) else None
    return text if isinstance(text, str) else None


def _with_text(item: Any, text: str) -> Any:
    return {**item, "text": text} if isinstance(item, dict) else text


def is_blank(wire: Wire, policies: Policies) -> bool:
    """Return whether a user message has no content: the echo of a platform."""
    if wire.get("role") != "user" or is_handoff(wire, policies):
        return False
    content = wire.get("content")
    if content is None or isinstance(content, str):
        return not (content or "").strip()
    return isinstance(content, list) and all(map(_is_empty, content))


def _is_empty(part: Any) -> bool:
    if isinstance(part, str):
        return not part.strip()
    if isinstance(part, dict) and part.get("type") in ("text", "input_text"):
        text = part.get("text")
        return isinstance(text, str) and not text.strip()
    return False


def is_synthetic(wire: Wire, policies: Policies) -> bool:
    """Return whether a user message is the release's own: a handoff, a list of open tasks, a marker to go on."""
    if wire.get("role") != "user":
        return False
    if is_handoff(wire, policies):
        return True
    text = plain_text(wire.get("content")).strip()
    return text.startswith(TODO_START + "\n") or (len(text) < 1_000 and _digest(text) in _CONTINUATIONS)
