"""OpenClaw's sessions: branches that it rewrites with shorter tool results."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.compactions import compare_compactions
from inspector.answers.losses import facts_of
from inspector.answers.overview import read_live
from inspector.answers.replaying import replay
from inspector.answers.upcoming import upcoming
from inspector.core.conversations import Conversation
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from inspector.stores.rule_files import rule_files
from tests.recipes import recipe
from tests.stores.agent_sessions import RULE, SESSION, WRITERS
from tests.stores.alone import opened, texts


class Branches:
    """The entries of a session file, with their parents."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = [
            {"type": "session", "version": 3, "id": "5e55", "cwd": "/srv/pier"}
        ]
        self.last = self.add({"type": "custom", "customType": "openclaw:bootstrap"}, None)

    def add(self, entry: dict[str, Any], parent: str | None) -> str:
        """Add an entry; return its id."""
        name = f"e{len(self.entries)}"
        time = f"2026-04-01T10:00:{len(self.entries):02}.000Z"
        self.entries.append({**entry, "id": name, "parentId": parent, "timestamp": time})
        self.last = name
        return name

    def say(self, role: str, content: Any, **more: Any) -> str:
        """Add a message after the last entry."""
        message = {"role": role, "content": content, "timestamp": len(self.entries), **more}
        return self.add({"type": "message", "message": message}, self.last)

    def answer(self, *blocks: dict[str, Any], sent: int = 1_000) -> str:
        """Add an answer of the model."""
        return self.say("assistant", list(blocks), model="m-1", usage={"input": sent, "output": 10})

    def result(self, call: str, text: str) -> str:
        """Add a tool result."""
        return self.say("toolResult", [{"type": "text", "text": text}], toolCallId=call, toolName="read")

    def fail(self, error: str) -> str:
        """Add an answer with an error."""
        return self.say("assistant", [], model="m-1", stopReason="error", errorMessage=error)

    def time_out(self, error: str) -> str:
        """Add the error of a request without an answer."""
        entry = {"type": "custom", "customType": "openclaw:prompt-error", "data": {"error": error}}
        return self.add(entry, self.last)

    def compact(self, kept: str, size: int) -> str:
        """Add a compaction that keeps the entries from one on, with the size that OpenClaw states."""
        entry = {"summary": f"The pier at {size}.", "firstKeptEntryId": kept, "tokensBefore": size}
        return self.add({"type": "compaction", **entry}, self.last)

    def rewrite(self, branch: list[str], texts: dict[str, str]) -> list[str]:
        """Write entries again below the parent of the first, some with other texts; return their new ids."""
        known = {entry["id"]: entry for entry in self.entries}
        self.last = known[branch[0]]["parentId"]
        written = []
        for name in branch:
            entry = {key: value for key, value in known[name].items() if key in ("type", "message")}
            if name in texts:
                content = [{"type": "text", "text": texts[name]}]
                entry["message"] = {**entry["message"], "content": content}
            written.append(self.add({**entry, "appendMode": "side"}, self.last))
        return written

    def open(self, path: Path) -> tuple[Store, Conversation]:
        """Write the file and open its conversation."""
        path.write_text("".join(json.dumps(entry) + "\n" for entry in self.entries), encoding="utf-8")
        store = open_store(path)
        (row,) = store.conversations()
        assert row.agent == "openclaw"
        return store, store.open(row.id)


def call(name: str) -> dict[str, Any]:
    """Return a tool call."""
    return {"type": "toolCall", "id": name, "name": "read", "arguments": {"path": "plank"}}


def worked() -> tuple[Branches, list[str]]:
    """Make a session with two tool results; return it and the entries from the first result on."""
    made = Branches()
    made.say("user", "Paint the pier.")
    made.answer(call("c1"), call("c2"))
    first = made.result("c1", "plank " * 100)
    second = made.result("c2", "nail " * 100)
    return made, [first, second, made.answer({"type": "text", "text": "Painted."}, sent=2_000)]


