"""The facts command: its JSON key by key, its filters and forms."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.fact_reading import FactsReading
from inspector.answers.facts import Wanted, ended_by, facts_reading, select_lives
from inspector.answers.inspection import Inspection
from inspector.commands.cli import main
from inspector.core.shares import plural
from inspector.quality.facts.fact import KINDS, OUTCOMES
from inspector.stores.detect import open_store
from tests.stores.writer import Writer, create

NAME = "Move checkout to orders-v2"


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["facts", "--demo", NAME, *words])
    assert ended.value.code == code
    output = capsys.readouterr()
    return output.out if code == 0 else output.err


def documents(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    return list(json.loads(run(capsys, *words, "--json")))


def test_every_fact_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    found = documents(capsys)
    keys = ["category", "text", "value", "role", "session", "message", "compaction", "fate", "where"]
    assert found
    for entry in found:
        assert list(entry)[: len(keys)] == keys
        assert entry["category"] in KINDS
        assert entry["source"] == "rules"
        assert entry["fate"] in OUTCOMES
        assert entry["where"] in (("summary", "head", "tail") if entry["fate"] != "lost" else (None,))
        assert entry["role"] in ("user", "assistant", "tool")
        assert isinstance(entry["message"], int)
        assert isinstance(entry["session"], str)
    assert sorted({entry["compaction"] for entry in found}) == [1, 2, 3, 4]


def test_facts_come_by_compaction_and_rank(capsys: pytest.CaptureFixture[str]) -> None:
    found = documents(capsys)
    order = [(entry["compaction"], entry["rank"]) for entry in found]
    assert order == sorted(order)
    assert [entry["rank"] for entry in found if entry["compaction"] == 1] == list(
        range(1, 1 + sum(c == 1 for c, _ in order))
    )
    assert all(a["score"] >= b["score"] for a, b in pairwise(found) if a["compaction"] == b["compaction"])


def test_a_fact_has_its_later_fates(capsys: pytest.CaptureFixture[str]) -> None:
    entry = next(e for e in documents(capsys) if e["value"] == "14 February")
    assert (entry["fate"], entry["died"], entry["rule"]) == ("value lost", 2, "en.decided")
    assert [(fate["compaction"], fate["fate"]) for fate in entry["fates"]] == [
        (1, "verbatim"),
        (2, "lost"),
        (3, "paraphrased"),
        (4, "value lost"),
    ]


def test_a_heading_names_the_compaction_of_its_fates(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Compaction 1, fates after compaction 4  4 verbatim" in run(capsys)
    assert "\nCompaction 4  " in run(capsys)
    early = run(capsys, "--after", "2")
    assert "Compaction 1, fates after compaction 2  " in early
    assert "\nCompaction 2, with 12 facts of earlier compactions  " in early
    assert {entry["after"] for entry in documents(capsys, "--after", "2")} == {2}


def test_filters(capsys: pytest.CaptureFixture[str]) -> None:
    everything = documents(capsys)
    assert documents(capsys, "--compaction", "2") == [e for e in everything if e["compaction"] == 2]
    assert documents(capsys, "--kind", "decision") == [e for e in everything if e["category"] == "decision"]
    lost = ("lost", "value lost")
    assert documents(capsys, "--fate", lost[0], "--fate", lost[1]) == [
        e for e in everything if e["fate"] in lost and e["is_lost"]
    ]
    after = documents(capsys, "--after", "2")
    assert {e["compaction"] for e in after} == {1, 2}
    assert all(e["fate"] == next(f for f in e["fates"] if f["compaction"] == 2)["fate"] for e in after)
    assert documents(capsys, "--role", "user") == [e for e in everything if e["role"] == "user"]
    assert documents(capsys, "--limit", "2") == [e for e in everything if e["rank"] <= 2]
    pruned = documents(capsys, "--pruned")
    assert [e for e in pruned if not e["pruned"]] == everything


@pytest.fixture
def read(fixtures_dir: Path) -> tuple[Inspection, FactsReading]:
    answers = Answers(open_store(fixtures_dir / "hermes-0.13-rotating.db"), {}, None)
    inspection, _, reading = facts_reading(answers, NAME)
    return inspection, reading


def test_pruned_facts_come_with_their_compaction_and_have_a_separate_limit(
    read: tuple[Inspection, FactsReading],
) -> None:
    inspection, reading = read
    pruned = tuple(replace(life, pruned=True) for life in reading.facts.lives)
    reading = replace(reading, facts=replace(reading.facts, pruned=pruned))
    listed = select_lives(inspection, reading, Wanted(pruned=True))
    assert [life.compaction for life in listed] == sorted(life.compaction for life in listed)
    first = select_lives(inspection, reading, Wanted(pruned=True, limit=1))
    assert [(life.compaction, life.pruned) for life in first] == [
        (number, pruned) for number in (1, 2, 3, 4) for pruned in (False, True)
    ]


def test_a_fact_without_a_fate_after_a_compaction_is_not_listed_after_it(
    read: tuple[Inspection, FactsReading],
) -> None:
    inspection, reading = read
    unread = [
        replace(life, fates=tuple(fate for fate in life.fates if fate.compaction != 2))
        for life in reading.facts.lives
        if life.compaction == 1
    ]
    reading = replace(reading, facts=replace(reading.facts, lives=tuple(unread)))
    assert select_lives(inspection, reading, Wanted(after=2)) == []
    third = Wanted(after=3)
    assert len([*select_lives(inspection, reading, third), *ended_by(reading, third)]) == len(unread) > 0


def test_after_a_compaction_the_command_lists_the_facts_of_the_losses_pane(
    read: tuple[Inspection, FactsReading], capsys: pytest.CaptureFixture[str]
) -> None:
    _, reading = read
    ended = reading.facts.ended()
    assert any(ended.values())
    for number in (1, 2, 3, 4):
        shown = Counter(life.outcome for life in (*reading.facts.of(number), *ended.get(number, ())))
        words = ", ".join(f"{shown[outcome]} {outcome}" for outcome in OUTCOMES if shown[outcome])
        for options in (("--after", str(number)), ("--compaction", str(number), "--after", str(number))):
            earlier = len(ended.get(number, ()))
            plus = f", with {plural(earlier, 'fact')} of earlier compactions" if earlier else ""
            assert f"Compaction {number}{plus}  {words}\n" in run(capsys, *options)
        listed = documents(capsys, "--after", str(number))
        assert len({entry["key"] for entry in listed}) == len(
            {life.fact.key for life in reading.facts.lives if life.compaction <= number}
        )


def test_an_unknown_compaction_is_an_error_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert "has no compaction 9; it has 1, 2, 3, 4." in run(capsys, "--compaction", "9", code=2)
    assert "--at-risk is about the next compaction" in run(capsys, "--at-risk", "--fate", "lost", code=2)
    early = run(capsys, "--compaction", "3", "--after", "1", code=2)
    assert "--after must not be below --compaction" in early


def test_the_only_conversation_needs_no_name(capsys: pytest.CaptureFixture[str], fixtures_dir: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["facts", str(fixtures_dir / "agents/pi/tides-v3.jsonl"), "--compaction", "1", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (ended.value.code, {entry["compaction"] for entry in found}) == (0, {1})
    with pytest.raises(SystemExit) as ended:
        main(["facts", str(fixtures_dir / "agents"), "--compaction", "1"])
    assert ended.value.code == 2
    assert "need a CONVERSATION" in capsys.readouterr().err


def test_at_risk_follows_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    few, many = (documents(capsys, "--at-risk", "--protect-last-n", n) for n in ("20", "3"))
    assert {entry["compaction"] for entry in few} == {5}
    assert all(entry["fate"] is None and entry["where"] is None for entry in few)
    assert {entry["key"] for entry in few} <= {entry["key"] for entry in many}
    onces = [entry["once"] for entry in many]
    assert onces == sorted(onces, reverse=True)


def test_the_text_has_the_fate_of_each_fact(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys)
    assert text.startswith("Compaction 1, fates after compaction 4  ")
    assert "= constraint verbatim (summary)  user, #33 of generation 1  [" in text
    assert "∅ constraint lost" in text
    assert "gone after compaction 2" in text
    assert "in the list again after compaction 3 (summary)" in text
    assert "At risk in compaction 5" in run(capsys, "--at-risk")
    assert run(capsys, "--kind", "preference", "--role", "tool") == "No facts were found.\n"


def test_a_checklist_of_facts_lost_or_at_risk(capsys: pytest.CaptureFixture[str]) -> None:
    lost = run(capsys, "--format", "markdown")
    assert "- [ ] Roll it out: 5 %, then 25 %, then 100 %, with at least 24 hours between two steps." in lost
    assert "stripe-node" not in lost
    assert "- [ ] Tell me the numbers every ten minutes" in run(capsys, "--at-risk", "--format", "markdown")
    assert (
        run(capsys, "--kind", "preference", "--role", "tool", "--format", "markdown")
        == "No lost fact was found.\n"
    )
    assert (
        run(capsys, "--at-risk", "--kind", "preference", "--role", "tool", "--format", "markdown")
        == "No fact at risk was found.\n"
    )


@pytest.fixture
def changed_limit(tmp_path: Path) -> Path:
    """Write a conversation whose user changed a lost rule later, and whose second compaction lost the new rule too."""
    writer = Writer(create(tmp_path / "state.db"), tip="s0")
    writer.begin(title="Limits", model="gpt-4o")
    for rules, at in (
        ("Set the retry limit to 75 and never more. Never touch the ledger table.", 6),
        ("Set the retry limit to 39 and never more.", 7),
    ):
        writer.say([{"role": "user", "content": rules}])
        writer.say([{"role": "assistant", "content": f"Step {step} is done."} for step in range(6)])
        writer.compact(0, at, "## Goal\n- go on")
    return writer.end()


@pytest.mark.parametrize("form", ["markdown", "mem0"])
def test_a_rule_that_the_user_changed_later_no_longer_holds(
    changed_limit: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["facts", str(changed_limit), "--format", form])
    output = capsys.readouterr().out
    assert "limit to 39" in output
    assert "ledger table" in output
    assert "limit to 75" not in output


def test_memories_of_lost_facts(capsys: pytest.CaptureFixture[str]) -> None:
    payloads = json.loads(run(capsys, "--format", "mem0", "--user-id", "ann", "--role", "user"))
    assert payloads
    assert all(
        set(one) == {"messages", "user_id", "agent_id", "run_id", "metadata", "infer"} for one in payloads
    )
    assert json.loads(run(capsys, "--format", "json")) == documents(capsys)


def test_a_user_id_without_payloads_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["facts", "--demo", "--user-id", "ann"])
    assert ended.value.code == 2
    assert "--format mem0" in capsys.readouterr().err


def test_a_conversation_without_compactions_has_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["facts", "--demo", "Check the load test scripts", "--json"])
    output = capsys.readouterr()
    assert (ended.value.code, json.loads(output.out)) == (0, [])
    assert "No compaction of this conversation is recorded" in output.err
    with pytest.raises(SystemExit):
        main(["facts", "--demo", "Check the load test scripts", "--at-risk"])
    assert "would not compact the live list: " in capsys.readouterr().err


def test_help_names_the_forms() -> None:
    from inspector.commands.cli import commands

    output = CliRunner().invoke(commands, ["facts", "--help"]).output
    assert "[text|json|markdown|mem0]" in output
