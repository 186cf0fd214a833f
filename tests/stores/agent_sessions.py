"""Sessions of further agents in the forms that their programs write. What is said in them is made up.

Each function writes the same story: the user sets a rule, a tool is called, the list is compacted, and one more
question follows. It returns the path to open.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

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


def pi_entries() -> list[Mapping[str, Any]]:
    """pi: entries that hang on each other; a compaction names the first that stays and has the usage of its call."""
    entries: list[Mapping[str, Any]] = [
        {
            "type": "session",
            "version": 4,
            "id": "5e550c1a-0000-4000-8000-000000000001",
            "timestamp": stamp(0),
            "cwd": "/x",
        }
    ]

    def entry(kind: str, **more: Any) -> None:
        number = len(entries)
        parent = f"p{number - 1}" if number > 1 else None
        entries.append(
            {"type": kind, "id": f"p{number}", "parentId": parent, "timestamp": stamp(number), **more}
        )

    def answer(content: list[Mapping[str, Any]], sent: int, read: int) -> None:
        usage = {
            "input": sent - read,
            "output": 20,
            "cacheRead": read,
            "cacheWrite": 0,
            "totalTokens": sent + 20,
        }
        message = {
            "role": "assistant",
            "content": content,
            "model": "gpt-5.5",
            "provider": "openai",
            "usage": usage,
        }
        entry("message", message=message)

    entry("custom", customType="openclaw.cache-ttl", data={})
    entry("message", message={"role": "user", "content": RULE})
    answer([{"type": "toolCall", "id": "t1", "name": "berths", "arguments": CALL}], 150_000, 0)
    result = {
        "role": "toolResult",
        "toolCallId": "t1",
        "toolName": "berths",
        "content": [{"type": "text", "text": RESULT}],
    }
    entry("message", message=result)
    answer([{"type": "text", "text": ANSWER}], 182_000, 150_000)
    entry(
        "compaction", summary=SUMMARY, firstKeptEntryId="p5", tokensBefore=182_020, tokensAfter=9_000, fromHook=True,
        usage={"input": 182_500, "output": 300, "cacheRead": 0, "cacheWrite": 0},
    )  # fmt: skip
    entry("message", message={"role": "user", "content": AFTER})
    answer([{"type": "text", "text": LAST}], 12_000, 9_000)
    return entries


def openclaw(folder: Path) -> Path:
    """OpenClaw: pi's entries in a database, long ones compressed."""
    path = folder / "main" / "agent" / "openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path)
    database.execute(
        "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,"
        " event_zstd BLOB, event_utf8_bytes INTEGER, PRIMARY KEY (session_id, seq))"
    )
    for seq, entry in enumerate(pi_entries()):
        raw = json.dumps(entry).encode()
        packed = seq == 4
        row = (
            "5e550c1a",
            seq,
            None if packed else raw.decode(),
            0,
            zstd.compress(raw) if packed else None,
            len(raw),
        )
        database.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?, ?)", row)
    database.commit()
    database.close()
    return path


