"""Conversations as tables: first runs, second runs, and refusals."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.answers.answers import Answers
from inspector.answers.attempting import place_of
from inspector.answers.judging import subject_of
from inspector.answers.losses import facts_of
from inspector.answers.requests import requests_of
from inspector.answers.scheduling import Progress, Scheduling
from inspector.commands.cli import commands
from inspector.core.errors import OutputProblem
from inspector.export.dataset import QUERIES, export, sink_for
from inspector.export.tables import TABLES
from inspector.models.kept import default_attempts
from inspector.models.summarizers.command import CommandSummarizer
from inspector.quality.losses import is_lost, lives_after
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.writer import Writer, create


def run(*words: str) -> Result:
    return CliRunner().invoke(commands, ["export", *words])


@pytest.fixture
def store(fixtures_dir: Path, tmp_path: Path) -> Path:
    path = tmp_path / "sessions" / "state.db"
    path.parent.mkdir()
    shutil.copy(fixtures_dir / "hermes-0.19-in-place.db", path)
    return path


def asked(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def test_every_table_is_written_and_joined(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.db"
    assert run(str(store), "--to", str(target)).exit_code == 0
    for name, columns in TABLES.items():
        assert [row[1] for row in asked(target, f"PRAGMA table_info([{name}])")] == list(columns)
    assert asked(target, "PRAGMA foreign_key_check") == []
    assert asked(target, "select count(*) from compactions") == [(5,)]
    assert asked(target, "select count(*) from facts where fate is null") == [(0,)]
    assert target.stat().st_mode & 0o077 == 0
    for _, sql in QUERIES.values():
        asked(target, sql)
    (hits,) = asked(target, "select count(*) from facts_fts where facts_fts match 'vendor'")
    assert hits[0] > 0
    metadata = json.loads(target.with_name("out-metadata.json").read_text())
    assert set(metadata["databases"]["out"]["queries"]) == set(QUERIES)


def answered(*words: str) -> Any:
    return json.loads(CliRunner().invoke(commands, [*words, "--json"]).stdout)


def test_the_tables_say_what_the_commands_say(store: Path, tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    session = lines.Session("5e55a000-0000-4000-8000-000000000001")
    session.compact(lines.nine_sections(primary=["Count the berths."]))
    session.user("Go on.")
    session.write(store.with_name("without-the-list-before.jsonl"))
    with closing(sqlite3.connect(store)) as connection, connection:
        # The count in the row of a session may be old.
        connection.execute("update sessions set message_count = 1")
    target = tmp_path / "out.db"
    assert run(str(store.parent), "--to", str(target)).exit_code == 0
    listed = answered("conversations", str(store.parent))
    assert asked(target, "select tip, messages, compactions from conversations order by 1") == sorted(
        (row["id"], row["messages"], row["compactions"]) for row in listed
    )
    columns = ("before", "after", "head_end", "tail_start", "tokens_before", "tokens_after", "trigger")
    told = [
        (entry["conversation"], entry["index"], *(entry[column] for column in columns))
        for entry in answered("compactions", str(store.parent))
    ]
    written = asked(
        target,
        f"select tip, compaction, {', '.join(f'[{column}]' for column in columns)} from compactions c "
        "join conversations using (conversation)",
    )
    assert sorted(written, key=repr) == sorted(told, key=repr)
    assert {row[-1] for row in told if row[2] is not None} == {"auto"}
    assert any(row[2] is None for row in told)


def test_a_second_run_writes_only_changes(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.db"
    first = run(str(store), "--to", str(target))
    assert "Wrote 5 conversations" in first.stdout
    assert "Wrote 0 conversations" in run(str(store), "--to", str(target)).stdout
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "update sessions set title = 'Another name' where title = 'Plan the offsite in Ghent'"
        )
    again = run(str(store), "--to", str(target))
    assert "Wrote 0" not in again.stdout
    assert asked(target, "select count(*) from conversations where title = 'Another name'") == [(1,)]
    assert asked(target, "select count(*) from conversations") == [(5,)]


def test_an_interrupted_run_continues(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.db"

    def stop(progress: Progress) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    answers = Answers(open_store(store), {}, None, Scheduling(watch=stop))
    sink = sink_for(target, answers.paths())
    with pytest.raises(KeyboardInterrupt):
        export(answers, sink, True)
    sink.close()
    assert "Wrote 3 conversations" in run(str(store), "--to", str(target)).stdout


def test_other_files_are_not_overwritten(store: Path, tmp_path: Path) -> None:
    assert isinstance(run(str(store), "--to", str(store)).exception, OutputProblem)
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("create table mine (x)")
    assert isinstance(run(str(store), "--to", str(other)).exception, OutputProblem)
    text = tmp_path / "text.db"
    text.write_text("mine")
    assert isinstance(run(str(store), "--to", str(text)).exception, OutputProblem)
    assert text.read_text() == "mine"
    assert isinstance(run(str(store), "--to", str(tmp_path / "none" / "out.db")).exception, OutputProblem)


def test_a_folder_of_parquet_files(store: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    target = tmp_path / "tables"
    assert "Wrote 5 conversations" in run(str(store), "--to", str(target)).stdout
    assert "Wrote 0 conversations" in run(str(store), "--to", str(target)).stdout
    found = parquet.read_table(target / "compactions").to_pylist()
    assert len(found) == 5
    assert set(found[0]) == set(TABLES["compactions"])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    assert isinstance(run(str(store), "--to", str(tmp_path / "full")).exception, OutputProblem)


def test_another_version_or_other_settings_write_everything_again(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.db"
    assert "Wrote 5" in run(str(store), "--to", str(target)).stdout
    assert "Wrote 5" in run(str(store), "--to", str(target), "--threshold", "0.6").stdout
    monkeypatch.setattr("inspector.export.tables.program_stamp", lambda: "another version")
    assert "Wrote 5" in run(str(store), "--to", str(target)).stdout
    with closing(sqlite3.connect(target)) as connection, connection:
        connection.execute("alter table requests drop column missed_cost")
    assert "Wrote 5" in run(str(store), "--to", str(target)).stdout
    assert asked(target, "select count(missed_cost) from requests where missed_tokens > 0")


def test_rules_lost_by_agent_and_release(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.db"
    run(str(store), "--to", str(target))
    counts: dict[tuple[str, str], list[int]] = {}
    answers = Answers(open_store(store), {}, None)
    for row in answers.store.conversations():
        inspection, resolved = answers.opened(row.id)
        last = len(inspection.compactions())
        for life in lives_after(facts_of(inspection).lives, last) if last else ():
            if life.fact.binds:
                found = counts.setdefault((row.agent, resolved.settings.profile), [0, 0, 0])
                found[0] += 1
                found[1] += is_lost(life)
                found[2] += life.outcome == "weakened"
    assert counts
    rows = asked(target, QUERIES["rules_lost"][1])
    assert {(agent, release): numbers for agent, release, *numbers in rows} == counts


def test_a_rule_that_the_user_changed_later_is_not_lost(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"), tip="s0")
    writer.begin(title="Limits", model="gpt-4o")
    for limit, at in ((75, 6), (39, 7)):
        writer.say([{"role": "user", "content": f"Set the retry limit to {limit} and never more."}])
        writer.say([{"role": "assistant", "content": f"Step {step} is done."} for step in range(6)])
        writer.compact(0, at, "## Goal\n- go on")
    target = tmp_path / "out.db"
    run(str(writer.end()), "--to", str(target))
    ((_, _, rules, lost, weakened),) = asked(target, QUERIES["rules_lost"][1])
    assert (rules, lost, weakened) == (2, 1, 0)
    losses = CliRunner().invoke(commands, ["losses", str(tmp_path / "state.db"), "--json"])
    assert sum(entry["lost"]["constraint"] for entry in json.loads(losses.stdout)) == lost


def test_the_cost_of_cache_misses_per_week(fixtures_dir: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.db"
    sessions = fixtures_dir / "agents" / "claude-code"
    run(str(sessions), "--to", str(target))
    expected: dict[tuple[str, str], list[float]] = {}
    answers = Answers(open_store(sessions), {}, None)
    for row in answers.store.conversations():
        for one in requests_of(*answers.opened(row.id)).priced:
            if one.judged.missed:
                week = time.strftime("%Y-%W", time.gmtime(one.judged.request.at))
                found = expected.setdefault((week, one.judged.cause or ""), [0, 0, 0.0])
                found[0] += 1
                found[1] += one.judged.missed
                found[2] += one.more or 0.0
    assert expected
    rows = asked(target, QUERIES["misses_by_week"][1])
    assert {(week, cause): [count, tokens] for week, cause, count, tokens, _ in rows} == {
        key: numbers[:2] for key, numbers in expected.items()
    }
    for week, cause, _, _, cost in rows:
        assert cost == pytest.approx(expected[week, cause][2], abs=0.006)


def test_datasette_answers_the_canned_queries(store: Path, tmp_path: Path) -> None:
    pytest.importorskip("datasette", reason="datasette is not installed")
    target = tmp_path / "out.db"
    run(str(store), "--to", str(target))
    metadata = str(target.with_name("out-metadata.json"))

    def get(path: str) -> str:
        command = [sys.executable, "-m", "datasette", str(target), "--metadata", metadata, "--get", path]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "Rules lost by agent and release" in get("/out")
    for name, (_, sql) in QUERIES.items():
        found = json.loads(get(f"/out/{name}.json?_shape=arrays"))
        assert found["ok"], name
        assert [tuple(row) for row in found["rows"]] == asked(target, sql), name
    hits = json.loads(get("/out/facts.json?_search=vendor&_shape=array"))
    assert hits


def test_a_conversation_is_written_again_after_a_model_decided_its_facts(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    target, counts = tmp_path / "out.db", "select decided_by, count(*) from facts group by 1"
    assert run(str(store), "--to", str(target)).exit_code == 0
    assert [name for name, _ in asked(target, counts)] == ["rules"]
    inspection, _ = Answers(open_store(store), {}, None).opened("20260217_080000_6f1178")
    facts, summarizer = facts_of(inspection, by_rules=True), CommandSummarizer("mine")
    for number in range(1, 4):
        lives = facts.undecided(number)
        statements = [{"id": life.fact.key[:8], "fate": "lost", "evidence": ""} for life in lives]
        place = place_of(inspection.store, inspection.conversation.row, number)
        answer = json.dumps({"statements": statements})
        default_attempts().keep_answer(
            str(number), place, summarizer, answer, subject_of(inspection.compaction(number))
        )
    assert run(str(store), "--to", str(target)).exit_code == 0
    assert "model mine" in dict(asked(target, counts))
