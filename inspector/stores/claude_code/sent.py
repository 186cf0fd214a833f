"""The requests that newer releases of Claude Code (seen: 2.1.331) record as they sent them, with cache breakpoints.

An `api-request-shape` line has the system prompt and the tools. An `api-request-blob` line has one message. An
`api-request` line has the messages that the request kept from an earlier request, the messages that it added, and the
places of the cache breakpoints. The model's own answers have no blob, because they are in the transcript. The
summarizing request is not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.core.conversations import SentRequest
from inspector.stores.claude_code.forms import answer_in
from inspector.stores.lines import read_lines
from inspector.stores.values import (
    count_of,
    listed,
    mapping_at,
    mappings_in,
    seconds_of,
    strings,
    text_at,
)


def sent_requests(path: Path) -> tuple[SentRequest, ...]:
    """Return the recorded requests of a transcript, in order. Requests with missing messages are left out.

    Raises StoreErrors.
    """
    shapes: dict[str, Mapping[str, Any]] = {}
    blobs: dict[str, Mapping[str, Any]] = {}
    lists: dict[str, list[str]] = {}
    #: The answers since the last request, by the id of each.
    answers: dict[str, list[Any]] = {}
    requests: list[SentRequest] = []
    for line in read_lines(path):
        value = line.value or {}
        kind = value.get("type")
        if kind == "api-request-shape":
            shapes[text_at(value, "shapeHash")] = mapping_at(value, "shape")
        elif kind == "api-request-blob":
            blobs[text_at(value, "hash")] = mapping_at(value, "message")
        elif kind == "assistant" and value.get("isSidechain") is not True:
            content = mapping_at(value, "message").get("content")
            answers.setdefault(answer_in(value), []).extend(listed(content))
        elif kind == "api-request":
            kept = lists.get(text_at(value, "base"), [])[: count_of(value, "keep") or 0]
            names = [*kept, *strings(value.get("tail"))]
            missing = [name for name in names if name not in blobs]
            if len(missing) == len(answers):
                new_blobs = ({"role": "assistant", "content": blocks} for blocks in answers.values())
                blobs.update(zip(missing, new_blobs, strict=True))
            answers = {}
            lists[text_at(value, "id")] = names
            if all(name in blobs for name in names):
                shape = shapes.get(text_at(value, "shapeHash"), {})
                requests.append(_request(value, shape, [blobs[name] for name in names]))
    return tuple(requests)


def _request(
    value: Mapping[str, Any], shape: Mapping[str, Any], messages: list[Mapping[str, Any]]
) -> SentRequest:
    paths = [mark.get("path") for mark in mappings_in(value.get("cacheControl"))]
    return SentRequest(
        text_at(value, "id"),
        seconds_of(value.get("timestamp")),
        text_at(value, "params", "model"),
        tuple(messages),
        tuple(mappings_in(shape.get("system"))),
        tuple(mappings_in(shape.get("tools"))),
        tuple(tuple(path) for path in paths if isinstance(path, list)),
    )
