"""Sessions of pi, Codex and opencode: lists, compactions, requests, and unknown values."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answer_places import answer_places
from inspector.answers.answers import Answers
from inspector.answers.bills import bills_of, why_no_bill
from inspector.answers.compactions import compare_compactions
from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.live_sizes import live_size
from inspector.answers.measures import measures_of
from inspector.answers.recordings import read_recording
from inspector.answers.requests import list_requests, requests_of
from inspector.answers.store_losses import losses_of_facts
from inspector.answers.upcoming import upcoming
from inspector.core.errors import NotAStore
from inspector.engines.base import Settings
from inspector.quality.measures import Share
from inspector.replay.moments import Stretch
from inspector.stores import listing
from inspector.stores.codex.reader import CodexReader
from inspector.stores.detect import open_store
from tests.conftest import ROOT
from tests.examples import also
from tests.recipes import recipe
from tests.stores.agent_sessions import write_lines
from tests.stores.alone import opened, texts

made = recipe("other_lines")


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def pi(version: int) -> Any:
    session = made.PiSession("5fd1e58c-0000-4000-8000-000000000000", version)
    session.user("How high is the tide at noon?")
    session.answer({"type": "text", "text": "Let me look."}, made.pi_call("c1", "read", path="tide.csv"))
    session.result("c1", "read", "noon,4.2")
    kept = session.user("And at six?")
    session.answer({"type": "text", "text": "3.1 m."}, read=4_442)
    session.compact("## Goal\nTides of the day.", kept)
    session.user("Plot it.")
    session.answer({"type": "text", "text": "Done."})
    return session


@pytest.mark.parametrize("version", [1, 3])
def test_pi(tmp_path: Path, version: int) -> None:
    store, conversation, (compaction,) = opened(written(tmp_path / "a.jsonl", pi(version).text()))
    assert (conversation.row.agent, conversation.row.folder, store.info.profile) == (
        "pi",
        "/home/dev/tides",
        "pi",
    )
    assert compaction.summary == "## Goal\nTides of the day."
    assert (compaction.before, compaction.tail_start, compaction.after, compaction.exact) == (5, 3, 3, True)
    assert (compaction.tokens_before_reported, compaction.tokens_after_reported, compaction.trigger) == (
        184_004,
        None,
        None,
    )
    assert texts(store, conversation) == [
        ("user", "## Goal\nTides of the day."), ("user", "And at six?"), ("assistant", "3.1 m."), ("user", "Plot it."),
        ("assistant", "Done."),
    ]  # fmt: skip
    assert [role for role, _ in texts(store, conversation, 0)] == [
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
    ]
    assert [(r.generation, r.cache_read, r.output) for r in store.requests(conversation)] == [
        (1, 0, 60), (1, 4_442, 60), (2, 0, 60),
    ]  # fmt: skip
    assert store.requests(conversation)[0].cache_write_1h is None


@pytest.mark.parametrize(
    ("field", "profile", "reason"),
    [
        ({}, "pi", "Last written by pi session version 3"),
        (
            {"stopReason": "stop"},
            "pi-0.84",
            "Last written by pi 0.82 or earlier (session version 3); the rules were observed on 0.30.2 to 0.84.0.",
        ),
        ({"stopReason": "stop", "rawStopReason": "end_turn"}, "pi", "Last written by pi session version 3"),
        ({"stopReason": "aborted"}, "pi", "Last written by pi session version 3"),
    ],
)
def test_the_last_answer_shows_an_early_release_of_pi(
    tmp_path: Path, field: dict[str, str], profile: str, reason: str
) -> None:
    session = pi(3)
    session.entries[-1]["message"] |= field
    store, conversation, _ = opened(written(tmp_path / "a.jsonl", session.text()))
    info = store.info_of(conversation.live.session)
    assert info.profile == profile
    assert reason in info.profile_reason


def test_an_abandoned_branch_of_pi_is_in_no_list(tmp_path: Path) -> None:
    session = made.PiSession("5fd1e58c-0000-4000-8000-000000000000")
    first = session.user("First.")
    session.answer({"type": "text", "text": "One way."})
    session.last = first
    session.answer({"type": "text", "text": "Another way."})
    store, conversation, _ = opened(written(tmp_path / "a.jsonl", session.text()))
    assert texts(store, conversation) == [("user", "First."), ("assistant", "Another way.")]
    assert len(store.requests(conversation)) == 2


def test_an_edit_of_pi_removes_or_replaces_a_message(tmp_path: Path) -> None:
    """pi 0.87 and later removes a failed answer before it tries again. Extensions replace messages."""
    session = made.PiSession("5fd1e58c-0000-4000-8000-000000000000")
    session.user("How high is the tide?")
    cut = session.answer({"type": "text", "text": "The tide is"})
    session.entry("context_edit", targetId=cut, replacement=None)
    session.answer({"type": "text", "text": "4.2 m."}, made.pi_call("c1", "read", path="tide.csv"))
    result = session.result("c1", "read", "noon,4.2\n" * 50)
    session.entry(
        "context_edit", targetId=result, replacement={"content": [{"type": "text", "text": "noon"}]}
    )
    kept = session.user("And at six?")
    answer = session.answer({"type": "text", "text": "3.1 m."})
    store, conversation, _ = opened(written(tmp_path / "a.jsonl", session.text()))
    assert texts(store, conversation) == [
        ("user", "How high is the tide?"), ("assistant", "4.2 m."), ("tool", "noon"), ("user", "And at six?"),
        ("assistant", "3.1 m."),
    ]  # fmt: skip
    (note,) = conversation.notes
    assert note.startswith("2 messages were removed from the context or replaced in it")
    # An edit before a compaction also holds after it.
    session.entry("context_edit", targetId=answer, replacement={"content": "Low."})
    session.compact("## Goal\nTides.", kept)
    store, conversation, (compaction,) = opened(written(tmp_path / "b.jsonl", session.text()))
    assert texts(store, conversation)[1:] == [("user", "And at six?"), ("assistant", "Low.")]
    assert (compaction.before, compaction.tail_start, compaction.exact) == (5, 3, True)


def test_texts_that_programs_write_into_a_session_of_pi_are_not_the_users(tmp_path: Path) -> None:
    """Pi fills the templates of prompts, and extensions call skills; both records look like messages of the user."""
    session = made.PiSession("5fd1e58c-0000-4000-8000-000000000000")
    template = (
        "Review the piers.\n\nTarget piers are {}.\n\n## Phase 1\nLook.\n\n## Phase 2\nNever paint them."
    )
    said = ["Never paint it.", template.format("`the north pier`"), "Set the name to `` please."]
    by_programs = ["/skill:simplify\n\n<!-- enforcer -->\n\nNever paint it.", template.format("``")]
    for text in (*said, *by_programs):
        session.user(text)
    session.answer({"type": "text", "text": "Reviewed."})
    store, conversation, _ = opened(written(tmp_path / "a.jsonl", session.text()))
    listed = texts(store, conversation)
    assert [text for role, text in listed if role == "user"] == said
    assert [text for role, text in listed if role == "system"] == by_programs


def test_requests_of_pi_outside_the_list_are_paid_but_no_size_of_it(tmp_path: Path) -> None:
    session = pi(3)
    usage = {"input": 0, "output": 0, "cacheRead": 4_500, "cacheWrite": 0}
    session.entry("usage", kind="cache_warm", provider="anthropic", model="claude-opus-4-5", usage=usage)
    session.entry("usage", kind="classify", provider="anthropic", model="claude-haiku-4-5", usage=usage)
    store, conversation, _ = opened(written(tmp_path / "a.jsonl", session.text()))
    warm, other = store.requests(conversation)[-2:]
    assert (warm.cache_read, warm.model, warm.unsized) == (4_500, "claude-opus-4-5", True)
    assert (other.model, other.unsized) == ("claude-haiku-4-5", True)


def test_an_aborted_call_without_usage_is_no_request(tmp_path: Path) -> None:
    """pi and opencode write zeros for it."""
    session = pi(3)
    session.answer(read=0, written=0, output=0)
    session.entries[-1]["message"]["usage"]["input"] = 0
    store, conversation, _ = opened(written(tmp_path / "a.jsonl", session.text()))
    assert [r.index for r in store.requests(conversation)] == [1, 2, 3]
    reef = opencode()
    reef.answer(sent=0, output=0)
    reef.answer({"type": "text", "text": "Sent."})
    store, conversation, _ = opened(written(tmp_path / "b.json", reef.text()))
    assert [(r.index, r.context) for r in store.requests(conversation)][-2:] == [(4, 900), (5, 900)]


def test_the_summarizing_call_of_opencode_does_not_show_the_size_of_the_list(tmp_path: Path) -> None:
    """It has another prompt, here much smaller than the list that it summarizes."""
    reef = made.OpencodeSession("ses_04e43e3e2ffe3lkToWGyV4A1U8")
    for number in range(20):
        reef.user("x" * 20_000)
        reef.answer({"type": "text", "text": "Noted."}, read=20_000 + 5_000 * number, sent=5_000)
    reef.compact("## Goal\nA reef chart.")
    store, conversation, (compaction,) = opened(written(tmp_path / "a.json", reef.text()))
    assert store.requests(conversation)[-1].context == 38_823
    found = read_recording(Inspection.open(store, conversation.id), "opencode")
    assert found.course.cleared == ()
    assert found.tokens[-1] == pytest.approx(120_000, rel=0.01)
    assert Inspection.open(store, conversation.id).last_size(compaction) == 120_060


@pytest.mark.parametrize("by_hook", [False, True])
def test_the_cost_of_a_summary_that_an_extension_of_pi_made_is_unknown(tmp_path: Path, by_hook: bool) -> None:
    session = pi(3)
    next(entry for entry in session.entries if entry["type"] == "compaction")["fromHook"] = by_hook
    store, conversation, (compaction,) = opened(written(tmp_path / "a.jsonl", session.text()))
    found = list_requests(Answers(store, {}, None), conversation.id)
    bills = bills_of(Inspection.open(store, conversation.id), found)
    assert (compaction.index in bills) is not by_hook
    if by_hook:
        assert "extension" in why_no_bill(compaction, found)


def test_two_documents_on_a_line_are_both_read(tmp_path: Path) -> None:
    text = pi(1).text()
    joined = text.replace('\n{"type": "message"', '{"type": "message"', 1)
    store, conversation, _ = opened(written(tmp_path / "a.jsonl", joined))
    assert texts(store, conversation, 0)[0] == ("user", "How high is the tide at noon?")


def codex(encrypted: bool = True, message: str = "") -> Any:
    rollout = made.CodexRollout("019f53c2-0000-7000-8000-000000000000")
    rollout.says("developer", "<permissions instructions>\nanything goes")
    rollout.says(
        "user",
        "# AGENTS.md instructions for /home/dev/loom\n\nBe brief.",
        "<environment_context>x</environment_context>",
    )
    rollout.says("user", "Never touch the release branch. Fix the loom.")
    rollout.calls("c1", "exec_command", "loom.py", cmd="ls")
    rollout.counts(19_000, 9_984)
    rollout.counts(0, 0, 0)
    rollout.says("assistant", "The limit is 512 threads, so I cap it at 512.")
    rollout.counts(233_147, 232_192, 368)
    kept = [
        rollout.message("user", "Never touch the release branch. Fix the loom."),
        rollout.message("developer", "rules"),
    ]
    rollout.compact(kept, message=message, encrypted=encrypted)
    rollout.says("user", "Go on.")
    rollout.says("assistant", "Going on.")
    rollout.counts(20_234, 9_984)
    return rollout


def test_codex(tmp_path: Path) -> None:
    store, conversation, (compaction,) = opened(written(tmp_path / "rollout.jsonl", codex().text()))
    row = conversation.row
    assert (row.agent, row.model, row.window, row.title) == (
        "codex", "gpt-5.6-sol", 258_400, "Never touch the release branch. Fix the loom.",
    )  # fmt: skip
    assert store.system_prompt(row.id) == "You are a careful agent."
    assert [role for role, _ in texts(store, conversation, 0)] == [
        "system", "system", "system", "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert (compaction.encrypted, compaction.summary, compaction.trigger) == (True, None, None)
    assert "encrypted" in compaction.note
    assert (compaction.tokens_before_reported, compaction.tokens_after_reported) == (233_515, 14_096)
    # The list after has the user's messages, without those of the model and the tools.
    assert (compaction.kept, compaction.removed, compaction.remaining) == (((3, 0),), 6, 1)
    assert [compaction.region(index) for index in (2, 3, 4)] == ["middle", "tail", "middle"]
    found = read_recording(Inspection(store, conversation), "codex")
    assert found.moments.layout(found.moments.of_step(len(found.transcript)))[:3] == (
        Stretch(1, 0, 3, -1, 1),
        Stretch(2, 0, 1, 0),
        Stretch(1, 4, 7, -1, 1),
    )
    assert [role for role, _ in texts(store, conversation)] == [
        "user",
        "system",
        "system",
        "user",
        "assistant",
    ]
    assert [(r.context, r.cache_read, r.generation) for r in store.requests(conversation)] == [
        (19_000, 9_984, 1), (233_147, 232_192, 1), (20_234, 9_984, 2),
    ]  # fmt: skip


def test_facts_after_an_encrypted_summary_are_unknown(tmp_path: Path) -> None:
    store, conversation, _ = opened(written(tmp_path / "rollout.jsonl", codex().text()))
    lives = read_facts(Inspection(store, conversation)).facts.lives
    fates = {life.fact.text: life.fates[0].outcome for life in lives}
    assert fates["Never touch the release branch."] == "verbatim"
    assert set(fates.values()) == {"verbatim", "unknown"}


def test_facts_of_kept_messages_are_at_risk_of_the_next_compaction(tmp_path: Path) -> None:
    store, conversation, (compaction,) = opened(written(tmp_path / "rollout.jsonl", codex().text()))
    assert compaction.kept
    risk = read_facts(Inspection(store, conversation)).risk
    assert "Never touch the release branch." in {entry.fact.text for entry in risk.entries}


def test_an_encrypted_summary_replaces_the_summary_before(tmp_path: Path) -> None:
    rollout = codex()
    rollout.compact([rollout.message("user", "Never touch the release branch. Fix the loom.")])
    store, conversation, (_, second) = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    before = texts(store, conversation, 1)
    assert second.summary_at is not None
    assert [before[old][1] for old, _ in second.kept] == ["Never touch the release branch. Fix the loom."]


def test_facts_after_an_encrypted_summary_are_not_measured(tmp_path: Path) -> None:
    store, conversation, _ = opened(written(tmp_path / "rollout.jsonl", codex().text()))
    inspection = Inspection(store, conversation)
    facts = read_facts(inspection).facts
    found = measures_of(inspection, Settings(profile="codex"), facts)
    # The sizes are those that Codex counted.
    assert found.compression == (Share(233_515 - 14_096, 233_515),)
    assert found.spent == (None,)
    assert set(found.survival.shares.values()) == {(None,)}
    assert not any(found.survival.last.values())


@pytest.mark.parametrize(("role", "unknown"), [("assistant", 0), ("user", 1)])
def test_facts_that_an_encrypted_summary_may_have_are_unknown_and_not_lost(
    tmp_path: Path, role: str, unknown: int
) -> None:
    rollout = made.CodexRollout("019f53c2-0000-7000-8000-000000000000")
    rollout.says("user", "Fix the loom.")
    rollout.says(role, "The limit is 512 threads, so I cap it at 512.")
    rollout.compact([rollout.message("user", "Fix the loom.")])
    store, conversation, _ = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    inspection = Inspection(store, conversation)
    facts = read_facts(inspection).facts
    assert "unknown" in {life.fates[0].outcome for life in facts.lives}
    losses = losses_of_facts(inspection, facts)
    assert (losses.total, losses.unknown, losses.unread) == (0, unknown, 1 - unknown)


def test_without_a_recorded_list_of_codex_the_users_newest_messages_stay(tmp_path: Path) -> None:
    rollout = codex(encrypted=False, message="The loom is half fixed.")
    records = [json.loads(line) for line in rollout.text().splitlines()]
    for record in records:
        if record["type"] == "compacted":
            del record["payload"]["replacement_history"]
    path = written(tmp_path / "a.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    store, conversation, (compaction,) = opened(path)
    assert texts(store, conversation)[3:5] == [
        ("user", "Never touch the release branch. Fix the loom."),
        ("user", "The loom is half fixed."),
    ]
    assert (compaction.summary_at, compaction.kept, compaction.exact) == (
        4, ((0, 0), (1, 1), (2, 2), (3, 3)), False,
    )  # fmt: skip
    assert "20,000 tokens" in compaction.note


def test_final_answers_in_the_list_after_a_compaction_of_codex_are_kept(tmp_path: Path) -> None:
    rollout = made.CodexRollout("019a0000-0000-7000-8000-000000000001")
    rollout.says("user", "Fix the loom.")
    rollout.says("assistant", "I look at the loom.")
    rollout.calls("c1", "shell", "A broken belt.", command="look")
    rollout.line("response_item", type="reasoning", summary=[], encrypted_content="made-up")
    rollout.says("assistant", "The belt is replaced.")
    rollout.says("user", "Now the wheel.")
    asked = ("user", "Fix the loom."), ("assistant", "The belt is replaced."), ("user", "Now the wheel.")
    rollout.compact([rollout.message(*one) for one in asked])
    _, _, (compaction,) = opened(written(tmp_path / "a.jsonl", rollout.text()))
    assert compaction.kept == ((0, 0), (3, 1), (4, 2))


def test_a_compaction_that_is_a_whole_turn_of_codex_is_manual(tmp_path: Path) -> None:
    def trigger(name: str, asked: bool) -> str | None:
        rollout = made.CodexRollout("019a0000-0000-7000-8000-000000000001")
        rollout.says("user", "Fix the loom.")
        rollout.says("assistant", "Done.")
        rollout.event("task_started", turn_id="t")
        if not asked:
            rollout.says("user", "Now the wheel.")
        rollout.compact([rollout.message("user", "Fix the loom.")])
        rollout.event("task_complete", turn_id="t")
        _, _, (compaction,) = opened(written(tmp_path / name, rollout.text()))
        return compaction.trigger

    assert (trigger("by-hand.jsonl", True), trigger("in-a-turn.jsonl", False)) == ("manual", None)


@pytest.mark.parametrize(("ends_with_result", "trigger"), [(False, "manual"), (True, None)])
def test_a_compaction_of_codex_between_an_answer_and_a_prompt_was_by_hand(
    tmp_path: Path, ends_with_result: bool, trigger: str | None
) -> None:
    """Releases that record no turns compact by themselves only within a turn."""
    rollout = codex()
    rollout.entries = [line for line in rollout.entries if "task_started" not in str(line)]
    if ends_with_result:
        rollout.calls("c2", "exec_command", "loom.py", cmd="ls")
    else:
        rollout.says("assistant", "Done.")
    rollout.compact([rollout.message("user", "Go on.")])
    rollout.says("user", "Weave.")
    _, _, (_, newest) = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    assert newest.trigger == trigger


def test_a_compaction_of_codex_below_its_threshold_makes_it_not_doubtful(tmp_path: Path) -> None:
    """Codex adds earlier reasoning to the sizes that it records."""
    answers = Answers.of([written(tmp_path / "rollout.jsonl", codex().text())], {}, None)
    (row,) = answers.store.conversations()
    answer = upcoming(answers, row.id)
    inspection, _ = answers.opened(row.id)
    assert all(
        (one.tokens_before_reported or 0) < answer.threshold_tokens for one in inspection.compactions()
    )
    assert not answer.doubt


def test_a_summary_that_codex_does_not_record_is_not_called_encrypted(tmp_path: Path) -> None:
    rollout = codex(encrypted=False, message="")
    _, conversation, (compaction,) = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    (of_session,) = [note for note in conversation.notes if "summary" in note]
    assert (
        compaction.note
        == of_session
        == "The record lacks the summary, so it cannot be read. The kept messages are known."
    )
    assert (compaction.encrypted, compaction.summary) == (True, None)


def test_a_summary_of_codex_that_can_be_read_is_read(tmp_path: Path) -> None:
    rollout = codex(encrypted=False, message="The loom is half fixed.")
    _, _, (compaction,) = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    assert (compaction.encrypted, compaction.summary) == (False, "The loom is half fixed.")


def test_an_answer_inside_the_summary_of_codex_stays_in_the_list(tmp_path: Path) -> None:
    rollout = made.CodexRollout("019a0000-0000-7000-8000-000000000001")
    rollout.says("user", "Fix the loom.")
    rollout.says("assistant", "Done.")
    rollout.counts(1_000, 0)
    rollout.compact([], message="The loom works. Done. Next: the wheel.", encrypted=False)
    store, conversation, _ = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    assert ("assistant", "Done.") in texts(store, conversation, 0)
    assert not any(request.summarizes for request in store.requests(conversation))


def test_turns_that_codex_rolled_back_are_in_no_list(tmp_path: Path) -> None:
    rollout = codex()
    rollout.event("thread_rolled_back", num_turns=1)
    store, conversation, _ = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    assert [role for role, _ in texts(store, conversation)] == ["user", "system", "system"]


def test_the_text_next_to_a_picture_is_the_title_of_a_codex_session(tmp_path: Path) -> None:
    rollout = made.CodexRollout("019a0000-0000-7000-8000-000000000001")
    asked = rollout.message("user", "Why is the button red?")
    asked["content"].insert(0, {"type": "input_image", "image_url": "data:image/png;base64,iVBO"})
    rollout.line("response_item", **asked)
    rollout.says("user", "And the border?")
    _, conversation, _ = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    assert conversation.row.title == "Why is the button red?"


def test_codex_counts_a_message_of_several_texts_as_one_turn(tmp_path: Path) -> None:
    rollout = made.CodexRollout("019a0000-0000-7000-8000-000000000001")
    rollout.says("user", "Fix the loom.")
    rollout.says("assistant", "Done.")
    rollout.says("user", "<environment_context>x</environment_context>", "Not a turn for Codex.")
    rollout.says("user", "And the wheel?")
    rollout.says("assistant", "It turns.")
    rollout.event("thread_rolled_back", num_turns=2)
    rollout.says("user", "Sweep the floor.")
    store, conversation, _ = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    assert texts(store, conversation) == [("user", "Sweep the floor.")]
    assert conversation.notes == ("6 messages on abandoned branches are in no list.",)


@pytest.mark.parametrize(("version", "kept"), [("0.115.0", 1), ("0.130.0", 0)])
def test_newer_codex_removes_its_own_text_with_a_turn(tmp_path: Path, version: str, kept: int) -> None:
    rollout = made.CodexRollout("019a0000-0000-7000-8000-000000000001", version=version)
    for asked in ("Fix the loom.", "And the wheel?"):
        rollout.says("developer", "<permissions instructions>\nanything goes")
        rollout.says("user", asked)
        rollout.says("assistant", "Done.")
    rollout.event("thread_rolled_back", num_turns=1)
    store, conversation, _ = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    assert [role for role, _ in texts(store, conversation)] == ["system", "user", "assistant"] + [
        "system"
    ] * kept


@pytest.mark.parametrize("turns", [2, 5])
def test_all_turns_go_if_codex_rolled_back_more_than_there_are(tmp_path: Path, turns: int) -> None:
    rollout = made.CodexRollout("019a0000-0000-7000-8000-000000000001")
    for asked in ("Fix the loom.", "And the wheel?"):
        rollout.says("user", asked)
        rollout.says("assistant", "Done.")
    rollout.event("thread_rolled_back", num_turns=turns)
    rollout.says("user", "Sweep the floor.")
    store, conversation, _ = opened(written(tmp_path / "rollout.jsonl", rollout.text()))
    assert texts(store, conversation) == [("user", "Sweep the floor.")]


def test_a_request_of_codex_is_placed_before_its_answer_and_results(tmp_path: Path) -> None:
    rollout = made.CodexRollout("019f7a10-5d00-7cc3-8e10-4d8b0f9ac002")
    rollout.says("user", "Find the draft.")
    sizes = [20_000, 30_000, 90_000]
    for number, size in enumerate(sizes):
        rollout.calls(f"c{number}", "exec_command", "x" * 400 * number, cmd="cat plan.rs")
        rollout.counts(size, size - 5_000)
    path = tmp_path / "rollout-2026-07-14-a.jsonl"
    path.write_text(rollout.text())
    answers = Answers(open_store(path), {}, None)
    (row,) = answers.store.conversations()
    inspection, resolved = answers.opened(row.id)
    assert answer_places(inspection, "codex", requests_of(inspection, resolved)) == (1, 3, 5)
    assert [read_recording(inspection, "codex").tokens[step] for step in (0, 2, 4)] == sizes
    size = live_size(answers.store, inspection.conversation, inspection.requests())
    assert size is not None
    assert size.later > 200, "the last result was not in the last request"


def test_a_count_of_early_codex_belongs_to_the_answer_after_it(tmp_path: Path) -> None:
    rollout = made.CodexRollout("019f7a10-5d00-7cc3-8e10-4d8b0f9ac003", version="0.45.0")
    counted = []
    for number, size in enumerate([20_000, 30_000]):
        rollout.at += 600 * number
        rollout.says("user", "Find the draft.")
        rollout.counts(size, size - 5_000)
        counted.append(rollout.at)
        rollout.calls(f"c{number}", "exec_command", "x", cmd="cat plan.rs")
        rollout.entries.append({**rollout.entries[-4], "timestamp": rollout.entries[-1]["timestamp"]})
    path = tmp_path / "rollout-2026-07-14-a.jsonl"
    path.write_text(rollout.text())
    store = open_store(path)
    (row,) = store.conversations()
    assert [request.at for request in Inspection(store, row).requests()] == counted


def test_the_count_of_a_summary_is_no_ordinary_request_in_early_codex(tmp_path: Path) -> None:
    rollout = made.CodexRollout("019f7a10-5d00-7cc3-8e10-4d8b0f9ac003", version="0.45.0")
    rollout.says("user", "Find the draft.")
    rollout.counts(60_000, 50_000)
    rollout.says("assistant", "It lies in the mill.")
    rollout.counts(70_000, 60_000, 800)
    answered = rollout.entries[-1]
    rollout.says("assistant", "The draft is old.")
    rollout.line("turn_context", cwd="/home/dev/loom", model="gpt-5-codex")
    rollout.entries.append(answered)
    rollout.counts(48_000, 2_000, 400)
    rollout.line("compacted", message="The draft lies in the mill.")
    rollout.entries.append(rollout.entries[-2])
    rollout.says("user", "Print it.")
    rollout.counts(9_000, 2_000)
    rollout.says("assistant", "It is printed.")
    rollout.event("turn_aborted", reason="interrupted")
    rollout.line("compacted", message="The draft is printed.")
    store, conversation, (first, second) = opened(written(tmp_path / "a.jsonl", rollout.text()))
    requests = store.requests(conversation)
    assert [(one.context, one.generation, one.summarizes) for one in requests] == [
        (60_000, 1, False), (70_000, 1, False), (48_000, 1, True), (9_000, 2, False),
    ]  # fmt: skip
    assert (first.tokens_before_reported, second.tokens_before_reported) == (70_800, 9_200)


def test_a_fork_of_codex_has_only_its_own_failures(tmp_path: Path) -> None:
    parent, fork = "019a0000-0000-7000-8000-000000000001", "019a0000-0000-7000-8000-000000000002"
    error = "Error running remote compact task: timeout"
    rollout = made.CodexRollout(parent)
    rollout.says("user", "Fix the loom.")
    rollout.event("error", message=error)
    rollout.counts(1_000, 0)
    rollout.compact([rollout.message("user", "Fix the loom.")])
    written(tmp_path / "rollout-a.jsonl", rollout.text())
    other = made.CodexRollout(fork, start=rollout.at + 1_000)
    other.entries[0]["payload"]["forked_from_id"] = parent
    other.entries = [
        other.entries[0],
        *({**entry, "timestamp": made.iso(other.at)} for entry in rollout.entries),
    ]
    other.says("user", "And the wheel?")
    other.event("error", message=error)
    written(tmp_path / "rollout-b.jsonl", other.text())
    store = open_store(tmp_path)
    failures = {row.id: store.failures(store.open(row.id)) for row in store.conversations()}
    assert [(one.index, one.generation) for one in failures[parent]] == [(1, 1)]
    assert [(one.index, one.generation) for one in failures[fork]] == [(1, 1)]
    assert failures[fork][0].at > failures[parent][0].at + 1_000


FORMS = ("export", "folder", "oldest folder", "database")


def opencode() -> Any:
    session = made.OpencodeSession("ses_04e43e3e2ffe3lkToWGyV4A1U8")
    session.user("Chart the reef.")
    session.answer(
        {"type": "reasoning", "text": "hm"},
        made.tool("c1", "read", "depth,12", 1_785_000_100.0, path="reef.csv"),
    )
    tail = session.user("In blue.")
    session.answer({"type": "text", "text": "Blue it is."}, read=9_000)
    session.compact("## Goal\nA reef chart.", tail)
    session.user("Continue if you have next steps.", synthetic=True)
    session.answer({"type": "text", "text": "Saved."})
    return session


def as_folder(folder: Path, session: Any) -> Path:
    """Write the session as opencode's JSON files."""
    written(folder / "storage/session/reef" / f"{session.session}.json", json.dumps(session.info))
    for message in session.messages:
        name = message["info"]["id"]
        written(folder / f"storage/message/{session.session}/{name}.json", json.dumps(message["info"]))
        for part in message["parts"]:
            written(folder / f"storage/part/{name}/{part['id']}.json", json.dumps(part))
    return folder