def test_results_shortened_by_a_rewrite_are_cleared(tmp_path: Path) -> None:
    made, branch = worked()
    branch = made.rewrite(branch, {branch[0]: "plank [cut]"})
    made.say("user", "Go on.")
    branch = made.rewrite([*branch, made.last], {branch[1]: "[cut]"})
    made.answer({"type": "text", "text": "Done."}, sent=900)
    store, conversation = made.open(tmp_path / "a.jsonl")
    listed = [text for _, text in texts(store, conversation)]
    assert listed == ["Paint the pier.", "", "plank " * 100, "nail " * 100, "Painted.", "Go on.", "Done."]
    assert not conversation.notes
    cleared = [(one.cleared, one.left, one.place) for one in store.microcompactions(conversation)]
    assert cleared == [((2,), (11,), 5), ((3,), (5,), 6)]
    assert [request.context for request in store.requests(conversation)] == [1_000, 2_000, 900]


@pytest.mark.parametrize("parent", [None, "gone"])
def test_a_message_without_a_link_begins_a_new_list(tmp_path: Path, parent: str | None) -> None:
    made = Branches()
    made.say("user", "Never paint the crane.")
    made.answer({"type": "text", "text": "I will not."})
    status = {
        "role": "assistant",
        "content": [{"type": "text", "text": "Status: ok"}],
        "provider": "openclaw",
    }
    made.add({"type": "message", "message": status}, parent)
    made.say("user", "Go on.")
    made.answer({"type": "text", "text": "Painted the crane."})
    store, conversation = made.open(tmp_path / "a.jsonl")
    # The agent no longer sends the first two messages, so the rule is lost.
    assert [text for _, text in texts(store, conversation)] == ["Status: ok", "Go on.", "Painted the crane."]
    assert not conversation.notes
    answers = Answers(store, {}, None)
    (judged,) = compare_compactions(answers, conversation.id)
    recorded = judged.compared.recorded
    assert (recorded.broken, recorded.before, recorded.after, recorded.by_size) == (True, 2, 0, False)
    assert judged.why.text.startswith("no compaction")
    assert [finding.rule for finding in judged.findings] == ["history-lost"]
    facts = facts_of(answers.opened(conversation.id)[0])
    assert [life.outcome for life in facts.lives if life.fact.text == "Never paint the crane."] == ["lost"]


def test_the_same_answer_after_two_edits_is_no_rewrite(tmp_path: Path) -> None:
    made = Branches()
    made.say("user", "Go.")
    for _ in range(2):
        failed = made.answer({"type": "text", "text": "Failed"})
        made.add({"type": "context_edit", "targetId": failed, "replacement": None}, failed)
        made.answer({"type": "text", "text": "ok"})
    for entry in made.entries:
        entry.get("message", {}).pop("timestamp", None)
    store, conversation = made.open(tmp_path / "a.jsonl")
    assert texts(store, conversation) == [("user", "Go."), ("assistant", "ok"), ("assistant", "ok")]
    assert len(store.requests(conversation)) == 4


def test_a_branch_with_other_words_is_no_rewrite(tmp_path: Path) -> None:
    made, branch = worked()
    made.last = branch[1]
    made.answer({"type": "text", "text": "Not painted."}, sent=2_100)
    store, conversation = made.open(tmp_path / "a.jsonl")
    assert [text for _, text in texts(store, conversation)][-1] == "Not painted."
    assert conversation.notes == ("1 message on abandoned branches is in no list.",)
    assert not store.microcompactions(conversation)
    assert len(store.requests(conversation)) == 3


def told(made: Branches, window: str) -> None:
    """Add OpenClaw's answer to /compact."""
    text = f"⚙️ Compacted (150k → 20k) • Context 20k/{window} (9%)"
    made.say("assistant", [{"type": "text", "text": text}], provider="openclaw", model="gateway-injected")


def asked(made: Branches, tool: str, details: dict[str, Any], **arguments: str) -> None:
    """Add a call of one of OpenClaw's tools with its result."""
    block = {"type": "toolCall", "id": f"c{len(made.entries)}", "name": tool, "arguments": arguments}
    made.say("assistant", [block], model="m-1", stopReason="toolUse", usage={"input": 1_000, "output": 10})
    made.say("toolResult", [], toolCallId=block["id"], toolName=tool, details=details)


