"""Sessions of Kimi Code: messages that stay, cut messages, undo, branches and sub-agents."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.resolving import resolve
from inspector.core.conversations import Compaction, Conversation
from inspector.engines.registry import budgets_of
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from inspector.stores.kimi_code.keeping import MAX_KEPT, kept_of
from inspector.stores.several import SeveralStores
from tests.stores.agent_sessions import AFTER, ANSWER, CALL, LAST, RULE, SESSION, SUMMARY
from tests.stores.kimi_code_session import KimiCodeSession

LINE = "The ferry leaves berth 4 at noon, and nobody moves it. "


def opened(path: Path) -> tuple[Store, Conversation, tuple[Compaction, ...]]:
    """Return the only conversation of a store, with its compactions."""
    store = open_store(path)
    (row,) = store.conversations()
    conversation = store.open(row.id)
    return store, conversation, store.compactions(conversation)


def texts(store: Store, conversation: Conversation, number: int = 0) -> list[str]:
    """Return the texts of a list, by default the live list."""
    generation = conversation.generations[number - 1] if number else conversation.live
    return [message.text for message in store.messages(generation)]


def test_messages_of_programs_are_not_the_users_and_do_not_stay(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.user("<system-reminder>It is Monday.</system-reminder>", "injection", variant="date_change")
    session.user("Use the plan of the harbour.", "skill_activation", trigger="user-slash")
    session.answer(ANSWER, sent=160_000)
    session.compact(SUMMARY, 160_300, 9_000, kept=2)
    session.user(AFTER)
    session.answer(LAST, sent=12_000)
    store, conversation, (compaction,) = opened(session.write(tmp_path))
    before, after = (store.messages(generation) for generation in conversation.generations)
    assert [message.role for message in before] == ["user", "system", "user", "assistant"]
    assert [message.text for message in after][:2] == [RULE, "Use the plan of the harbour."]
    assert (compaction.kept, compaction.summary, compaction.exact) == (((0, 0), (2, 1)), SUMMARY, True)
    assert compaction.tokens_before_reported == 160_020
    assert store.system_prompt(conversation.row.id) == "You are an agent of the harbour."
    assert conversation.row.window == 200_000
    assert {request.model for request in store.requests(conversation)} == {"kimi-k3"}


@pytest.mark.parametrize(
    ("lines", "tokens", "source"),
    [
        ("", 150_000, "observed in kimi-code"),
        ("compaction_trigger_ratio = 0.6", 120_000, "config.toml: compaction_trigger_ratio 0.6"),
        ("reserved_context_size = 100_000", 100_000, "config.toml: reserved_context_size 100,000"),
        ("reserved_context_size = 0", 170_000, "config.toml: reserved_context_size 0"),
        # Kimi Code ignores a reserve as large as the window, and does not start with such a ratio.
        ("reserved_context_size = 200_000", 170_000, "config.toml: reserved_context_size 200,000"),
        ("compaction_trigger_ratio = 1.2", 150_000, "observed in kimi-code"),
    ],
)
def test_the_settings_of_kimi_code_are_the_threshold_in_force(
    lines: str, tokens: int, source: str, tmp_path: Path
) -> None:
    session = KimiCodeSession(SESSION)
    session.config = f"[loop_control]\n{lines}\n"
    session.user(RULE)
    session.answer(ANSWER, sent=90_000)
    store, conversation, _ = opened(session.write(tmp_path))
    for single in (store, SeveralStores([store], tmp_path)):
        resolved = resolve(single, conversation.row, {}, None)
        assert (budgets_of(resolved.settings).threshold_tokens, resolved.sources["threshold"]) == (
            tokens,
            source,
        )
    other = resolve(store, conversation.row, {"profile": "pi"}, None)
    assert other.sources["threshold"] == "observed in pi"


def test_long_messages_are_cut_as_kimi_code_cuts_them(tmp_path: Path) -> None:
    """8,000 characters of the oldest and 72,000 of the newest stay: 2,000 and 18,000 tokens."""
    session = KimiCodeSession(SESSION)
    first, second = LINE * 900, "Berth 7. " * 6_000
    session.user(first)
    session.answer(ANSWER, sent=100_000)
    session.user(second)
    session.answer(ANSWER, sent=160_000)
    session.compact(SUMMARY, 160_300, 9_000, kept=3)
    session.user(AFTER)
    session.answer(ANSWER, sent=160_000)
    session.compact(SUMMARY, 160_300, 9_000, kept=4)
    store, conversation, compactions = opened(session.write(tmp_path))
    room = 72_000 - len(second) - 4
    assert texts(store, conversation, 2)[:3] == [first[:8_000], first[len(first) - room :], second]
    assert all(compaction.exact for compaction in compactions)
    again = texts(store, conversation, 3)
    assert (again[0], again[-2]) == (first[:8_000], AFTER)
    assert first.endswith(again[1])
    assert len(again[1]) < room


def test_another_number_of_kept_messages_is_noted(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=160_000)
    session.compact(SUMMARY, 160_300, 9_000, kept=5)
    _, _, (compaction,) = opened(session.write(tmp_path))
    assert not compaction.exact
    assert compaction.note == "Kimi Code recorded 5 kept messages; its rule gives 1."


def test_early_releases_kept_the_newest_messages(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=150_000)
    session.user(AFTER)
    session.answer(LAST, sent=160_000)
    session.add("context.apply_compaction", summary=SUMMARY, compactedCount=2, tokensBefore=160_020)
    store, conversation, (compaction,) = opened(session.write(tmp_path))
    assert texts(store, conversation) == [SUMMARY, AFTER, LAST]
    assert (compaction.tail_start, compaction.trigger) == (2, None)


def test_undo_goes_back_to_a_message_of_the_user_but_not_before_a_summary(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=160_000)
    session.compact(SUMMARY, 160_300, 9_000, kept=1)
    session.user(AFTER)
    session.answer(LAST, sent=12_000)
    session.user("Sink the ferry.")
    session.answer("It sinks.", sent=13_000)
    session.add("context.undo", count=1)
    path = session.write(tmp_path)
    store, conversation, _ = opened(path)
    kept = texts(store, conversation)
    assert kept[-2:] == [AFTER, LAST]
    assert conversation.notes == ("2 messages on abandoned branches are in no list.",)
    for count in (2, 0):
        session.add("context.undo", count=count)
        store, conversation, _ = opened(session.write(tmp_path))
        assert texts(store, conversation) == kept


def test_a_message_during_a_call_follows_the_result(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.answer("", CALL, sent=20_000)
    (result,) = (place for place, one in enumerate(session.records) if "tool.result" in str(one))
    session.user(AFTER)
    session.records.insert(result, session.records.pop())
    store, conversation, _ = opened(session.write(tmp_path))
    assert texts(store, conversation) == [RULE, "", CALL.result, AFTER]


def test_a_compaction_that_was_cancelled_is_a_failed_one(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=160_000)
    session.add("full_compaction.begin", source="manual")
    session.add("full_compaction.cancel")
    store, conversation, compactions = opened(session.write(tmp_path))
    (failed,) = store.failures(conversation)
    assert (compactions, failed.trigger, failed.tokens_before_reported) == ((), "manual", 160_020)


def test_a_fork_is_a_branch_without_the_copied_compactions_and_requests(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=160_000)
    session.compact(SUMMARY, 160_300, 9_000, kept=1)
    session.answer(ANSWER, sent=9_500)
    session.write(tmp_path)
    fork = KimiCodeSession("fork")
    fork.state |= {"forkedFrom": SESSION, "title": f"Fork: {SESSION}"}
    fork.records = [*session.records]
    fork.add("forked", agentId="main")
    fork.user(AFTER)
    fork.answer(LAST, sent=12_000)
    fork.write(tmp_path)
    store = open_store(tmp_path)
    rows = {row.id: row for row in store.conversations()}
    branch = rows["fork"]
    assert (branch.kind, branch.parent, branch.compactions, branch.title) == ("branch", SESSION, 0, RULE)
    assert (rows[SESSION].kind, rows[SESSION].compactions) == ("conversation", 1)
    assert [request.context for request in store.requests(store.open("fork"))] == [12_000]
    assert not store.notes


def test_a_sub_agent_has_a_separate_wire(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.answer(ANSWER, sent=20_000)
    path = session.write(tmp_path)
    helper = KimiCodeSession(SESSION)
    helper.user("Count the berths.", "system_trigger", name="subagent")
    helper.answer("There are 9.", sent=8_000)
    helper.write(tmp_path, "agent-0")
    shutil.copy(path, tmp_path / "copy.jsonl")
    store = open_store(tmp_path / "kimi")
    rows = {row.id: row for row in store.conversations()}
    assert rows[f"{SESSION}-agent-0"].kind == "sub-agent"
    assert rows[f"{SESSION}-agent-0"].title == "Count the berths."
    assert rows[f"{SESSION}-agent-0"].parent == SESSION
    assert [row.agent for row in open_store(tmp_path / "copy.jsonl").conversations()] == ["kimi-code"]


def test_tasks_next_to_a_session_are_not_left_out(tmp_path: Path) -> None:
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    path = session.write(tmp_path)
    (path.parent / "tasks").mkdir()
    (path.parent / "tasks" / "bash-1.json").write_text('{"taskId": "bash-1", "status": "completed"}')
    assert not open_store(tmp_path).notes


@given(st.lists(st.text("abc 泊位\n", max_size=40).map(lambda text: text * 900), max_size=6))
def test_the_kept_messages_are_in_order_and_within_the_limit(messages: list[str]) -> None:
    recorded = [{"content": [{"type": "text", "text": text}]} for text in messages]
    kept = kept_of(recorded)
    places = [(one.place, one.start) for one in kept]
    assert places == sorted(places)
    cuts = [messages[one.place][one.start : one.stop] for one in kept]
    tokens = sum(sum(1 if ord(char) > 127 else 0.25 for char in cut) for cut in cuts)
    assert tokens <= MAX_KEPT
    if len(kept) < len(messages) or any(one.stop is not None for one in kept):
        assert tokens > MAX_KEPT - 100 - 2 * len(messages)
