"""Sessions of Gemini CLI with a rewind, shortened results, or an answer that grew twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.replaying import replay
from inspector.core.conversations import Conversation
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.agent_sessions import AFTER, ANSWER, LAST, RULE, SESSION, SUMMARY

made = recipe("more_lines")
LONG = made.Call("t1", "berths", {"harbour": "north"}, "berth 4 is free\n" * 50)
OTHER = made.Call("t2", "berths", {"harbour": "south"}, "berth 9 is taken")


def opened(path: Path) -> tuple[Store, Conversation, list[str]]:
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    assert row.messages == len(conversation.live)
    return store, conversation, [message.text for message in store.messages(conversation.live)[1:]]


def test_a_rewind_leaves_later_messages_out(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=5_000)
    session.user("Sink the ferry.")
    (turned_back,) = session.said
    session.answer("It sinks.", sent=6_000)
    session.records.append({"$rewindTo": turned_back["id"]})
    session.user(AFTER)
    session.answer(LAST, sent=6_000)
    store, conversation, texts = opened(session.write(tmp_path))
    assert texts == [RULE, ANSWER, AFTER, LAST]
    assert conversation.notes == ("2 messages on abandoned branches are in no list.",)
    assert len(store.requests(conversation)) == 3


@pytest.mark.parametrize(("first", "again"), [(0, False), (1, False), (1, True), (2, False), (3, True)])
def test_a_file_without_its_first_lines_lacks_its_beginning(tmp_path: Path, first: int, again: bool) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=5_000)
    if again:
        # A resume writes the line about the session again.
        session.records.append(session.records[0])
    session.user(AFTER)
    session.answer(LAST, sent=6_000)
    path = session.write(tmp_path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[first:]))
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    assert row.agent == "gemini"
    assert (row.id == SESSION) is (again or not first)
    assert [message.text for message in store.messages(conversation.live)][-2:] == [AFTER, LAST]
    assert conversation.notes == ("The beginning of the session is missing in the file.",) * bool(first)


def test_an_answer_that_grows_twice_has_each_result_once(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer("I look.", LONG, OTHER, sent=5_000)
    whole = session.records[-1]
    session.records.insert(-1, {**whole, "toolCalls": whole["toolCalls"][:1]})
    store, conversation, _ = opened(session.write(tmp_path))
    _, _, answer, *results = store.messages(conversation.live)
    assert [call.id for call in answer.tool_calls] == ["t1", "t2"]
    assert [result.text for result in results] == [LONG.result, OTHER.result]


def shortened(message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with a shorter result of its first call."""
    short = made.gemini_result(LONG._replace(result="<tool_output_masked>berth 4</tool_output_masked>"))
    first, *others = message["toolCalls"]
    return {**message, "toolCalls": [{**first, "result": [short]}, *others]}


