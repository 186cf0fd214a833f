"""Sessions of further agents in the forms that their programs write. What is said in them is made up.

Each function writes the same story: the user sets a rule, a tool is called, the list is compacted, and one more
question follows. It returns the path to open.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

RULE = "Never let the ferry wait. Which berth is free?"
CALL = {"harbour": "north"}
RESULT = "berth 4 is free, berth 7 is taken"
ANSWER = "Berth 4 is free."
SUMMARY = "## Goal\nFind a berth.\n\n## Done\n- Berth 4 is free."
AFTER = "Moor the ferry at the free berth."
LAST = "The ferry is moored at berth 4."


class Expected(NamedTuple):
    """What a reader finds in the story: roles of the list after the compaction, with the two messages that follow; how
    many messages were between the boundaries and stayed; reported sizes; context and output of each request."""

    roles: list[str]
    kept: int = 0
    before: int | None = None
    after: int | None = None
    trigger: str | None = None
    requests: Sequence[tuple[int, int]] = ()
    summarizing: int = 0


def write_lines(path: Path, records: list[Mapping[str, Any]]) -> Path:
    """Write a file of one JSON document a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def stamp(second: int) -> str:
    """A time, so many seconds after eight."""
    return f"2026-10-05T08:00:{second:02d}.000Z"


def copilot(folder: Path) -> Path:
    """GitHub Copilot CLI: events. The summary is written while the conversation goes on."""
    events: list[Mapping[str, Any]] = []

    def event(kind: str, **data: Any) -> None:
        number = len(events)
        parent = None if number == 0 else f"e{number - 1}"
        events.append(
            {"type": kind, "data": data, "id": f"e{number}", "timestamp": stamp(number), "parentId": parent}
        )

    def usage(sent: int, read: int, name: str) -> None:
        event(
            "session.usage_record",
            usage={
                "model": "claude-sonnet-5", "inputTokens": sent, "outputTokens": 20, "cacheReadTokens": read,
                "cacheWriteTokens": 0, "maxPromptTokens": 100_000, "apiCallId": name,
            },
        )  # fmt: skip

    event(
        "session.start", sessionId="5e55c0b1-0000-4000-8000-000000000001", copilotVersion="1.0.102",
        selectedModel="claude-sonnet-5", context={"cwd": "/home/me/harbour"},
    )  # fmt: skip
    event(
        "user.message", content=RULE, transformedContent=f"<current_datetime>now</current_datetime>\n\n{RULE}"
    )
    event("system.message", role="system", content="You are an agent of the harbour.")
    usage(40_000, 0, "c1")
    event(
        "assistant.message",
        content="",
        toolRequests=[{"toolCallId": "t1", "name": "berths", "arguments": CALL}],
    )
    event("tool.execution_complete", toolCallId="t1", success=True, result={"content": RESULT})
    event("session.compaction_start", currentTokens=81_000, tokenLimit=100_000, trigger="threshold")
    usage(80_500, 40_000, "c2")
    event("assistant.message", content=ANSWER, toolRequests=[])
    event(
        "session.compaction_complete", success=True, trigger="threshold", summaryContent=SUMMARY, tokenLimit=100_000,
        preCompactionTokens=81_000, postCompactionTokens=9_000,
        compactionTokensUsed={"inputTokens": 81_200, "outputTokens": 300, "model": "claude-sonnet-5"},
    )  # fmt: skip
    event("user.message", content=AFTER)
    usage(12_000, 0, "c3")
    event("assistant.message", content=LAST, toolRequests=[])
    return write_lines(folder / "5e55c0b1-0000-4000-8000-000000000001" / "events.jsonl", events)