def as_oldest_folder(folder: Path, session: Any) -> Path:
    """Write the session as JSON files in the layout without projects."""
    storage = folder / "project/home-dev-reef/storage/session"
    info = {
        key: value for key, value in session.info.items() if key not in ("projectID", "directory", "slug")
    }
    written(storage / "info" / f"{session.session}.json", json.dumps(info))
    for message in session.messages:
        name = message["info"]["id"]
        written(storage / f"message/{session.session}/{name}.json", json.dumps(message["info"]))
        for part in message["parts"]:
            written(storage / f"part/{session.session}/{name}/{part['id']}.json", json.dumps(part))
    return folder


def as_database(path: Path, session: Any) -> Path:
    """Write the session into opencode's database, with ids in columns outside the documents."""
    numbers = "cost REAL NOT NULL DEFAULT 0, " + "".join(
        f"{name} INTEGER, "
        for name in ("summary_additions", "tokens_input", "tokens_output", "time_compacting", "time_archived")
    )
    times = "time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL"
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT);"
        "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, workspace_id TEXT, parent_id TEXT,"
        " slug TEXT NOT NULL, directory TEXT NOT NULL, path TEXT, title TEXT NOT NULL, version TEXT NOT NULL,"
        f" share_url TEXT, {numbers} revert TEXT, permission TEXT, agent TEXT, model TEXT, {times});"
        f"CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, {times}, data TEXT NOT NULL);"
        "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,"
        f" {times}, data TEXT NOT NULL);"
    )
    info = session.info
    revert = json.dumps(info["revert"]) if "revert" in info else None
    row = (session.session, "reef", "made-up", info["directory"], info["title"], info["version"], revert)
    database.execute(
        "INSERT INTO session (id, project_id, slug, directory, title, version, revert, time_created, time_updated)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, *info["time"].values()),
    )
    for message in session.messages:
        message_info = {
            key: value for key, value in message["info"].items() if key not in ("id", "sessionID")
        }
        name, at = message["info"]["id"], message_info["time"]["created"]
        database.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?, ?)",
            (name, session.session, at, at, json.dumps(message_info)),
        )
        for part in message["parts"]:
            left = {k: v for k, v in part.items() if k not in ("id", "sessionID", "messageID")}
            database.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)",
                (part["id"], name, session.session, at, at, json.dumps(left)),
            )
    database.commit()
    database.close()
    return path


