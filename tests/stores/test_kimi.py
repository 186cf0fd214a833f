"""Sessions of Kimi CLI whose list was cleared or rewound, forks, and sub-agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversations import Conversation
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.agent_sessions import AFTER, ANSWER, CALL, LAST, RULE, SESSION, SUMMARY, write_lines

made = recipe("more_lines")
RED = {"role": "user", "content": "Paint it red."}


@pytest.fixture
def session() -> Any:
    """Make a compaction after two requests, and one request after it."""
    session = made.KimiSession(SESSION)
    session.user(RULE)
    session.answer("", CALL, sent=80_000)
    session.answer(ANSWER, sent=80_500)
    session.compact(SUMMARY)
    session.user(AFTER)
    session.answer("It sinks.", sent=9_000)
    return session


def opened(path: Path) -> tuple[Store, Conversation, list[list[str]]]:
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    texts = [[one.text for one in store.messages(generation)] for generation in conversation.generations]
    assert (row.messages, row.compactions) == (len(texts[-1]), len(texts) - 1)
    return store, conversation, texts


def generations(store: Store, conversation: Conversation) -> list[int]:
    return [request.generation for request in store.requests(conversation)]


def test_the_turn_shows_the_trigger_and_a_compaction_that_did_not_end_failed(
    session: Any, tmp_path: Path
) -> None:
    for kind, payload in (
        ("CompactionBegin", {}), ("StepInterrupted", {}), ("TurnEnd", {}),
        ("TurnBegin", {"user_input": "/compact the berths"}),
    ):  # fmt: skip
        session._message(kind, **payload)
    session.compact(f"{SUMMARY} Again.")
    session.user("Sail.")
    session._message("CompactionBegin")
    store, conversation, _ = opened(session.write(tmp_path))
    assert [one.trigger for one in store.compactions(conversation)] == ["auto", "manual"]
    (failed,) = store.failures(conversation)
    assert (failed.trigger, failed.generation) == ("auto", 2)
    assert failed.place == len(conversation.generations[1])


def test_the_name_of_a_folder_may_have_a_lone_surrogate(session: Any, tmp_path: Path) -> None:
    path = session.write(tmp_path / "sessions" / "0" / SESSION)
    made_up = [{"path": "\ud800"}]
    (path.parents[3] / "kimi.json").write_text(json.dumps({"work_dirs": made_up}), encoding="utf-8")
    _, conversation, _ = opened(path)
    assert conversation.row.folder == ""


def test_a_rewind_after_a_compaction_is_no_compaction(session: Any, tmp_path: Path) -> None:
    session.earlier.append(session.context)
    session.context = [*session.context[:-4], RED]
    session.answer(LAST, sent=9_100)
    store, conversation, (_, live) = opened(session.write(tmp_path))
    assert "It sinks." not in live
    assert live[-2:] == ["Paint it red.", LAST]
    (compaction,) = store.compactions(conversation)
    assert compaction.at > 0
    assert generations(store, conversation) == [1, 1, 2, 2]
    assert ["rewound 1 time" in note for note in conversation.notes] == [True]


def test_two_compactions_may_have_the_same_summary(session: Any, tmp_path: Path) -> None:
    session.compact(SUMMARY)
    session.user(LAST)
    store, conversation, lists = opened(session.write(tmp_path))
    assert [one.summary for one in store.compactions(conversation)] == [SUMMARY, SUMMARY]
    assert lists[-1][-3:] == [AFTER, "It sinks.", LAST]


def test_a_list_that_was_cleared_later_does_not_change_a_compaction(session: Any, tmp_path: Path) -> None:
    session.earlier.append(session.context)
    session.context = list(session.begin)
    session._message("TurnBegin", user_input="/clear")
    session.user("Paint the shed.")
    session.answer(LAST, sent=9_100)
    store, conversation, (_, after, live) = opened(session.write(tmp_path))
    assert after[-2:] == [AFTER, "It sinks."]
    assert live == ["Paint the shed.", LAST]
    compaction, cleared = store.compactions(conversation)
    assert (compaction.summary, cleared.summary, cleared.after) == (SUMMARY, None, 0)
    assert "cleared" in cleared.note
    assert compaction.at < cleared.at
    assert (compaction.trigger, cleared.trigger) == ("auto", None)
    assert generations(store, conversation) == [1, 1, 2, 3]


def test_a_command_is_no_message_of_the_user(session: Any, tmp_path: Path) -> None:
    at = session.wire[-1]["timestamp"]
    session._message("TurnBegin", user_input="/compact keep the port")
    session.compact(SUMMARY + "\n- Moor it.")
    store, conversation, _ = opened(session.write(tmp_path))
    assert max(one.timestamp for one in store.messages(conversation.generations[1])) == at


def test_a_fork_has_the_requests_of_lists_that_it_lacks(session: Any, tmp_path: Path) -> None:
    session.earlier = []
    store, conversation, _ = opened(session.write(tmp_path))
    assert generations(store, conversation) == [1, 1, 1]
    assert all(one.timestamp for one in store.messages(conversation.live)[-2:])


def test_sub_agents_are_listed_with_their_session(session: Any, tmp_path: Path) -> None:
    main = session.write(tmp_path)
    beside = write_lines(main.with_name("context_sub_1.jsonl"), [*session.begin, RED])
    helper = write_lines(main.parent / "subagents" / "a1" / "context.jsonl", [*session.begin, RED])
    helper.with_name("meta.json").write_text('{"agent_id": "a1"}')
    store = open_store(tmp_path)
    assert not store.notes
    rows = {row.id: (row.kind, row.parent, row.title) for row in store.conversations()}
    sub_agent = ("sub-agent", SESSION, "Paint it red.")
    assert rows.pop(SESSION)[0] == "conversation"
    assert rows == {f"{SESSION}-{beside.stem}": sub_agent, helper.parent.name: sub_agent}
    assert not store.requests(store.open(f"{SESSION}-{beside.stem}"))


def test_damaged_lines_of_the_wire_are_noted(session: Any, tmp_path: Path) -> None:
    path = session.write(tmp_path)
    wire = path.with_name("wire.jsonl")
    wire.write_bytes(wire.read_bytes().replace(b'"output"', b"\xff", 1))
    _, conversation, _ = opened(path)
    assert ["1 line" in note for note in conversation.notes] == [True]