def status(window: str) -> dict[str, Any]:
    """The details of a status."""
    return {"statusText": f"🦞 OpenClaw\n📚 Context: 177k/{window} (89%) · 🧹 Compactions: 1"}


@pytest.mark.parametrize(("window", "tokens"), [("262k", 262_000), ("1.0m", 1_000_000), ("?", None)])
def test_an_answer_to_compact_has_the_window(tmp_path: Path, window: str, tokens: int | None) -> None:
    made = Branches()
    made.say("user", "Paint the pier.")
    made.answer({"type": "text", "text": "Painted."})
    told(made, window)
    _, conversation = made.open(tmp_path / "a.jsonl")
    assert conversation.row.window == tokens


def test_a_rounded_window_replaces_no_exact_one(tmp_path: Path) -> None:
    made = Branches()
    made.say("user", "Paint the pier.")
    rows = [
        {"sessionId": "other", "model": "m-1", "contextTokens": 64_000},
        {"sessionId": "5e55", "model": "m-1", "contextTokens": 262_144},
    ]
    asked(made, "sessions_list", {"sessions": rows})
    told(made, "262k")
    store, conversation = made.open(tmp_path / "a.jsonl")
    assert conversation.row.window == 262_144
    assert [request.window for request in store.requests(conversation)] == [262_144]


@pytest.mark.parametrize(("turns", "tokens"), [(0, None), (1, 200_000)])
def test_a_status_has_the_window_of_the_last_finished_turn(
    tmp_path: Path, turns: int, tokens: int | None
) -> None:
    """OpenClaw keeps the window of a model until a turn of the next model ends."""
    made = Branches()
    made.say("user", "Paint the pier.")
    made.say("assistant", [], model="m-0", stopReason="stop", usage={"input": 900, "output": 9})
    for _ in range(turns):
        made.answer({"type": "text", "text": "Painted."})
    asked(made, "session_status", status("200k"))
    _, conversation = made.open(tmp_path / "a.jsonl")
    assert conversation.row.window == tokens


def test_the_status_of_another_session_says_nothing(tmp_path: Path) -> None:
    made = Branches()
    made.say("user", "Paint the pier.")
    made.answer({"type": "text", "text": "Painted."})
    asked(made, "session_status", status("64k"), sessionKey="agent:dredger:main")
    _, conversation = made.open(tmp_path / "a.jsonl")
    assert conversation.row.window is None


@pytest.mark.parametrize(
    ("source", "role"),
    [
        ({"kind": "inter_session", "sourceTool": "sessions_send"}, "system"),
        ({"kind": "inter_session", "sourceTool": "sessions_spawn"}, "user"),
        ({"kind": "internal_system", "sourceTool": "session_goal_resume"}, "system"),
        ({"kind": "internal_system", "sourceTool": "cron", "jobId": "tide"}, "user"),
        ({"kind": "external_user"}, "user"),
    ],
)
def test_a_message_of_openclaw_or_of_an_agent_in_another_session_is_not_the_users(
    tmp_path: Path, source: dict[str, str], role: str
) -> None:
    made = Branches()
    made.say("user", "Moor the boat.")
    made.say("user", "Never sail.", provenance=source)
    path = tmp_path / "sent.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made.entries))
    store = open_store(path)
    (row,) = store.conversations()
    (generation,) = store.open(row.root).generations
    assert [message.role for message in store.iterate(generation)] == ["user", role]


def test_files_of_the_earlier_names_are_openclaws(tmp_path: Path) -> None:
    made = Branches()
    made.entries[1] = {**made.entries[1], "customType": "model-snapshot"}
    made.say("user", "Paint the pier.")
    made.open(tmp_path / "a.jsonl")


