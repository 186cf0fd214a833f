"""Background columns of the list: losses and findings, kept between runs, computed in another process."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.answers import overview
from inspector.answers.answers import Answers
from inspector.answers.fact_results import list_losses
from inspector.app.conversations import reading
from inspector.app.conversations.reading import read_store_losses
from inspector.app.events import StoreChanged
from inspector.app.losses.screen import LossesScreen, LossList
from inspector.app.saved_state import SavedState
from inspector.commands.cli import commands
from inspector.core.errors import InspectorError, StoreError
from inspector.quality.aftermath import aftermath_counts
from inspector.stores.detect import open_store
from tests.app.running import (
    CHECKOUT,
    app_on,
    conversation,
    conversations,
    notes,
    opened,
    press,
    running,
    screen_text,
    settled,
    title,
    until,
    view_of,
)
from tests.recipes import recipe
from tests.stores.writer import simple
from widgets.lists.conversation_table import ConversationEntry, ConversationTable
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.losses_facts import LossesFacts

Entries = dict[str, ConversationEntry]


def entries(pilot: Any) -> Entries:
    table = conversations(pilot).query_one(ConversationTable)
    return {entry.title: entry for n in range(table.row_count) if (entry := table.entry(n))}


@pytest.fixture
async def alone(rotating: Path, empty_cache: None) -> Entries:
    """Return the rows read in this process without kept results."""
    async with running(rotating) as pilot:
        return entries(pilot)


@pytest.mark.usefixtures("empty_cache")
async def test_losses_and_findings_appear_automatically(rotating: Path) -> None:
    async with running(rotating) as pilot:
        found = entries(pilot)
        assert all(entry.lost is not None and entry.findings is not None for entry in found.values())
        assert found[CHECKOUT].lost
        assert found[CHECKOUT].constraints
        assert found[CHECKOUT].findings == 5
        assert found["Numbers for the weekly report"].findings == 0
        row = next(line for line in screen_text(pilot).splitlines() if "Move checkout" in line)
        assert f"‼{found[CHECKOUT].constraints}" in row
        await press(pilot, "s", "s", "s", "s", "s", "s", "s")
        worst = conversations(pilot).query_one(ConversationTable)
        worst.set_sort("lost", True)
        assert worst.entry(0) == max(found.values(), key=lambda e: (e.constraints, e.lost or 0, e.weakened))


@pytest.mark.usefixtures("empty_cache")
async def test_a_remembered_sort_holds_for_values_that_come_later(rotating: Path) -> None:
    app = app_on(open_store(rotating), SavedState(sort=("findings", True)))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        table = conversations(pilot).query_one(ConversationTable)
        counts = [entry.findings or 0 for row in range(table.row_count) if (entry := table.entry(row))]
        assert counts == sorted(counts, reverse=True)
        assert counts[0]


async def test_another_process_computes_the_same(
    alone: Entries, apart: None, rotating: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache of the process"))
    begun: list[subprocess.Popen[str]] = []
    begin = subprocess.Popen

    def counted(*words: Any, **kinds: Any) -> subprocess.Popen[str]:
        assert all(one.returncode is not None for one in begun), "one at a time"
        begun.append(begin(*words, **kinds))
        return begun[-1]

    monkeypatch.setattr(subprocess, "Popen", counted)
    async with running(rotating) as pilot:
        assert entries(pilot) == alone
    assert len(begun) == 3, "one looks up models, one counts live lists, one reads losses"
    assert begun[-1].returncode is not None, "it is gone when all is read"
    async with running(rotating) as pilot:
        assert entries(pilot) == alone
    assert len(begun) == 3, "all is known from the run before"


@pytest.mark.usefixtures("empty_cache")
async def test_the_other_process_ends_with_the_screen(
    apart: None, rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.app.conversations.screen.look_up_models", lambda rows: None)
    begun: list[subprocess.Popen[str]] = []
    begin, asked = subprocess.Popen, Event()

    def endless(words: list[str], **kinds: Any) -> subprocess.Popen[str]:
        begun.append(begin(["sleep", "600"], **kinds))
        asked.set()
        return begun[-1]

    monkeypatch.setattr(subprocess, "Popen", endless)
    app = running(rotating, CHECKOUT)
    async with app as pilot:
        screen = conversation(pilot)
        screen.app.pop_screen()
        assert await asyncio.to_thread(asked.wait, 60.0)
        assert begun[0].poll() is None
        await pilot.press("enter")
        await until(pilot, lambda: begun[0].returncode is not None)


@pytest.mark.usefixtures("empty_cache")
async def test_a_process_that_dies_is_noted(
    apart: None, rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda words, **kinds: begin(["true"], **kinds))
    async with running(rotating) as pilot:
        assert any("ended before its work was done. Press r" in note for note in notes(pilot))
        assert all(entry.lost is None for entry in entries(pilot).values())


async def test_r_reads_everything_again(rotating: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(rotating) as pilot:
        before = entries(pilot)
        asked: list[str] = []
        known = reading._tried

        def counted(function: Any, store: Any, row: Any, *more: Any) -> Any:
            asked.append(row.title)
            return known(function, store, row, *more)

        monkeypatch.setattr(reading, "_tried", counted)
        await press(pilot, "r")
        assert set(asked) == set(before)
        assert entries(pilot) == before


async def test_the_losses_of_the_store_lead_to_the_compaction(rotating: Path) -> None:
    async with running(rotating) as pilot:
        await press(pilot, "l")
        screen = pilot.app.screen
        assert isinstance(screen, LossesScreen)
        table = screen.query_one(LossList)
        losses = list_losses(Answers.of([rotating], {}, None))
        assert len(losses) > 1
        assert [(one.row.id, one.loss.compaction) for one in table.entries] == [
            (one.row.id, one.loss.compaction) for one in losses
        ]
        await press(pilot, "down")
        chosen = losses[1]
        assert all(fact.text[:30] in screen_text(pilot) for fact in chosen.loss.facts[:3])
        assert aftermath_counts(chosen.loss.aftermath) in screen_text(pilot)
        await press(pilot, "enter")
        there = conversation(pilot)
        assert opened(pilot).inspection.conversation.id == chosen.row.id
        assert there.state.compaction == chosen.loss.compaction
        assert there.panes.current == "compaction"
        await press(pilot, "escape")
        assert pilot.app.screen is screen
        assert table.cursor == 1
        await press(pilot, "escape")
        assert conversations(pilot)


@pytest.mark.usefixtures("empty_cache")
async def test_a_compaction_that_lost_only_pasted_rules_is_not_called_unreadable(tmp_path: Path) -> None:
    made = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000006")
    made.user("Read this letter of the harbor office:\n\n> Never berth a tanker at the north quay.")
    made.answer(recipe("claude_lines").text("The crane lifts 4,150 kg at most."))
    made.compact(recipe("claude_lines").nine_sections(), before=167_412, after=9_000)
    made.user("And the quay.")
    made.write(tmp_path / "a.jsonl")
    async with running(tmp_path, size=(120, 40)) as pilot:
        await press(pilot, "l")
        shown = screen_text(pilot)
        assert shown.count("1 lost in pasted text, 1 result or request lost") == 3, (
            "in the line, in the panel and in the note"
        )
        assert "cannot be read" not in shown


@pytest.mark.usefixtures("empty_cache")
async def test_losses_that_are_not_listed_are_counted(tmp_path: Path) -> None:
    goods = ["grain", "timber", "coal", "salt", "copper", "wool", "amber", "cork", "tar", "slate", "hemp"]
    made = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000006")
    made.user("\n".join(f"- Never unload {one} at night." for one in goods))
    made.answer(recipe("claude_lines").text("I will not."))
    made.compact(recipe("claude_lines").nine_sections(), before=167_412, after=9_000)
    made.user("And the quay.")
    path = str(made.write(tmp_path / "a.jsonl"))
    (entry,) = json.loads(CliRunner().invoke(commands, ["losses", path, "--json"]).stdout)
    assert (sum(entry["lost"].values()), len(entry["facts"]), entry["more"]) == (11, 8, 3)
    assert "and 3 more; `facts` lists them all" in CliRunner().invoke(commands, ["losses", path]).stdout
    async with running(tmp_path, size=(120, 40)) as pilot:
        await press(pilot, "l")
        assert "and 3 more facts lost or weakened" in screen_text(pilot)


@pytest.mark.usefixtures("empty_cache")
async def test_rules_in_a_language_without_a_lexicon_stay_unknown_when_the_store_changes(
    tmp_path: Path,
) -> None:
    lines = recipe("claude_lines")
    made = lines.Session("5e55a000-0000-4000-8000-00000000000d")
    made.user(
        "Bitte lies die Liegeplätze im Hafen und schreibe nie in die Datei, die der Hafenmeister führt."
    )
    made.answer(lines.text("So it is."))
    made.compact(lines.nine_sections(), before=167_412, after=9_000)
    made.user("Und nun der Kai, aber ohne die Kräne, weil sie heute nicht laufen.")
    made.write(tmp_path / "a.jsonl")
    async with running(tmp_path) as pilot:
        (before,) = entries(pilot).values()
        assert before.unknown == 1
        conversations(pilot).post_message(StoreChanged())
        await settled(pilot)
        assert tuple(entries(pilot).values()) == (before,)


async def test_the_losses_of_a_running_read_are_called_partial(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Event()

    def waiting(*values: Any) -> Any:
        seen.wait(20)
        return read_store_losses(*values)

    monkeypatch.setattr("inspector.app.losses.screen.read_store_losses", waiting)
    async with running(rotating) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: isinstance(pilot.app.screen, LossesScreen))
        assert title(pilot).endswith("0 compactions listed so far …")
        seen.set()
        await settled(pilot)
        assert title(pilot).endswith(" compactions listed")


@pytest.mark.usefixtures("empty_cache")
async def test_a_conversation_that_cannot_be_read_is_counted(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise InspectorError("This cannot be read.")

    monkeypatch.setattr(overview, "read_overview", broken)
    async with running(rotating) as pilot:
        await press(pilot, "l")
        assert any("5 conversations could not be read" in note for note in notes(pilot))
        assert "No loss is known, but some losses are unknown." in screen_text(pilot)


async def test_a_database_that_is_deleted_while_it_is_open_says_so_in_every_row(tmp_path: Path) -> None:
    path = simple(tmp_path / "state.db", sessions=1, turns=100)
    async with running(path, "s0", size=(100, 30)) as pilot:
        for name in ("state.db", "state.db-wal", "state.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        await press(pilot, "home")
        shown = screen_text(pilot)
        assert "can no longer be read" in shown
        assert " … " not in shown
        assert conversation(pilot).app.is_running


async def test_losses_are_read_again_after_a_failed_read_if_the_rows_are_the_same(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = 0

    def failing_once(*values: Any) -> tuple[int, list[str]]:
        nonlocal reads
        reads += 1
        if reads == 1:
            raise StoreError("The file is written at this moment.")
        return read_store_losses(*values)

    monkeypatch.setattr("inspector.app.losses.screen.read_store_losses", failing_once)
    async with running(rotating) as pilot:
        await press(pilot, "l")
        await settled(pilot)
        assert any("written at this moment" in note for note in notes(pilot))
        pilot.app.screen.post_message(StoreChanged())
        await settled(pilot)
        assert reads == 2
        assert not [note for note in notes(pilot) if "written at this moment" in note]


@pytest.mark.usefixtures("empty_cache")
async def test_rules_in_a_language_without_a_lexicon_are_unknown_on_every_screen(tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    made = lines.Session("5e55a000-0000-4000-8000-00000000000e")
    berths = "\n".join(f"berth {number}: {number * 7} metres of quay" for number in range(60))
    made.user("Bitte lies die Liegeplätze im Hafen und schreibe nie in die Datei des Hafenmeisters.")
    made.answer(lines.call("t1", "Read", file_path="berths.txt"))
    made.result("t1", berths)
    made.answer(lines.text("So it is."))
    made.compact(lines.nine_sections(), before=167_412, after=9_000)
    made.user("Und nun der Kai, aber ohne die Kräne, weil sie heute nicht laufen.")
    made.answer(lines.call("t2", "Read", file_path="berths.txt"))
    made.result("t2", berths)
    made.answer(lines.text("And the quay."))
    made.write(tmp_path / "a.jsonl")
    unrecognized = "constraints in the language of the user are not recognized"
    async with running(tmp_path, size=(160, 48)) as pilot:
        await press(pilot, "l")
        (entry,) = pilot.app.screen.query_one(LossList).entries
        assert (entry.loss.total, entry.unjudged, entry.loss.aftermath) == (0, 1, {"read again": 1})
        shown = screen_text(pilot)
        assert "?1  " in shown.splitlines()[2]
        assert f"unknown in part: {unrecognized}" in shown
        await press(pilot, "question_mark")
        assert "?  unknown: the summary cannot be read" in screen_text(pilot)
        await press(pilot, "escape", "enter")
        await settled(pilot)
        assert f"unknown in part: {unrecognized}" in conversation(pilot).query_one(CompactionPane).body.text
        await press(pilot, "4")
        assert f"Its losses are unknown in part: {unrecognized}." in view_of(pilot, LossesFacts).head.text
