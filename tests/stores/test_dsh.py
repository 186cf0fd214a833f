"""Sessions of DeepSeek Harness in its first format, and sessions that were started from another session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.agent_sessions import AFTER, ANSWER, CALL, LAST, RULE, SUMMARY, write_lines
from tests.stores.alone import opened

made = recipe("more_lines")
MAIN, FORK = "session-1", "session-2"


@pytest.fixture
def session() -> Any:
    session = made.DshSession(MAIN)
    session.user(RULE)
    session.answer("", CALL, sent=40_000)
    session.prune(CALL)
    session.answer(ANSWER, sent=41_000)
    session.compact(SUMMARY, 81_000)
    session.user(AFTER)
    session.answer(LAST, sent=9_000)
    return session


def in_first_format(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record of format 4 in format 0."""
    data, surface = record.get("data", {}), record.get("surfaceOp")
    if record["type"] == "session":
        return {**record, "version": 0}
    if isinstance(surface, dict):
        record = {
            **record,
            "surfaceOp": {"op": "replace", "start": surface["startSeq"], "end": surface["endSeq"]},
        }
    if data.get("source", {}).get("kind") == "compact-checkpoint":
        record = {**record, "data": {**data, "source": {"kind": "plugin", "plugin": "compact"}}}
    if record["type"] == "tool/result":
        message = {name: value for name, value in data["message"].items() if name != "role"}
        message = {"role": "user", "content": [{"type": "tool-result", **message}]}
        record = {**record, "data": {**data, "message": message}}
    return record


def without_message(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record of format 4 as the first releases write it."""
    message = record.get("data", {}).get("message")
    record = in_first_format(record)
    if message is None:
        return record
    data = {name: value for name, value in record["data"].items() if name != "message"}
    return {**record, "data": {**data, "content": message["content"], "callId": message.get("toolCallId")}}


@pytest.mark.parametrize("form", [in_first_format, without_message])
def test_the_first_format_has_the_same_lists(
    form: Callable[[dict[str, Any]], dict[str, Any]], session: Any, tmp_path: Path
) -> None:
    read = []
    for name, records in (("4", session.records), ("0", map(form, session.records))):
        store, conversation, _ = opened(write_lines(tmp_path / name / "session.jsonl", list(records)))
        lists = [[one.wire for one in store.messages(generation)] for generation in conversation.generations]
        steps = store.compactions(conversation), store.microcompactions(conversation)
        read.append((lists, *steps, conversation.notes))
    assert read[0] == read[1]
    lists, (compaction,), (pruned,), notes = read[0]
    assert (len(lists), compaction.summary, pruned.cleared, notes) == (2, SUMMARY, (2,), ())


@pytest.mark.parametrize("sub_agent", [False, True])
def test_a_seeded_session_counts_no_copy(sub_agent: bool, session: Any, tmp_path: Path) -> None:
    write_lines(tmp_path / MAIN / "session.jsonl", session.records)
    fork = made.DshSession(FORK)
    head, *records = session.records
    more = {"origin": "subagent"} if sub_agent else {}
    seeded = {**head, "id": FORK, "parentSession": MAIN, "seedLength": len(records), **more}
    fork.records = [seeded, *records]
    fork.user("And the tug?")
    fork.answer("At berth 7.", sent=10_000)
    write_lines(tmp_path / FORK / "session.jsonl", fork.records)
    store = open_store(tmp_path)
    (row,) = [row for row in store.conversations() if row.id == FORK]
    assert (row.kind, row.parent, row.compactions) == ("sub-agent" if sub_agent else "branch", MAIN, 0)
    conversation = store.open(FORK)
    assert store.compactions(conversation) == ()
    assert [request.context for request in store.requests(conversation)] == [10_000]
    texts = [one.text for one in store.messages(conversation.live)]
    assert len(texts) == row.messages
    assert texts[-3:] == [LAST, "And the tug?", "At berth 7."]


def test_an_unknown_format_is_noted(session: Any, tmp_path: Path) -> None:
    session.records[0]["version"] = 5
    store = open_store(write_lines(tmp_path / "session.jsonl", session.records))
    conversation = store.open(MAIN)
    assert conversation.has_unread
    assert conversation.notes == ("Format 5 of sessions is unknown, so the lists may be wrong.",)