@pytest.mark.parametrize(("first", "missing"), [(1, False), (2, True)])
def test_a_file_without_the_line_of_the_session_is_read(tmp_path: Path, first: int, missing: bool) -> None:
    made = Branches()
    kept = made.say("user", "Paint the pier.")
    made.answer({"type": "text", "text": "Painted."})
    made.add({"type": "custom", "customType": "openclaw.cache-ttl"}, made.last)
    made.compact(kept, 9_000)
    made.say("user", "Go on.")
    del made.entries[:first]
    store, conversation = made.open(tmp_path / "5e55.jsonl")
    assert [row.id for row in store.conversations()] == ["5e55"]
    assert [len(generation) for generation in conversation.generations] == [2, 4]
    assert ("The beginning of the session is missing" in " ".join(conversation.notes)) == missing
    (compaction,) = store.compactions(conversation)
    assert ("beginning of the list before it" in compaction.note) == missing
    store.close()


@pytest.mark.parametrize(
    ("details", "failed"),
    [
        ({"status": "error", "error": "ENOENT"}, True),
        ({"status": "failed"}, True),
        ({"status": "completed", "exitCode": 1}, True),
        ({"status": "completed", "exitCode": 0}, False),
        ({"status": 200}, False),
        ("none", False),
    ],
)
def test_a_failed_tool_is_known_by_its_details(tmp_path: Path, details: object, failed: bool) -> None:
    made = Branches()
    made.say("user", "Read the tide table.")
    made.say("toolResult", [{"type": "text", "text": "No such file"}], toolCallId="c1", details=details)
    store, conversation = made.open(tmp_path / "5e55.jsonl")
    assert bool(store.messages(conversation.live, 1, 2)[0].wire.get("is_error")) == failed
    store.close()


def test_sessions_without_their_first_entry_are_listed_each(tmp_path: Path) -> None:
    path = WRITERS["openclaw"](tmp_path)
    database = sqlite3.connect(path)
    (name,) = database.execute("SELECT DISTINCT session_id FROM transcript_events").fetchone()
    with database:
        copies = "SELECT 'other', seq, event_json, event_zstd FROM transcript_events"
        database.execute(f"INSERT INTO transcript_events (session_id, seq, event_json, event_zstd) {copies}")
        database.execute("UPDATE transcript_events SET event_json = '{' WHERE seq = 0")
    database.close()
    store = open_store(path)
    assert {row.id for row in store.conversations()} == {name, "other"}
    (compaction,) = store.compactions(store.open("other"))
    assert compaction.session == "other"


@pytest.mark.parametrize("number", ["x", None])
def test_an_entry_without_a_number_is_unreadable(tmp_path: Path, number: str | None) -> None:
    path = WRITERS["openclaw"](tmp_path)
    database = sqlite3.connect(path)
    with database:
        last = "(SELECT max(seq) FROM transcript_events)"
        database.execute(f"UPDATE transcript_events SET seq = ? WHERE seq = {last}", (number,))
    database.close()
    store = open_store(path)
    (row,) = store.conversations()
    assert any("cannot be read" in note for note in store.open(row.id).notes)
    store.close()


def test_a_delivered_text_names_no_model(tmp_path: Path) -> None:
    """OpenClaw adds texts that no model wrote, with itself as their provider."""
    made = Branches()
    made.say("user", "Which berth is free?")
    made.answer({"type": "text", "text": "Berth 4."})
    made.say(
        "assistant",
        [{"type": "text", "text": "Time for the tide."}],
        provider="openclaw",
        model="delivery-mirror",
    )
    path = tmp_path / "5e55.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made.entries))
    (row,) = open_store(path).conversations()
    assert row.model == "m-1"


