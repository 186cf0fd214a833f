"""A walk through the app with keys: selection, plan and screen after each key."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.app.app import InspectorApp
from inspector.app.saved_state import SavedState
from inspector.stores.detect import open_store
from tests.app.conftest import MakeApp
from tests.app.running import (
    add,
    app_on,
    conversation,
    messages,
    press,
    rows,
    running,
    settled,
    until,
)
from tests.stores import writer
from widgets.lists.conversation_table import ConversationTable
from widgets.panes.message_pane import MessagePane
from widgets.panes.what_if_pane import WhatIfPane

ROTATING = "Move checkout to orders-v2"
IN_PLACE = "Nightly orders import loses rows"
SIZE = (140, 42)


async def test_tokens_and_compactions_of_the_list_appear_later(demo: MakeApp) -> None:
    app = demo()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        table = app.screen.query_one(ConversationTable)
        entries = [table.entry(row) for row in range(table.row_count)]
        found = {entry.title: entry for entry in entries if entry is not None}
        assert found[IN_PLACE].compactions == 3
        assert found[ROTATING].threshold == 64_000
        assert (found[ROTATING].tokens or 0) > 50_000


async def test_the_message_pane_follows_the_cursor(demo: MakeApp) -> None:
    app = demo(IN_PLACE)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = conversation(pilot)
        pane = screen.query_one(MessagePane)
        for key, label in (("home", "sys"), ("down", "0")):
            await press(pilot, key)
            assert pane.view is not None
            assert pane.view.row.label == label


async def test_replay_compares_and_goes_to_steps(demo: MakeApp) -> None:
    app = demo(IN_PLACE)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = conversation(pilot)
        await press(pilot, "6")
        graph = screen.query_one(WhatIfPane).graph
        assert graph.steps > 0
        assert graph.state.recorded_events == graph.state.whatif_events
        await press(pilot, "tab")
        assert graph.has_focus
        await press(pilot, "home")
        assert screen.state.generation == 1
        assert graph.state.step == 1
        await press(pilot, "J")
        assert graph.state.step == graph.state.recorded_events[0]
        # Without a replay the graph's cursor follows the list's.
        await press(pilot, "escape", "escape")
        assert screen.state.moment is None
        step = graph.state.step
        await press(pilot, "up")
        assert graph.state.step == step - 1


def live_session(path: Path) -> tuple[sqlite3.Connection, InspectorApp]:
    """Return the open database of a live session, and the app on it."""
    db = writer.create(path, journal="wal")
    writer.session(db, "s", title="Live", model="gpt-4o")
    for number, wire in enumerate(writer.talk(10)):
        writer.insert(db, "s", wire, 1_000.0 + number)
    db.commit()
    return db, app_on(open_store(path), SavedState(folder=path.with_name("place")), name="s")


async def test_a_writer_at_work_is_followed_without_losing_the_place(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    db, app = live_session(path)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        listed = messages(pilot)
        await press(pilot, "home", "down", "down")
        before, count = listed.cursor, listed.row_count
        code = (
            "import sys, sqlite3; db = sqlite3.connect(sys.argv[1], timeout=0);"
            "db.execute('INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, 2e3)',"
            " ('s', 'user', 'more'));"
            "db.commit()"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        await until(pilot, lambda: listed.row_count == count + 1)
        assert listed.cursor == before
        await press(pilot, "end")
        add(path, "even more", "s")
        await until(pilot, lambda: listed.row_count == count + 2)
        assert listed.cursor == count + 1, "at the end one stays there"
    db.close()


async def test_messages_written_right_after_the_start_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first check of the database happens at the start, not at the first tick of the clock."""
    monkeypatch.setattr("inspector.app.app.WATCH_SECONDS", 2.0)
    path = tmp_path / "state.db"
    db, app = live_session(path)
    async with app.run_test(size=SIZE) as pilot:
        listed = messages(pilot)
        await until(pilot, lambda: listed.row_count > 0)
        count = listed.row_count
        writer.insert(db, "s", {"role": "user", "content": "more"}, 2_000.0)
        db.commit()
        await until(pilot, lambda: listed.row_count == count + 1)
    db.close()


@pytest.mark.parametrize(
    "size",
    [
        pytest.param((160, 48), marks=pytest.mark.slow),
        (80, 24),
        pytest.param((60, 16), marks=pytest.mark.slow),
    ],
)
async def test_hostile_texts_and_long_ones_are_shown_in_every_pane(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "state.db"
    db = writer.create(path)
    writer.session(db, "huge", title="\x1b[31mred [/b] 中文", model="\x9b0m")
    writer.insert(db, "huge", {"role": "user", "content": "x" * 400_000}, 1_000.0)
    writer.insert(db, "huge", {"role": "assistant", "content": "行" * 5_000 + "\x1b[2J\u202e"}, 1_001.0)
    db.commit()
    db.close()
    async with running(path, "huge", size=size) as pilot:
        assert len(rows(pilot).generation) == 2
        for key in "12345678":
            messages(pilot).focus()
            await press(pilot, key)
        assert pilot.app.is_running