def as_form(folder: Path, form: str, session: Any) -> Path:
    """Write the session in the form of an opencode release."""
    if form == "export":
        return written(folder / "a.json", session.text())
    if form == "database":
        return as_database(folder / "opencode.db", session)
    return as_folder(folder, session) if form == "folder" else as_oldest_folder(folder, session)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("part", [False, True])
def test_reverted_messages_of_opencode_are_in_no_list(tmp_path: Path, form: str, part: bool) -> None:
    session = opencode()
    answer = session.messages[-1]
    session.info["revert"] = {"messageID": answer["info"]["id"], "snapshot": "made-up"}
    if part:
        session.info["revert"]["partID"] = answer["parts"][-1]["id"]
    store, conversation, _ = opened(as_form(tmp_path, form, session))
    last = [text for _, text in texts(store, conversation)][-1]
    assert last == ("Saved." if part else "Continue if you have next steps.")
    assert "reverted 1 message." in conversation.notes[0]


def test_failed_turns_of_codex_without_a_message_are_failed_compactions(tmp_path: Path) -> None:
    """Codex 0.169 records no origin of the turn of /compact, and its error with the end of the turn."""
    rollout = made.CodexRollout("0199aaaa-0000-7000-8000-0000000000c0")
    for error in ("The summary is refused.", "", "cancelled", "The request is refused."):
        if error != "The request is refused.":
            rollout.event("task_started", turn_attribution={"turn_trigger": "exec"})
            rollout.says("user", "Weave the cloth.")
            rollout.says("assistant", "Woven.")
            rollout.event("task_complete", error=None)
            rollout.event("task_started")
        else:
            rollout.event("task_started", turn_attribution={"turn_trigger": "exec"})
            rollout.says("user", "Weave more.")
        if error == "cancelled":
            rollout.says("user", "<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>")
            rollout.event("turn_aborted", reason="interrupted")
        else:
            rollout.event("task_complete", error={"message": error} if error else None)
    path = tmp_path / "rollout-a.jsonl"
    path.write_text(rollout.text(), encoding="utf-8")
    store, conversation, compactions = opened(path)
    assert not compactions
    assert [(one.error, one.trigger) for one in store.failures(conversation)] == [
        ("The summary is refused.", "manual"), ("It was cancelled.", "manual"),
    ]  # fmt: skip