def _content(role: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def qwen(folder: Path) -> Path:
    """Qwen Code: lines like Claude Code's, with parts; a compaction records the list that goes on."""
    call = {"functionCall": {"id": "t1", "name": "berths", "args": CALL}}
    result = {"functionResponse": {"id": "t1", "name": "berths", "response": {"output": RESULT}}}
    session = "5e550e27-0000-4000-8000-000000000001"
    lines: list[Mapping[str, Any]] = []

    def line(kind: str, provenance: str, **more: Any) -> None:
        number = len(lines)
        lines.append(
            {
                "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": session,
                "timestamp": stamp(number), "type": kind, "provenance": provenance, "cwd": "/home/me/harbour",
                "version": "0.24.4", **more,
            }
        )  # fmt: skip

    def answer(sent: int, read: int, *parts: Mapping[str, Any]) -> None:
        response(sent, read)
        usage = {"promptTokenCount": sent, "cachedContentTokenCount": read, "totalTokenCount": sent + 20}
        line(
            "assistant", "assistant_output", model="qwen3-coder", message=_content("model", *parts),
            usageMetadata=usage, contextWindowSize=100_000,
        )  # fmt: skip

    def response(sent: int, read: int) -> None:
        event = {
            "event.name": "qwen-code.api_response", "response_id": f"r{len(lines)}", "model": "qwen3-coder",
            "input_token_count": sent, "output_token_count": 20, "cached_content_token_count": read,
        }  # fmt: skip
        line("system", "system", subtype="ui_telemetry", systemPayload={"uiEvent": event})

    line("user", "real_user", message=_content("user", {"text": RULE}))
    answer(86_000, 0, call)
    line("tool_result", "tool_result", message=_content("user", result))
    response(87_000, 0)
    info = {
        "originalTokenCount": 86_100, "newTokenCount": 9_000, "compressionStatus": 1, "triggerReason": "token_limit",
    }  # fmt: skip
    made_up = _content("model", {"text": "Understood."})
    history = [
        _content("user", {"text": SUMMARY}),
        made_up,
        _content("model", call),
        _content("user", result),
    ]
    line(
        "system",
        "system",
        subtype="chat_compression",
        systemPayload={"info": info, "compressedHistory": history},
    )
    line("user", "real_user", message=_content("user", {"text": AFTER}))
    answer(12_000, 9_000, {"text": LAST})
    return write_lines(folder / "-home-me-harbour" / "chats" / f"{session}.jsonl", lines)


def gemini(folder: Path) -> Path:
    """Gemini CLI: messages, and a change that puts a list in the place of all before."""
    snapshot = f"<state_snapshot>\n{SUMMARY}\n</state_snapshot>"

    def message(name: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"id": name, "timestamp": stamp(len(records)), "type": kind, "content": content, **more}

    def tokens(sent: int, cached: int) -> dict[str, int]:
        return {"input": sent, "output": 20, "cached": cached, "thoughts": 0, "tool": 0, "total": sent + 20}

    records: list[Mapping[str, Any]] = []
    records.append(
        {
            "sessionId": "4e550e27-0000-4000-8000-000000000001", "projectHash": "ab12", "startTime": stamp(0),
            "kind": "main",
        }
    )  # fmt: skip
    context = message("m0", "user", [{"text": "<session_context>\nToday is Monday.\n</session_context>"}])
    records.append({"$set": {"messages": [context]}})
    records.append(message("m1", "user", [{"text": RULE}]))
    records.append(message("m2", "gemini", "", tokens=tokens(600_000, 0), model="gemini-2.5-pro"))
    result = [{"functionResponse": {"id": "t1", "name": "berths", "response": {"output": RESULT}}}]
    call = {"id": "t1", "name": "berths", "args": CALL, "result": result, "status": "success"}
    records.append(
        message("m2", "gemini", "", tokens=tokens(600_000, 0), model="gemini-2.5-pro", toolCalls=[call])
    )
    listed = [
        context, message("m3", "user", [{"text": snapshot}]), message("m4", "gemini", [{"text": "Understood."}]),
        message("m5", "user", [{"text": RULE}]),
    ]  # fmt: skip
    records.append({"$set": {"messages": listed}})
    # A resume writes the list again.
    records.append({"$set": {"messages": listed}})
    records.append(message("m6", "user", [{"text": AFTER}]))
    records.append(message("m7", "gemini", LAST, tokens=tokens(90_000, 30_000), model="gemini-2.5-pro"))
    return write_lines(folder / "harbour" / "chats" / "session-2026-10-05T08-00-4e550e27.jsonl", records)


WRITERS: dict[str, Callable[[Path], Path]] = {"copilot": copilot, "qwen": qwen, "gemini": gemini}
EXPECTED = {
    "copilot": Expected(
        ["user", "user", "assistant", "user", "assistant"], 1, 81_000, 9_000, "auto",
        [(40_000, 20), (80_500, 20), (81_200, 300), (12_000, 20)], 3,
    ),
    "qwen": Expected(
        ["user", "assistant", "assistant", "tool", "user", "assistant"], 0, 86_100, 9_000, "auto",
        [(86_000, 20), (87_000, 20), (12_000, 20)], 2,
    ),
    "gemini": Expected(
        ["system", "user", "assistant", "user", "user", "assistant"], 2,
        requests=[(600_000, 20), (90_000, 20)],
    ),
}  # fmt: skip
