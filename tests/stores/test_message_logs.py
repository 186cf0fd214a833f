"""Logs of model requests, ATIF trajectories and OpenTelemetry spans."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.bills import bills_of, why_no_bill
from inspector.answers.fact_results import read_losses
from inspector.answers.findings import findings
from inspector.answers.inspection import Inspection
from inspector.answers.requests import list_requests
from inspector.answers.shown_settings import settings_of
from inspector.answers.store_losses import unknown_losses
from inspector.core.conversations import Compaction, Conversation, Request
from inspector.engines.base import Settings
from inspector.engines.capabilities import default_threshold
from inspector.engines.registry import engine
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from inspector.stores.lines import read_spans
from inspector.stores.message_logs import reader
from tests.stores.agent_sessions import WRITERS, write_lines
from tests.stores.writer import create, insert, session

RULE = "Never let the Saltholm ferry wait in the northern harbour before midnight. Which berths are available today?"
SUMMARY = "The Saltholm ferry must never wait in the northern harbour before midnight. Of the berths available is 4."


def opened(path: Path) -> tuple[Store, Conversation, list[Compaction], list[Request]]:
    store = open_store(path)
    row = next(row for row in store.conversations() if row.compactions)
    conversation = store.open(row.id)
    return store, conversation, list(store.compactions(conversation)), list(store.requests(conversation))


def texts(store: Store, conversation: Conversation, number: int) -> list[str]:
    return [message.text for message in store.messages(conversation.generations[number - 1])]


def called_tool(name: str, result: str) -> list[dict[str, Any]]:
    """Return a call with this id, and its result."""
    function = {"name": "berths", "arguments": "{}"}
    calls = [{"id": name, "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": name, "content": result},
    ]


def chat_log(with_answers: bool) -> list[dict[str, Any]]:
    """Make a chat of four requests. The third asks for a summary, and the fourth begins with it."""
    system = {"role": "system", "content": "You are an agent of the harbour."}
    call = {"id": "t1", "type": "function", "function": {"name": "berths", "arguments": "{}"}}
    first = [system, {"role": "user", "content": RULE}]
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    second = [
        *first,
        called,
        {"role": "tool", "tool_call_id": "t1", "content": "berth 4: free, berth 7: taken"},
    ]
    answered = {"role": "assistant", "content": "Berth 4 is free."}
    asked = [*second, answered, {"role": "user", "content": "Summarize the conversation."}]
    after = [
        system,
        {"role": "user", "content": f"Earlier: {SUMMARY}"},
        {"role": "user", "content": "Moor it."},
    ]
    answers = [
        called,
        answered,
        {"role": "assistant", "content": SUMMARY},
        {"role": "assistant", "content": "Moored."},
    ]
    log = []
    for at, (messages, answer) in enumerate(zip([first, second, asked, after], answers, strict=True)):
        record: dict[str, Any] = {"model": "gpt-5.5", "messages": messages, "timestamp": 1791187200 + at}
        if with_answers:
            usage = {"prompt_tokens": 1_000 * (at + 1), "completion_tokens": 10}
            record["response"] = {"id": f"r{at}", "choices": [{"message": answer}], "usage": usage}
        log.append(record)
    return log


@pytest.mark.parametrize("with_answers", [True, False])
def test_a_prefix_that_does_not_continue_is_a_compaction(with_answers: bool, tmp_path: Path) -> None:
    store, conversation, (compaction,), requests = opened(
        write_lines(tmp_path / "a.jsonl", chat_log(with_answers))
    )
    assert SUMMARY in (compaction.summary or "")
    assert (compaction.before, compaction.after, compaction.summary_at) == (4 if with_answers else 5, 2, 0)
    assert texts(store, conversation, 1)[0] == RULE
    assert texts(store, conversation, 2)[1:] == (["Moor it.", "Moored."] if with_answers else ["Moor it."])
    assert store.system_prompt(conversation.id) == "You are an agent of the harbour."
    assert [(request.context, request.summarizes) for request in requests] == (
        [(1_000, False), (2_000, False), (3_000, True), (4_000, False)] if with_answers else []
    )
    assert "does not record compactions" in " ".join(store.info.limits)


def test_a_document_is_read_as_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(chat_log(True), indent=2))
    store, conversation, (compaction,), _ = opened(path)
    assert SUMMARY in (compaction.summary or "")
    assert texts(store, conversation, 2)[-1] == "Moored."


def test_a_session_of_hermes_begins_with_the_list_after_its_compaction(tmp_path: Path) -> None:
    handoff = f"[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n{SUMMARY}"
    messages = [("user", RULE), ("assistant", "Noted."), ("user", handoff), ("assistant", "Moored.")]
    path = tmp_path / "session_20260417_132146_06891a.json"
    path.write_text(
        json.dumps(
            {
                "session_id": "20260417_132146_06891a",
                "model": "gpt-5.5",
                "system_prompt": "You are an agent of the harbour. " * 10_000,
                "messages": [{"role": role, "content": text} for role, text in messages],
            }
        )
    )
    store, conversation, (compaction,), _ = opened(path)
    assert conversation.id == "20260417_132146_06891a"
    assert (compaction.before, compaction.after, compaction.summary_at) == (0, 4, 2)
    assert SUMMARY in (compaction.summary or "")
    assert "The list before it is not in this file." in compaction.note
    assert texts(store, conversation, 2)[-1] == "Moored."
    (sentence,) = unknown_losses([read_losses(Answers(store, {}, None), conversation.id)])
    assert "losses of 1 compaction are unknown" in sentence


def test_a_session_of_hermes_has_its_prompt_its_reasoning_and_its_start(tmp_path: Path) -> None:
    path = tmp_path / "session_20260417_132146_06891a.json"
    document = {
        "session_id": "20260417_132146_06891a",
        "session_start": "2026-04-17T13:21:46.000001",
        "last_updated": "2026-04-17T14:21:46.000001",
        "system_prompt": "You are an agent of the harbour.",
        "messages": [
            {"role": "user", "content": RULE},
            {"role": "assistant", "content": "Noted.", "reasoning": "A rule of the harbour."},
        ],
    }
    path.write_text(json.dumps(document))
    store = open_store(path)
    (row,) = store.conversations()
    assert store.system_prompt(row.id) == "You are an agent of the harbour."
    assert store.messages(store.open(row.id).live)[1].wire["reasoning"] == "A rule of the harbour."
    assert row.started_at == datetime(2026, 4, 17, 13, 21, 46, 1).timestamp()
    assert row.last_active - row.started_at == 3_600
    assert "Hermes Agent made the session" in store.info_of(row.id).profile_reason
    assert row.source == "message-log Hermes Agent"


def hermes_session(
    folder: Path, name: str, start: str, end: str, messages: Sequence[tuple[str, str]], reviews: str = ""
) -> None:
    """Write a session as Hermes does. A fork has the id of the session that it `reviews`."""
    document = {
        "session_id": reviews or name,
        "session_start": start,
        "last_updated": end,
        "messages": [{"role": role, "content": text} for role, text in messages],
    }
    (folder / f"session_{name}.json").write_text(json.dumps(document))


def test_the_files_of_hermes_are_one_conversation_and_its_forks_are_branches(tmp_path: Path) -> None:
    first = [
        ("user", RULE),
        ("assistant", "Noted."),
        ("user", "Which berth?"),
        ("assistant", "Berth 4 is free."),
    ]
    summary = f"[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n\n{SUMMARY}"
    second = [first[0], ("user", summary), first[3], ("user", "Moor it."), ("assistant", "Moored.")]
    start = "2026-10-07T08:00:00.000001"
    hermes_session(tmp_path, "20261007_080000_aaaaaa", start, "2026-10-07T08:05:00", first)
    hermes_session(tmp_path, "20261007_080800_bbbbbb", start, "2026-10-07T08:30:00", second)
    review = [*second[:3], ("user", "Review the conversation above.")]
    hermes_session(tmp_path, "20261007_081200_cccccc", "2026-10-07T08:12:00", "2026-10-07T08:13:00", review)
    # The gateway writes the same messages.
    lines = [{"role": role, "content": text, "timestamp": "2026-10-07T08:30:01"} for role, text in second]
    write_lines(tmp_path / "20261007_080800_bbbbbb.jsonl", lines)
    # The user's copy of a file is no fork.
    original = tmp_path / "session_20261007_080800_bbbbbb.json"
    original.with_stem(f"{original.stem}_old").write_bytes(original.read_bytes())
    store = open_store(tmp_path)
    rows = {row.id[-6:]: row for row in store.conversations()}
    assert {name: (row.kind, row.compactions) for name, row in rows.items()} == {
        "bbbbbb": ("conversation", 1), "cccccc": ("branch", 0),
    }  # fmt: skip
    conversation = store.open("20261007_080000_aaaaaa")
    assert conversation.id == rows["cccccc"].parent == rows["bbbbbb"].id
    (compaction,) = store.compactions(conversation)
    assert (compaction.before, compaction.after, compaction.head_end, compaction.tail_start) == (4, 3, 1, 3)
    assert (compaction.summary, compaction.whole, compaction.exact) == (SUMMARY, True, True)
    assert texts(store, conversation, 1) == [text for _, text in first]
    assert texts(store, conversation, 2) == [text for _, text in second]
    branch = store.open(rows["cccccc"].id)
    assert store.compactions(branch) == ()
    assert texts(store, branch, 1) == [text for _, text in review]


def test_a_resumed_session_of_hermes_stays_in_its_conversation(tmp_path: Path) -> None:
    """It has another start. Its transcript is longer than its file, and its forks have its id."""
    handoff = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n\n"
    first = [("user", RULE), ("assistant", "Noted."), ("user", "Which berth?"), ("assistant", "Berth 4.")]
    second = [first[0], ("user", handoff + SUMMARY), first[3], ("user", "Moor it.")]
    asked = ("user", "Review the conversation above.")
    start, later = "2026-10-07T08:00:00.000001", "2026-10-07T16:00:00.000001"
    one, two = "20261007_080000_aaaaaa", "20261007_080800_bbbbbb"
    hermes_session(tmp_path, one, start, "2026-10-07T08:05:00", first)
    hermes_session(tmp_path, "20261007_080600_cccccc", start, "2026-10-07T08:07:00", [*first, asked], one)
    reviewed = [first[0], ("user", f"{handoff}The ferry is moored."), asked]
    hermes_session(tmp_path, "20261007_080900_dddddd", start, "2026-10-07T08:09:30", reviewed, two)
    hermes_session(tmp_path, two, later, "2026-10-07T16:05:00", second)
    transcript = [*second, ("assistant", "Moored.")]
    lines = [{"role": role, "content": text, "timestamp": "2026-10-07T16:05:01"} for role, text in transcript]
    write_lines(tmp_path / f"{two}.jsonl", lines)
    store = open_store(tmp_path)
    rows = {row.id[-6:]: row for row in store.conversations()}
    assert {name: (row.kind, row.compactions) for name, row in rows.items()} == {
        "bbbbbb": ("conversation", 1), "cccccc": ("branch", 0), "dddddd": ("branch", 1),
    }  # fmt: skip
    assert rows["cccccc"].parent == rows["dddddd"].parent == two
    conversation = store.open(one)
    (compaction,) = store.compactions(conversation)
    assert (compaction.before, compaction.after, compaction.summary) == (4, 3, SUMMARY)
    assert texts(store, conversation, 1) == [text for _, text in first]
    assert texts(store, conversation, 2) == [text for _, text in transcript]
    assert "Hermes Agent made the session" in store.info_of(two).profile_reason
    (own,) = store.compactions(store.open(rows["dddddd"].id))
    assert own.summary == "The ferry is moored."


@pytest.mark.parametrize(("minute", "compactions"), [("06", 1), ("04", 0)])
def test_a_transcript_of_hermes_may_be_the_list_after_a_compaction(
    tmp_path: Path, minute: str, compactions: int
) -> None:
    """Its session has the list before under the same id, if the transcript goes on later."""
    name = "20261007_080000_aaaaaa"
    before = [("user", RULE), ("assistant", "Noted."), ("user", "Which berth?"), ("assistant", "Berth 4.")]
    handoff = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n\n"
    after = [before[0], ("user", handoff + SUMMARY), before[3], ("user", "Moor it.")]
    hermes_session(tmp_path, name, "2026-10-07T08:00:00.000001", "2026-10-07T08:05:00", before)
    times = [None, None, f"2026-10-07T08:{minute}:00", f"2026-10-07T08:{minute}:40"]
    lines = [
        {"role": role, "content": text, "timestamp": time}
        for (role, text), time in zip(after, times, strict=True)
    ]
    write_lines(tmp_path / f"{name}.jsonl", lines)
    store = open_store(tmp_path)
    (row,) = store.conversations()
    assert (row.id, row.compactions) == (name, compactions)
    conversation = store.open(name)
    assert texts(store, conversation, 1) == [text for _, text in before]
    found = [(one.before, one.after, one.summary) for one in store.compactions(conversation)]
    assert found == [(4, 3, SUMMARY)] * compactions
    if compactions:
        went_on = datetime(2026, 10, 7, 8, 6).timestamp()
        assert [one.at for one in store.compactions(conversation)] == [went_on]
        assert texts(store, conversation, 2) == [text for _, text in after]


def test_a_list_with_a_new_summary_of_hermes_is_no_edit(tmp_path: Path) -> None:
    """A short middle is replaced by a summary that is about as long."""
    summary = f"[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n\n{SUMMARY}"
    first = [("user", RULE), ("assistant", "Noted. " * 9), ("user", "Go on."), ("assistant", "Berth 4.")]
    second = [first[0], ("user", summary), *first[2:]]
    log = [
        {"model": "gpt-5.5", "messages": [{"role": role, "content": text} for role, text in listed]}
        for listed in (first, second)
    ]
    store, conversation, (compaction,), _ = opened(write_lines(tmp_path / "a.jsonl", log))
    assert SUMMARY in (compaction.summary or "")
    assert texts(store, conversation, 1) == [text for _, text in first]


@pytest.mark.parametrize(
    ("name", "profile", "named"),
    [
        ("hermes-0.13-rotating.db", "hermes-0.13", "Hermes Agent 0.13 or 0.15"),
        ("hermes-0.19-in-place.db", "hermes-0.19", "Hermes Agent 0.19"),
    ],
)
def test_the_files_of_hermes_have_the_profile_of_their_summary(
    name: str, profile: str, named: str, fixtures_dir: Path, tmp_path: Path
) -> None:
    database = open_store(fixtures_dir / name)
    opened_ones = (database.open(row.id) for row in database.conversations())
    source = next(conversation for conversation in opened_ones if len(conversation.generations) > 1)
    start = "2026-10-07T08:00:00.000001"
    for at, generation in zip(("0800", "0900"), source.generations[:2], strict=True):
        listed = [(message.role, message.text) for message in database.messages(generation)]
        hermes_session(tmp_path, f"20261007_{at}00_aaaaaa", start, f"2026-10-07T{at[:2]}:30:00", listed)
    store = open_store(tmp_path)
    (joined,) = store.conversations()
    assert (joined.compactions, joined.source) == (1, f"message-log {named}")
    info = store.info_of(joined.id)
    assert info.profile == profile
    assert f"{named} made the session, by the wording of its newest summary." in info.profile_reason


def test_a_shortened_result_makes_a_compaction_of_hermes_inferred(tmp_path: Path) -> None:
    start = "2026-10-07T08:00:00.000001"
    summary = f"[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n\n{SUMMARY}"
    end = ("assistant", "Berth 4 is free.")
    first = [("user", RULE), ("tool", "berth " * 100), ("user", "Which berth?"), end]
    second = [first[0], ("tool", "[Old tool output cleared]"), ("user", summary), end, ("user", "Moor it.")]
    hermes_session(tmp_path, "20261007_080000_aaaaaa", start, "2026-10-07T08:05:00", first)
    hermes_session(tmp_path, "20261007_080800_bbbbbb", start, "2026-10-07T08:30:00", second)
    store = open_store(tmp_path)
    (compaction,) = store.compactions(store.open("20261007_080000_aaaaaa"))
    assert (compaction.exact, compaction.after) == (False, 4)
    assert "shortened result" in compaction.note


def test_a_message_is_read_from_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = "2026-10-07T08:00:00.000001"
    summary = f"[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n\n{SUMMARY}"
    end = ("assistant", "Berth 4 is free.")
    hermes_session(tmp_path, "20261007_080000_aaaaaa", start, "2026-10-07T08:05:00", [("user", RULE), end])
    second = [("user", RULE), ("user", summary), end, ("user", "Moor it.")]
    hermes_session(tmp_path, "20261007_080800_bbbbbb", start, "2026-10-07T08:30:00", second)
    store = open_store(tmp_path)
    conversation = store.open("20261007_080000_aaaaaa")
    read: list[str] = []
    documents = reader._documents

    def counted(path: Path) -> Any:
        read.append(path.name)
        return documents(path)

    monkeypatch.setattr(reader, "_documents", counted)
    assert [message.text for message in store.messages(conversation.live, 3)] == ["Moor it."]
    assert read == ["session_20261007_080800_bbbbbb.json"]


def test_sessions_of_hermes_without_a_start_are_not_joined(tmp_path: Path) -> None:
    for name, text in (("a", "Berth 4 is free."), ("b", "Moored.")):
        summary = f"[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n\n## Goal\n{text}"
        messages = [{"role": "user", "content": content} for content in (RULE, summary)]
        document = {"session_id": name, "message_count": 2, "messages": messages}
        (tmp_path / f"session_{name}.json").write_text(json.dumps(document))
    assert sorted(row.sessions for row in open_store(tmp_path).conversations()) == [("a",), ("b",)]


def test_a_new_session_of_hermes_without_a_summary_is_another_conversation(tmp_path: Path) -> None:
    start = "2026-10-07T08:00:00.000001"
    for name, text in (("20261007_080000_aaaaaa", "Berth 4 is free."), ("20261007_080800_bbbbbb", "Moored.")):
        hermes_session(tmp_path, name, start, "2026-10-07T08:05:00", [("user", RULE), ("assistant", text)])
    assert [row.compactions for row in open_store(tmp_path).conversations()] == [0, 0]


def test_equal_messages_of_one_list_are_several_rows(tmp_path: Path) -> None:
    """Two calls may have equal results, and a user says "Go on." twice."""
    messages: list[dict[str, Any]] = []
    for name in ("c1", "c2"):
        messages += [{"role": "user", "content": "Go on."}, *called_tool(name, '{"total_count": 0}')]
    log = [
        {"model": "gpt-5.5", "messages": messages[:stop], "timestamp": 1791187200 + stop} for stop in (4, 6)
    ]
    store = open_store(write_lines(tmp_path / "a.jsonl", log))
    conversation = store.open(store.conversations()[0].id)
    assert not store.compactions(conversation)
    rows = store.messages(conversation.live)
    assert len({row.id for row in rows}) == 6
    assert [row.wire["tool_call_id"] for row in rows if row.wire["role"] == "tool"] == ["c1", "c2"]


def test_equal_placeholders_clear_each_its_result(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": RULE}]
    for name in ("c1", "c2"):
        messages += called_tool(name, f"{name}: " + "berth " * 100)
    cleared = [{**one, "content": "[cleared]"} if one["role"] == "tool" else one for one in messages]
    asked = {"role": "user", "content": "Moor it."}
    log = [
        {"model": "gpt-5.5", "messages": sent, "timestamp": 1791187200 + at}
        for at, sent in enumerate((messages, [*cleared, asked], [*cleared, asked, asked]))
    ]
    store = open_store(write_lines(tmp_path / "a.jsonl", log))
    conversation = store.open(store.conversations()[0].id)
    assert not store.compactions(conversation)
    assert [step.cleared for step in store.microcompactions(conversation)] == [(2, 4)]
    assert [text[:2] for text in texts(store, conversation, 1)[2:5:2]] == ["c1", "c2"]


def test_a_transcript_of_hermes_has_a_message_in_each_line(tmp_path: Path) -> None:
    """The gateway of 0.13 and 0.14 writes it beside its database."""
    path = tmp_path / "20260301_100000_abcdef.jsonl"
    messages = [("user", RULE), ("assistant", "Noted."), ("user", "Moor it.")]
    lines = [{"role": role, "content": text, "timestamp": "2026-03-01T10:00:00"} for role, text in messages]
    write_lines(path, [{"role": "session_meta", "tools": [], "model": "gpt-5.5"}, *lines])
    with path.open("a") as file:
        file.write("{damaged\n")
    store = open_store(path)
    conversation = store.open(path.stem)
    assert (conversation.row.model, conversation.row.compactions) == ("gpt-5.5", 0)
    assert texts(store, conversation, 1) == [text for _, text in messages]
    assert conversation.has_unread


def test_a_session_of_hermes_in_its_database_appears_once(tmp_path: Path) -> None:
    database = create(tmp_path / "state.db", 11)
    insert(database, session(database, "20260301_100000_abcdef"), {"role": "user", "content": RULE}, 1.0)
    database.close()
    (tmp_path / "sessions").mkdir()
    for name in ("20260301_100000_abcdef", "20260301_110000_abcdef"):
        write_lines(tmp_path / "sessions" / f"{name}.jsonl", [{"role": "user", "content": RULE}])
    store = open_store(tmp_path)
    assert sorted((row.agent, row.id) for row in store.conversations()) == [
        ("hermes", "20260301_100000_abcdef"), ("message-log", "20260301_110000_abcdef"),
    ]  # fmt: skip
    word = RULE.split()[0]
    assert len({hit.conversation for hit in store.search(word)}) == len(list(store.search(word))) == 2


def test_sessions_that_hermes_exports_are_separate(tmp_path: Path) -> None:
    gone = {"role": "user", "content": "Gone.", "active": 0}
    lines = [
        {"id": name, "message_count": 2, "messages": [gone, {"role": "user", "content": RULE, "active": 1}]}
        for name in ("20260301_100000_abcdef", "20260301_110000_abcdef")
    ]
    store = open_store(write_lines(tmp_path / "backup.jsonl", lines))
    rows = {row.id: row.messages for row in store.conversations()}
    assert rows == {"20260301_100000_abcdef": 1, "20260301_110000_abcdef": 1}


@pytest.mark.parametrize("recorded", [True, False])
def test_sums_of_several_calls_are_no_size_of_the_list(tmp_path: Path, recorded: bool) -> None:
    """Tools of the server run between the calls of one request; newer usage has each of these calls."""
    messages: list[dict[str, Any]] = []
    records = []
    for number, sent in enumerate((20_000, 90_000, 35_000)):
        messages.append({"role": "user", "content": f"{RULE} {number}"})
        usage = {"input_tokens": sent, "output_tokens": 50}
        if number == 1:
            usage["server_tool_use"] = {"web_search_requests": 2}
            if recorded:
                usage["iterations"] = [{"type": "message", "input_tokens": 30_000, "output_tokens": 25}] * 3
        answer = {"role": "assistant", "content": [{"type": "text", "text": f"Berth {number}."}]}
        response = {
            "id": f"msg_{number}",
            "type": "message",
            "stop_reason": "end_turn",
            "usage": usage,
            **answer,
        }
        at = f"2026-04-01T10:00:0{number}Z"
        records.append(
            {"request": {"model": "claude-opus-5", "messages": list(messages)}, "response": response}
        )
        records[-1]["timestamp"] = at
        messages.append(answer)
    store = open_store(write_lines(tmp_path / "a.jsonl", records))
    (row,) = store.conversations()
    inspection = Inspection.open(store, row.id)
    requests = inspection.requests()
    assert [request.context for request in requests] == [
        20_000,
        *([30_000] * 3 if recorded else [90_000]),
        35_000,
    ]
    assert [request.unsized for request in requests if request.context == 90_000] == (
        [] if recorded else [True]
    )
    assert not [
        one for one in findings(inspection, settings_of(inspection, {})) if one.rule == "context-shrank"
    ]
    assert any("several calls" in note for note in inspection.conversation.notes) is not recorded


@pytest.mark.parametrize(("read", "shrank"), [(2_000, True), (34_000, False)])
def test_a_prompt_that_the_cache_still_has_did_not_shrink(tmp_path: Path, read: int, shrank: bool) -> None:
    messages: list[dict[str, Any]] = []
    records = []
    for number, sent in enumerate((20_000, 90_000, 35_000)):
        messages.append({"role": "user", "content": f"{RULE} {number}"})
        answer = {"role": "assistant", "content": [{"type": "text", "text": f"Berth {number}."}]}
        usage = {"input_tokens": sent - read, "cache_read_input_tokens": read, "output_tokens": 50}
        response = {
            "id": f"msg_{number}",
            "type": "message",
            "stop_reason": "end_turn",
            "usage": usage,
            **answer,
        }
        request = {"model": "claude-opus-5", "messages": list(messages)}
        records.append(
            {"request": request, "response": response, "timestamp": f"2026-04-01T10:00:0{number}Z"}
        )
        messages.append(answer)
    store = open_store(write_lines(tmp_path / "a.jsonl", records))
    (row,) = store.conversations()
    inspection = Inspection.open(store, row.id)
    found = {one.rule for one in findings(inspection, settings_of(inspection, {}))}
    assert ("context-shrank" in found) is shrank


def test_a_conversation_that_only_grows_was_never_compacted(tmp_path: Path) -> None:
    (row,) = open_store(write_lines(tmp_path / "a.jsonl", chat_log(True)[:2])).conversations()
    assert (row.compactions, row.messages, row.title) == (0, 4, RULE)


def test_results_that_were_cleared_are_a_microcompaction(tmp_path: Path) -> None:
    first, second, *_ = chat_log(False)
    cleared = [*second["messages"][:-1], {**second["messages"][-1], "content": "[cleared]"}]
    more = [*cleared, {"role": "assistant", "content": "Berth 4."}, {"role": "user", "content": "Moor it."}]
    store = open_store(
        write_lines(tmp_path / "a.jsonl", [first, second, {"model": "gpt-5.5", "messages": more}])
    )
    (row,) = store.conversations()
    conversation = store.open(row.id)
    (step,) = store.microcompactions(conversation)
    assert (step.cleared, step.results) == ((2,), 1)
    assert "berth 4: free" in texts(store, conversation, 1)[2]


def test_a_list_continues_after_a_clearing_with_a_logged_answer(tmp_path: Path) -> None:
    """The cleared result is longer than the rest of the list."""
    log = chat_log(True)[:2]
    result = log[1]["messages"][-1]
    result["content"] += ", berth 9: free" * 100
    cleared = [*log[1]["messages"][:-1], {**result, "content": "[cleared]"}]
    cleared += [log[1]["response"]["choices"][0]["message"], {"role": "user", "content": "Moor it."}]
    answer = {"role": "assistant", "content": "Moored."}
    log.append({"model": "gpt-5.5", "messages": cleared, "response": {"choices": [{"message": answer}]}})
    log.append(
        {"model": "gpt-5.5", "messages": [*cleared, answer, {"role": "user", "content": "And the tug?"}]}
    )
    store = open_store(write_lines(tmp_path / "a.jsonl", log))
    (row,) = store.conversations()
    conversation = store.open(row.id)
    assert (row.compactions, len(store.microcompactions(conversation))) == (0, 1)
    assert texts(store, conversation, 1)[-3:] == ["Moor it.", "Moored.", "And the tug?"]


def anthropic_log(paused: bool) -> list[dict[str, Any]]:
    edits = {"edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}]}
    user, answer = {"role": "user", "content": RULE}, {"role": "assistant", "content": "Berth 4 is free."}
    sent = [user, answer, {"role": "user", "content": "Moor it."}]
    block, reply = {"type": "compaction", "content": SUMMARY}, {"type": "text", "text": "Moored."}
    iterations = [{"type": "compaction", "input_tokens": 51_000, "output_tokens": 300}]
    if not paused:
        iterations.append({"type": "message", "input_tokens": 900, "output_tokens": 20})
    response = {
        "id": "m2", "type": "message", "content": [block] if paused else [block, reply],
        "stop_reason": "compaction" if paused else "end_turn", "usage": {"input_tokens": 900, "iterations": iterations},
    }  # fmt: skip
    usage = {"input_tokens": 40_000, "output_tokens": 10}
    first = {
        "id": "m1",
        "type": "message",
        "content": [{"type": "text", "text": answer["content"]}],
        "usage": usage,
    }
    body = {
        "model": "claude-opus-5",
        "max_tokens": 100,
        "system": "You are an agent.",
        "context_management": edits,
    }
    after = [
        *sent,
        {"role": "assistant", "content": response["content"]},
        {"role": "user", "content": "And now?"},
    ]
    return [
        {"request": {**body, "messages": [user]}, "response": first},
        {"request": {**body, "messages": sent}, "response": response},
        {"request": {**body, "messages": after}},
    ]


@pytest.mark.parametrize("paused", [True, False])
def test_anthropics_compaction_blocks(paused: bool, tmp_path: Path) -> None:
    store, conversation, (compaction,), requests = opened(
        write_lines(tmp_path / "a.jsonl", anthropic_log(paused))
    )
    assert (compaction.summary, compaction.trigger, compaction.before, compaction.after) == (
        SUMMARY,
        "auto",
        3,
        1,
    )
    assert texts(store, conversation, 2) == [SUMMARY, *([] if paused else ["Moored."]), "And now?"]
    summarizing = [request for request in requests if request.summarizes]
    assert [(request.context, request.output, request.generation) for request in summarizing] == [
        (51_000, 300, 1)
    ]
    others = [request.generation for request in requests if not request.summarizes]
    assert others == ([1] if paused else [1, 2])


def test_openais_compaction_is_encrypted_and_keeps_the_users_messages(tmp_path: Path) -> None:
    user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": RULE}]}
    answer = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Berth 4 is free."}],
    }
    more = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Moor it."}]}
    block = {"type": "compaction", "id": "c1", "encrypted_content": "abc"}
    log = [
        {"model": "gpt-5.5", "instructions": "You are an agent.", "input": items}
        for items in ([user], [user, answer, more], [user, more, block])
    ]
    _, _, (compaction,), _ = opened(write_lines(tmp_path / "a.jsonl", log))
    assert (compaction.encrypted, compaction.summary, compaction.summary_at) == (True, None, 2)
    assert len(compaction.kept) + compaction.head_end == 2


def item(role: str, text: str) -> dict[str, Any]:
    """Return a message of OpenAI's responses API."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