def test_a_cancelled_shell_command_of_the_user_of_codex_is_no_failed_compaction(tmp_path: Path) -> None:
    rollout = made.CodexRollout("0199aaaa-0000-7000-8000-0000000000c1")
    rollout.event("task_started", turn_attribution={"turn_trigger": "exec"})
    rollout.says("user", "Weave the cloth.")
    rollout.says("assistant", "Woven.")
    rollout.event("task_complete", error=None)
    rollout.event("task_started")
    rollout.says("user", "<user_shell_command>\n<command>\nloom\n</command>\n</user_shell_command>")
    rollout.says("user", "<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>")
    rollout.event("turn_aborted", reason="interrupted")
    path = tmp_path / "rollout-a.jsonl"
    path.write_text(rollout.text(), encoding="utf-8")
    store, conversation, _ = opened(path)
    assert not store.failures(conversation)


def test_a_picture_that_a_tool_of_opencode_read_is_in_its_result(tmp_path: Path) -> None:
    session = opencode()
    picture = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AA=="}
    notes = {"type": "file", "mime": "text/plain", "url": "file:///notes"}
    state = {"status": "completed", "input": {}, "output": "Image read.", "attachments": [picture, notes]}
    session.answer({"type": "tool", "tool": "read", "callID": "c9", "state": state})
    store, conversation, _ = opened(written(tmp_path / "a.json", session.text()))
    result = store.messages(conversation.live)[-1]
    assert (result.role, result.text, result.images) == ("tool", "Image read.", 1)


