"""Sessions of Qwen Code with rewinds, branches and sub-agents."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversations import Conversation
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.agent_sessions import AFTER, ANSWER, LAST, RULE, SESSION, SUMMARY, write_lines

made = recipe("more_lines")


@pytest.fixture
def session() -> Any:
    session = made.QwenSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=80_000)
    session.compact(SUMMARY, 86_100, 9_000)
    session.user("Sink the ferry.")
    session.answer("It sinks.", sent=9_500)
    return session


def opened(path: Path) -> tuple[Store, Conversation, list[str]]:
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    assert (row.messages, row.compactions) == (
        len(conversation.live),
        len(store.compactions(conversation)),
    )
    return store, conversation, [one.text for one in store.messages(conversation.live)]


def rewound(session: Any, parent: str | None) -> None:
    session.line("system", "system", subtype="rewind", systemPayload={"truncatedCount": 2})
    session.lines[-1]["parentUuid"] = parent
    session.user(AFTER)
    session.answer(LAST, sent=9_600)


def test_a_rewind_to_the_beginning(session: Any, tmp_path: Path) -> None:
    rewound(session, None)
    store, conversation, texts = opened(session.write(tmp_path))
    assert texts == [AFTER, LAST]
    assert conversation.notes == ("6 messages on abandoned branches are in no list.",)
    assert {request.generation for request in store.requests(conversation)} == {1}
    assert len(store.requests(conversation)) == 4


@pytest.mark.parametrize("first", [0, 2])
def test_a_missing_beginning_is_named(session: Any, tmp_path: Path, first: int) -> None:
    for before, line in pairwise(session.lines):
        line["parentUuid"] = before["uuid"]
    session.lines[0]["parentUuid"] = None
    del session.lines[:first]
    store, conversation, _ = opened(session.write(tmp_path))
    assert conversation.notes == ("The beginning of the session is missing in the file.",) * bool(first)
    assert not conversation.has_unread, "its compaction is counted as unknown"
    (compaction,) = store.compactions(conversation)
    assert compaction.whole is not bool(first)
    assert compaction.note == "The beginning of the list before it is not in the file." * bool(first)


def test_a_rewind_to_a_line_before_a_compaction(session: Any, tmp_path: Path) -> None:
    answer = next(line["uuid"] for line in session.lines if line["type"] == "assistant")
    rewound(session, answer)
    store, conversation, texts = opened(session.write(tmp_path))
    assert texts == [RULE, ANSWER, AFTER, LAST]
    assert store.compactions(conversation) == ()


def test_a_refused_request_for_a_manual_compaction_is_a_failed_attempt(session: Any, tmp_path: Path) -> None:
    """Qwen Code 0.24.4 records only the errors of the request. It does not record which request an automatic
    compaction made."""

    def called(event: str, request: str, **more: Any) -> None:
        call = {"event.name": f"qwen-code.{event}", "prompt_id": request, **more}
        session.line("system", "system", subtype="ui_telemetry", systemPayload={"uiEvent": call})

    for _ in range(2):
        called("api_error", "compress-1", error_message="400 The summary is refused.")
    session.user("Go on.")
    called("api_error", "compress-2", error_message="503 Overloaded.")
    called("api_response", "compress-2")
    called("api_error", "s########5", error_message="503 Overloaded.")
    session.answer("Going on.")
    store, conversation, _ = opened(session.write(tmp_path))
    (failed,) = store.failures(conversation)
    assert (failed.error, failed.trigger) == ("400 The summary is refused.", "manual")
    assert failed.place == len(conversation.live) - 2


def test_a_sub_agent_does_not_replace_its_session(session: Any, tmp_path: Path) -> None:
    path = session.write(tmp_path)
    helper = made.QwenSession(SESSION, start=session.clock.now + 60)
    helper.user("Count the berths.")
    helper.answer("There are 9.", sent=4_000)
    for line in helper.lines:
        line.update(isSidechain=True, agentId="explore-1")
    write_lines(path.parents[1] / "subagents" / SESSION / "agent-explore-1.jsonl", helper.lines)
    store = open_store(tmp_path)
    rows = {row.id: (row.kind, row.parent, row.title) for row in store.conversations()}
    assert rows == {
        SESSION: ("conversation", None, RULE),
        f"{SESSION}-explore-1": ("sub-agent", SESSION, "Count the berths."),
    }


def test_an_answer_of_a_sub_agent_with_calls_in_lines_of_their_own_is_one_message(tmp_path: Path) -> None:
    helper = made.QwenSession(SESSION)
    helper.user("Count the berths.")
    calls = [made.Call(f"t{at}", "berths", {"harbour": f"h{at}"}, f"{at} berths") for at in range(2)]
    helper.answer("I count.", *calls, sent=4_000)
    answer = next(at for at, line in enumerate(helper.lines) if line["type"] == "assistant")
    text, *asked = helper.lines[answer]["message"]["parts"]
    bare = {key: value for key, value in helper.lines[answer].items() if key != "usageMetadata"}
    helper.lines[answer]["message"] = {"role": "model", "parts": [text]}
    helper.lines[answer + 1 : answer + 1] = [
        {**bare, "uuid": f"c{at}", "message": {"role": "model", "parts": [part]}}
        for at, part in enumerate(asked)
    ]
    helper.answer("5 and 4.", sent=4_100)
    for before, line in pairwise(helper.lines):
        line["parentUuid"] = before["uuid"]
    store, conversation, texts = opened(helper.write(tmp_path))
    assert texts == ["Count the berths.", "I count.", "0 berths", "1 berths", "5 and 4."]
    assert [call.id for call in store.messages(conversation.live)[1].tool_calls] == ["t0", "t1"]
    assert len(store.requests(conversation)) == 2


def test_a_branch_counts_no_copied_request_or_compaction(session: Any, tmp_path: Path) -> None:
    session.write(tmp_path)
    branch = made.QwenSession("5e550000-0000-4000-8000-000000000002")
    origin = {"sessionId": SESSION}
    branch.lines = [{**line, "sessionId": branch.session, "forkedFrom": origin} for line in session.lines]
    branch.user(AFTER)
    branch.answer(LAST, sent=9_600)
    branch.line("system", "system", subtype="custom_title", systemPayload={"customTitle": "Berths"})
    branch.write(tmp_path)
    store = open_store(tmp_path)
    (row,) = [row for row in store.conversations() if row.id == branch.session]
    assert (row.kind, row.parent, row.compactions, row.title) == ("branch", SESSION, 0, "Berths")
    conversation = store.open(row.id)
    assert store.compactions(conversation) == ()
    assert [request.context for request in store.requests(conversation)] == [9_600]
    texts = [one.text for one in store.messages(conversation.live)]
    assert texts[0] == SUMMARY
    assert texts[-1] == LAST
    assert row.messages == len(texts)
