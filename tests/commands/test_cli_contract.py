"""The JSON of every command, key by key: names, types and relations, on the bundled databases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.commands import cli
from inspector.config.bundled import demo_sessions
from tests.conftest import bundled_conversations
from tests.examples import also
from tests.recipes import recipe

ROOT = Path(__file__).resolve().parents[2]
ROTATING = "Move checkout to orders-v2"
IN_PLACE = "Nightly orders import loses rows"
CHINESE = "小程序首页改版"
FASTAPI = str(ROOT / "fixtures" / "fastapi-example.json")
WHOLE = (int,)
MAYBE_WHOLE = (int, type(None))
NUMBER = (int, float)
TEXT = (str,)
MAYBE_TEXT = (str, type(None))


def ask(*words: str) -> Any:
    done = CliRunner().invoke(cli.commands, [*words, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


def check(entry: dict[str, Any], **types: tuple[type, ...]) -> None:
    """Check that every key has a value of its types; a bool is not a number."""
    for key, allowed in types.items():
        assert key in entry, key
        value = entry[key]
        assert isinstance(value, allowed), (key, value)
        assert not isinstance(value, bool) or bool in allowed, (key, value)


def test_conversations() -> None:
    found = ask("conversations", "--demo")
    demo = {path.name for path in demo_sessions().iterdir()}
    assert {entry["agent"] for entry in found} == {"hermes"} | demo
    assert len(found) == 10 + bundled_conversations()
    agents = set[str]()
    for entry in found:
        check(
            entry, id=TEXT, root=TEXT, title=TEXT, model=TEXT, context_length=WHOLE, sessions=(list,),
            generations=WHOLE, compactions=WHOLE, messages=WHOLE, profile=TEXT,
        )  # fmt: skip
        assert entry["sessions"][0] == entry["root"]
        assert entry["sessions"][-1] == entry["id"]
        assert entry["generations"] == entry["compactions"] + 1
        if entry["agent"] != "hermes" and entry["agent"] in agents:
            continue
        agents.add(entry["agent"])
        shown = ask("show", "--demo", entry["id"], "--no-exact")
        assert len(shown["messages"]) == entry["messages"]
        assert (shown["generation"], shown["profile"]) == (entry["generations"], entry["profile"])
        marks = [shown["system_prompt"], *shown["messages"]]
        points = ask("breakpoints", "--demo", entry["id"])
        assert points["enabled"] or not any(mark["breakpoint"] for mark in marks)


@pytest.mark.parametrize("name", also(IN_PLACE, ROTATING, CHINESE))
def test_show(name: str) -> None:
    generations = ask("show", "--demo", name, "--no-exact")["generations"]
    for number in range(1, generations + 1):
        answer = ask("show", "--demo", name, "--generation", str(number), "--no-exact")
        check(
            answer, generation=WHOLE, threshold_tokens=WHOLE, tail_token_budget=WHOLE, tokens=(dict,), head_end=WHOLE,
            tail_start=WHOLE, messages=(list,),
        )  # fmt: skip
        check(
            answer["tokens"],
            rough=WHOLE,
            exact=MAYBE_WHOLE,
            reported=MAYBE_WHOLE,
            reported_size=MAYBE_WHOLE,
            later=MAYBE_WHOLE,
        )
        assert answer["generation"] == number
        marks = [entry["breakpoint"] for entry in answer["messages"]] + [
            answer["system_prompt"]["breakpoint"]
        ]
        placed = sorted(mark for mark in marks if mark)
        points = ask("breakpoints", "--demo", name, "--generation", str(number))
        assert placed == [
            point["number"] for point in points["breakpoints"] if point["placed"] and points["enabled"]
        ]
        for index, entry in enumerate(answer["messages"]):
            check(
                entry, index=WHOLE, id=WHOLE, role=TEXT, region=TEXT, tokens=WHOLE, pruned=(bool,),
                breakpoint=MAYBE_WHOLE, summary=(bool,), text=TEXT,
            )  # fmt: skip
            assert entry["index"] == index
            assert entry["region"] in ("head", "middle", "tail")
            assert "\n" not in entry["text"]


def test_usage_that_is_not_recorded_is_null(tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    session = lines.Session("5e55a000-0000-4000-8000-000000000001")
    session.user("Count the berths.")
    path = session.write(tmp_path / "a.jsonl")
    (row,) = ask("conversations", str(path))
    assert row["reported"] is None
    session.answer(lines.text("Nine."))
    session.write(tmp_path / "a.jsonl")
    (row,) = ask("conversations", str(path))
    assert (row["reported"]["calls"], row["reported"]["cost"]) == (1, None)
    assert row["reported"]["output"] > 0


def test_show_names_the_count_of_a_number() -> None:
    tokens = ask("show", "--demo", ROTATING)["tokens"]
    assert tokens["reported"] > 0
    assert (tokens["exact"] is None) == (tokens["exact_encoding"] is None)
    assert ask("show", "--demo", ROTATING, "--no-exact")["tokens"]["exact"] is None


@pytest.mark.parametrize("name", [ROTATING, IN_PLACE, CHINESE])
def test_compactions(name: str) -> None:
    (entry,) = [e for e in ask("conversations", "--demo") if e["title"] == name]
    found = ask("compactions", "--demo", name)
    assert [each["index"] for each in found] == list(range(1, entry["compactions"] + 1))
    for each in found:
        check(
            each, index=WHOLE, session=TEXT, before=WHOLE, after=WHOLE, head_end=WHOLE, tail_start=WHOLE,
            tokens_before=WHOLE, tokens_after=WHOLE, summary=MAYBE_TEXT, fallback=(bool,), planned=(dict,),
            findings=(list,),
        )  # fmt: skip
        check(each["planned"], profile=TEXT, head_end=WHOLE, tail_start=WHOLE)
        assert each["session"] in entry["sessions"]
        assert 0 <= each["head_end"] <= each["tail_start"] <= each["before"]
        assert each["planned"]["profile"] == entry["profile"]
        for finding in each["findings"]:
            assert finding["compaction"] == each["index"]


@pytest.mark.parametrize("profile", ["documented", "hermes-0.13", "hermes-0.19", "truncation"])
def test_plan(profile: str, tmp_path: Path) -> None:
    short = tmp_path / "short.json"
    short.write_text('[{"role": "user", "content": "hello"}]', encoding="utf-8")
    first, second = ask("plan", FASTAPI, str(short), "--profile", profile, "--compactions-so-far", "1")
    for entry in (first, second):
        check(
            entry, file=TEXT, threshold_tokens=WHOLE, tail_token_budget=WHOLE, max_summary_tokens=WHOLE,
            summary_budget=WHOLE, compacts=(bool,), head_end=WHOLE, tail_start=WHOLE, pruned=(list,), output=(list,),
        )  # fmt: skip
    assert (first["file"], second["file"]) == (FASTAPI, str(short))
    assert (first["compacts"], second["compacts"]) == (True, False)
    assert second["output"] == [{"role": "user", "source": 0}]
    length = len(json.loads(Path(FASTAPI).read_text(encoding="utf-8")))
    kept = [out["source"] for out in first["output"] if isinstance(out["source"], int)]
    assert kept == sorted(set(kept))
    assert all(index < first["head_end"] or first["tail_start"] <= index < length for index in kept)
    for out in first["output"]:
        check(out, role=TEXT, source=(int, str))
        assert isinstance(out["source"], int) or out["source"] in ("summary", "stub")
        assert out.get("merged", True) is True


def test_a_summary_inside_a_message_is_marked_as_merged(tmp_path: Path) -> None:
    """The head ends with the assistant and the tail starts with the user, so the summary can have neither role."""
    talk = [
        {"role": "user" if i % 2 == 0 else "assistant", "content": f"{i} " + "x" * 8_000} for i in range(60)
    ]
    path = tmp_path / "list.json"
    path.write_text(json.dumps([{"role": "system", "content": "s"}, *talk]), encoding="utf-8")
    merged = []
    for first in range(1, 6):
        (entry,) = ask("plan", str(path), "--profile", "hermes-0.13", "--protect-first-n", str(first))
        merged += [out for out in entry["output"] if out.get("merged")]
    assert merged
    assert all(isinstance(out["source"], int) for out in merged)


@pytest.mark.parametrize("words", [(), ("--to", "1"), ("--lineage",)])
def test_diff_without_two_summaries_fails(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"role": "user", "content": "Which berth is free?"}) + "\n")
    result = CliRunner().invoke(cli.commands, ["diff", str(path), *words, "--json"])
    assert (result.exit_code, result.stdout) == (1, "")


def test_diff() -> None:
    every = ask("diff", "--demo", ROTATING)
    assert [(step["from"], step["to"]) for step in every] == [(1, 2), (2, 3), (3, 4)]
    (one,) = ask("diff", "--demo", ROTATING, "--from", "1", "--to", "4")
    assert (one["from"], one["to"]) == (1, 4)
    changes = set()
    for step in [*every, one, *ask("diff", "--demo", IN_PLACE)]:
        for section in step["sections"]:
            check(section, name=TEXT, items=(list,))
            for item in section["items"]:
                check(
                    item, text=TEXT, change=TEXT, from_section=MAYBE_TEXT, to_section=MAYBE_TEXT, was=MAYBE_TEXT
                )  # fmt: skip
                changes.add(item["change"])
    assert changes <= {"kept", "added", "removed", "reworded", "moved"}
    assert {"kept", "added", "removed"} <= changes


def test_findings() -> None:
    every = ask("findings", "--demo")
    rotating = ask("findings", "--demo", ROTATING)
    assert [
        finding for finding in every if finding["conversation"] == rotating[0]["conversation"]
    ] == rotating
    for finding in every:
        check(
            finding, rule=TEXT, severity=TEXT, conversation=TEXT, compaction=MAYBE_WHOLE, message=MAYBE_WHOLE,
            text=TEXT,
        )  # fmt: skip
        assert finding["severity"] in ("info", "warning", "error")
    errors = ask("findings", "--demo", "--severity", "error")
    assert errors == [finding for finding in every if finding["severity"] == "error"]
    truth = json.loads((ROOT / "fixtures" / "hermes-0.13-rotating.db.truth.json").read_text(encoding="utf-8"))
    failed = {
        (session["tip"], number)
        for session in truth["sessions"]
        for number, event in enumerate(session["events"], 1)
        if event["fallback"]
    }
    assert failed
    assert failed <= {
        (finding["conversation"], finding["compaction"])
        for finding in errors
        if finding["rule"] == "summary-fallback"
    }


@pytest.mark.parametrize("layout", ["native", "envelope"])
@pytest.mark.parametrize("ttl", ["5m", "1h"])
def test_breakpoints(layout: str, ttl: str) -> None:
    answer = ask("breakpoints", "--demo", IN_PLACE, "--generation", "2", "--layout", layout, "--ttl", ttl)
    check(answer, layout=TEXT, ttl=TEXT, enabled=(bool,), reason=TEXT, breakpoints=(list,))
    assert (answer["layout"], answer["ttl"], answer["generation"]) == (layout, ttl, 2)
    assert [point["number"] for point in answer["breakpoints"]] == [1, 2, 3, 4]
    assert answer["breakpoints"][0]["message"] is None
    for point in answer["breakpoints"]:
        check(point, message=MAYBE_WHOLE, part=TEXT, placed=(bool,), honored=(bool,), why=TEXT, tokens=WHOLE)
    shown = ask("show", "--demo", IN_PLACE, "--generation", "2")
    assert answer["breakpoints"][-1]["message"] == len(shown["messages"]) - 1
    assert answer["breakpoints"][-1]["tokens"] == shown["tokens"]["rough"], "the whole request, not more"


def test_replay() -> None:
    answer = ask("replay", "--demo", ROTATING)
    recorded, run = answer["recorded"], answer["whatif"]
    for part in (recorded, run):
        check(part, compactions=(list,), peak_tokens=WHOLE, input_tokens=WHOLE, summarized_share=NUMBER)
        for event in part["compactions"]:
            check(
                event, step=WHOLE, tokens_before=WHOLE, tokens_after=WHOLE, head_end=WHOLE, tail_start=WHOLE
            )
        assert 0 <= part["summarized_share"] <= 1
    boundaries = [(c["head_end"], c["tail_start"]) for c in ask("compactions", "--demo", ROTATING)]
    assert [(event["head_end"], event["tail_start"]) for event in recorded["compactions"]] == boundaries
    assert [step["step"] for step in answer["steps"]] == list(range(1, recorded["messages"] + 1))
    for step in answer["steps"]:
        check(step, step=WHOLE, tokens=WHOLE, pressure=NUMBER, fires=MAYBE_TEXT)
        assert step["fires"] in (None, "agent", "hygiene")
        assert step["fires"] is None or step["pressure"] >= 1
    assert any(step["fires"] == "agent" for step in answer["steps"])


def test_sweep() -> None:
    answer = ask(
        "sweep", "--demo", ROTATING, IN_PLACE, "--threshold", "0.3:0.9:0.3", "--target-ratio", "0.1:0.8:0.35"
    )
    assert answer["threshold"] == pytest.approx([0.3, 0.6, 0.9])
    assert answer["target_ratio"] == pytest.approx([0.1, 0.45, 0.8])
    assert answer["conversations"] == 2
    assert {"peak_tokens", "input_tokens", "summarized_share", "compactions"} <= set(answer["metrics"])
    for name, rows in answer["metrics"].items():
        assert [len(row) for row in rows] == [3, 3, 3], name
        best = answer["best"][name]
        row = answer["threshold"].index(best["threshold"])
        column = answer["target_ratio"].index(best["target_ratio"])
        assert rows[row][column] == best["value"]
    assert ask("sweep", "--demo", ROTATING)["threshold"] == pytest.approx([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])


@pytest.mark.parametrize("command", ["show", "compactions", "breakpoints", "replay", "findings"])
def test_every_setting_is_accepted(command: str) -> None:
    settings = [
        "--profile", "documented", "--context-length", "300000", "--max-tokens", "1000", "--threshold", "0.4",
        "--target-ratio", "0.3", "--protect-first-n", "5", "--protect-last-n", "7", "--summary-context", "90000",
    ]  # fmt: skip
    answer = ask(command, "--demo", ROTATING, *settings)
    if command in ("show", "replay"):
        got = answer["settings"]
        assert (got["profile"], got["context_length"], got["max_tokens"]) == ("documented", 300_000, 1_000)
        assert (got["threshold"], got["target_ratio"]) == (0.4, 0.3)
        assert (got["protect_first_n"], got["protect_last_n"], got["summary_context"]) == (5, 7, 90_000)
        assert answer["threshold_tokens"] == 120_000
    assert ask("plan", FASTAPI, *settings)[0]["threshold_tokens"] == 120_000


def test_a_derived_number_explains_itself() -> None:
    (entry,) = ask("plan", FASTAPI, "--profile", "hermes-0.19", "--max-tokens", "8000")
    steps = entry["explained"]["threshold_tokens"]
    for step in steps:
        check(step, rule=TEXT, value=NUMBER, why=TEXT, bound=(bool,))
    assert [step["rule"] for step in steps if step["bound"]] == ["raise", "output reserve"]
    assert steps[-1]["value"] == entry["threshold_tokens"] == 144_000


@pytest.mark.parametrize("command", also("facts", "findings", "measures", "compactions"))
def test_without_a_name_every_conversation_answers(command: str) -> None:
    names = [entry["id"] for entry in ask("conversations", "--demo")]
    every = ask(command, "--demo")
    of = [entry["conversation"] for entry in every]
    assert set(of) <= set(names)
    assert len(set(of)) > 3
    chosen = of[0]
    one = ask(command, "--demo", chosen)
    entries = [entry for entry in every if entry["conversation"] == chosen]
    if command == "measures":
        assert entries == [one]
    elif command == "findings":
        assert entries == one
    else:
        assert [
            {key: value for key, value in entry.items() if key != "conversation"} for entry in entries
        ] == one


def test_losses_are_worst_first_and_then_known_to_the_list(tmp_path: Path) -> None:
    found = ask("losses", "--demo")
    assert ask("losses", "--demo", "--limit", "2") == found[:2]
    for entry in found:
        check(
            entry, conversation=TEXT, title=TEXT, agent=TEXT, compaction=WHOLE, lost=(dict,), weakened=WHOLE,
            contradicted=WHOLE, uncertain=WHOLE, facts=(list,),
        )  # fmt: skip
        facts = [
            fact
            for fact in ask("facts", "--demo", entry["conversation"], "--after", str(entry["compaction"]))
            if fact["fate"] == "contradicted" and fact["is_lost"]
        ]
        assert entry["contradicted"] <= sum(entry["lost"].values())
        assert entry["contradicted"] <= len(facts)
        shown = sum(fact["fate"] == "contradicted" for fact in entry["facts"])
        assert entry["contradicted"] >= shown
        reasons = ("lost", "weakened", "uncertain", "aftermath", "gaps", "unknown")
        assert any(entry[reason] for reason in reasons)
        for fact in entry["facts"]:
            check(
                fact, category=TEXT, text=TEXT, value=TEXT, role=TEXT, session=TEXT, message=WHOLE, compaction=WHOLE,
                fate=TEXT, where=MAYBE_TEXT, changed=TEXT,
            )  # fmt: skip
            assert not fact["changed"] or fact["fate"] == "contradicted"
    rules = [entry["lost"].get("constraint", 0) for entry in found]
    assert rules == sorted(rules, reverse=True)
    listed = {entry["id"]: entry["lost"] for entry in ask("conversations", "--demo")}
    for name, lost in listed.items():
        assert lost == sum(sum(e["lost"].values()) for e in found if e["conversation"] == name)


def test_replay_marks_an_unrecorded_list_as_unknown(tmp_path: Path) -> None:
    """`compactions` does the same. The length is never 0."""
    handoff = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n\n## Goal\nMoor the boat."
    messages = [{"role": "user", "content": handoff}, {"role": "assistant", "content": "Moored."}]
    path = tmp_path / "session_20260417_132146_06891a.json"
    path.write_text(
        json.dumps({"session_id": "20260417_132146_06891a", "message_count": 2, "messages": messages})
    )
    (event,) = ask("replay", str(path))["recorded"]["compactions"]
    (compaction,) = ask("compactions", str(path))
    for name in ("before", "head_end", "tail_start", "tokens_before"):
        assert event[name] is compaction[name] is None
    assert "unknown → 2" in CliRunner().invoke(cli.commands, ["replay", str(path)]).stdout