@pytest.mark.parametrize("form", FORMS)
def test_opencode(tmp_path: Path, form: str) -> None:
    session = opencode()
    path = as_form(tmp_path, form, session)
    before = {found: found.stat().st_mtime_ns for found in tmp_path.rglob("*")}
    store, conversation, (compaction,) = opened(path)
    assert (conversation.row.agent, conversation.row.title, conversation.row.id) == (
        "opencode",
        "Reef charts",
        session.session,
    )
    assert (compaction.summary, compaction.trigger) == ("## Goal\nA reef chart.", "auto")
    assert (compaction.before, compaction.tail_start, compaction.after) == (5, 3, 4)
    assert texts(store, conversation) == [
        ("system", "What did we do so far?"), ("assistant", "## Goal\nA reef chart."), ("user", "In blue."),
        ("assistant", "Blue it is."),
        ("system", "Continue if you have next steps."), ("assistant", "Saved."),
    ]  # fmt: skip
    requests = store.requests(conversation)
    assert [(r.context, r.output, r.generation) for r in requests] == [
        (900, 60, 1), (9_900, 60, 1), (38_823, 1_641, 1), (900, 60, 2),
    ]  # fmt: skip
    (cleared,) = store.microcompactions(conversation)
    assert (cleared.generation, cleared.results, cleared.cleared) == (1, 1, (2,))
    assert {found: found.stat().st_mtime_ns for found in tmp_path.rglob("*")} == before


def with_fork(path: Path, session: Any, *going_on: str) -> None:
    """Fork a session in a database of opencode 1. The sessions `going_on` go on after it."""
    now = int(session.at + 60) * 1000
    with sqlite3.connect(path) as database:
        for table in ("session", "message", "part"):
            values = {row[1]: row[1] for row in database.execute(f"PRAGMA table_info({table})")}
            if table == "session":
                values |= {"id": "'fork'", "time_created": str(now)}
            else:
                renamed = {
                    name: f"replace({name}, 'msg_', 'f_msg_')" for name in ("id", "message_id", "data")
                }
                values |= {name: to for name, to in renamed.items() if name in values} | {
                    "session_id": "'fork'"
                }
            if table == "part":
                values["id"] = "'f_' || id"
            copies = f"SELECT {', '.join(values.values())} FROM {table}"
            database.execute(f"INSERT INTO {table} ({', '.join(values)}) {copies}")
        words = json.dumps({"type": "text", "text": "In red."})
        for name in going_on:
            own = f"own {name}"
            database.execute(
                'INSERT INTO message VALUES (?, ?, ?, ?, \'{"role": "user"}\')', (own, name, now, now)
            )
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", (own, own, name, now, now, words))


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_fork_of_opencode_1_counts_nothing_again(goes_on: bool, tmp_path: Path) -> None:
    """1.18.33 copies all messages with their times, gives them new ids, and records no link to the session."""
    session = opencode()
    path = as_database(tmp_path / "opencode.db", session)
    with_fork(path, session, *(["fork"] if goes_on else []))
    store = open_store(path)
    rows = {row.id: row for row in store.conversations()}
    fork, first = store.open("fork"), store.open(session.session)
    assert (rows["fork"].kind, rows["fork"].parent) == ("branch", session.session)
    assert (rows["fork"].compactions, len(store.compactions(fork)), len(store.requests(fork))) == (0, 0, 0)
    assert rows[session.session].compactions == len(store.compactions(first)) == 1
    listed = [message.text for message in store.messages(fork.live)]
    own = ["In red."] if goes_on else []
    assert listed == [*(message.text for message in store.messages(first.live)), *own]
    assert len(fork.generations) == 1


