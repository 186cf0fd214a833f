"""A session of Cline's CLI, in the form that 3.0.65 writes. What is said in it is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.stores.detect import open_store

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
    said = '<user_input mode="act">Never let the ferry wait.</user_input>'
    messages = [
        message(0, "user", {"type": "text", "text": said}),
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
