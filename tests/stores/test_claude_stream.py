"""Claude Code's output for programs: lists, compactions, requests and sub-agents of a stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.fact_results import work_out
from inspector.answers.inspection import Inspection
from inspector.answers.store_losses import unknown_losses
from inspector.core.errors import NotAStore
from inspector.core.refusals import CONTINUED
from inspector.stores.detect import open_store
from tests.stores.alone import opened, texts

SESSION = "0e55a000-0000-4000-8000-00000000000a"
SUMMARY = (
    f"{CONTINUED} that ran out of context.\n\nSummary:\n1. Primary Request and Intent:\n   Paint the pier."
)


class Stream:
    """The lines of a stream."""

    def __init__(self, session: str = SESSION) -> None:
        self.session = session
        self.lines: list[dict[str, Any]] = []
        self.add(
            type="system", subtype="init", cwd="/srv/pier", claude_code_version="2.1.331", slash_commands=[]
        )

    def add(self, **line: Any) -> str:
        """Add a line; return its uuid."""
        uuid = f"{self.session}-{len(self.lines)}"
        self.lines.append({**line, "session_id": self.session, "uuid": uuid})
        return uuid

    def user(self, content: Any, **more: Any) -> str:
        """Add a line of type user."""
        message = {"role": "user", "content": content}
        return self.add(type="user", message=message, **{"parent_tool_use_id": None, **more})

    def answer(self, name: str, *blocks: dict[str, Any], sent: int = 0, **more: Any) -> str:
        """Add a line for each block of an answer; return the uuid of the last one."""
        usage = {"input_tokens": 4, "cache_read_input_tokens": sent, "output_tokens": 40}
        message = {"id": name, "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
        return [
            self.add(
                type="assistant",
                message={**message, "content": [block]},
                **{"parent_tool_use_id": None, **more},
            )
            for block in blocks
        ][-1]

    def compacted(self, **metadata: Any) -> None:
        """Add a boundary."""
        self.add(type="system", subtype="status", status="compacting")
        self.add(type="system", subtype="compact_boundary", compact_metadata=metadata)

    def write(self, path: Path) -> Path:
        """Write the lines as JSON lines, or as one list into a .json file."""
        whole = path.suffix == ".json"
        text = json.dumps(self.lines, indent=2) if whole else "\n".join(map(json.dumps, self.lines)) + "\n"
        path.write_text(text, encoding="utf-8")
        return path


def said(text: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": text}


def call(name: str, tool: str = "Bash") -> dict[str, Any]:
    """Return a tool call."""
    return {"type": "tool_use", "id": name, "name": tool, "input": {"command": "ls pier"}}


def result(name: str) -> list[dict[str, Any]]:
    """Return the content of a line with a tool result."""
    return [{"type": "tool_result", "tool_use_id": name, "content": "planks.txt"}]


def worked(asked: bool = True, summary: str = SUMMARY) -> Stream:
    """Make a stream with a compaction that keeps its last answer."""
    made = Stream()
    if asked:
        made.user("Paint the pier. Never use more than 7 buckets.", isReplay=True)
    made.answer("msg_1", said("I look."), call("toolu_1"), sent=9_000)
    made.user(result("toolu_1"))
    kept = made.answer("msg_2", said("I paint."), sent=167_500)
    made.compacted(trigger="auto", pre_tokens=167_544, post_tokens=900, preserved_messages={"uuids": [kept]})
    if summary:
        made.user([said(summary)], isSynthetic=True)
    made.answer("msg_3", said("The pier is painted."), sent=20_000)
    made.add(type="result", subtype="success", is_error=False)
    return made


@pytest.mark.parametrize("name", ["run.jsonl", "claude-execution-output.json"])
def test_a_stream_has_the_lists_and_compactions_of_its_transcript(tmp_path: Path, name: str) -> None:
    store, conversation, (compaction,) = opened(worked().write(tmp_path / name))
    row = conversation.row
    assert (row.id, row.agent, row.source) == (SESSION, "claude-code", "claude-code 2.1.331")
    assert (row.title, row.folder) == ("Paint the pier. Never use more than 7 buckets.", "/srv/pier")
    assert (row.messages, [len(one) for one in conversation.generations]) == (3, [4, 3])
    assert texts(store, conversation) == [
        ("user", SUMMARY), ("assistant", "I paint."), ("assistant", "The pier is painted."),
    ]  # fmt: skip
    assert (compaction.trigger, compaction.tokens_before_reported, compaction.tokens_after_reported) == (
        "auto", 167_544, 900,
    )  # fmt: skip
    assert (compaction.summary, compaction.tail_start, compaction.tail_after) == (SUMMARY, 3, 1)
    assert compaction.whole
    assert not compaction.encrypted
    assert [request.context for request in store.requests(conversation)] == [9_004, 167_504, 20_004]
    assert any("stream-json" in note for note in conversation.notes)


def test_losses_are_unknown_without_the_users_prompts(tmp_path: Path) -> None:
    store, conversation, (compaction,) = opened(worked(asked=False).write(tmp_path / "run.jsonl"))
    assert not compaction.whole
    assert any("the user's prompts" in note for note in conversation.notes)
    losses = work_out(Inspection(store, conversation))[0]
    assert unknown_losses([losses]) == [
        "The losses of 1 compaction are unknown in whole or in part: the files lack the list before, or a part."
    ]


def test_a_summary_that_is_missing_in_the_stream_is_unknown(tmp_path: Path) -> None:
    store, conversation, (compaction,) = opened(worked(summary="").write(tmp_path / "run.jsonl"))
    assert (compaction.summary, compaction.encrypted) == (None, True)
    assert "No summary follows it" in compaction.note
    losses = work_out(Inspection(store, conversation))[0]
    assert [(one.lost, one.unknown) for one in losses.compactions] == [({}, 1)]
    assert any("the summaries cannot be read" in one for one in unknown_losses([losses]))


def test_a_sub_agent_is_a_separate_conversation(tmp_path: Path) -> None:
    made = Stream()
    made.user("Paint the pier.", isReplay=True)
    made.answer("msg_1", call("toolu_1", "Agent"))
    inner = {"parent_tool_use_id": "toolu_1"}
    made.user([said("Count the planks.")], **inner)
    made.answer("msg_2", call("toolu_2"), **inner)
    made.user(result("toolu_2"), **inner)
    made.answer("msg_3", said("There are 12."), **inner)
    made.user(result("toolu_1"))
    store = open_store(made.write(tmp_path / "run.jsonl"))
    rows = {(row.id, row.kind, row.parent, row.messages) for row in store.conversations()}
    assert rows == {(SESSION, "conversation", None, 3), ("toolu_1", "sub-agent", SESSION, 4)}
    assert [text for _, text in texts(store, store.open("toolu_1"))][::3] == [
        "Count the planks.",
        "There are 12.",
    ]


def test_runs_in_one_file_are_separate_and_runs_of_one_session_are_one(tmp_path: Path) -> None:
    first, other, later = Stream(), Stream("0e55a000-0000-4000-8000-00000000000b"), Stream()
    first.user("Paint the pier.")
    other.user("Paint the boat.")
    later.answer("msg_9", said("Painted."))
    later.lines[-1]["uuid"] = "later"
    first.lines += other.lines
    folder = tmp_path / "logs"
    folder.mkdir()
    first.write(folder / "a.jsonl")
    later.write(folder / "b.jsonl")
    store = open_store(folder)
    rows = {row.title: row for row in store.conversations()}
    assert {title: (row.kind, row.messages) for title, row in rows.items()} == {
        "Paint the boat.": ("conversation", 1), "Paint the pier.": ("conversation", 2),
    }  # fmt: skip
    pier = store.open(SESSION)
    assert [text for _, text in texts(store, pier)] == ["Paint the pier.", "Painted."]
    assert [text for _, text in texts(store, store.open(rows["Paint the boat."].id))] == ["Paint the boat."]


def test_a_stream_next_to_its_transcript_counts_once(tmp_path: Path) -> None:
    made = worked()
    made.write(tmp_path / "run.jsonl")
    parent, transcript = "", []
    for line in made.lines:
        if line["type"] in ("user", "assistant") or line.get("subtype") == "compact_boundary":
            counts = {
                "sessionId": SESSION,
                "parentUuid": parent or None,
                "timestamp": "2026-04-01T10:00:00.000Z",
            }
            summary = line.get("isSynthetic", False)
            transcript.append({**line, **counts, "isSidechain": False, "isCompactSummary": summary})
            parent = line["uuid"]
    for line in transcript:
        del line["session_id"]
    text = "\n".join(map(json.dumps, transcript)) + "\n"
    (tmp_path / "transcript.jsonl").write_text(text, encoding="utf-8")
    store = open_store(tmp_path)
    (row,) = store.conversations()
    assert (row.compactions, len(store.requests(store.open(row.id)))) == (1, 3)
    assert not any("stream-json" in note for note in store.open(row.id).notes)


def test_a_repeated_line_counts_once(tmp_path: Path) -> None:
    made = worked()
    made.lines.insert(5, made.lines[1])
    _, conversation, _ = opened(made.write(tmp_path / "run.jsonl"))
    assert [len(one) for one in conversation.generations] == [4, 3]
    assert conversation.row.messages == 3


def test_failed_attempts_are_named(tmp_path: Path) -> None:
    made = Stream()
    made.user("Paint the pier.", isReplay=True)
    made.answer("msg_1", said("Painted."))
    made.add(
        type="system", subtype="status", status=None, compact_result="failed", compact_error="API Error: 400"
    )
    made.answer("msg_2", said("API Error: 400"), local_command_source="<local-command-stderr>API Error: 400")
    store, conversation, _ = opened(made.write(tmp_path / "run.jsonl"))
    (failed,) = store.failures(conversation)
    assert (failed.error, failed.trigger, failed.place) == ("API Error: 400", None, 2)
    assert [text for _, text in texts(store, conversation)] == ["Paint the pier.", "Painted."]


def test_streams_of_other_agents_are_no_streams(tmp_path: Path) -> None:
    made = worked()
    made.lines[0]["qwen_code_version"] = "0.24.4"
    with pytest.raises(NotAStore):
        open_store(made.write(tmp_path / "run.jsonl")).conversations()