def test_a_fork_of_opencode_1_counts_no_compaction_that_did_not_end_before_it(tmp_path: Path) -> None:
    session = opencode()
    session.add("user", {"type": "compaction", "auto": False})
    path = as_database(tmp_path / "opencode.db", session)
    with_fork(path, session, session.session, "fork")
    store = open_store(path)
    fork, first = store.open("fork"), store.open(session.session)
    assert [len(store.failures(one)) for one in (first, fork)] == [1, 0]
    listed = [[message.text for message in store.messages(one.live)] for one in (first, fork)]
    assert listed[0] == listed[1]
    assert listed[0][-2:] == ["What did we do so far?", "In red."]


def test_an_earlier_summary_stays_if_opencode_keeps_older_messages(tmp_path: Path) -> None:
    """opencode 1.18 sent such a list: summary, messages in the order of their time, the earlier summary among them."""
    session = opencode()
    session.compact("## Goal\nA reef chart in blue.", session.messages[3]["info"]["id"], auto=False)
    session.user("Print it.")
    store, conversation, (_, second) = opened(written(tmp_path / "a.json", session.text()))
    assert texts(store, conversation) == [
        ("system", "What did we do so far?"), ("assistant", "## Goal\nA reef chart in blue."),
        ("assistant", "Blue it is."), ("system", "What did we do so far?"), ("assistant", "## Goal\nA reef chart."),
        ("system", "Continue if you have next steps."), ("assistant", "Saved."), ("user", "Print it."),
    ]  # fmt: skip
    before = conversation.generations[1]
    went = [at for at in range(len(before)) if second.region(at) == "middle"]
    assert [store.messages(before)[at].text for at in went] == ["In blue."]
    assert (second.summary_at, second.summary, second.exact) == (1, "## Goal\nA reef chart in blue.", True)


def test_a_summary_that_answers_an_ordinary_message_leaves_the_list_as_it_is(tmp_path: Path) -> None:
    """opencode 1.18.33 writes one after a failed compaction, and goes on with the whole list."""
    session = opencode()
    asked = session.user("And the depths?")
    text = "## Goal\nThe depths of the reef."
    session.answer({"type": "text", "text": text}, parentID=asked, summary=True, sent=30_000)
    session.user("Print it.")
    store, conversation, compactions = opened(written(tmp_path / "a.json", session.text()))
    assert len(compactions) == 1
    assert texts(store, conversation)[-3:] == [
        ("user", "And the depths?"), ("assistant", text), ("user", "Print it."),
    ]  # fmt: skip
    last = store.requests(conversation)[-1]
    assert (last.context, last.summarizes, last.unsized) == (30_000, False, True)


def test_changes_in_the_log_of_opencodes_database_are_noticed(tmp_path: Path) -> None:
    path = as_database(tmp_path / "opencode.db", opencode())
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    store, conversation, _ = opened(path)
    before = store.version()
    data = json.dumps({"role": "user", "time": {"created": 1_785_001_000_000}})
    session = conversation.id
    writer.execute("INSERT INTO message VALUES ('msg_0100', ?, 1785001000000, 0, ?)", (session, data))
    part = json.dumps({"type": "text", "text": "And in green?"})
    writer.execute("INSERT INTO part VALUES ('prt_0100', 'msg_0100', ?, 0, 0, ?)", (session, part))
    writer.commit()
    assert store.version() != before
    assert texts(store, store.open(session))[-1] == ("user", "And in green?")
    writer.close()


def test_a_failed_compaction_of_opencode_does_not_count(tmp_path: Path) -> None:
    session = opencode()
    asked = session.add("user", {"type": "compaction", "auto": False})
    session.answer(parentID=asked, summary=True, finish=None, error={"name": "APIError"})
    half = {"type": "text", "text": "## Goal\nA re"}
    session.answer(half, parentID=asked, summary=True, finish=None, error={"name": "MessageAbortedError"})
    session.answer(half, parentID=asked, summary=True, finish=None)
    store, conversation, compactions = opened(written(tmp_path / "a.json", session.text()))
    assert len(compactions) == 1
    assert len(conversation.generations) == 2
    assert [failure.error for failure in store.failures(conversation)] == ["APIError", "MessageAbortedError"]


def test_the_line_of_a_failed_compaction_of_opencode_stays_in_the_list(tmp_path: Path) -> None:
    session = opencode()
    half = {"type": "text", "text": "## Goal\nA re"}
    for error in ("APIError", "MessageAbortedError", ""):
        asked = session.add("user", {"type": "compaction", "auto": False})
        if error:
            session.answer(half, parentID=asked, summary=True, finish=None, error={"name": error})
        session.user("Go on.")
        session.answer({"type": "text", "text": "Going on."})
    asked = session.add("user", {"type": "compaction", "auto": False})
    session.answer({"type": "text", "text": "## Goal\nDone."}, parentID=asked, summary=True, finish="stop")
    store, conversation, compactions = opened(written(tmp_path / "a.json", session.text()))
    assert len(compactions) == 2
    before, after = ([one.text for one in store.messages(listed)] for listed in conversation.generations[1:])
    asked_words = "What did we do so far?"
    turn = ["Go on.", "Going on."]
    assert before[-10:] == [asked_words, *turn, asked_words, half["text"], *turn, asked_words, *turn]
    assert [(one.error.partition(" ")[0], one.trigger) for one in store.failures(conversation)] == [
        ("APIError", "manual"), ("MessageAbortedError", "manual"), ("It", "manual"),
    ]  # fmt: skip
    assert after == [asked_words, "## Goal\nDone."]


def test_a_summary_without_a_reason_for_its_end_counts_if_it_has_a_time(tmp_path: Path) -> None:
    session = opencode()
    half = {"type": "text", "text": "## Goal\nA reef."}
    session.answer(half, summary=True, finish=None)
    session.messages[-1]["info"]["time"]["completed"] = 1_785_000_200_000
    _, _, compactions = opened(written(tmp_path / "a.json", session.text()))
    assert [compaction.summary for compaction in compactions][1:] == ["## Goal\nA reef."]


@pytest.mark.parametrize(
    "make",
    also(lambda: pi(3), lambda: pi(1), codex, opencode),
    ids=["pi-3", "pi-1", "codex", "opencode"],
)
def test_hostile_values_are_handled(tmp_path: Path, make: Callable[[], Any]) -> None:
    """Replace every value of a session by each odd value in turn; the rest is read."""
    entries = make().messages if hasattr(make(), "messages") else make().entries
    odd = [None, 5, "", [], {}, "\x1b[31m\u202e\ud800", [None, {"type": 3}], {"type": []}]
    for number, (key, value) in enumerate((key, value) for key in sorted(_keys(entries)) for value in odd):
        session = make()
        _replace(session.messages if hasattr(session, "messages") else session.entries[1:], key, value)
        path = tmp_path / f"{number}.jsonl"
        path.write_text(session.text(), encoding="utf-8", errors="backslashreplace")
        for row in (store := open_store(path)).conversations():
            conversation = store.open(row.id)
            store.compactions(conversation)
            for generation in conversation.generations:
                assert len(store.messages(generation)) == len(generation)


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in _keys(inner)}
    return {key for inner in value for key in _keys(inner)} if isinstance(value, list) else set()


def _replace(value: Any, key: str, by: Any) -> None:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    for one in inner:
        _replace(one, key, by)
    if isinstance(value, dict) and key in value:
        value[key] = by


@pytest.mark.parametrize(("agent", "compactions"), [("pi", 3), ("codex", 8), ("opencode", 1)])
def test_the_real_sessions(
    agent: str, compactions: int, agent_recordings: Callable[[str], list[Path]]
) -> None:
    count = 0
    for path in agent_recordings(agent):
        store, conversation, found = opened(path)
        assert conversation.row.agent == agent
        count += len(found)
        for compaction in found:
            assert (compaction.summary is None) is compaction.encrypted
        assert store.requests(conversation)
    assert count == compactions