FIRST, ANSWER, SECOND, DONE = (
    item("user", RULE),
    item("assistant", "Berth 4 is free."),
    item("user", "Moor it."),
    item("assistant", "Moored."),
)
BLOCK = {"type": "compaction", "id": "c1", "encrypted_content": "abc"}
MANAGED = {"model": "gpt-5.5", "context_management": [{"type": "compaction", "compact_threshold": 50_000}]}
NEXT = item("user", "And the tug?")


def responses_log(*exchanges: tuple[dict[str, Any], list[dict[str, Any]] | None]) -> list[dict[str, Any]]:
    """Make requests with their input, and their output if it is logged."""
    log = []
    for number, (sent, output) in enumerate(exchanges, start=1):
        usage = {
            "input_tokens": 50_000 + number,
            "output_tokens": 9,
            "input_tokens_details": {"cached_tokens": 0},
        }
        response = {"id": f"r{number}", "object": "response", "output": output, "usage": usage}
        log.append({"request": {**MANAGED, **sent}, **({} if output is None else {"response": response})})
    return log


SERVER_SIDE = {
    "whole input sent again": responses_log(
        ({"input": [FIRST]}, [ANSWER]), ({"input": [FIRST, ANSWER, SECOND]}, [BLOCK, DONE]),
        ({"input": [FIRST, ANSWER, SECOND, BLOCK, DONE, NEXT]}, []),
    ),
    "input cut at the item": responses_log(
        ({"input": [FIRST]}, [ANSWER]), ({"input": [FIRST, ANSWER, SECOND]}, [BLOCK, DONE]),
        ({"input": [BLOCK, DONE, NEXT]}, []),
    ),
    "answers not logged": responses_log(
        ({"input": [FIRST]}, None), ({"input": [FIRST, ANSWER, SECOND]}, None),
        ({"input": [FIRST, ANSWER, SECOND, BLOCK, DONE, NEXT]}, None),
    ),
    "chained by the previous response": responses_log(
        ({"input": RULE}, [ANSWER]), ({"input": [SECOND], "previous_response_id": "r1"}, [BLOCK, DONE]),
        ({"input": [NEXT], "previous_response_id": "r2"}, []),
    ),
    "one conversation of the API": responses_log(
        ({"input": RULE, "conversation": "conv_1"}, [ANSWER]),
        ({"input": [SECOND], "conversation": {"id": "conv_1"}}, [BLOCK, DONE]),
        ({"input": [NEXT], "conversation": "conv_1"}, []),
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", SERVER_SIDE)
def test_openais_server_compacts(way: str, tmp_path: Path) -> None:
    store, conversation, (compaction,), requests = opened(write_lines(tmp_path / "a.jsonl", SERVER_SIDE[way]))
    assert (compaction.encrypted, compaction.summary, compaction.trigger) == (True, None, "auto")
    assert (compaction.before, compaction.after, compaction.summary_at) == (3, 1, 0)
    assert texts(store, conversation, 1) == [RULE, "Berth 4 is free.", "Moor it."]
    assert texts(store, conversation, 2)[1:] == ["Moored.", "And the tug?"]
    if way != "answers not logged":
        assert [request.generation for request in requests] == [1, 1, 2]


@pytest.mark.parametrize("logged", [False, True])
def test_a_client_that_repeats_everything_restores_no_message(logged: bool, tmp_path: Path) -> None:
    """No logged answer has the item: it first appears in the third request."""
    again = [FIRST, ANSWER, SECOND, BLOCK, DONE, NEXT]
    log = responses_log(
        ({"input": [FIRST]}, [ANSWER]),
        ({"input": [FIRST, ANSWER, SECOND]}, None),
        ({"input": again}, [item("assistant", "At berth 7.")] if logged else None),
        ({"input": [*again, item("assistant", "At berth 7."), item("user", "And the barge?")]}, None),
    )
    store, conversation, (compaction,), _ = opened(write_lines(tmp_path / "a.jsonl", log))
    assert (compaction.before, compaction.after, compaction.encrypted) == (3, 1, True)
    assert texts(store, conversation, 1) == [RULE, "Berth 4 is free.", "Moor it."]
    assert texts(store, conversation, 2)[1:] == ["Moored.", "And the tug?", "At berth 7.", "And the barge?"]


@pytest.mark.parametrize(
    ("first", "stop", "why"),
    [
        (0, 3, "no request followed it"),
        (2, 4, "no request before it is known"),
    ],
)
def test_the_listed_call_of_an_encrypted_summary_is_no_reason(
    first: int, stop: int, why: str, tmp_path: Path
) -> None:
    log = responses_log(
        ({"input": [FIRST]}, [ANSWER]),
        ({"input": [FIRST, ANSWER, SECOND]}, [DONE]),
        ({"input": [FIRST, ANSWER, SECOND, DONE]}, [FIRST, SECOND, BLOCK]),
        ({"input": [FIRST, SECOND, BLOCK, NEXT]}, [item("assistant", "At berth 7.")]),
    )
    log[2]["response"]["object"] = "response.compaction"
    path = write_lines(tmp_path / "a.jsonl", log[first:stop])
    store, conversation, (compaction,), _ = opened(path)
    requests = list_requests(Answers(store, {}, None), conversation.id)
    assert bills_of(Inspection.open(store, conversation.id), requests) == {}
    assert (compaction.encrypted, why_no_bill(compaction, requests)) == (True, why)


@pytest.mark.parametrize("chained", [False, True])
def test_openais_endpoint_returns_the_whole_list(chained: bool, tmp_path: Path) -> None:
    sent = {"previous_response_id": "r2"} if chained else {"input": [FIRST, ANSWER, SECOND, DONE]}
    log = responses_log(
        ({"input": [FIRST]}, [ANSWER]),
        ({"input": [FIRST, ANSWER, SECOND]}, [DONE]),
        (sent, [FIRST, SECOND, BLOCK]),
        ({"input": [FIRST, SECOND, BLOCK, NEXT]}, [item("assistant", "At berth 7.")]),
    )  # fmt: skip
    for record in log:
        del record["request"]["context_management"]
    log[2]["response"]["object"] = "response.compaction"
    store, conversation, (compaction,), requests = opened(write_lines(tmp_path / "a.jsonl", log))
    assert (compaction.encrypted, compaction.trigger, compaction.summary_at) == (True, None, 2)
    assert (compaction.before, compaction.after, len(compaction.kept)) == (4, 3, 2)
    assert [(one.generation, one.summarizes) for one in requests] == [
        (1, False),
        (1, False),
        (1, True),
        (2, False),
    ]
    listed = texts(store, conversation, 2)
    assert [*listed[:2], *listed[3:]] == [RULE, "Moor it.", "And the tug?", "At berth 7."]


def test_spans_of_opentelemetry(tmp_path: Path) -> None:
    def span(at: int, messages: list[tuple[str, str]], answer: str) -> dict[str, Any]:
        def parts(role: str, text: str) -> dict[str, Any]:
            return {"role": role, "parts": [{"type": "text", "content": text}]}

        values = {
            "gen_ai.conversation.id": "conv-1", "gen_ai.request.model": "gpt-5.5",
            "gen_ai.input.messages": json.dumps([parts(*message) for message in messages]),
            "gen_ai.output.messages": json.dumps([parts("assistant", answer)]),
        }  # fmt: skip
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
        attributes.append({"key": "gen_ai.usage.input_tokens", "value": {"intValue": "1000"}})
        return {
            "spanId": f"s{at}",
            "startTimeUnixNano": f"{1791187200 + at}000000000",
            "attributes": attributes,
        }

    grown = [
        ("user", RULE),
        ("assistant", "Berth 4 is free."),
        ("user", "Moor it."),
        ("assistant", "Moored."),
    ]
    spans = [
        span(0, grown[:1], grown[1][1]), span(1, grown[:3], grown[3][1]),
        span(2, [("user", SUMMARY), ("user", "And now?")], "Nothing."),
    ]  # fmt: skip
    path = write_lines(tmp_path / "spans.jsonl", [{"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}])
    store, conversation, (compaction,), requests = opened(path)
    assert conversation.id == "conv-1"
    assert compaction.summary == SUMMARY
    assert [request.context for request in requests] == [1_000] * 3
    assert texts(store, conversation, 2) == [SUMMARY, "And now?", "Nothing."]


def test_trajectories_that_continue_each_other(tmp_path: Path) -> None:
    def step(number: int, source: str, message: str, **more: Any) -> dict[str, Any]:
        return {
            "step_id": number,
            "source": source,
            "message": message,
            "timestamp": f"2026-10-05T08:00:0{number}Z",
            **more,
        }

    agent = {"name": "harbour", "version": "1", "model_name": "gpt-5.5"}
    metrics = {"metrics": {"prompt_tokens": 1_000, "cached_tokens": 200, "completion_tokens": 10}}
    call = {"tool_call_id": "t1", "function_name": "berths", "arguments": {}}
    observation = {"results": [{"source_call_id": "t1", "content": "berth 4: free"}]}
    first = [
        step(1, "user", RULE), step(2, "agent", "I look.", tool_calls=[call], observation=observation, **metrics),
        step(3, "user", "Moor it."),
    ]  # fmt: skip
    second = [
        step(1, "user", SUMMARY, is_copied_context=True), step(2, "user", "Moor it.", is_copied_context=True),
        step(3, "agent", "Moored.", **metrics),
    ]  # fmt: skip
    head = {"schema_version": "ATIF-v1.6", "session_id": "atif-1", "agent": agent}
    (tmp_path / "a.json").write_text(
        json.dumps({**head, "steps": first, "continued_trajectory_ref": "b.json"}, indent=1)
    )
    (tmp_path / "b.json").write_text(json.dumps({**head, "steps": second}, indent=1))
    store, conversation, (compaction,), requests = opened(tmp_path)
    assert (compaction.summary, compaction.before, compaction.after, compaction.tail_after) == (
        SUMMARY,
        4,
        2,
        1,
    )
    assert texts(store, conversation, 2) == [SUMMARY, "Moor it.", "Moored."]
    assert [(request.context, request.cache_read) for request in requests] == [(1_000, 200)] * 2


def test_trajectories_of_one_run_are_listed_each(tmp_path: Path) -> None:
    for name in ("main", "helper"):
        step = {"step_id": 1, "source": "user", "message": name}
        head = {"schema_version": "ATIF-v1.7", "session_id": "run-1", "agent": {"name": "harbour"}}
        (tmp_path / f"{name}.json").write_text(json.dumps({**head, "steps": [step]}))
    store = open_store(tmp_path)
    rows = store.conversations()
    assert {row.title for row in rows} == {"main", "helper"}
    assert [len(store.open(row.id).live) for row in rows] == [1, 1]


def test_a_session_that_was_converted_appears_once(tmp_path: Path) -> None:
    WRITERS["qwen"](tmp_path)
    (row,) = open_store(tmp_path).conversations()
    steps = [{"step_id": 1, "source": "user", "message": "Converted."}]
    document = {"schema_version": "ATIF-v1.7", "session_id": row.id, "steps": steps}
    (tmp_path / "trajectory.json").write_text(json.dumps(document))
    store = open_store(tmp_path)
    assert store.conversations() == (row,)
    assert len(store.open(row.id).live) == row.messages


def test_sub_agents_in_a_trajectory_are_separate_conversations(tmp_path: Path) -> None:
    def trajectory(question: str, **more: Any) -> dict[str, Any]:
        step = {"step_id": 1, "source": "user", "message": question}
        return {"schema_version": "ATIF-v1.7", "session_id": "run-1", "steps": [step], **more}

    helper = trajectory("Count.", subagent_trajectories=[trajectory("Count slowly.")])
    document = trajectory("Moor it.", subagent_trajectories=[helper, trajectory("Paint it.")])
    aside = {"step_id": 2, "source": "agent", "message": "I count.", "extra": {"is_sidechain": True}}
    document["steps"].append(aside)
    (tmp_path / "main.json").write_text(json.dumps(document))
    store = open_store(tmp_path)
    rows = {row.id: (row.kind, row.parent, row.title) for row in store.conversations()}
    assert rows == {
        "run-1": ("conversation", None, "Moor it."),
        "run-1-1": ("sub-agent", "run-1", "Count."),
        "run-1-1.1": ("sub-agent", "run-1", "Count slowly."),
        "run-1-2": ("sub-agent", "run-1", "Paint it."),
    }
    for name, (_, _, title) in rows.items():
        assert [one.text for one in store.messages(store.open(name).live)] == [title]
    assert store.open("run-1").notes == ("1 step of sub-agents and their requests are left out.",)


def test_a_truncated_trajectory_is_skipped_and_named(tmp_path: Path) -> None:
    document = {"schema_version": "ATIF-v1.6", "steps": [{"source": "user", "message": "a"}]}
    (tmp_path / "cut.json").write_text(json.dumps(document, indent=1)[:-4])
    store = open_store(tmp_path)
    assert store.conversations() == ()
    assert ["cut.json" in note for note in store.notes] == [True]


def test_a_file_with_an_odd_role_does_not_hide_the_others(tmp_path: Path) -> None:
    write_lines(tmp_path / "odd.jsonl", [{"role": {"name": "user"}, "content": "a"}])
    WRITERS["copilot"](tmp_path)
    assert [row.agent for row in open_store(tmp_path).conversations()] == ["copilot"]


def test_the_documented_rules_of_the_api_fire_at_150_000_tokens() -> None:
    rules = engine("anthropic-api")
    settings = Settings(profile="anthropic-api", context_length=200_000)
    settings = settings.with_(threshold=default_threshold(rules, 200_000))
    assert rules.budgets(settings).threshold_tokens == 150_000


@pytest.mark.parametrize(
    "odd", [{"messages": "x"}, {"messages": [1]}, {"input": [], "model": "m"}, {"body": {"messages": []}}]
)
def test_other_records_are_no_log(odd: dict[str, Any], tmp_path: Path) -> None:
    from inspector.core.errors import NotAStore

    with pytest.raises(NotAStore):
        open_store(write_lines(tmp_path / "a.jsonl", [odd]))


def test_a_log_of_many_short_conversations_is_not_read_again_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = [" ".join(f"harbour{number}word{word}" for word in range(9)) for number in range(40)]
    path = write_lines(
        tmp_path / "set.jsonl", [{"messages": [{"role": "user", "content": text}]} for text in questions]
    )
    reads: list[Path] = []

    def counted(path: Path, spans: Sequence[tuple[int, int]]) -> list[dict[str, Any] | None]:
        reads.append(path)
        return read_spans(path, spans)

    monkeypatch.setattr(reader, "read_spans", counted)
    assert len(open_store(path).conversations()) == len(questions)
    assert len(reads) <= len(questions)
