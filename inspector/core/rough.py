"""Rough token counts, as Hermes computes them before a provider has reported real ones.

Source: releases 0.13.0 and 0.19.0, `agent/model_metadata.py`: a text is ceil(characters / 4) tokens; a list is
ceil(all characters / 4) plus 1,500 for each picture. The characters of a message are the characters of the printed
dict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.core.messages import IMAGE_PARTS

IMAGE_TOKENS = 1_500
_BLOCKS = "_anthropic_content_blocks"


def text_tokens(characters: int) -> int:
    """Return the tokens of a text with that many characters."""
    return (characters + 3) // 4


def list_tokens(characters: int, images: int = 0) -> int:
    """Return the tokens of a list of messages, from the total characters and pictures."""
    return (characters + 3) // 4 + images * IMAGE_TOKENS


#: The last printed message: reading a list and measuring it print each message one after the other.
_printed: tuple[Mapping[str, Any], int] = ({}, 2)


def message_chars(wire: Mapping[str, Any]) -> int:
    """Return the characters that a message adds to a list: its printed mapping without pictures."""
    global _printed
    last, chars = _printed
    if last is not wire:
        chars = _chars(wire)
        _printed = wire, chars
    return chars


def _chars(wire: Mapping[str, Any]) -> int:
    content = wire.get("content")
    if (
        isinstance(content, list)
        or _BLOCKS in wire
        or (isinstance(content, dict) and content.get("_multimodal"))
    ):
        printed = {
            key: without_pictures(value) if key == "content" else value
            for key, value in wire.items()
            if key != _BLOCKS
        }
        return len(str(printed))
    return len(str(wire))


def without_pictures(value: Any) -> Any:
    """Return the content of a message with a placeholder for each picture."""
    if isinstance(value, list):
        return [
            {"type": part.get("type"), "image": "[stripped]"}
            if isinstance(part, dict) and part.get("type") in IMAGE_PARTS
            else part
            for part in value
        ]
    if isinstance(value, dict) and value.get("_multimodal"):
        return value.get("text_summary", "")
    return value


def message_images(wire: Mapping[str, Any]) -> int:
    """Return the number of pictures that a message counts for."""
    content = wire.get("content")
    count = _images(content, IMAGE_PARTS)
    count += _images(wire.get(_BLOCKS), ("image",))
    if isinstance(content, dict) and content.get("_multimodal"):
        count += _images(content.get("content"), ("image", "image_url"))
    return count


def _images(parts: object, kinds: tuple[str, ...]) -> int:
    if not isinstance(parts, list):
        return 0
    return sum(1 for part in parts if isinstance(part, dict) and part.get("type") in kinds)


def wires_tokens(wires: Sequence[Mapping[str, Any]]) -> int:
    """Return the tokens of a list of messages. They are fewer than the sum over the messages."""
    return list_tokens(sum(map(message_chars, wires)), sum(map(message_images, wires)))