def test_the_bundled_sessions_equal_the_recipe(tmp_path: Path) -> None:
    recipe("agents").write(tmp_path)
    bundled = ROOT / "fixtures" / "agents"
    files = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(bundled) for path in bundled.rglob("*") if path.is_file())
    for name in files:
        if name.suffix in (".db", ".sqlite", ".zstd"):
            # Other versions of SQLite and zstd write different bytes.
            assert _said(bundled / name) == _said(tmp_path / name)
        else:
            assert (bundled / name).read_bytes() == (tmp_path / name).read_bytes()


def _said(path: Path) -> list[object]:
    store = open_store(path)
    conversations = [store.open(row.id) for row in store.conversations()]
    return [
        (one.row, [store.messages(generation) for generation in one.generations], store.requests(one))
        for one in conversations
    ]


def test_a_first_line_of_odd_types_belongs_to_no_agent(tmp_path: Path) -> None:
    for odd in ({"type": {}, "payload": {}}, {"type": [], "cwd": 1, "id": {}}, {"sessionId": []}):
        with pytest.raises(NotAStore):
            open_store(written(tmp_path / "a.jsonl", json.dumps(odd) + "\n"))
    with pytest.raises(NotAStore):
        open_store(written(tmp_path / "a.jsonl", '{"a":' + "[" * 100_000))


def test_a_rollout_that_became_another_file_is_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", codex().text())
    reader = CodexReader()
    (source,) = reader.sources(reader.digests(path))
    recorded = reader.read(source)
    live = recorded.conversation.live
    # As long as before, with other lines in the same places.
    path.write_text("\n".join('{"other": 1}'.ljust(len(line)) for line in path.read_text().split("\n")))
    assert len(recorded.bodies(live.ids)) == len(live) > 0


def test_opencodes_failed_attempts_and_overflows(tmp_path: Path) -> None:
    def entry(name: str, role: str, parts: list[dict[str, Any]], **info: Any) -> dict[str, Any]:
        return {
            "info": {"id": name, "role": role, "time": {"created": 1791187200000}, **info},
            "parts": parts,
        }

    asked = {"type": "compaction", "auto": True, "overflow": True}
    failed = {"name": "APIError", "data": {"message": "prompt is too long"}}
    messages = [
        entry("msg_1", "user", [{"type": "text", "text": "Moor the boat."}]),
        entry("msg_2", "assistant", [{"type": "text", "text": "Moored."}], finish="stop"),
        entry("msg_3", "user", [{**asked, "overflow": False}]),
        entry("msg_4", "assistant", [], summary=True, parentID="msg_3", error=failed),
        entry("msg_5", "user", [asked]),
        entry(
            "msg_6",
            "assistant",
            [{"type": "text", "text": "It is moored."}],
            summary=True,
            parentID="msg_5",
            finish="stop",
        ),
    ]
    path = written(tmp_path / "a.json", json.dumps({"info": {"id": "ses_1"}, "messages": messages}))
    store, conversation, (compaction,) = opened(path)
    (failure,) = store.failures(conversation)
    assert (failure.error, failure.trigger, failure.generation, failure.place) == (
        "prompt is too long",
        "auto",
        1,
        2,
    )
    assert compaction.overflow
    (judged,) = compare_compactions(Answers.of([path], {}, None), "ses_1")
    assert judged.why.text.startswith(
        "the request before the compaction did not fit into the window (overflow), at "
    )


