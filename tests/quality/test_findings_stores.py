"""Findings of databases: real evidence, with places of the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.answers.answers import Answers
from inspector.answers.findings import evidence_of, findings
from inspector.answers.losses import facts_of
from inspector.commands.cli import commands
from inspector.quality.find import find
from inspector.quality.finding import Finding
from inspector.stores.detect import open_store
from tests.counting import Readings
from tests.recipes import recipe
from tests.stores.agent_sessions import WRITERS
from tests.stores.writer import Writer, create, talk

RECORDINGS = (
    "hermes-0.13.0-rotating", "hermes-0.13.0-failures", "hermes-0.19.0-in-place", "hermes-0.19.0-rotating",
)  # fmt: skip
FIXTURES = ("hermes-0.13-rotating", "hermes-0.19-in-place")
BODY = "## Goal\nMove the checkout.\n\n## Completed Actions\n1. Read the client.\n2. Patched it.\n"


def found_in(path: Path, flags: Mapping[str, Any] | None = None) -> list[Finding]:
    store = open_store(path)
    answers = Answers(store, flags or {}, None)
    found = [finding for row in store.conversations() for finding in findings(*answers.opened(row.id))]
    store.close()
    return found


def of_rule(found: list[Finding], rule: str) -> list[Finding]:
    return [finding for finding in found if finding.rule == rule]


def errors_as_they_should_be(path: Path) -> None:
    """Check that every failed summary is found at its compaction, and that no other error is found."""
    sessions = json.loads(Path(f"{path}.truth.json").read_text(encoding="utf-8"))["sessions"]
    failed = [
        (session["tip"], number)
        for session in sessions
        for number, event in enumerate(session["events"], 1)
        if event["fallback"]
    ]
    found = found_in(path)
    grave = [finding for finding in found if finding.severity == "error"]
    assert sorted((f.conversation, f.compaction) for f in grave) == sorted(failed)
    assert {f.rule for f in grave} <= {"summary-fallback"}
    # The profile plans what was recorded, and the boundaries are certain.
    assert not of_rule(found, "planned-not-recorded")
    assert not of_rule(found, "boundaries-inferred")


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings(name: str, recordings: Callable[[str], Path]) -> None:
    errors_as_they_should_be(recordings(name))


@pytest.mark.parametrize("name", FIXTURES)
def test_fixtures(name: str, fixtures_dir: Path) -> None:
    errors_as_they_should_be(fixtures_dir / f"{name}.db")


def test_an_old_head_is_a_fossil_in_0_13_only(fixtures_dir: Path) -> None:
    assert len(of_rule(found_in(fixtures_dir / "hermes-0.13-rotating.db"), "head-fossilized")) == 2
    assert not of_rule(found_in(fixtures_dir / "hermes-0.19-in-place.db"), "head-fossilized")


def test_hygiene_counts_where_a_gateway_is(fixtures_dir: Path) -> None:
    found = of_rule(found_in(fixtures_dir / "hermes-0.19-in-place.db"), "hygiene-before-agent")
    assert [finding.conversation for finding in found] == ["20260407_090000_306102"]


@pytest.mark.parametrize(
    ("answered", "trigger", "expected"),
    [(False, "auto", True), (True, "auto", False), (False, "manual", False)],
)
def test_a_compaction_in_mid_task(tmp_path: Path, answered: bool, trigger: str, expected: bool) -> None:
    lines = recipe("claude_lines")
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.user("Chart the tides of the outer harbour, please.")
    for call in "abcde":
        made.answer(lines.text("First the log."), lines.call(call, "Read", file_path=f"log-{call}.txt"))
        made.result(call, "ebb, flood")
    if answered:
        made.answer(lines.text("Here is the chart."))
    made.compact(lines.nine_sections(primary=["Chart the tides"]), trigger=trigger)
    found = of_rule(found_in(made.write(tmp_path / "a.jsonl")), "mid-task")
    assert bool(found) is expected
    if expected:
        assert (found[0].compaction, found[0].generation, found[0].index) == (1, 1, 10)
        assert "on #0: 10 messages followed" in found[0].text


def test_no_message_is_too_large_for_an_agent_that_keeps_no_tokens(tmp_path: Path) -> None:
    """Claude Code keeps the last answer, Kimi the last two messages, whatever their size."""
    lines = recipe("claude_lines")
    made = lines.Session("5e55a000-0000-4000-8000-000000000001", "2.1.331")
    made.user("Chart the tides of the outer harbour, please.")
    made.answer(lines.text("Here is the chart."))
    assert not of_rule(found_in(made.write(tmp_path / "a.jsonl")), "huge-message")
    assert not of_rule(found_in(WRITERS["kimi"](tmp_path)), "huge-message")


def rotated(path: Path, **second: Any) -> Writer:
    """Write ten turns, compacted into a second session."""
    writer = Writer(create(path, 11))
    writer.begin(system_prompt="You are Hermes.")
    writer.say(talk(10))
    writer.compact(3, 28, BODY, rotate=True)
    writer.db.execute("UPDATE sessions SET system_prompt = 'You are Hermes.' WHERE id = ?", (writer.tip,))
    for column, value in second.items():
        writer.db.execute(f"UPDATE sessions SET {column} = ? WHERE id = ?", (value, writer.tip))
    return writer


def test_pairs_of_the_live_list(tmp_path: Path) -> None:
    writer = rotated(tmp_path / "state.db")
    call = {"id": "open", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    writer.say(
        [
            {"role": "user", "content": "more"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "user", "content": "never mind"},
            {"role": "tool", "content": "lost", "tool_call_id": "nobody"},
            {"role": "assistant", "content": "fine"},
            {"role": "assistant", "content": "and done"},
        ]
    )
    rows, start = writer.rows, len(writer.rows) - 6
    # The writer's summary is a user message, and the tail starts with another user message.
    found = found_in(writer.end())
    for rule, place in (("unanswered-call", 1), ("orphaned-result", 3), ("repeated-roles", 5)):
        finding = of_rule(found, rule)[-1]
        assert (finding.generation, finding.index, finding.message) == (2, start + place, rows[start + place])


def test_a_call_that_still_runs_is_fine(tmp_path: Path) -> None:
    writer = rotated(tmp_path / "state.db")
    writer.say(talk(1)[:2])
    assert not of_rule(found_in(writer.end()), "unanswered-call")


def test_a_request_in_the_middle(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db", 22))
    writer.begin()
    writer.say(talk(10))
    asked = writer.rows[-4]
    writer.compact(3, 38, BODY)
    (finding,) = of_rule(found_in(writer.end()), "last-request-summarized")
    assert (finding.compaction, finding.generation, finding.index, finding.message) == (1, 1, 36, asked)


def test_a_tail_that_starts_with_a_result(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db", 22))
    writer.begin()
    writer.say(talk(10))
    writer.compact(3, 38, BODY)
    writer.db.execute(
        "UPDATE messages SET role = 'tool', tool_call_id = 'gone' WHERE content = 'result 9 ' || ?",
        ("x" * 120,),
    )
    found = found_in(writer.end())
    (finding,) = of_rule(found, "tail-starts-with-result")
    assert (finding.severity, finding.generation, finding.index) == ("error", 2, 4)


def test_another_system_prompt(tmp_path: Path) -> None:
    writer = rotated(tmp_path / "state.db", system_prompt="You are Hermes, and it is Tuesday.")
    (finding,) = of_rule(found_in(writer.end()), "system-prompt-changed")
    assert (finding.compaction, finding.generation) == (1, 2)
    assert not of_rule(found_in(rotated(tmp_path / "same.db").end()), "system-prompt-changed")


def test_notes_of_the_release_about_its_summary_calls(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db", 22))
    writer.begin(
        compression_failure_error="401 \x1b[31mno key", compression_fallback_streak=2, message_count=40
    )
    writer.say(talk(10))
    found = found_in(writer.end())
    (failed,) = of_rule(found, "summary-call-failed")
    assert "401 ␛[31mno key" in failed.text
    (finding,) = of_rule(found, "gave-up")
    assert "the last 2 compactions had no summary" in finding.text


def test_boundaries_that_the_store_does_not_prove(tmp_path: Path) -> None:
    writer = rotated(tmp_path / "state.db")
    writer.db.execute("DELETE FROM messages WHERE id = ?", (writer.rows[-1],))
    writer.db.execute("UPDATE messages SET content = 'edited' WHERE id = ?", (writer.rows[-4],))
    found = found_in(writer.end())
    (finding,) = of_rule(found, "boundaries-inferred")
    assert finding.compaction == 1
    assert not of_rule(found, "planned-not-recorded")


def test_flags_change_the_findings(fixtures_dir: Path) -> None:
    path = fixtures_dir / "hermes-0.19-in-place.db"
    found = found_in(path, {"threshold": 0.3, "target_ratio": 0.05, "summary_context": 20_000})
    assert of_rule(found, "threshold-overridden")
    assert not of_rule(found, "threshold-raised")
    assert of_rule(found, "target-ratio-clamped")
    assert of_rule(found, "planned-not-recorded")
    assert of_rule(found, "summary-model-too-small")


def test_a_conversation_of_one_message(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db", 22))
    writer.begin(message_count=1)
    writer.say([{"role": "user", "content": "hello"}])
    assert {finding.severity for finding in found_in(writer.end())} <= {"info"}


def test_little_is_read_once_lists_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(create(tmp_path / "state.db", 22, fts=False))
    writer.begin()
    writer.say(talk(100))
    writer.compact(3, 360, BODY)
    writer.say(talk(100, start=100))
    store = open_store(writer.end())
    inspection, resolved = Answers(store, {}, None).opened("s0")
    inspection.compared(resolved.settings)
    inspection.plan(inspection.generation(), resolved.settings)
    facts = facts_of(inspection)
    readings = Readings(store, monkeypatch)
    evidence = evidence_of(inspection, resolved, facts)
    assert evidence.compactions
    assert find(evidence)
    # Both lists for the aftermath, the live list once more for its links; some requests and messages before a place.
    assert readings.lists == 3
    assert readings.messages < 150
    store.close()


# The command.


def run(*words: str) -> Any:
    return CliRunner().invoke(commands, ["findings", *words])


def test_the_command_in_json(fixtures_dir: Path) -> None:
    answer = run(str(fixtures_dir / "hermes-0.13-rotating.db"), "Move checkout to orders-v2", "--json")
    document = json.loads(answer.stdout)
    assert answer.exit_code == 0
    assert document[0] == document[0] | {
        "rule": "summary-fallback", "severity": "error", "conversation": "20260312_054216_3a4ebc", "compaction": 2,
        "message": 122, "generation": 3, "index": 4,
    }  # fmt: skip
    assert document[0]["text"].startswith("Compaction 2 removed 27 messages")


def test_the_command_over_a_whole_database_and_from_a_severity_on(fixtures_dir: Path) -> None:
    path = str(fixtures_dir / "hermes-0.19-in-place.db")
    everything = json.loads(run(path, "--json").stdout)
    grave = json.loads(run(path, "--severity", "error", "--json").stdout)
    assert len({entry["conversation"] for entry in everything}) == 5
    assert [entry for entry in everything if entry["severity"] == "error"] == grave
    assert len(grave) == 1


def test_the_command_for_people(fixtures_dir: Path) -> None:
    output = run(str(fixtures_dir / "hermes-0.13-rotating.db")).stdout
    assert "Move checkout to orders-v2" in output
    assert "✗ error" in output
    assert "[summary-fallback]" in output
    assert "→ Read the removed messages" in output


def test_the_command_without_findings(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db", 6))
    writer.begin(message_count=8)
    writer.say(talk(2))
    assert run(str(writer.end())).stdout == "No findings.\n"


def test_compactions_carry_their_findings(fixtures_dir: Path) -> None:
    answer = CliRunner().invoke(
        commands,
        [
            "compactions",
            str(fixtures_dir / "hermes-0.13-rotating.db"),
            "Move checkout to orders-v2",
            "--json",
        ],
    )
    rules = [[finding["rule"] for finding in entry["findings"]] for entry in json.loads(answer.stdout)]
    assert ["summary-fallback" in entry for entry in rules] == [False, True, False, False]
