"""Sessions of Cline's CLI, in the form that 3.0.65 writes, and tasks of its editor. The content is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.recordings import read_recording
from inspector.core.conversations import Conversation
from inspector.core.messages import Message
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.agent_sessions import cline_task

SESSION = "1795575364295_ab1cd"


def message(number: int, role: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": f"m{number}",
        "role": role,
        "content": list(blocks),
        "ts": 1_795_575_364_000 + number,
        **more,
    }


def answer(number: int, sent: int, read: int, *blocks: dict[str, Any]) -> dict[str, Any]:
    metrics = {"inputTokens": sent, "outputTokens": 60, "cacheReadTokens": read, "cacheWriteTokens": 0}
    return message(number, "assistant", *blocks, modelInfo={"id": "claude-sonnet-5"}, metrics=metrics)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    call = {"type": "tool_use", "id": "t1", "name": "berths", "input": {"harbour": "north"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "name": "berths", "content": "berth 4 is free"}
    text = '<user_input mode="act">Never let the ferry wait.</user_input>'
    messages = [
        message(0, "user", {"type": "text", "text": text}),
        answer(1, 5_340, 0, {"type": "text", "text": "I look."}, call),
        message(2, "user", result),
        answer(3, 6_420, 5_400, {"type": "text", "text": "Berth 4 is free."}),
    ]
    folder = tmp_path / "sessions" / SESSION
    folder.mkdir(parents=True)
    document = {"version": 1, "sessionId": SESSION, "origin": {"version": "3.0.65"}, "messages": messages}
    (folder / f"{SESSION}.json").write_text(
        json.dumps({"cwd": "/home/me/harbour", "model": "claude-sonnet-5"})
    )
    found = folder / f"{SESSION}.messages.json"
    found.write_text(json.dumps(document))
    return found


def test_a_sub_agent_of_cline_and_the_system_prompt(path: Path) -> None:
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "system_prompt": "You moor ferries."}))
    name, origin = f"{SESSION}__agent_2", {"mode": "subagent", "parentThreadId": SESSION}
    asked = message(9, "user", {"type": "text", "text": "Count the berths."})
    helper = {**document, "sessionId": name, "origin": origin, "messages": [asked]}
    path.with_name("agent_2.messages.json").write_text(json.dumps(helper))
    store = open_store(path.parent.parent)
    rows = {row.id: row for row in store.conversations()}
    assert (rows[name].kind, rows[name].parent, rows[name].folder) == (
        "sub-agent",
        SESSION,
        "/home/me/harbour",
    )
    assert (rows[SESSION].kind, rows[SESSION].parent) == ("conversation", None)
    assert store.system_prompt(store.open(SESSION).live.session) == "You moor ferries."


def test_a_session_of_cline(path: Path) -> None:
    store = open_store(path.parent.parent)
    (row,) = store.conversations()
    assert (row.agent, row.id, row.folder, row.model) == (
        "cline",
        SESSION,
        "/home/me/harbour",
        "claude-sonnet-5",
    )
    conversation = store.open(row.id)
    messages = store.messages(conversation.live)
    assert [one.role for one in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[0].text == "Never let the ferry wait."
    assert messages[1].tool_calls[0].name == "berths"
    found = store.requests(conversation)
    assert [(one.context, one.cache_read, one.output) for one in found] == [
        (5_340, 0, 60),
        (6_420, 5_400, 60),
    ]
    assert not store.notes


def test_the_results_of_a_command_are_the_json_that_cline_sends(path: Path) -> None:
    document = json.loads(path.read_text())
    document["messages"][2]["content"][0]["content"] = [
        {"query": "berths", "result": "4 is free", "success": True}
    ]
    path.write_text(json.dumps(document))
    store = open_store(path)
    (row,) = store.conversations()
    (result,) = [one for one in store.messages(store.open(row.id).live) if one.role == "tool"]
    assert result.text == '[{"query":"berths","result":"4 is free","success":true}]'


@pytest.mark.parametrize("odd", [None, 5, "x", [], [None], {"role": 5}, {"metrics": []}])
def test_odd_values_do_no_harm(path: Path, odd: object) -> None:
    document = json.loads(path.read_text())
    for key in ("sessionId", "origin", "messages"):
        path.write_text(json.dumps({**document, "sessionId": SESSION, key: odd}))
        for row in open_store(path).conversations():
            open_store(path).open(row.id)
    for at in range(len(document["messages"])):
        messages = [*document["messages"]]
        messages[at] = odd
        path.write_text(json.dumps({**document, "messages": messages}))
        store = open_store(path)
        for row in store.conversations():
            conversation = store.open(row.id)
            assert len(store.messages(conversation.live)) == len(conversation.live)


def test_a_truncated_session_is_skipped_and_named(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])
    store = open_store(path.parent)
    assert store.conversations() == ()
    assert [path.name in note for note in store.notes] == [True]


def test_damaged_messages_and_a_damaged_compaction_are_noted(path: Path) -> None:
    document = json.loads(path.read_text())
    document["messages"][2] = None
    path.write_text(json.dumps(document))
    (path.parent / f"{SESSION}.compaction.json").write_text('{"source_message_count": 2, "mess')
    store = open_store(path)
    (row,) = store.conversations()
    line, compaction = store.open(row.id).notes
    assert "1 line of the transcript cannot be read" in line
    assert "compaction is left out" in compaction


made = recipe("more_lines")
READ = made.Call("", "read_file", {"path": "berths.txt"}, "berth 4 is free")


@pytest.fixture
def task() -> Any:
    task = made.ClineTask("1791187200000")
    task.user("Never let the ferry wait.")
    task.answer("I look.", READ, sent=150_000)
    task.answer("Berth 4 is free.", sent=161_000, read=150_000)
    return task


def opened(path: Path) -> tuple[Store, Conversation, list[list[Message]]]:
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    assert not store.notes
    return store, conversation, [store.messages(generation) for generation in conversation.generations]


def said(messages: list[Message]) -> list[tuple[str, str]]:
    """Return roles and texts, without the details of the environment."""
    return [(one.role, one.text) for one in messages if "environment_details" not in one.text]


def test_a_task_of_the_editor(task: Any, tmp_path: Path) -> None:
    task.user("Moor it.")
    task.answer("Moored.", sent=162_000)
    store, conversation, (messages,) = opened(task.write(tmp_path).parent.parent)
    (row,) = store.conversations()
    assert (row.agent, row.id, row.folder, row.model, row.provider) == (
        "cline", "1791187200000", "/home/dev/harbour", "claude-sonnet-5", "anthropic",
    )  # fmt: skip
    assert said(messages) == [
        ("user", "Never let the ferry wait."), ("assistant", "I look."), ("tool", "berth 4 is free"),
        ("assistant", "Berth 4 is free."), ("user", "Moor it."), ("assistant", "Moored."),
    ]  # fmt: skip
    (call,) = next(one for one in messages if one.text == "I look.").tool_calls
    result = next(one for one in messages if one.role == "tool")
    assert (call.name, call.id, json.loads(call.arguments)) == (
        "read_file", result.tool_call_id, {"path": "berths.txt"},
    )  # fmt: skip
    assert [(one.context, one.cache_read) for one in store.requests(conversation)] == [
        (150_000, 0), (161_000, 150_000), (162_000, 0),
    ]  # fmt: skip


def test_the_model_writes_the_summary_of_a_task(task: Any, tmp_path: Path) -> None:
    task.compact("Berth 4 is free.", 161_020)
    task.user("Moor it.")
    task.answer("Moored.", sent=12_000, read=9_000)
    store, conversation, (before, after) = opened(task.write(tmp_path))
    (compaction,) = store.compactions(conversation)
    assert "Berth 4 is free." in (compaction.summary or "")
    assert (compaction.summary_at, compaction.head_end, compaction.tokens_before_reported) == (3, 3, 161_020)
    assert not any("summarize_task>" in one.text for one in after)
    assert said(after)[:2] == said(before)[:2]
    assert [text for _, text in said(after)[3:]] == ["Moor it.", "Moored."]
    assert [(one.generation, one.summarizes) for one in store.requests(conversation)] == [
        (1, False), (1, False), (1, True), (2, False),
    ]  # fmt: skip


@pytest.mark.parametrize("updated", [False, True])
def test_a_truncation_has_no_summary(updated: bool, task: Any, tmp_path: Path) -> None:
    task.user("Moor it.")
    task.answer("Moored.", sent=170_000)
    task.user("And the tug?")
    task.truncate(3, 90_000)
    path = task.write(tmp_path)
    if updated:
        notice = [1, [0, [[0, [[1, "text", ["[NOTE] Messages were removed."], []]]]]]]
        path.with_name("context_history.json").write_text(json.dumps([notice]))
    store, conversation, (before, after) = opened(path)
    (compaction,) = store.compactions(conversation)
    assert (compaction.summary, compaction.summary_at) == (None, None)
    assert "without a summary" in compaction.note
    assert said(after)[1][1] == ("[NOTE] Messages were removed." if updated else "I look.")
    assert [text for _, text in said(after)[2:]] == ["Moor it.", "Moored.", "And the tug?", "I go on."]
    assert said(before)[-1] == ("user", "And the tug?")
    assert store.requests(conversation)[-1].generation == 2


def test_a_task_without_its_screen_file_is_read_completely(task: Any, tmp_path: Path) -> None:
    task.compact("Berth 4 is free.", 161_020)
    path = task.write(tmp_path)
    path.with_name("ui_messages.json").unlink()
    store = open_store(path)
    (row,) = store.conversations()
    assert any("ui_messages.json is missing" in note for note in store.open(row.id).notes)


@pytest.mark.parametrize("odd", [None, 5, "x", [], [None], {}, {"content": [5]}, {"ts": "x", "say": []}])
@pytest.mark.parametrize(
    "name", ["api_conversation_history.json", "ui_messages.json", "context_history.json"]
)
def test_odd_values_of_a_task_do_no_harm(name: str, odd: object, task: Any, tmp_path: Path) -> None:
    task.compact("Berth 4 is free.", 161_020)
    task.answer("Moored.", sent=12_000)
    path = task.write(tmp_path)
    file = path.with_name(name)
    whole = json.loads(file.read_text()) if file.exists() else [[1, [0, [[0, [[1, "text", ["x"], []]]]]]]]
    for at in range(len(whole)):
        file.write_text(json.dumps([*whole[:at], odd, *whole[at + 1 :]]))
        store = open_store(path)
        for row in store.conversations():
            conversation = store.open(row.id)
            for generation in conversation.generations:
                assert len(store.messages(generation)) == len(generation)


def test_a_session_that_begins_with_a_summary(path: Path) -> None:
    document = json.loads(path.read_text())
    about = {"kind": "compaction_summary", "tokensBefore": 161_000, "generatedAt": 1_795_575_364_000}
    summary = message(9, "user", {"type": "text", "text": "Berth 4 is free."}, metadata=about)
    path.write_text(json.dumps({**document, "messages": [summary, *document["messages"]]}))
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    (compaction,) = store.compactions(conversation)
    assert (compaction.summary, compaction.before, compaction.tokens_before_reported) == (
        "Berth 4 is free.", 0, 161_000,
    )  # fmt: skip
    assert "not in the file" in compaction.note
    assert [one.role for one in store.messages(conversation.live)] == [
        "user", "user", "assistant", "tool", "assistant",
    ]  # fmt: skip


def test_each_request_of_a_task_has_the_list_before_its_answer(tmp_path: Path) -> None:
    """The history of a task has no times. A message that the screen counts was complete before."""
    answers = Answers(open_store(cline_task(tmp_path)), {}, None)
    (row,) = answers.store.conversations()
    inspection, resolved = answers.opened(row.id)
    recording = read_recording(inspection, resolved.settings.profile)
    sent = [request.context for request in inspection.requests() if not request.summarizes]
    assert len(sent) == len(recording.course.calls) == 3
    after = {event.step: event.tokens_after for event in recording.events}
    assert [after.get(step, recording.tokens[step - 1]) for step in recording.course.calls] == sent