def dsh(folder: Path) -> Path:
    """DeepSeek Harness: records that are appended to the list or replace a range, in frames compressed by zstd."""
    records: list[Mapping[str, Any]] = [
        {
            "type": "session",
            "version": 4,
            "id": "session-5e55d500",
            "createdAt": 1791187200000,
            "cwd": "/home/me/harbour",
        }
    ]

    def record(kind: str, data: Mapping[str, Any], surface: Any = None) -> int:
        seq = len(records) - 1
        operation = {"surfaceOp": surface} if surface is not None else {}
        records.append(
            {"type": kind, "seq": seq, "time": 1791187200000 + seq * 1000, "data": data, **operation}
        )
        return seq

    def said(text: str, kind: str = "user", surface: Any = "append") -> int:
        content = [{"type": "text", "text": text}]
        return record("user/message", {"content": content, "source": {"kind": kind}, "role": "user"}, surface)

    def answer(content: list[Mapping[str, Any]], sent: int, read: int) -> int:
        usage = {
            "inputTokens": 0,
            "outputTokens": 20,
            "cacheReadTokens": read,
            "cacheWriteTokens": sent - read,
        }
        message = {"role": "assistant", "content": content, "id": f"a{len(records)}"}
        return record("assistant/message", {"message": message, "usage": usage}, "append")

    def result(text: str, surface: Any) -> int:
        message = {
            "role": "tool",
            "toolCallId": "t1",
            "content": [{"type": "text", "text": text}],
            "isError": False,
        }
        return record("tool/result", {"message": message}, surface)

    record("request/context", {"provider": "deepseek", "model": "deepseek-flash", "contextWindow": 100_000})
    first = said(RULE)
    call = {"type": "tool-call", "id": "t1", "name": "berths", "arguments": json.dumps(CALL)}
    answer([call], 60_000, 0)
    long = result(f"{RESULT} {'and so on ' * 200}", "append")
    record("compaction/prune", {"shadowedSeqs": [long]})
    last = result(RESULT, {"op": "replace", "startSeq": long, "endSeq": long})
    record("compaction/start", {"compactionId": "k1"})
    record("compaction/end", {"compactionId": "k1", "error": "summary is not smaller than what it replaces"})
    answer([{"type": "text", "text": ANSWER}], 81_000, 60_000)
    record("compaction/start", {"compactionId": "k2"})
    usage = {"inputTokens": 900, "outputTokens": 300, "cacheReadTokens": 81_000, "cacheWriteTokens": 0}
    summary = [{"type": "text", "text": SUMMARY}]
    record(
        "compaction/summary",
        {"compactionId": "k2", "summary": summary, "usage": usage, "model": "deepseek-flash"},
    )
    surface = {"op": "replace", "startSeq": first, "endSeq": last}
    said(f"A checkpoint.\n{SUMMARY}", "compact-checkpoint", surface)
    record("compaction/end", {"compactionId": "k2"})
    said("It is Monday.", "runtime-context")
    said(AFTER)
    answer([{"type": "text", "text": LAST}], 12_000, 9_000)
    path = folder / "--home-me-harbour--" / "session-5e55d500" / "session.v4.jsonl.zstd"
    path.parent.mkdir(parents=True)
    lines = [json.dumps(record).encode() + b"\n" for record in records]
    # A frame each time that something was written.
    path.write_bytes(b"".join(zstd.compress(b"".join(lines[at : at + 3])) for at in range(0, len(lines), 3)))
    return path


def openhands(folder: Path) -> Path:
    """OpenHands: a state and a file for each event; a condensation names what is forgotten."""
    conversation = folder / "5e550a2d000040008000000000000001"
    events: list[Mapping[str, Any]] = []

    def event(kind: str, source: str, **more: Any) -> None:
        number = len(events)
        events.append(
            {"id": f"v{number}", "timestamp": stamp(number)[:-1], "source": source, "kind": kind, **more}
        )

    def text(words: str) -> list[dict[str, str]]:
        return [{"type": "text", "text": words}]

    event("SystemPromptEvent", "agent", system_prompt={"type": "text", "text": "You are an agent."}, tools=[])
    event("MessageEvent", "user", llm_message={"role": "user", "content": text(RULE)})
    for number in (1, 2):
        # Two calls of one answer.
        event(
            "ActionEvent", "agent", thought=[], tool_name="berths", tool_call_id=f"t{number}", llm_response_id="r1",
            tool_call={"name": "berths", "arguments": json.dumps(CALL)},
        )  # fmt: skip
    for number in (1, 2):
        observation = {"content": text(RESULT), "is_error": False}
        event(
            "ObservationEvent",
            "environment",
            tool_call_id=f"t{number}",
            tool_name="berths",
            observation=observation,
        )
    answer = {"role": "assistant", "content": text(ANSWER)}
    event("MessageEvent", "agent", llm_message=answer, llm_response_id="r2")
    event(
        "Condensation", "environment", forgotten_event_ids=["v2", "v3", "v4", "v5"], summary=SUMMARY, summary_offset=2,
        llm_response_id="r3",
    )  # fmt: skip
    event("MessageEvent", "user", llm_message={"role": "user", "content": text(AFTER)})
    event(
        "MessageEvent",
        "agent",
        llm_message={"role": "assistant", "content": text(LAST)},
        llm_response_id="r4",
    )
    for number, made in enumerate(events):
        write_lines(conversation / "events" / f"event-{number:05d}-{made['id']}.json", [made])

    def usage(name: str, sent: int, read: int, output: int) -> dict[str, Any]:
        return {
            "model": "openai/gpt-5.5", "response_id": name, "prompt_tokens": sent, "completion_tokens": output,
            "cache_read_tokens": read, "cache_write_tokens": 0,
        }  # fmt: skip

    usages = [usage("r1", 40_000, 0, 20), usage("r2", 60_000, 40_000, 20), usage("r4", 12_000, 9_000, 20)]
    metrics = {
        "agent": {"token_usages": usages},
        "condenser": {"token_usages": [usage("r3", 60_500, 0, 300)]},
    }
    state = {
        "id": "5e550a2d-0000-4000-8000-000000000001", "agent": {"llm": {"model": "openai/gpt-5.5"}},
        "workspace": {"working_dir": "/home/me/harbour"}, "persistence_dir": str(conversation),
        "stats": {"usage_to_metrics": metrics},
    }  # fmt: skip
    return write_lines(conversation / "base_state.json", [state])


