"""goose's sessions, in the forms of its source. The content is made up."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.stores.base import Store
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.alone import opened

made = recipe("more_lines")
CALL = made.Call("t1", "berths", {"harbour": "north"}, "berth 4 is free")


@pytest.fixture
def session() -> Any:
    session = made.GooseSession("20261005_1")
    session.user("Never let the ferry wait.")
    session.answer("I look.", CALL, sent=150_000)
    session.answer("Berth 4 is free.", sent=161_000, read=150_000)
    return session


def roles_of(store: Store, generation: int = -1) -> list[str]:
    (row,) = store.conversations()
    conversation = store.open(row.id)
    return [message.role for message in store.messages(conversation.generations[generation])]


def test_a_manual_compaction_repeats_no_message(session: Any, tmp_path: Path) -> None:
    session.compact("Berth 4 is free.", 161_000, by_hand=True)
    session.user("Moor the ferry.")
    store = open_store(session.write(tmp_path))
    (row,) = store.conversations()
    (compaction,) = store.compactions(store.open(row.id))
    assert (compaction.trigger, compaction.summary, compaction.kept) == ("manual", "Berth 4 is free.", ())
    assert roles_of(store) == ["user", "assistant", "user"]


def test_a_second_compaction_hides_the_first(session: Any, tmp_path: Path) -> None:
    session.compact("First summary.", 161_000)
    session.answer("Moored.", sent=12_000)
    session.user("And the tug?")
    session.compact("Second summary.", 162_000)
    session.answer("The tug is at berth 7.", sent=12_000)
    store, conversation, _ = opened(session.write(tmp_path))
    assert [one.summary for one in store.compactions(conversation)] == ["First summary.", "Second summary."]
    assert [len(generation) for generation in conversation.generations] == [4, 5, 4]
    texts = [message.text for message in store.messages(conversation.live)]
    assert (texts[0], texts[2:]) == ("Second summary.", ["And the tug?", "The tug is at berth 7."])
    assert [(one.generation, one.summarizes) for one in store.requests(conversation)] == [
        (1, False), (1, False), (1, True), (2, False), (2, True), (3, False),
    ]  # fmt: skip


def test_calls_that_short_summaries_replaced_are_in_no_list(session: Any, tmp_path: Path) -> None:
    session.compact("Berth 4 is free.", 161_000)
    first = len(session.messages)
    session.answer("", CALL._replace(name="t2"), sent=12_000)
    for message in session.messages[first:]:
        message["metadata"] = {"userVisible": True, "agentVisible": False}
    session.say("user", made.text_part("A call looked for berths."), user=False)
    session.answer("Moored.", sent=13_000)
    store, conversation, _ = opened(session.write(tmp_path))
    assert roles_of(store) == ["user", "assistant", "user", "system", "assistant"]
    assert any("2 messages of tool calls" in note for note in conversation.notes)
    assert len(store.compactions(conversation)) == 1


def test_notifications_are_no_messages(session: Any, tmp_path: Path) -> None:
    notice = {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "Compacting"}
    session.say("assistant", notice, agent=False)
    assert roles_of(open_store(session.write(tmp_path))) == ["user", "assistant", "tool", "assistant"]


def test_json_lines_and_their_database_are_one_conversation(session: Any, tmp_path: Path) -> None:
    path = session.write(tmp_path)
    about = {
        "working_dir": "/home/dev/harbour",
        "description": "Ferry",
        "message_count": 3,
        "total_tokens": 7,
    }
    lines = made.write_lines(path.with_name("20261005_1.jsonl"), [about, *session.messages])
    (row,) = open_store(lines).conversations()
    assert (row.agent, row.id, row.title, row.folder) == ("goose", "20261005_1", "Ferry", "/home/dev/harbour")
    assert roles_of(open_store(lines)) == ["user", "assistant", "tool", "assistant"]
    store = open_store(path.parent)
    (row,) = store.conversations()
    assert len(store.requests(store.open(row.id))) == 2
    assert not store.notes


def test_earlier_schemas_lack_usage_and_visibility(session: Any, tmp_path: Path) -> None:
    path = session.write(tmp_path)
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE usage_ledger")
        database.execute("ALTER TABLE messages DROP COLUMN metadata_json")
    database.close()
    store = open_store(path)
    (row,) = store.conversations()
    assert roles_of(store) == ["user", "assistant", "tool", "assistant"]
    assert not store.requests(store.open(row.id))


def test_a_copied_sum_is_no_request(session: Any, tmp_path: Path) -> None:
    path = session.write(tmp_path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE usage_ledger SET cost_source = 'carried_forward' WHERE id = 1")
    database.close()
    store = open_store(path)
    (row,) = store.conversations()
    assert [one.context for one in store.requests(store.open(row.id))] == [161_000]


def test_a_message_with_damaged_content_is_noted(session: Any, tmp_path: Path) -> None:
    path = session.write(tmp_path)
    database = sqlite3.connect(path)
    (number,) = database.execute("SELECT min(id) FROM messages").fetchone()
    with database:
        database.execute("UPDATE messages SET content_json = '[{' WHERE id = ?", (number,))
        database.execute("UPDATE messages SET metadata_json = '{' WHERE id = ?", (number + 1,))
    database.close()
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    assert row.messages == len(session.messages) - 1
    assert ["1 line" in note for note in conversation.notes] == [True]


ODD: list[Callable[[dict[str, Any]], None]] = [
    lambda message: message.update(content=5),
    lambda message: message.update(content=[None, 5, {"type": "toolRequest"}, {"type": "toolResponse"}]),
    lambda message: message.update(metadata=[1]),
    lambda message: message.update(role="critic"),
    lambda message: message.update(created=-1),
]


@pytest.mark.parametrize("change", ODD)
def test_odd_values_do_no_harm(
    change: Callable[[dict[str, Any]], None], session: Any, tmp_path: Path
) -> None:
    session.compact("Berth 4 is free.", 161_000)
    for at in range(len(session.messages)):
        kept = json.loads(json.dumps(session.messages))
        change(session.messages[at])
        store = open_store(session.write(tmp_path / str(at)))
        for row in store.conversations():
            conversation = store.open(row.id)
            for generation in conversation.generations:
                assert len(store.messages(generation)) == len(generation)
        session.messages = kept