@pytest.mark.parametrize(
    ("errors", "failed"),
    [
        ((Branches.time_out,), "no response"),
        ((Branches.fail, Branches.fail), "no response"),
        ((), ""),
    ],
)
def test_a_compaction_after_a_failed_request_shows_no_threshold(
    tmp_path: Path, errors: tuple[Callable[[Branches, str], str], ...], failed: str
) -> None:
    """After a timeout OpenClaw compacts and sends the request again."""
    made = Branches()
    made.say("user", "Paint the pier.")
    kept = made.answer(call("c1"), sent=90_000)
    made.result("c1", "plank")
    for add in errors:
        add(made, "no response")
    if errors:
        made.say("assistant", [], model="m-1", stopReason="aborted", errorMessage="Request was aborted.")
    made.compact(kept, 90_100)
    made.say("user", "Paint the pier.")
    made.answer({"type": "text", "text": "Done."}, sent=9_000)
    store, conversation = made.open(tmp_path / "a.jsonl")
    (compaction,) = store.compactions(conversation)
    assert (compaction.failed_request, compaction.by_size) == (failed, not failed)
    answers = Answers(store, {}, None)
    (judged,) = compare_compactions(answers, conversation.id)
    assert ("the request before the compaction failed (“no response”), at 90,100" in judged.why.text) is bool(
        failed
    )
    # One compaction by size would show its threshold.
    assert upcoming(answers, conversation.id).threshold_tokens == (180_000 if failed else 90_100)
    assert len(replay(answers, conversation.id).run.events) == 1


def test_the_size_of_a_list_before_an_earlier_compaction_is_no_size(tmp_path: Path) -> None:
    made = Branches()
    made.say("user", "Paint the pier.")
    kept = made.answer({"type": "text", "text": "Painted."}, sent=90_000)
    made.compact(kept, 90_010)
    made.say("user", "Go on.")
    made.fail("Connection error.")
    made.compact(kept, 90_020)
    made.say("user", "Go on.")
    made.answer({"type": "text", "text": "Done."}, sent=9_000)
    made.compact(made.last, 9_010)
    store, conversation = made.open(tmp_path / "a.jsonl")
    reported = [one.tokens_before_reported for one in store.compactions(conversation)]
    assert reported == [90_010, None, 9_010]


def test_a_session_without_words_of_a_person_is_named_by_what_started_it(tmp_path: Path) -> None:
    made = Branches()
    started = "Hook Gmail (Pier): ok"
    made.say(
        "user",
        f"System: [2026-02-15 04:03:59 EST] {started}\n\nRead HEARTBEAT.md if it exists (workspace context).",
    )
    made.answer({"type": "text", "text": "HEARTBEAT_OK"})
    _, conversation = made.open(tmp_path / "a.jsonl")
    assert conversation.row.title == started


def test_a_size_next_to_answers_without_usage_is_no_size(tmp_path: Path) -> None:
    """The agent adds an estimate of the last messages to the size of the last answer, here 0."""
    made = Branches()
    made.say("user", "Paint the pier.")
    made.say("assistant", [call("c1")], model="m-1", usage={"input": 0, "output": 0, "totalTokens": 0})
    made.result("c1", "plank " * 3_000)
    made.compact(made.last, 4_000)
    made.say("user", "Go on.")
    store, conversation = made.open(tmp_path / "a.jsonl")
    (compaction,) = store.compactions(conversation)
    assert compaction.tokens_before_reported is None
    (judged,) = compare_compactions(Answers(store, {}, None), conversation.id)
    assert "4,000" not in judged.why.text
    assert f"~{compaction.tokens_before:,} tokens" in judged.why.text


def test_the_model_that_answered_last_has_the_threshold_of_a_compaction(tmp_path: Path) -> None:
    made = Branches()
    made.say("user", "Paint the pier.")
    usage = {"input": 181_000, "output": 10}
    kept = made.say("assistant", [], model="claude-opus-4-5", provider="anthropic", usage=usage)
    made.compact(kept, 181_010)
    made.say("user", "Go on.")
    made.say("assistant", [], model="gemini-2.5-pro", provider="google", usage={"input": 9_000, "output": 10})
    store, conversation = made.open(tmp_path / "a.jsonl")
    (judged,) = compare_compactions(Answers(store, {}, None), conversation.id)
    assert "181,010 tokens (reported) reached the threshold of 180,000" in judged.why.text


