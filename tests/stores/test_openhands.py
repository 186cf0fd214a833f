"""Conversations of OpenHands: branches, sub-agents, added texts and times."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversations import Conversation
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.agent_sessions import AFTER, ANSWER, CALL, LAST, RULE, SESSION, SUMMARY

made = recipe("more_lines")


@pytest.fixture
def session() -> Any:
    session = made.OpenHandsSession(SESSION)
    session.user(RULE)
    session.answer("I look.", CALL, sent=40_000)
    session.answer(ANSWER, sent=41_000)
    session.user("Sink the ferry.")
    session.answer("It sinks.", sent=81_000)
    return session


def opened(path: Path) -> tuple[Store, Conversation, list[str]]:
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    texts = [one.text for one in store.messages(conversation.live)]
    assert (row.messages, row.compactions) == (len(texts), len(store.compactions(conversation)))
    return store, conversation, texts


@pytest.mark.parametrize("compacts", [False, True])
def test_going_back_leaves_later_events_out(compacts: bool, session: Any, tmp_path: Path) -> None:
    before = session.events[4]["id"]
    if compacts:
        session.compact(SUMMARY, 81_000)
    session.user(AFTER)
    session.events[-1]["parent_id"] = before
    session.answer(LAST, sent=42_000)
    store, conversation, texts = opened(session.write(tmp_path))
    assert texts == [RULE, "I look.", CALL.result, ANSWER, AFTER, LAST]
    assert store.compactions(conversation) == ()
    assert {request.generation for request in store.requests(conversation)} == {1}
    assert ["abandoned" in note for note in conversation.notes] == [True]


def test_a_condensation_after_going_back(session: Any, tmp_path: Path) -> None:
    session.user(AFTER)
    session.events[-1]["parent_id"] = session.events[1]["id"]
    session.view = [*session.view[:2], session.events[-1]["id"]]
    session.answer(LAST, sent=42_000)
    session.compact(SUMMARY, 43_000, keep=1)
    _, _, texts = opened(session.write(tmp_path))
    assert texts == [RULE, SUMMARY, LAST]


def test_added_texts_are_messages_of_the_program(session: Any, tmp_path: Path) -> None:
    session.events[1]["extended_content"] = [{"type": "text", "text": "Always log the berth."}]
    session.compact(SUMMARY, 81_000, keep=2)
    store, conversation, _ = opened(session.write(tmp_path))
    before, after = (store.messages(generation) for generation in conversation.generations)
    assert [(one.role, one.text) for one in before[:2]] == [
        ("user", RULE),
        ("system", "Always log the berth."),
    ]
    assert [one.text for one in after] == [
        RULE, "Always log the berth.", SUMMARY, "Sink the ferry.", "It sinks.",
    ]  # fmt: skip


def test_a_hook_between_calls_of_an_answer_does_not_split_it(session: Any, tmp_path: Path) -> None:
    session.user(AFTER)
    session.answer("I moor.", CALL, CALL._replace(name="t2"), sent=82_000)
    session.event("HookExecutionEvent", "hook", hook_event_type="PreToolUse")
    session.events.insert(-3, session.events.pop())
    assert [event["kind"] for event in session.events[-5:-2]] == [
        "ActionEvent", "HookExecutionEvent", "ActionEvent",
    ]  # fmt: skip
    store, conversation, _ = opened(session.write(tmp_path))
    answer = store.messages(conversation.live)[-3]
    assert [call.id for call in answer.tool_calls] == [CALL.name, "t2"]


def test_the_conversation_of_a_sub_agent_names_its_parent(session: Any, tmp_path: Path) -> None:
    main = session.write(tmp_path).parent
    helper = made.OpenHandsSession("helper-1")
    helper.user("Count the berths.")
    helper.write(main / "subagents")
    rows = {row.id: (row.kind, row.parent) for row in open_store(tmp_path).conversations()}
    assert rows == {main.name: ("conversation", None), "helper1": ("sub-agent", main.name)}


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_tokyo")
def test_times_are_those_of_this_machine(session: Any, tmp_path: Path) -> None:
    session.events[0]["timestamp"] = "2026-10-05T01:00:00.000000"
    store = open_store(session.write(tmp_path))
    (row,) = store.conversations()
    assert row.started_at == datetime(2026, 10, 4, 16, tzinfo=UTC).timestamp()


def test_the_hundred_thousandth_event_comes_last(session: Any, tmp_path: Path) -> None:
    folder = session.write(tmp_path).parent / "events"
    for path, number in zip(sorted(folder.iterdir()), (1, 2, 3, 4, 5, 99_999, 100_000), strict=True):
        path.rename(folder / f"event-{number:05}-{path.stem[-2:]}.json")
    _, _, texts = opened(folder.parent / "base_state.json")
    assert texts[-2:] == ["Sink the ferry.", "It sinks."]
