"""Conversations as tables: what a run writes, what a second run writes, what it refuses."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.answers.answers import Answers
from inspector.answers.scheduling import Progress, Scheduling
from inspector.answers.tables import TABLES
from inspector.commands.cli import commands
from inspector.core.errors import OutputProblem
from inspector.export.dataset import QUERIES, export, sink_for
from inspector.stores.detect import open_store


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


def test_a_second_run_writes_what_changed(store: Path, tmp_path: Path) -> None:
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


def test_nothing_of_others_is_overwritten(store: Path, tmp_path: Path) -> None:
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
