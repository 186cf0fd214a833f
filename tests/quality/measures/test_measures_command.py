"""Measures of databases: survival next to the facts, the command, losses as findings, the documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.answers.answers import Answers
from inspector.answers.facts import facts_reading
from inspector.answers.findings import findings
from inspector.answers.inspection import Inspection
from inspector.commands.cli import commands
from inspector.engines.base import Settings
from inspector.export.measures import COLUMNS
from inspector.quality.facts.fact import KINDS
from inspector.quality.losses import is_lost, lives_after
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.writer import Writer, create, talk

DOCS = Path(__file__).resolve().parents[3] / "docs"
MEASURES, SUMMARIES = ((DOCS / name).read_text(encoding="utf-8") for name in ("measures.md", "summaries.md"))
CHECKOUT = "Move checkout to orders-v2"


def answer(*words: str) -> Any:
    done = CliRunner().invoke(commands, [*words, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_messages_that_stay_were_not_read_for_the_summary(fixtures_dir: Path) -> None:
    store = open_store(fixtures_dir / "agents" / "codex")
    inspection = Inspection.open(store, store.conversations()[0].id)
    (recorded,) = inspection.compactions()
    assert recorded.kept
    # The rules of another agent plan other boundaries.
    settings = Settings(profile="opencode", context_length=200_000)
    token_index = inspection.token_index(inspection.generation(1), "opencode")
    read = [index for index in range(recorded.before) if recorded.region(index) == "middle"]
    assert inspection.middle_tokens(recorded, settings) == pytest.approx(
        sum(map(token_index.tokens, read)), abs=len(read)
    )


def test_every_compaction_has_its_measures(fixtures_dir: Path) -> None:
    database = str(fixtures_dir / "hermes-0.13-rotating.db")
    document = answer("measures", database, CHECKOUT)
    assert [entry["compaction"] for entry in document["compactions"]] == [1, 2, 3, 4]
    recorded = {entry["index"]: entry for entry in answer("compactions", database, CHECKOUT)}
    for entry in document["compactions"]:
        sizes = recorded[entry["compaction"]]
        assert entry["compression"]["of"] == sizes["tokens_before"]
        assert entry["compression"]["of"] - entry["compression"]["count"] == sizes["tokens_after"]
        assert (entry["spent_tokens"] == 0) is sizes["fallback"] is entry["fallback"]
        assert list(entry["survival"]) == list(KINDS)


def test_survival_follows_from_the_facts(fixtures_dir: Path) -> None:
    database = fixtures_dir / "hermes-0.19-in-place.db"
    name = "Nightly orders import loses rows"
    document = answer("measures", str(database), name)
    _, _, reading = facts_reading(Answers(open_store(database), {}, None), name)
    for compaction in document["compactions"]:
        lives = lives_after(reading.facts.lives, compaction["compaction"])
        for kind in KINDS:
            share = compaction["survival"][kind] or {"of": 0, "count": 0}
            mine = [life for life in lives if life.fact.kind == kind and life.fate.settled]
            mine = [life for life in mine if is_lost(life) or not life.fate.gone]
            assert share["of"] == len(mine)
            assert share["count"] == sum(life.fate.alive for life in mine)


def test_survival_leaves_out_what_the_user_pasted(tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    made = lines.Session("5e55a000-0000-4000-8000-000000000006")
    made.user("Never moor a tug at berth 9.")
    made.answer(lines.text("I will not."))
    made.user("Read this letter of the harbor office:\n\n> Never berth a tanker at the north quay.")
    made.answer(lines.text("I did."))
    made.compact(lines.nine_sections(primary=["Never moor a tug at berth 9."]), before=167_412)
    made.user("And the quay.")
    (document,) = answer("measures", str(made.write(tmp_path / "a.jsonl")))
    share = document["compactions"][-1]["survival"]["constraint"]
    assert (share["count"], share["of"]) == (1, 1)


def test_the_text_has_a_row_for_each_compaction(fixtures_dir: Path) -> None:
    done = CliRunner().invoke(commands, ["measures", str(fixtures_dir / "hermes-0.13-rotating.db"), CHECKOUT])
    assert done.exit_code == 0
    head, *rows = done.output.splitlines()
    assert all(name.removeprefix(">") in head for name in COLUMNS)
    assert [row.split()[0] for row in rows[:4]] == ["1", "2!", "3", "4"]
    assert "!: no summary was made. A fallback text replaced the middle." in done.output
    done = CliRunner().invoke(
        commands, ["measures", str(fixtures_dir / "hermes-0.13-rotating.db"), "Check the load test scripts"]
    )
    assert "nothing to measure" in done.output


def test_the_page_defines_every_measure() -> None:
    documented = re.findall(r"^\| `([a-z_]+)` \|", MEASURES, re.MULTILINE)
    assert documented == ["compression", "spent_tokens", "survival"]


def test_the_life_as_json(fixtures_dir: Path) -> None:
    database = str(fixtures_dir / "hermes-0.13-rotating.db")
    document = answer("diff", database, CHECKOUT, "--lineage")
    assert [column["compaction"] for column in document["columns"]] == [1, 2, 3, 4]
    assert document["columns"][1]["fallback"]
    assert document["columns"][3]["left"]["items"] == 18
    rows = {row["row"]: row for group in document["groups"] for row in group["rows"]}
    assert sorted(rows) == list(range(len(rows)))
    pinned = next(row for row in rows.values() if row["text"].startswith("Keep stripe"))
    assert [cell["state"] for cell in pinned["cells"]] == ["new", "dropped", "back", "dropped"]
    assert [turn["how"] for entry in document["otherwise"] for turn in entry["turns"]] == ["gone"]
    assert [entry["text"] for entry in document["stale"]] == ["New client in checkout with retries"]
    for wrong in (["--from", "1"], ["--to", "2"]):
        assert CliRunner().invoke(commands, ["diff", database, CHECKOUT, "--lineage", *wrong]).exit_code != 0
    for key in ("columns", "groups", "otherwise", "stale", *document["columns"][0], *pinned["cells"][0]):
        assert f"`{key}`" in SUMMARIES, key


def test_encrypted_summaries_are_not_called_missing(fixtures_dir: Path) -> None:
    words = ["diff", str(fixtures_dir / "agents" / "codex"), "--lineage"]
    assert "a summary that can be read" in str(CliRunner().invoke(commands, words).exception)


def test_the_life_as_text(fixtures_dir: Path) -> None:
    words = ["diff", str(fixtures_dir / "hermes-0.13-rotating.db"), CHECKOUT, "--lineage"]
    lines = CliRunner().invoke(commands, words).output.splitlines()
    assert lines[0].split() == ["1", "2!", "3", "4", "item"]
    (line,) = [
        line
        for line in lines
        if line.endswith("PATCH models.py: key is flushed before the order [tool: patch]")
    ]
    assert line.split()[:8] == ["+", "new", "−", "dropped", "↺", "back", "=", "kept"]


RULE = "Never write into the folder vendor/pkg77, whatever happens."


def compacted(path: Path, summary: str, request: str = "", after: str = "", answered: bool = False) -> Path:
    """Write some turns with a rule of the user, a compaction with this summary, and more turns."""
    writer = Writer(create(path))
    writer.begin(title="Made", system_prompt="You are an agent.")
    writer.say(talk(3))
    writer.say([{"role": "user", "content": RULE}, {"role": "assistant", "content": "Understood."}])
    writer.say(talk(8, 3))
    if request:
        writer.say([{"role": "user", "content": request}])
        writer.say([{"role": "assistant", "content": f"step {n}"} for n in range(12)])
        if not answered:
            call = {"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
            writer.say([{"role": "assistant", "content": "", "tool_calls": [call]}])
            writer.say([{"role": "tool", "content": "ok", "tool_call_id": "c1"}])
    count = len(writer.rows)
    writer.compact(3, count - 4, summary)
    writer.say([{"role": "user", "content": after or "go on"}, {"role": "assistant", "content": "yes"}])
    return writer.end()


def rules(path: Path) -> dict[str, list[str]]:
    store = open_store(path)
    found: dict[str, list[str]] = {}
    for finding in findings(*Answers(store, {}, None).opened("Made")):
        found.setdefault(finding.rule, []).append(finding.text)
    store.close()
    return found


def test_a_constraint_that_is_lost_and_one_that_is_not(tmp_path: Path) -> None:
    lost = rules(compacted(tmp_path / "lost.db", "## Goal\nFind it\n"))
    assert len(lost["constraint-lost"]) == 1
    assert "vendor/pkg77" in lost["constraint-lost"][0]
    kept = rules(compacted(tmp_path / "kept.db", f"## Goal\nFind it\n## Constraints\n- {RULE}\n"))
    assert "constraint-lost" not in kept
    again = rules(compacted(tmp_path / "again.db", "## Goal\nFind it\n", after=RULE))
    assert "constraint-lost" not in again


def test_an_open_request_that_is_gone(tmp_path: Path) -> None:
    ask = "Rotate the signing keys of the billing gateway and tell the auditors about it."
    gone = rules(compacted(tmp_path / "gone.db", "## Goal\nFind it\n", ask))
    assert "request-gone" in gone
    done = rules(compacted(tmp_path / "done.db", "## Goal\nFind it\n", ask, answered=True))
    assert "request-gone" not in done
    found_rules = rules(
        compacted(tmp_path / "told.db", "## Goal\nRotate signing keys of the billing gateway\n", ask)
    )
    assert "request-gone" not in found_rules
    short = rules(compacted(tmp_path / "short.db", "## Goal\nFind it\n", "go on"))
    assert "request-gone" not in short
    notice = f"<task-notification>{ask}</task-notification>"
    assert "request-gone" not in rules(compacted(tmp_path / "notice.db", "## Goal\nFind it\n", notice))
    for name, named in (("gone.db", True), ("done.db", False), ("told.db", False)):
        result = CliRunner().invoke(commands, ["losses", str(tmp_path / name), "--json"])
        gaps = [gap for loss in json.loads(result.stdout) for gap in loss["gaps"]]
        assert any("last request before compaction 1" in gap for gap in gaps) == named


POOL = "The pool of the billing gateway must have at most {} connections for each pod."


@pytest.mark.parametrize(
    ("summarized", "later", "changed"),
    [
        ("90", "nothing", True),
        ("40", "nothing", False),
        ("90", "Make it 90 connections for each pod of the billing gateway pool.", False),
        ("90", "Wait 90 seconds.", True),
    ],
)
def test_a_number_of_the_user_that_a_summary_changed(
    tmp_path: Path, summarized: str, later: str, changed: bool
) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Made", system_prompt="You are an agent.")
    writer.say(talk(4))
    writer.say([{"role": "user", "content": POOL.format("40")}, {"role": "assistant", "content": "Done."}])
    writer.say([{"role": "user", "content": later}, {"role": "assistant", "content": "Done."}])
    writer.say(talk(8, 8))
    writer.compact(3, 24, f"## Key Decisions\n- {POOL.format(summarized)}\n")
    found = rules(writer.end())
    assert ("number-changed" in found) == changed
    if changed:
        assert "has 90 connections instead of 40" in found["number-changed"][0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hermes-0.13.0-rotating", "hermes-0.19.0-in-place"])
def test_recordings_lose_no_rule_that_still_holds(name: str, recordings: Callable[[str], Path]) -> None:
    """In the first recording a rule is gone, and the user changed it later."""
    store = open_store(recordings(name))
    found = [f for row in store.conversations() for f in findings(*Answers(store, {}, None).opened(row.id))]
    store.close()
    assert not [f for f in found if f.rule in ("constraint-lost", "number-changed", "request-gone")]