def test_compactions_below_the_usual_threshold_make_it_doubtful(tmp_path: Path) -> None:
    made = Branches()
    # The second list grows beyond the size of the first, so no threshold explains both.
    for sizes in ((50_000,), (60_000, 90_000)):
        for size in sizes:
            made.say("user", "Paint the pier.")
            kept = made.answer({"type": "text", "text": "Painted."}, sent=size)
        made.compact(kept, sizes[-1] + 10)
    made.say("user", "Go on.")
    made.answer({"type": "text", "text": "Done."}, sent=9_000)
    store, conversation = made.open(tmp_path / "a.jsonl")
    answers = Answers(store, {}, None)
    _, resolved = answers.opened(conversation.id)
    assert resolved.notes[-1] == (
        "2 recorded compactions came below the usual threshold of 180,000 tokens, at 50,010 to 90,010: the usual "
        "threshold is doubtful."
    )
    assert upcoming(answers, conversation.id).doubt == "a doubtful threshold"


def test_rough_compactions_far_below_the_usual_threshold_make_it_doubtful(tmp_path: Path) -> None:
    """The provider reports no usage, and the agent compacts at the end of each turn."""
    made = Branches()
    for _ in range(3):
        made.say("user", "Paint the pier. " * 100)
        kept = made.say("assistant", "Painted.", model="claude-opus-4-5", usage={"input": 0, "output": 0})
        made.compact(kept, 0)
    made.say("user", "Go on.")
    store, conversation = made.open(tmp_path / "a.jsonl")
    answers = Answers(store, {}, None)
    assert upcoming(answers, conversation.id).doubt == "a doubtful threshold"
    whys = [judged.why.text for judged in compare_compactions(answers, conversation.id)]
    assert all("no threshold is recorded; openclaw usually fires at" in why for why in whys)


@pytest.mark.parametrize("sent", [9_000, 50_000])
def test_a_threshold_that_only_the_compactions_show_has_a_sign(tmp_path: Path, sent: int) -> None:
    made = Branches()
    made.say("user", "Paint the pier.")
    kept = made.say("assistant", [], model="claude-opus-4-5", usage={"input": 44_000, "output": 10})
    made.compact(kept, 44_010)
    made.say("user", "Go on.")
    made.say("assistant", [], model="claude-opus-4-5", usage={"input": sent, "output": 10})
    store, conversation = made.open(tmp_path / "a.jsonl")
    answers = Answers(store, {}, None)
    assert (
        "44,010 tokens (a threshold that only the compactions show)"
        in (upcoming(answers, conversation.id).sentences[0])
    )
    assert read_live(store, conversation.row, {}, None).doubtful


def test_the_prompt_of_the_newest_run_is_the_system_prompt_and_has_the_rule_files(tmp_path: Path) -> None:
    session = recipe("more_lines").OpenClawSession(SESSION)
    session.user(RULE)
    session.answer("Moored.", sent=9_000)
    path = session.write(tmp_path)
    rules = "# Berths\n\n<!-- Agreed in May. -->\nNever moor."
    files = f"## /srv/pier/SOUL.md\n[MISSING] Expected there.\n## /srv/pier/AGENTS.md\n{rules}"
    end = "<!-- /openclaw:attempt:STABLE -->\n<!-- OPENCLAW_CACHE_BOUNDARY -->\n## Runtime"
    prompts = ["You moor.", f"You moor.\n# Project Context\nLoaded project context:\n{files}\n{end}"]
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE trajectory_runtime_events (session_id TEXT, seq INTEGER, event_json TEXT)"
        )
        for number, prompt in enumerate(prompts):
            for at, kind in enumerate(("context.compiled", "session.ended")):
                event = {"type": kind, "data": {"systemPrompt": prompt if at == 0 else "none"}}
                row = (SESSION, 2 * number + at, json.dumps(event, separators=(",", ":")))
                database.execute("INSERT INTO trajectory_runtime_events VALUES (?, ?, ?)", row)
    store, conversation, _ = opened(path)
    assert store.system_prompt(conversation.live.session) == prompts[-1]
    (found,) = rule_files(store, conversation)
    assert (found.path, found.text) == ("/srv/pier/AGENTS.md", rules)
    assert found.how == "prompt"