def kimi(folder: Path) -> Path:
    """Kimi CLI: the list in force in one file, those before compactions beside it, times and usage in a third."""
    session = folder / hashlib.md5(b"/home/me/harbour", usedforsecurity=False).hexdigest() / "5e550c11"
    prompt = {"role": "_system_prompt", "content": "You are an agent."}
    call = {"type": "function", "id": "t1", "function": {"name": "berths", "arguments": json.dumps(CALL)}}
    question, called = (
        {"role": "user", "content": RULE},
        {"role": "assistant", "content": "", "tool_calls": [call]},
    )
    result = {"role": "tool", "content": [{"type": "text", "text": RESULT}], "tool_call_id": "t1"}
    answer = {"role": "assistant", "content": ANSWER}
    mark, count = {"role": "_checkpoint", "id": 0}, {"role": "_usage", "token_count": 5}
    write_lines(
        session / "context_1.jsonl", [prompt, mark, question, mark, count, called, count, result, answer]
    )
    parts = [
        {"type": "text", "text": "<system>Previous context has been compacted. Here is the output:</system>"},
        {"type": "text", "text": SUMMARY},
    ]
    made = {"role": "user", "content": parts}
    last = {"role": "assistant", "content": LAST}
    after = [prompt, mark, made, result, answer, count, mark, {"role": "user", "content": AFTER}, count, last]
    path = write_lines(session / "context.jsonl", after)
    wire: list[Mapping[str, Any]] = [{"type": "metadata", "protocol_version": "1.10"}]

    def message(kind: str, **payload: Any) -> None:
        wire.append({"timestamp": 1791187200 + len(wire), "message": {"type": kind, "payload": payload}})

    def usage(sent: int, read: int) -> None:
        tokens = {
            "input_other": sent - read,
            "output": 20,
            "input_cache_read": read,
            "input_cache_creation": 0,
        }
        message("StatusUpdate", token_usage=tokens, max_context_tokens=100_000, message_id=f"m{len(wire)}")

    message("TurnBegin", user_input=RULE)
    usage(60_000, 0)
    message("ToolResult", tool_call_id="t1")
    usage(61_000, 60_000)
    message("CompactionBegin")
    message("CompactionEnd")
    message("TurnBegin", user_input=AFTER)
    usage(12_000, 9_000)
    write_lines(session / "wire.jsonl", wire)
    write_lines(session / "state.json", [{"version": 1, "custom_title": "Never let the…"}])
    return path


WRITERS: dict[str, Callable[[Path], Path]] = {
    "copilot": copilot, "dsh": dsh, "gemini": gemini, "kimi": kimi, "openclaw": openclaw, "openhands": openhands,
    "qwen": qwen,
}  # fmt: skip
EXPECTED = {
    "copilot": Expected(
        ["user", "user", "assistant", "user", "assistant"], 1, 81_000, 9_000, "auto",
        [(40_000, 20), (80_500, 20), (81_200, 300), (12_000, 20)], 3,
    ),
    "qwen": Expected(
        ["user", "assistant", "assistant", "tool", "user", "assistant"], 0, 86_100, 9_000, "auto",
        [(86_000, 20), (87_000, 20), (12_000, 20)], 2,
    ),
    "openclaw": Expected(
        ["user", "assistant", "user", "assistant"], 0, 182_020, 9_000, None,
        [(150_000, 20), (182_000, 20), (12_000, 20)],
    ),
    "dsh": Expected(
        ["user", "assistant", "system", "user", "assistant"],
        requests=[(60_000, 20), (81_000, 20), (81_900, 300), (12_000, 20)], summarizing=3,
    ),
    "openhands": Expected(
        ["user", "user", "assistant", "user", "assistant"],
        requests=[(40_000, 20), (60_000, 20), (60_500, 300), (12_000, 20)], summarizing=3,
    ),
    "kimi": Expected(
        ["user", "tool", "assistant", "user", "assistant"], requests=[(60_000, 20), (61_000, 20), (12_000, 20)],
    ),
    "gemini": Expected(
        ["system", "user", "assistant", "user", "user", "assistant"], 2,
        requests=[(600_000, 20), (90_000, 20)],
    ),
}  # fmt: skip
