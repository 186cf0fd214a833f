"""Claude Code's output for programs (`claude -p --output-format stream-json`, the Agent SDK), as lines of a transcript.

CI jobs keep it as JSON lines or as one JSON list, apps as audit.jsonl. Its lines are the transcript's, with the same
uuids and other keys. Established from the output of 2.1.20, 2.1.150 and 2.1.331.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.core.errors import NotAStore
from inspector.core.refusals import CONTINUED
from inspector.stores.claude_code.forms import joined_texts
from inspector.stores.lines import Line, first_mappings, head_of, parsed, read_file, read_lines, read_spans
from inspector.stores.values import listed, text_of

#: Keys of a stream, in the first lines. The output of other agents has some of these keys too.
_MARKS = (b'"parent_tool_use_id"', b'"claude_code_version"', b'"slash_commands"')
_QWEN = b'"qwen_code_version"'
_UNDER = re.compile(r"_([a-z])")
#: Contents that stay as they are.
_CONTENTS = frozenset({"message", "tool_use_result"})
_Value = dict[str, Any]


def is_stream(head: bytes) -> bool:
    """Return whether a file that begins like this is a stream."""
    if _QWEN in head or not any(mark in head for mark in _MARKS):
        return False
    if _is_list(head):
        return b'"session_id"' in head
    return any(
        {"type", "session_id"} <= value.keys() and "sessionId" not in value for value in first_mappings(head)
    )


def is_stream_file(path: Path) -> bool:
    """Return whether a file is a stream. Raises StoreErrors."""
    try:
        return is_stream(head_of(path))
    except NotAStore:
        return False


def stream_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a stream that a transcript has too. Another session of the file is marked like a sub-agent.

    Raises StoreErrors.
    """
    main = session = time = ""
    context: _Value = {}
    #: The last line of each conversation.
    last: dict[str, str] = {}
    seen: set[str] = set()
    for line in _records(path):
        value = line.value
        if value is None:
            yield line
            continue
        kind, subtype = text_of(value, "type"), text_of(value, "subtype")
        if subtype == "init":
            context = {"cwd": text_of(value, "cwd"), "version": text_of(value, "claude_code_version")}
        if subtype == "init" or not session:
            session = text_of(value, "session_id")
        main = main or session
        time = text_of(value, "timestamp") or text_of(value, "_audit_timestamp") or time
        compacts = kind == "system" and subtype.endswith("compact_boundary")
        failed = value.get("compact_result") == "failed"
        # The output of a local command has the form of an answer.
        is_message = kind in ("user", "assistant") and "local_command_source" not in value
        if not (compacts or failed or is_message):
            continue
        started = text_of(value, "parent_tool_use_id")
        agent = (text_of(value, "agent_id") or started) if started else session if session != main else ""
        uuid, parent = text_of(value, "uuid") or f"{path.name} {line.start}", last.get(agent, "")
        if uuid in seen:
            continue
        seen.add(uuid)
        last[agent] = uuid
        converted = _as_line(value) | context
        converted |= {
            "uuid": uuid,
            "sessionId": session,
            "isSidechain": bool(agent),
            "agentId": agent,
            "timestamp": time,
        }
        converted |= {"parentUuid": "", "logicalParentUuid": parent} if compacts else {"parentUuid": parent}
        yield Line(line.start, line.length, converted)


def stream_spans(path: Path, spans: Sequence[tuple[int, int]]) -> list[_Value | None]:
    """Return the lines at these places of a stream that was read before. Raises StoreErrors."""
    is_list = _is_list(head_of(path))
    values = [_listed(path)[start] for start, _ in spans] if is_list else read_spans(path, spans)
    return [None if value is None else _as_line(value) for value in values]


def _records(path: Path) -> Iterator[Line]:
    if not _is_list(head_of(path)):
        yield from read_lines(path)
        return
    for number, value in enumerate(_listed(path)):
        yield Line(number, 1, value)


def _listed(path: Path) -> list[_Value | None]:
    return [value if isinstance(value, dict) else None for value in listed(parsed(read_file(path)))]


def _is_list(head: bytes) -> bool:
    return head.lstrip()[:1] == b"["


def _as_line(value: Mapping[str, Any]) -> _Value:
    """Return a line with the keys of a transcript. All releases begin a summary with the same words."""
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    line: _Value = _respelled(value)
    return line | {
        "isMeta": value.get("isSynthetic") is True,
        "isCompactSummary": value.get("type") == "user" and joined_texts(content).startswith(CONTINUED),
    }


def _respelled(value: Any) -> Any:
    """Return a mapping with its keys as in a transcript: preTokens instead of pre_tokens."""
    if not isinstance(value, dict):
        return value
    return {
        _UNDER.sub(lambda match: match[1].upper(), key): inner if key in _CONTENTS else _respelled(inner)
        for key, inner in value.items()
    }
