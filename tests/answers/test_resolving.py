"""Settings and sizes resolved for a conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.answers.answers import Answers
from inspector.answers.compactions import compare_compactions
from inspector.answers.conversations import list_conversations
from inspector.answers.live_sizes import LiveSize, _later_tokens, live_of, live_size, reported_sizes
from inspector.answers.resolving import caching_release, resolve
from inspector.answers.shown_settings import earlier_settings
from inspector.answers.upcoming import upcoming
from inspector.commands.cli import commands
from inspector.core.conversations import Request
from inspector.core.messages import Message
from inspector.engines.base import overridden_words
from inspector.stores.detect import open_store
from inspector.stores.several import SeveralStores
from tests.recipes import recipe

lines, others = recipe("claude_lines"), recipe("other_lines")


@pytest.mark.parametrize(
    ("profile", "rules"),
    [
        ("documented", "0.13"),
        ("hermes-0.17", "0.13"),
        ("hermes-0.18.0", "0.13"),
        ("hermes-0.18.1", "0.19"),
        ("hermes-0.18", "0.19"),
        ("hermes-0.20", "0.19"),
        ("hermes-current", "0.19"),
        ("claude-code", "0.13"),
    ],
)
def test_from_0_18_1_on_breakpoints_skip_messages_that_cannot_have_one(profile: str, rules: str) -> None:
    assert caching_release(profile) == rules


@pytest.mark.parametrize("several", [False, True])
def test_a_session_is_planned_by_the_release_that_wrote_it_last(tmp_path: Path, several: bool) -> None:
    releases = ["2.1.20", "1.0.89", "2.1.25", ""]
    for at, version in enumerate(releases):
        made = lines.Session(
            f"5e55a000-0000-4000-8000-00000000000{at}", version=version, start=1_770_000_000.0 - at
        )
        made.user("Which berth is free?")
        made.answer(lines.text("Berth 4."))
        made.write(tmp_path / f"{at}.jsonl")
    store = SeveralStores([open_store(tmp_path)], tmp_path) if several else open_store(tmp_path)
    planned = []
    for row in store.conversations():
        resolved = resolve(store, row, {}, None)
        assert resolved.sources["profile"] == "detected"
        planned.append((resolved.settings.profile, round(resolved.settings.threshold * 200_000)))
    old, middle, new = (
        ("claude-code-2.1.20", 155_000),
        ("claude-code-2.1.216", 167_000),
        ("claude-code", 167_000),
    )
    assert planned == [old, old, middle, new]
    reasons = [store.info_of(row.id).profile_reason for row in store.conversations()]
    observed = "the rules were observed on 2.0.8 to 2.1.20"
    assert reasons[:2] == [
        f"Last written by Claude Code 2.1.20; {observed}.",
        f"Last written by Claude Code 1.0.89; {observed}, not on this release.",
    ]
    assert reasons[3] == "The files are those of Claude Code."


def test_a_session_of_an_unknown_release_names_none(tmp_path: Path, fixtures_dir: Path) -> None:
    (bundled,) = (fixtures_dir / "agents" / "copilot").glob("*/events.jsonl")
    session = tmp_path / "session" / "events.jsonl"
    session.parent.mkdir()
    session.write_text(bundled.read_text(encoding="utf-8").replace("1.0.102", "unknown"), encoding="utf-8")
    store = open_store(session)
    (row,) = store.conversations()
    assert store.info_of(row.id).profile_reason == "The files are those of GitHub Copilot CLI."


def test_a_chosen_profile_is_in_force_for_any_session(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000001", version="2.1.7")
    made.user("Which berth is free?")
    answers = Answers.of([made.write(tmp_path / "a.jsonl")], {"profile": "claude-code"}, None)
    _, resolved = answers.opened("5e55a000")
    assert resolved.settings.profile == "claude-code"
    assert round(resolved.settings.threshold * 200_000) == 167_000


def test_the_size_of_the_live_list_is_that_of_its_last_request() -> None:
    sent = [(1, 80_000), (1, 9_000), (2, 146_000), (2, 83_000)]
    requests = [
        Request(place, number, "m", "model", 0.0, tokens, 0, 0, None, 60)
        for place, (number, tokens) in enumerate(sent, 1)
    ]
    # Before a compaction the last request may be the summarizing call; in the live list it is an ordinary request.
    assert reported_sizes(requests, live=2) == {1: 80_060, 2: 83_060}
    assert reported_sizes(requests, live=3) == {1: 80_060, 2: 146_060}


def test_a_tiny_last_request_had_another_prompt() -> None:
    requests = [
        Request(at, 1, "m", "model", 0.0, tokens, 0, 0, None, 60) for at, tokens in ((1, 28_740), (2, 12))
    ]
    assert reported_sizes(requests, live=1) == {1: 28_800}
    assert reported_sizes(requests[1:], live=1) == {1: 72}


def test_messages_after_the_last_request_count_roughly(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.user("Read the berths.")
    made.answer(lines.text("So it is."), written=3_400)
    path = made.write(tmp_path / "a.jsonl")

    def size() -> LiveSize:
        store = open_store(path)
        (row,) = store.conversations()
        conversation = store.open(row.id)
        requests = store.requests(conversation)
        found = live_size(store, conversation, requests)
        assert found is not None
        assert live_of(store, row, {}, None).tokens == found.tokens
        following = upcoming(Answers(store, {}, None), row.id)
        assert (following.tokens, following.reported) == (found.tokens, not found.later)
        return found

    before = size()
    assert before.later == 0
    made.user("x" * 400_000)
    made.write(path)
    after = size()
    assert after.reported == before.reported
    assert after.later == pytest.approx(100_000, rel=0.01)


def test_system_prompt_and_tools_count_after_failed_calls(tmp_path: Path) -> None:
    """A failed call leaves an answer without usage before the answer of the first request."""
    session = others.PiSession("5e55a000-0000-4000-8000-000000000002")
    first = session.user("Go.")
    session.answer(read=0, written=0, output=0)
    session.entries[-1]["message"] |= {"stopReason": "error", "usage": {}}
    session.answer({"type": "text", "text": "Gone."}, written=10_000)
    session.compact("## Goal\nGo.", first)
    path = tmp_path / "a.jsonl"
    path.write_text(session.text())
    store = open_store(path)
    conversation = store.open(store.conversations()[0].id)
    size = live_size(store, conversation, store.requests(conversation))
    assert size is not None
    assert (size.sent, size.reported) == (False, pytest.approx(10_000, rel=0.01))


@pytest.mark.parametrize(
    ("sizes", "window"), [((70_000, 90_000), 90_000), ((70_000, 30_000), 64_000), ((20_000, 30_000), 64_000)]
)
def test_answered_requests_show_that_a_window_is_wider_than_expected(
    tmp_path: Path, sizes: tuple[int, int], window: int
) -> None:
    path = written_by_pi(tmp_path / "a.jsonl", sizes)
    _, resolved = Answers.of([path], {}, None).opened("ferry")
    assert resolved.settings.context_length == window
    (listed,) = list_conversations(Answers.of([path], {}, None))
    assert listed.settings == resolved.settings
    notes = [note for note in resolved.notes if note.startswith("The context window is at least")]
    assert len(notes) == (window > 64_000)
    _, chosen = Answers.of([path], {"context_length": 50_000}, None).opened("ferry")
    assert chosen.settings.context_length == 50_000
    assert not [note for note in chosen.notes if note.startswith("The context window is at least")]


def test_no_list_reached_the_threshold_of_a_window_that_may_be_larger(tmp_path: Path) -> None:
    path = written_by_pi(tmp_path / "a.jsonl", (70_000, 90_000))
    made = [json.loads(line) for line in path.read_text().splitlines()]
    made.append(
        {"type": "compaction", "id": "c", "parentId": "4", "summary": "Two ferries.", "tokensBefore": 91_000}
    )
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made))
    (judged,) = compare_compactions(Answers.of([path], {}, None), "ferry")
    assert "or more, because the window is at least 90,000" in judged.why.text
    path = written_by_pi(tmp_path / "b.jsonl", (70_000, 90_000))
    following = upcoming(Answers.of([path], {}, None), "ferry")
    assert "tokens or more: no compaction came at this size" in following.sentences[0]
    assert following.requests_left is None


@pytest.mark.parametrize("model", ["deepseek-chat", "harbour-9"])
def test_a_compaction_below_the_threshold_doubts_a_window_that_is_not_recorded(
    tmp_path: Path, model: str
) -> None:
    """A known model has its current window; for an unknown model the window is assumed."""
    path = written_by_pi(tmp_path / "a.jsonl", (10_000, 20_000))
    made = [json.loads(line) for line in path.read_text().replace("deepseek-chat", model).splitlines()]
    made.append(
        {"type": "compaction", "id": "c", "parentId": "4", "summary": "Two ferries.", "tokensBefore": 20_100}
    )
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made))
    (judged,) = compare_compactions(Answers.of([path], {}, None), "ferry")
    assert "the reason is unknown (the user may have compacted)" in judged.why.text


@pytest.mark.parametrize(("answer", "shown"), [("Berth 4.", True), ("Berth 4. " * 10_000, False)])
def test_a_size_that_lacks_the_last_message_shows_no_threshold(
    tmp_path: Path, answer: str, shown: bool
) -> None:
    path = written_by_pi(tmp_path / "a.jsonl", (10_000, 20_000))
    made = [json.loads(line) for line in path.read_text().splitlines()]
    made[-1]["message"]["content"][0]["text"] = answer
    made.append(
        {"type": "compaction", "id": "c", "parentId": "4", "summary": "Two ferries.", "tokensBefore": 20_005}
    )
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made))
    _, resolved = Answers.of([path], {"profile": "pi"}, None).opened("ferry")
    assert resolved.sources["threshold"].startswith("shown") is shown


def test_a_window_that_may_be_larger_is_not_below_a_request_that_went_on(tmp_path: Path) -> None:
    path = written_by_pi(tmp_path / "a.jsonl", (70_000, 89_000, 90_000))
    made = [json.loads(line) for line in path.read_text().splitlines()]
    made.append(
        {"type": "compaction", "id": "c", "parentId": "6", "summary": "Two ferries.", "tokensBefore": 91_000}
    )
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made))
    _, resolved = Answers.of([path], {"profile": "pi"}, None).opened("ferry")
    assert (resolved.settings.context_length, resolved.settings.threshold) == (90_000, 1.0)


def test_a_model_of_unknown_window_shares_no_threshold_with_a_known_one(tmp_path: Path) -> None:
    path = written_by_pi(tmp_path / "a.jsonl", (10_000, 109_000, 110_000, 45_000))
    made = [json.loads(line) for line in path.read_text().splitlines()]
    for at, entry in enumerate(made):
        if entry.get("message", {}).get("role") == "assistant":
            entry["message"]["model"] = "glm-5" if at < len(made) - 1 else "harbour-9"
    compaction = {
        "type": "compaction",
        "id": "c",
        "parentId": "6",
        "summary": "Two.",
        "tokensBefore": 103_600,
    }
    made.insert(-2, compaction)
    made[-2]["parentId"] = "c"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made))
    _, resolved = Answers.of([path], {}, None).opened("ferry")
    assert resolved.sources["threshold"].startswith("shown by one recorded compaction (103,600 tokens")


@pytest.mark.parametrize(
    ("chosen", "said"), [(None, "in a window of 64,000, which is not recorded"), (100_000, "fires at 83,616")]
)
def test_a_compaction_is_judged_by_the_model_of_its_time(
    tmp_path: Path, chosen: int | None, said: str
) -> None:
    path = written_by_pi(tmp_path / "a.jsonl", (10_000, 20_000, 5_000, 6_000))
    made = [json.loads(line) for line in path.read_text().splitlines()]
    made[-1]["message"]["model"] = "glm-5"
    compaction = {"type": "compaction", "id": "c", "parentId": "4", "summary": "Two.", "tokensBefore": 20_100}
    made.insert(5, compaction)
    made[6]["parentId"] = "c"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made))
    (judged,) = compare_compactions(Answers.of([path], {"context_length": chosen}, None), "ferry")
    assert said in judged.why.text


def test_the_window_in_a_record_is_that_of_its_model(tmp_path: Path) -> None:
    path = written_by_pi(tmp_path / "a.jsonl", (10_000, 20_000, 131_000))
    made = [json.loads(line) for line in path.read_text().splitlines()]
    for at, entry in enumerate(made):
        if entry.get("message", {}).get("role") == "assistant":
            entry["message"]["model"] = "glm-5" if at < len(made) - 1 else "harbour-9"
    made[-1]["message"] |= {"stopReason": "length", "usage": {"input": 131_000, "output": 0}}
    path.write_text("".join(json.dumps(entry) + "\n" for entry in made))
    inspection, _ = Answers.of([path], {}, None).opened("ferry")
    ((request, changed),) = earlier_settings(inspection, {})
    assert (request.index, changed["context_length"]) == (2, 200_000)


def written_by_pi(path: Path, sizes: tuple[int, ...]) -> Path:
    """Write a session with answers of a 64,000-token model that report prompts of these sizes."""
    entries: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "ferry", "cwd": "/ferry"}]
    for size in sizes:
        answer = {
            "role": "assistant", "model": "deepseek-chat", "provider": "openrouter",
            "content": [{"type": "text", "text": "Berth 4."}], "usage": {"input": size, "output": 5},
        }  # fmt: skip
        for message in ({"role": "user", "content": "Which berth is free?"}, answer):
            at, before = len(entries), str(len(entries) - 1) if len(entries) > 1 else None
            entries.append({"type": "message", "id": str(at), "parentId": before, "message": message})
    for at, entry in enumerate(entries):
        entry["timestamp"] = f"2026-03-05T10:00:{at:02}.000Z"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("times", "later"),
    [
        # The answer has the time of the request; a later answer has no reported request.
        ((("assistant", 100.0), ("tool", 101.0), ("assistant", 160.0)), 2),
        # The request is recorded before its answer.
        ((("assistant", 40.0), ("tool", 50.0), ("assistant", 107.0)), 0),
        ((("assistant", 40.0), ("tool", 50.0), ("assistant", 107.0), ("tool", 108.0)), 1),
        # Times are unknown.
        ((("assistant", 0.0), ("tool", 0.0)), 1),
        ((("assistant", 40.0), ("user", 45.0)), 0),
    ],
)
def test_messages_after_an_answer_are_later(times: tuple[tuple[str, float], ...], later: int) -> None:
    request = Request(1, 1, "m", "model", 100.0, 9_000, 0, 0, None, 60)
    messages = [Message({"role": role, "content": "x" * 4_000}, timestamp=at) for role, at in times]
    assert round(_later_tokens(reversed(messages), request) / 1_000) == later


@pytest.mark.parametrize("agent", ["opencode", "openhands"])
def test_compactions_far_below_a_huge_window_show_no_threshold(agent: str, fixtures_dir: Path) -> None:
    answers = Answers.of([fixtures_dir / "agents" / agent], {"context_length": 10_000_000}, None)
    for row in answers.store.conversations():
        answers.opened(row.id)[1].settings.check()


@pytest.mark.parametrize(
    "config",
    [
        "model: {context_length: 1000000}",
        "custom_providers: [{base_url: here, models: {m: {context_length: 1000000}}}]",
    ],
)
def test_the_usual_threshold_is_that_of_the_window_of_the_configuration(
    config: str, fixtures_dir: Path, tmp_path: Path
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(config, encoding="utf-8")
    store = open_store(fixtures_dir / "hermes-0.19-in-place.db")
    row = store.conversations()[0]._replace(model="m", base_url="here")
    resolved = resolve(store, row, {"profile": "claude-code"}, path)
    assert (resolved.settings.context_length, resolved.settings.threshold) == (1_000_000, 0.967)
    assert resolved.sources["threshold"] == "observed in claude-code"


@pytest.mark.parametrize(("source", "expected"), [("cli", 1), ("telegram", 0)])
def test_a_limit_of_the_gateway_is_not_used_without_one(
    source: str, expected: int, fixtures_dir: Path
) -> None:
    store = open_store(fixtures_dir / "hermes-0.13-rotating.db")
    row = store.conversations()[0]._replace(source=source)
    notes = resolve(store, row, {"message_limit": 100}, None).notes
    assert sum(note.startswith("--message-limit is not used") for note in notes) == expected
    assert not any("message-limit" in note for note in resolve(store, row, {"threshold": 0.6}, None).notes)


@pytest.mark.parametrize("changed", [False, True])
def test_the_window_of_the_last_request_is_doubted_whatever_model_comes_next(
    tmp_path: Path, changed: bool
) -> None:
    """The window in force is the current window of that model, even if the user chose another model afterwards."""
    made = others.PiSession("5fd1e58c-9635-410e-a644-133000000009")
    made.user("Which berth is free?")
    made.answer(lines.text("Berth 4."), written=109_000)
    kept = made.user("Moor it.")
    made.compact("## Goal\nMoor it", kept, before=110_000)
    made.answer(lines.text("Moored."), written=20_000)
    if changed:
        made.entry("model_change", provider="harbour", modelId="pilot-1")
    path = tmp_path / "a.jsonl"
    path.write_text(made.text())
    store = open_store(path)
    (row,) = store.conversations()
    (compared,) = compare_compactions(Answers(store, {}, None), row.id)
    assert "in a window of 200,000, which is not recorded" in compared.why.text


def test_a_list_without_a_request_has_the_system_prompt_and_tools_of_the_first_one(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-00000000c4b1")
    made.user("Read the berth.")
    made.answer(lines.text("It is read."), written=40_000)
    made.compact("The berth is read.", before=60_000)
    store = open_store(made.write(tmp_path / "a.jsonl"))
    (row,) = store.conversations()
    conversation = store.open(row.id)
    requests = store.requests(conversation)
    size = live_size(store, conversation, requests)
    assert size is not None
    assert not size.sent
    assert requests[0].context - 20 < size.reported < requests[0].context
    assert size.later == store.live_tokens(row.id)
    assert live_of(store, row, {}, None).tokens == size.tokens
    assert live_size(store, conversation, ()) is None


@pytest.mark.parametrize(
    ("command", "flags", "value"),
    [
        ("compactions", [], "0.5 (default)"),
        ("compactions", ["--threshold", "0.6"], "0.6 (--threshold)"),
        ("replay", ["--threshold", "0.6"], "0.6 (--threshold)"),
        ("replay", ["--config", "config.yaml"], "0.4 (config.yaml: compression.threshold)"),
        ("replay", [], ""),
        ("replay", ["--threshold", "0.8"], ""),
    ],
)
def test_a_threshold_that_a_rule_overrides_is_named(
    command: str, flags: list[str], value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hermes 0.19 raises the threshold of a small window. The app says it beside the knob, in the same words."""
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text("compression:\n  threshold: 0.4\n")
    shared = ["--demo", "Nightly orders import loses rows", "--profile", "hermes-0.19"]
    ended = CliRunner().invoke(commands, [command, *shared, *flags, "--context-length", "200000"])
    assert not ended.exit_code
    words = " ".join(ended.stderr.split())
    rule = overridden_words("75% at least, because the window is below 512,000 tokens", f"threshold {value}")
    assert (rule in words) is ("overrides threshold" in words) is bool(value)