def test_shortened_results_are_cleared_and_stay_shown_until_a_compaction(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer("I look.", LONG, OTHER, sent=500_000)
    messages = [session.said[0], shortened(session.said[1])]
    for _ in range(2):
        # A resume repeats the list.
        change = {"messages": [session.context, *messages], "lastUpdated": session.clock.iso()}
        session.records.append({"$set": change})
    session.user(AFTER)
    session.said = [*messages, *session.said]
    session.answer(LAST, sent=400_000)
    session.compact(SUMMARY)
    store, conversation, _ = opened(session.write(tmp_path))
    before, after = (store.messages(generation) for generation in conversation.generations)
    (cleared,) = store.microcompactions(conversation)
    assert (cleared.generation, cleared.place, cleared.cleared) == (1, 5, (3,))
    assert cleared.left == (len("<tool_output_masked>berth 4</tool_output_masked>"),)
    assert cleared.at > 0
    assert before[3].text == LONG.result
    assert "tool_output_masked" in after[5].text
    (compaction,) = store.compactions(conversation)
    assert (compaction.before, compaction.tail_start) == (7, 1)


def test_a_resume_with_new_times_leaves_requests_at_their_answers(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    sizes = [5_000, 6_000, 7_000, 8_000]
    for number, sent in enumerate(sizes):
        if number == 2:
            written = [record for record in session.records if "type" in record]
            context = {
                **session.context,
                "content": [{"text": "<session_context>\nTuesday\n</session_context>"}],
            }
            later = [{**message, "timestamp": session.clock.iso()} for message in (context, *written)]
            session.records.append({"$set": {"messages": later}})
        session.user(f"{RULE} Berth {number}.")
        session.answer(f"Berth {number} is free.", sent=sent)
    answers = Answers(open_store(session.write(tmp_path)), {}, None)
    recorded = replay(answers, SESSION, facts=False).recorded
    assert (recorded.calls, recorded.input_tokens) == (len(sizes), sum(sizes))
    assert recorded.peak_tokens == max(sizes)


@pytest.mark.parametrize("turned_back", [1, 2])
def test_a_shortened_result_after_a_rewind_is_not_cleared(turned_back: int, tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer("I look.", LONG, OTHER, sent=500_000)
    messages = [session.said[0], shortened(session.said[1])]
    session.user("Sink the ferry.")
    messages += session.said
    session.records[-1:] = [{"$set": {"messages": [session.context, *messages]}}]
    session.records.append({"$rewindTo": messages[turned_back]["id"]})
    session.user(AFTER)
    session.answer(LAST, sent=4_000)
    store, conversation, texts = opened(session.write(tmp_path))
    assert (LONG.result in texts) is (turned_back == 2)
    steps = [(one.cleared, one.place) for one in store.microcompactions(conversation)]
    assert steps == [((3,), 5)][: turned_back - 1]


def test_a_sub_agents_file_names_its_session_by_its_folder(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.write(tmp_path)
    helper = made.GeminiSession("helper-1")
    helper.records[0]["kind"] = "subagent"
    helper.user(AFTER)
    path = helper.write(tmp_path)
    path.parent.joinpath(SESSION).mkdir()
    path.rename(path.parent / SESSION / "helper-1.jsonl")
    rows = {row.id: (row.kind, row.parent) for row in open_store(tmp_path).conversations()}
    assert rows == {SESSION: ("conversation", None), "helper-1": ("sub-agent", SESSION)}


def test_a_text_of_the_user_next_to_a_known_result_stays(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer("I look.", LONG, sent=5_000)
    known, steering = made.gemini_result(LONG), {"text": AFTER}
    session.records.append(session.message("user", [known]))
    session.records.append(session.message("user", [known, steering]))
    session.answer(LAST, sent=6_000)
    _, _, texts = opened(session.write(tmp_path))
    assert texts == [RULE, "I look.", LONG.result, AFTER, LAST]


def test_a_resume_writes_results_as_messages_of_their_own(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    asked = session.said[0]
    session.answer("I look.", LONG, OTHER, sent=5_000)
    answer = session.records[-1]
    calls = [
        {"functionCall": {"id": one.name, "name": one.tool, "args": one.arguments}} for one in (LONG, OTHER)
    ]
    repeated = {**answer, "content": [{"text": "I look."}, *calls]}
    results = [session.message("user", [made.gemini_result(one) for one in (LONG, OTHER)]) for _ in range(2)]
    session.listed = [session.context, asked, repeated, *results]
    session.resume()
    session.user(AFTER)
    session.answer(LAST, sent=6_000)
    _, _, texts = opened(session.write(tmp_path))
    assert texts == [RULE, "I look.", *[LONG.result, OTHER.result] * 2, AFTER, LAST]


def test_a_file_that_a_resume_left_with_only_the_context_is_no_conversation(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=5_000)
    session.write(tmp_path)
    made.GeminiSession(SESSION, start=made.START + 600).write(tmp_path)
    store = open_store(tmp_path)
    (row,) = store.conversations()
    assert (row.id, row.messages) == (SESSION, 3)


def test_a_file_with_an_answer_is_a_conversation_without_words_and_tokens_too(tmp_path: Path) -> None:
    for start, text in ((made.START, RULE), (made.START + 600, "")):
        session = made.GeminiSession(SESSION, start=start)
        session.user(text)
        session.answer(ANSWER, sent=5_000 if text else 0)
        session.write(tmp_path)
    assert len(open_store(tmp_path).conversations()) == 2


def test_the_rule_files_that_a_sub_agent_loaded_are_not_its_task(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    loaded = "\n<loaded_context>\n<project_context>\nBe short.\n</project_context>\n</loaded_context>"
    session.records[1:] = [{**session.message("user", [{"text": loaded}, {"text": AFTER}]), "id": "task"}]
    session.answer(LAST, sent=5_000)
    store, conversation, _ = opened(session.write(tmp_path))
    assert conversation.row.title == AFTER
    assert [message.role for message in store.messages(conversation.live)] == ["system", "user", "assistant"]


def test_equal_messages_stay_apart_after_a_resume_and_a_compaction(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    messages = []
    for number in range(3):
        session.user("continue")
        session.answer(f"Berth {number} is free.", sent=5_000)
        messages += session.said
    session.listed = [session.context, *messages]
    session.resume()
    session.said = messages[-2:]
    session.compact(SUMMARY)
    store, conversation, _ = opened(session.write(tmp_path))
    before, after = ([m.id for m in store.messages(generation)] for generation in conversation.generations)
    assert before == sorted(set(before))
    assert after[-2:] == before[-2:]


def test_lists_with_one_id_are_listed_each(tmp_path: Path) -> None:
    kinds = {"main.jsonl": "main", "later.jsonl": "main", "helper.jsonl": "subagent"}
    for number, (name, kind) in enumerate(kinds.items()):
        session = made.GeminiSession(SESSION, start=made.START + 600 * number)
        session.records[0]["kind"] = kind
        session.user(name)
        path = session.write(tmp_path)
        path.rename(path.with_name(name))
    (tmp_path / "copy.jsonl").write_bytes(path.with_name("main.jsonl").read_bytes())
    store = open_store(tmp_path)
    rows = {row.title: (row.id, row.kind, row.parent) for row in store.conversations()}
    assert rows == {
        "later.jsonl": (SESSION, "conversation", None),
        "main.jsonl": (f"{SESSION}-main", "conversation", None),
        "helper.jsonl": (f"{SESSION}-helper", "sub-agent", SESSION),
    }
    for title, (name, _, _) in rows.items():
        assert [one.text for one in store.messages(store.open(name).live)][-1] == title


def test_results_that_are_shortened_to_the_same_text_stay_apart(tmp_path: Path) -> None:
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer("I look.", LONG, OTHER, sent=500_000)
    (asked, answer) = session.said
    calls = [
        {**call, "result": [made.gemini_result(one._replace(result="[cleared]"))]}
        for call, one in zip(answer["toolCalls"], (LONG, OTHER), strict=True)
    ]
    change = {"messages": [session.context, asked, {**answer, "toolCalls": calls}]}
    session.records.append({"$set": change})
    store, conversation, texts = opened(session.write(tmp_path))
    assert texts[2:] == [LONG.result, OTHER.result]
    assert [one.cleared for one in store.microcompactions(conversation)] == [(3, 4)]


def test_a_document_may_have_the_name_of_a_file_of_lines(tmp_path: Path) -> None:
    messages = [
        {"id": "1", "timestamp": "2026-05-01T10:00:00Z", "type": "user", "content": "Moor the ferry."},
        {"id": "2", "timestamp": "2026-05-01T10:00:05Z", "type": "gemini", "content": "Moored."},
    ]
    document = {
        "sessionId": SESSION,
        "projectHash": "ab",
        "startTime": "2026-05-01T10:00:00Z",
        "messages": messages,
    }
    path = tmp_path / "full.jsonl"
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    store = open_store(path)
    (row,) = store.conversations()
    assert [message.text for message in store.messages(store.open(row.id).live)] == [
        "Moor the ferry.",
        "Moored.",
    ]