class PiSession:
    """A session of pi, entry by entry, with a question `a` and its answer `b`."""

    def __init__(self) -> None:
        self.entries: list[dict[str, object]] = [{"type": "session", "version": 3, "id": "p1", "cwd": "/x"}]
        self.say("a", None, "user", "Chart the reef.")
        self.say("b", "a", "assistant", "The reef is charted.")

    def add(self, name: str, parent: str | None, kind: str = "message", **more: object) -> None:
        at = f"2026-03-01T10:00:{len(self.entries):02}.000Z"
        self.entries.append({"type": kind, "id": name, "parentId": parent, "timestamp": at, **more})

    def say(self, name: str, parent: str | None, role: str, text: str) -> None:
        usage = {"input": 900, "output": 9, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 909}
        content = [{"type": "text", "text": text}]
        self.add(
            name,
            parent,
            message={"role": role, "content": content} | ({"usage": usage} if role != "user" else {}),
        )

    def compact(self, name: str, parent: str) -> None:
        self.add(name, parent, "compaction", summary="The reef.", firstKeptEntryId="b", tokensBefore=9_000)

    def overflow(self) -> None:
        """Refuse a request that does not fit, and compact."""
        error = (
            "400 This model's maximum context length is 131072 tokens. However, you requested 132344 tokens."
        )
        answer = {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": error}
        self.add("c", "b", message=answer)
        self.compact("d", "c")

    @property
    def text(self) -> str:
        return "".join(json.dumps(one) + "\n" for one in self.entries)


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_compaction_of_pi_after_a_request_that_did_not_fit(tmp_path: Path, goes_on: bool) -> None:
    """pi goes on by itself only if it compacts because of the error."""
    made = PiSession()
    failed = {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "It is too much."}
    made.add("c", "b", message=failed)
    made.compact("d", "c")
    made.say("e", "d", *(("assistant", "Next.") if goes_on else ("user", "Now the bay.")))
    path = written(tmp_path / "p1.jsonl", made.text)
    _, conversation, (compaction,) = opened(path)
    assert "1 call of the API failed. The error texts were not sent to the model." in conversation.notes
    assert compaction.overflow is goes_on
    (judged,) = compare_compactions(Answers.of([path], {}, None), conversation.id)
    assert (
        "the request before the compaction did not fit into the window (overflow)" in judged.why.text
    ) is goes_on


@pytest.mark.parametrize("failed", [False, True])
def test_openclaws_answer_to_a_command_shows_a_manual_compaction(tmp_path: Path, failed: bool) -> None:
    made = PiSession()
    notice = "⚙️ Compaction failed: it timed out" if failed else "⚙️ Compacted (150k → 20k)"
    answer = {"role": "assistant", "provider": "openclaw", "content": [{"type": "text", "text": notice}]}
    if failed:
        made.add("c", "b", message=answer)
    made.compact("d", "b")
    if not failed:
        made.add("c", "d", message=answer)
    made.say("e", "d" if failed else "c", "user", "Now the bay.")
    _, _, (compaction,) = opened(written(tmp_path / "p1.jsonl", made.text))
    assert compaction.trigger == "manual"


def test_the_error_of_a_request_that_did_not_fit_has_the_window(tmp_path: Path) -> None:
    made = PiSession()
    made.overflow()
    made.say("e", "d", "user", "Now the bay.")
    _, conversation, (compaction,) = opened(written(tmp_path / "p1.jsonl", made.text))
    assert compaction.overflow
    assert compaction.tokens_before_reported == 132_344
    assert (conversation.row.window, conversation.row.window_source) == (131_072, "recorded")


@pytest.mark.parametrize(
    ("answer", "window"),
    [
        ({"stopReason": "length", "usage": {"input": 131_066, "output": 0}}, 131_066),
        ({"stopReason": "error", "errorMessage": "Range of input length should be [1, 258048]"}, 258_048),
        ({"stopReason": "error", "errorMessage": "finish_reason: model_context_window_exceeded"}, None),
    ],
)
def test_a_request_that_leaves_no_room_for_an_answer_did_not_fit(
    tmp_path: Path, answer: dict[str, Any], window: int | None
) -> None:
    made = PiSession()
    made.add("c", "b", message={"role": "assistant", "content": [], **answer})
    made.compact("d", "c")
    made.say("e", "d", "user", "Now the bay.")
    _, conversation, (compaction,) = opened(written(tmp_path / "p1.jsonl", made.text))
    assert compaction.overflow
    assert conversation.row.window == window


def test_a_record_with_only_overflows_makes_the_threshold_doubtful(tmp_path: Path) -> None:
    made = PiSession()
    made.overflow()
    made.say("e", "d", "assistant", "Next.")
    answers = Answers.of([written(tmp_path / "p1.jsonl", made.text)], {}, None)
    (row,) = answers.store.conversations()
    _, resolved = answers.opened(row.id)
    assert resolved.notes == (
        "1 recorded compaction came only because a request did not fit into the window: the usual threshold of "
        "114,688 tokens is doubtful.",
    )
    assert "114,688 tokens (a doubtful threshold): " in upcoming(answers, row.id).sentences[0]


def test_a_session_with_a_missing_entry_keeps_the_entries_before_it(tmp_path: Path) -> None:
    made = PiSession()
    made.compact("c", "b")
    made.say("e", "d", "user", "Now the bay.")
    _, conversation, compactions = opened(written(tmp_path / "p1.jsonl", made.text))
    assert [one.summary for one in compactions] == ["The reef."]
    assert len(conversation.live) == 3
    assert any("missing in the file at 1 place" in note for note in conversation.notes)


def test_lines_that_are_written_again_or_have_no_name_change_nothing(tmp_path: Path) -> None:
    made = pi(3)
    _, expected, _ = opened(written(tmp_path / "a.jsonl", made.text()))
    made.entries += [*made.entries[1:], {"type": "future", "timestamp": made.entries[-1]["timestamp"]}]
    store, conversation, compactions = opened(written(tmp_path / "b.jsonl", made.text()))
    assert len(compactions) == 1
    assert [len(one) for one in conversation.generations] == [len(one) for one in expected.generations]
    assert len(store.requests(conversation)) == 3


def test_requests_below_an_abandoned_compaction_are_of_the_list_after_it(tmp_path: Path) -> None:
    made = PiSession()
    for number in range(2):
        made.compact(f"c{number}", "b")
        made.say(f"u{number}", f"c{number}", "user", "Now the bay.")
        made.say(f"x{number}", f"u{number}", "assistant", "The bay is charted.")
    store, conversation, _ = opened(written(tmp_path / "p1.jsonl", made.text))
    assert [request.generation for request in store.requests(conversation)] == [1, 2, 2]


def _continued(
    folder: Path, name: str, thread: str, base: tuple[str, int], asked: str, forked: str = ""
) -> None:
    """Write a rollout of Codex that continues the first lines of another file."""
    rollout = made.CodexRollout(thread, start=1_784_001_000.0 + base[1])
    rollout.says("user", asked)
    rollout.says("assistant", "Done.")
    rollout.counts(3_000 + base[1], 0)
    lines = [json.loads(line) for line in rollout.text().splitlines()]
    history = {"thread_id": base[0], "end_ordinal_exclusive": base[1]}
    lines[0]["payload"] |= {
        "id": thread,
        "history_base": history,
        **({"forked_from_id": forked} if forked else {}),
    }
    for number, line in enumerate(lines):
        line["ordinal"] = base[1] + number
    write_lines(folder / f"rollout-2026-05-01T10-00-00-{name}.jsonl", lines)


def test_a_file_of_codex_may_continue_another(tmp_path: Path) -> None:
    """From 0.160 on, a fork and a rewound session have only new lines."""
    thread, segment, fork = (f"019a0000-0000-7000-8000-00000000000{number}" for number in (1, 2, 3))
    folder = tmp_path / "2026" / "05" / "01"
    rollout = made.CodexRollout(thread)
    for number, asked in enumerate(("Fix the loom.", "And the wheel?"), start=1):
        rollout.says("user", asked)
        rollout.says("assistant", "Done.")
        rollout.counts(1_000 * number, 0)
    lines = [json.loads(line) for line in rollout.text().splitlines()]
    asked_at = next(number for number, line in enumerate(lines) if "And the wheel?" in json.dumps(line))
    write_lines(
        folder / f"rollout-2026-05-01T09-00-00-{thread}.jsonl",
        [{**line, "ordinal": number} for number, line in enumerate(lines)],
    )
    _continued(folder, f"{thread}_{segment}", thread, (thread, asked_at), "And the door?")
    _continued(tmp_path / "2026" / "05" / "02", fork, fork, (segment, asked_at + 20), "And the roof?", thread)
    store = open_store(tmp_path)
    questions = {row.id: [text for role, text in texts(store, store.open(row.id)) if role == "user"]
            for row in store.conversations()}  # fmt: skip
    assert questions == {
        thread: ["Fix the loom.", "And the door?"],
        fork: ["Fix the loom.", "And the door?", "And the roof?"],
    }
    went_back = store.open(thread)
    assert len(store.requests(went_back)) == 3
    assert went_back.notes == ("2 messages on abandoned branches are in no list.",)
    assert went_back.row.messages == len(went_back.live)
    assert (store.open(fork).row.kind, len(store.requests(store.open(fork)))) == ("branch", 1)


def test_a_file_of_codex_without_the_file_before_it_has_a_note(tmp_path: Path) -> None:
    thread, base = (f"019a0000-0000-7000-8000-00000000000{number}" for number in (1, 2))
    _continued(tmp_path, thread, thread, (base, 5), "And the door?", base)
    store = open_store(tmp_path)
    (row,) = store.conversations()
    (note,) = store.open(row.id).notes
    assert "another file, which is missing" in note


def test_a_codex_session_has_the_name_of_its_index(tmp_path: Path) -> None:
    path = written(tmp_path / "sessions" / "2026" / "05" / "01" / "rollout.jsonl", codex().text())
    name = "019f53c2-0000-7000-8000-000000000000"
    lines = [{"id": name, "thread_name": text} for text in ("Loom", "The broken loom")]
    write_lines(tmp_path / "session_index.jsonl", [*lines, {"id": "another", "thread_name": "Wheel"}])
    assert [row.title for row in open_store(path).conversations()] == ["The broken loom"]
    assert [row.title for row in open_store(tmp_path / "sessions").conversations()] == ["The broken loom"]
    assert open_store(tmp_path).notes == ()


@pytest.mark.parametrize("many", [1, 100])
def test_a_codex_session_that_is_named_later_has_the_name_in_its_row(
    tmp_path: Path, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MANY", many)
    path = written(tmp_path / "sessions" / "2026" / "05" / "01" / "rollout.jsonl", codex().text())
    stores = [open_store(place) for place in (path, tmp_path / "sessions")]
    before = [(store.version(), store.conversations()) for store in stores]
    line = {"id": "019f53c2-0000-7000-8000-000000000000", "thread_name": "The broken loom"}
    write_lines(tmp_path / "session_index.jsonl", [line])
    for store, (version, rows) in zip(stores, before, strict=True):
        assert [row.title for row in rows] != ["The broken loom"]
        assert store.version() != version
        assert [row.title for row in store.conversations()] == ["The broken loom"]
    again = open_store(tmp_path / "sessions")
    again.at_once()
    assert [row.title for row in again.conversations()] == ["The broken loom"]


@pytest.mark.parametrize("first", [0, 1])
def test_a_session_of_codex_without_its_first_line_lacks_its_beginning(tmp_path: Path, first: int) -> None:
    content = [{"type": "input_text", "text": "Moor the ferry."}]
    records = [
        {"type": "session_meta", "payload": {"id": "5e55", "cwd": "/srv/pier"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}},
    ]
    lines = [{**record, "timestamp": f"2026-04-01T10:00:0{at}Z"} for at, record in enumerate(records)]
    write_lines(tmp_path / "rollout-1.jsonl", lines[first:])
    store, conversation, _ = opened(tmp_path / "rollout-1.jsonl")
    assert texts(store, conversation) == [("user", "Moor the ferry.")]
    assert conversation.notes == ("The beginning of the session is missing in the file.",) * first
    assert conversation.has_unread is bool(first)
