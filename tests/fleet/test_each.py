"""A question about many conversations has the same answers in one process, several processes, and a Dask cluster."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.each import StoreQuestion, ask_each
from inspector.answers.fact_results import read_losses, work_out
from inspector.answers.inspection import Inspection
from inspector.answers.scheduling import Progress, Scheduling
from inspector.commands.cli import commands
from inspector.core.errors import BadInput, InspectorError, StoreMissing, UsageProblem
from inspector.fleet.places import open_place, place_of
from inspector.stores.detect import open_store
from tests.examples import also
from tests.fleet import calls
from tests.program import Run
from tests.stores.writer import Writer, simple, talk


@pytest.fixture
def folder(fixtures_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write short sessions of several agents, with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "sessions"
    for name in ("cline", "gemini", "goose", "kimi"):
        shutil.copytree(fixtures_dir / "agents" / name, path / "agents" / name)
    claude = shutil.ignore_patterns("3f1c7a52*", "e8d41b6f*", "c2e5f801*")
    shutil.copytree(fixtures_dir / "agents" / "claude-code", path / "agents" / "claude-code", ignore=claude)
    db = simple(path / "hermes.db", sessions=1)
    writer = Writer(sqlite3.connect(db, isolation_level=None), tip="made")
    writer.begin(title="Made")
    writer.say(talk(12))
    writer.compact(3, 40, "## Goal\nFind it")
    writer.end()
    return path


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Start a scheduler with two worker processes."""
    distributed = pytest.importorskip("distributed", reason="the extra `fleet` is not installed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as one:
        yield one


def asked(folder: Path, scheduling: Scheduling) -> dict[str, Any]:
    answers = Answers(open_store(folder), {}, None, scheduling)
    return {
        row.id: found
        for row, found in ask_each(answers, answers.store.conversations(), StoreQuestion(read_losses))
    }


def test_the_place_of_a_conversation_opens_it(folder: Path) -> None:
    store = open_store(folder)
    places = {row.id: place_of(store, row.id) for row in store.conversations()}
    assert {bool(place.files) for place in places.values()} == {True, False}
    for row in store.conversations():
        there = open_place(places[row.id])
        assert there.open(row.id).generations == store.open(row.id).generations
        if places[row.id].files:
            # A sub-agent is in the file of another conversation.
            assert row.id in [one.id for one in there.conversations()]
            assert len(there.conversations()) < 3


def test_several_processes_and_a_cluster_answer_the_same_though_a_worker_dies(
    folder: Path, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Progress] = []
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if progress.done == 1 and not killed:
            killed.extend(worker.pid for worker in list(cluster.workers.values())[:1])
            os.kill(killed[0], signal.SIGKILL)

    alone = asked(folder, Scheduling("local:1"))
    assert len(alone) > 6
    assert any(found.total for found in alone.values())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another cache"))
    assert asked(folder, Scheduling("local:2", watch=seen.append)) == alone
    assert [progress.done for progress in seen] == list(range(len(alone) + 1))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a third cache"))
    assert asked(folder, Scheduling(cluster.scheduler_address, watch=kill)) == alone
    assert killed


def test_results_of_a_cluster_are_kept_here(folder: Path, cluster: Any) -> None:
    words = ["losses", str(folder), "--json", "--scheduler", cluster.scheduler_address]
    first = CliRunner().invoke(commands, words)
    assert first.exit_code == 0, first.output
    # The second run uses no scheduler.
    words[-1] = "tcp://127.0.0.1:1"
    assert CliRunner().invoke(commands, words).stdout == first.stdout


@pytest.mark.parametrize("processes", also(1, 2))
def test_an_unreadable_conversation_is_named(folder: Path, processes: int) -> None:
    store = open_store(folder)
    rows = store.conversations()
    bad = rows[1].title
    question = StoreQuestion(calls.title, lambda row: (bad,))
    answers = Answers(store, {}, None, Scheduling(f"local:{processes}"))
    found = {row.id: title for row, title in ask_each(answers, rows, question)}
    assert found == {row.id: row.title for row in rows if row.title != bad}
    (sentence,) = answers.unread
    assert sentence.endswith(": It is damaged.")
    assert "a note of the worker" in answers.notes()
    with pytest.raises(BadInput):
        list(ask_each(answers, rows[1:2], question))
    assert list(ask_each(answers, rows[1:2], replace(question, raises=False))) == []


def test_an_incomplete_answer_ends_with_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(inspection: Inspection) -> Any:
        if inspection.conversation.id == bad:
            raise BadInput("It is damaged.")
        return work_out(inspection)

    bad = open_store(folder).conversations()[0].id
    monkeypatch.setattr("inspector.answers.fact_results.work_out", damaged)
    ended = CliRunner().invoke(commands, ["losses", str(folder), "--json"])
    assert json.loads(ended.stdout)
    assert isinstance(ended.exception, InspectorError)
    assert ended.exception.exit_code == 1
    assert "It is damaged." in str(ended.exception)
    assert "1 conversation is left out" in str(ended.exception)


@pytest.mark.parametrize("processes", also(1, 2))
def test_unwanted_work_ends(folder: Path, processes: int) -> None:
    seen: list[Progress] = []
    scheduling = Scheduling(
        f"local:{processes}", watch=seen.append, wanted=lambda: not seen or seen[-1].done < 2
    )
    assert 2 <= len(asked(folder, scheduling)) < 6


def test_every_command_takes_a_scheduler(folder: Path, cluster: Any, tmp_path: Path) -> None:
    address = cluster.scheduler_address
    for words in (
        ["losses"], ["findings"], ["aftermath"], ["check", "--fail-on", "aftermath:9999", "--allow-unknown"],
        ["sweep", "--threshold", "0.5,0.9", "--target-ratio", "0.1,0.2"],
    ):  # fmt: skip
        name, *rest = words
        command = [name, str(folder), *rest, "--json"]
        local, there = (
            CliRunner().invoke(commands, [*command, "--scheduler", s]) for s in ("local", address)
        )
        assert local.exit_code == 0, (name, local.output)
        assert there.stdout == local.stdout, name
    for scheduler in ("local", address):
        target = tmp_path / f"{scheduler[:3]}.db"
        ended = CliRunner().invoke(
            commands, ["export", str(folder), "--to", str(target), "--scheduler", scheduler]
        )
        assert "0 had not changed" in ended.stdout


def test_wrong_schedulers_are_error_messages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.fleet.dask.PATIENCE", 0.1)
    for scheduler, error in (("somewhere", UsageProblem), ("tcp://127.0.0.1:99999", InspectorError)):
        ended = CliRunner().invoke(commands, ["aftermath", str(folder), "--scheduler", scheduler])
        assert isinstance(ended.exception, error), ended.exception


def test_a_url_is_copied_and_read(folder: Path, cluster: Any, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="the extra `fleet` is not installed")
    plain = CliRunner().invoke(commands, ["losses", str(folder), "--json"])
    url = f"file://{folder}"
    first = CliRunner().invoke(commands, ["losses", url, "--json"])
    assert first.stdout == plain.stdout
    assert "Copied" in first.stderr
    again = CliRunner().invoke(commands, ["losses", url, "--json", "--scheduler", cluster.scheduler_address])
    assert again.stdout == plain.stdout
    assert "Copied" not in again.stderr
    (folder / "hermes.db").unlink()
    fewer = CliRunner().invoke(commands, ["conversations", url, "--json"])
    assert "hermes" not in {one["agent"] for one in json.loads(fewer.stdout)}


def test_a_worker_copies_the_files_of_its_conversation(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec", reason="the extra `fleet` is not installed")
    from inspector.fleet.copies import copy

    here, _ = copy(f"file://{folder}")
    store = open_store(here)
    places = {row.id: place_of(store, row.id) for row in store.conversations()}
    for conversation, place in places.items():
        assert place.copied is not None
        expected = store.open(conversation).generations
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
        open_place.cache_clear()
        assert open_place(place).open(conversation).generations == expected
    open_place.cache_clear()
    names = [path.name for path in (tmp_path / "elsewhere").rglob("*.*")]
    assert names
    assert not any(name.endswith(".part") for name in names)


def test_notes_and_errors_name_the_url_of_a_copy(folder: Path, program: Run) -> None:
    pytest.importorskip("fsspec", reason="the extra `fleet` is not installed")
    damaged = folder / "damaged.db"
    damaged.write_bytes(b"SQLite format 3\0" + bytes(200))
    for url in (f"file://{folder}", f"file://{damaged}"):
        errors = program("conversations", url, "--json").stderr
        assert errors.count(f"file://{damaged} is") == 1, errors
        assert "copies" not in errors.partition("\n")[2]


def test_a_worker_names_the_url_of_its_own_copy(folder: Path, cluster: Any) -> None:
    pytest.importorskip("fsspec", reason="the extra `fleet` is not installed")
    from inspector.fleet.copies import copy

    (folder / "agents").rename(folder.parent / "agents")
    url = f"file://{folder}"
    answers = Answers(open_store(copy(url)[0]), {}, None, Scheduling(cluster.scheduler_address))
    found = list(ask_each(answers, answers.store.conversations(), StoreQuestion(calls.path_of, raises=False)))
    database = f"{url}/hermes.db"
    (unread,) = answers.unread
    assert found
    assert unread.endswith(f": {database} is damaged.")
    assert f"{database} is noted." in answers.notes()


def test_unreadable_urls_are_error_messages(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="the extra `fleet` is not installed")
    for url in ("nothing9://x/y", f"file://{tmp_path}/none"):
        ended = CliRunner().invoke(commands, ["conversations", url])
        assert isinstance(ended.exception, StoreMissing), (url, ended.exception)


def test_errors_of_a_service_are_messages_without_the_password() -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra `fleet` is not installed")

    class NoCredentials(Exception):
        """An error of a client with an unusual base class."""

    class Service(fsspec.AbstractFileSystem):  # type: ignore[misc]
        def find(self, path: str, **options: Any) -> Any:
            raise NoCredentials("no\ncredentials for ftp9://me:secret@host")

    fsspec.register_implementation("ftp9", Service, clobber=True)
    ended = CliRunner().invoke(commands, ["conversations", "ftp9://me:secret@host/x"])
    assert isinstance(ended.exception, StoreMissing)
    assert str(ended.exception) == (
        "ftp9://me:***@host/x cannot be read (no credentials for ftp9://me:***@host)."
    )


def test_a_url_without_sessions_and_an_unreachable_url_have_different_errors(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    from inspector.fleet.copies import copy

    with pytest.raises(StoreMissing, match="holds no sessions that this program knows"):
        copy(f"local://{tmp_path}")
    with pytest.raises(StoreMissing, match="cannot be read"):
        copy("memory://nowhere/at/all")
