"""A walk through the app with the keys: what is selected, planned and shown after each."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from inspector.app.panes import KEYS, NAMES, Panes
from textual.widgets import Input
from widgets.panes.replay_pane import ReplayPane

from inspector.app.app import InspectorApp
from inspector.app.conversations.screen import ConversationsScreen
from inspector.app.help.screen import HelpScreen
from inspector.app.saved_state import SavedState
from inspector.app.search.screen import HitList, SearchScreen
from inspector.stores.detect import open_store
from tests.app.conftest import MakeApp
from tests.app.settle import conversation, press, settle, until
from tests.stores import writer
from widgets.bars.gauge import Gauge
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Timeline
from widgets.lists.conversation_table import ConversationTable
from widgets.lists.message_list import MessageList
from widgets.panes.knobs import Knobs
from widgets.panes.message_pane import MessagePane

ROTATING = "Move checkout to orders-v2"
IN_PLACE = "Nightly orders import loses rows"
SIZE = (140, 42)


async def test_the_list_filters_as_one_types_and_opens(demo: MakeApp) -> None:
    app = demo()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        table = app.screen.query_one(ConversationTable)
        assert table.row_count == 10
        await press(pilot, "slash", *"nightly")
        assert table.row_count == 1
        await press(pilot, "enter", "enter")
        screen = conversation(pilot)
        assert screen.inspection is not None
        assert screen.inspection.conversation.row.title == IN_PLACE
        await press(pilot, "escape")
        assert isinstance(app.screen, ConversationsScreen)


async def test_tokens_and_compactions_of_the_list_come_later(demo: MakeApp) -> None:
    app = demo()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        table = app.screen.query_one(ConversationTable)
        entries = [table.entry(row) for row in range(table.row_count)]
        found = {entry.title: entry for entry in entries if entry is not None}
        await until(pilot, lambda: found is not None)
        assert found[IN_PLACE].compactions == 3
        assert found[ROTATING].threshold == 64_000
        assert (found[ROTATING].tokens or 0) > 50_000


async def test_full_text_search_opens_at_the_message(demo: MakeApp) -> None:
    app = demo()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f")
        assert isinstance(app.screen, SearchScreen)
        await press(pilot, *"canary", "enter")
        hits = app.screen.query_one(HitList).hits
        assert hits
        await press(pilot, "enter")
        screen = conversation(pilot)
        rows = screen.rows
        assert rows is not None
        index = rows.index(screen.query_one("#messages", MessageList).cursor)
        assert rows.generation.ids[index] == hits[0].message


async def test_compactions_are_walked_through_and_shown_before_and_after(demo: MakeApp) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        messages = screen.query_one("#messages", MessageList)
        assert screen.number == 5
        await press(pilot, "left_square_bracket")
        assert screen.number == 4
        recorded = screen.recorded(4)
        assert recorded is not None
        assert screen.rows is not None
        kinds = {(b.kind, b.name, b.index) for b in messages.boundaries}
        assert ("recorded", "head_end", recorded.head_end) in kinds
        assert ("planned", "tail_start", recorded.tail_start) in kinds
        left = screen.rows.row(screen.rows.row_of(recorded.head_end))
        assert left is None or "struck" in left.flags
        assert screen.query_one(RegionBar).recorded is not None
        await press(pilot, "right_square_bracket")
        assert screen.number == 5
        assert screen.rows.index(messages.cursor) == recorded.summary_at
        assert screen.query_one(Timeline).current == 5


@pytest.mark.parametrize("name", [ROTATING, IN_PLACE])
async def test_every_pane_is_filled(demo: MakeApp, name: str) -> None:
    app = demo(name)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        panes = screen.query_one(Panes)
        for pane in NAMES:
            await press(pilot, "escape") if not screen.query_one("#messages").has_focus else None
            await press(pilot, KEYS[pane])
            assert panes.current == pane
            assert screen.focused is not None
        assert screen.is_current


async def test_the_message_pane_follows_the_cursor(demo: MakeApp) -> None:
    app = demo(IN_PLACE)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        pane = screen.query_one(MessagePane)
        await press(pilot, "home")
        await until(pilot, lambda: pane._view is not None and pane._view.label == "sys")
        await press(pilot, "down")
        await until(pilot, lambda: pane._view is not None and pane._view.label == "0")


async def test_a_knob_moves_every_picture_and_undo_takes_it_back(demo: MakeApp) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        await until(pilot, lambda: screen.plan is not None)
        before, gauge = screen.plan, screen.query_one(Gauge)
        await press(pilot, "5")
        seconds = itertools.count()
        screen.query_one(Knobs).clock = lambda: float(next(seconds))
        await press(pilot, *["right"] * 10)
        assert screen.settings.threshold == pytest.approx(0.6)
        assert screen.plan is not None
        assert screen.plan != before
        assert gauge.state.threshold == screen.plan.budgets.threshold_tokens == 76_800
        for _ in range(10):
            await press(pilot, "ctrl+z")
        assert screen.settings.threshold == pytest.approx(0.5)
        assert screen.plan == before


async def test_another_profile_plans_otherwise(demo: MakeApp) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        await press(pilot, "p")
        assert screen.settings.profile == "hermes-0.19"
        await until(pilot, lambda: screen.plan is not None and screen.plan.profile == "hermes-0.19")
        assert screen.query_one(Gauge).state.threshold == 96_000


async def test_find_marks_and_walks_through_hits(demo: MakeApp) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        messages = screen.query_one("#messages", MessageList)
        await press(pilot, "home", "slash", *"legacy", "enter")
        assert messages.highlight == "legacy"
        first = messages.cursor
        assert first > 0
        await press(pilot, "n")
        assert messages.cursor > first
        await press(pilot, "N")
        assert messages.cursor == first
        await press(pilot, "slash", "escape")
        assert messages.highlight == ""
        assert not screen.query_one("#find", Input).display


async def test_jumps(demo: MakeApp) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        messages = screen.query_one("#messages", MessageList)
        rows = screen.rows
        assert rows is not None
        await press(pilot, "home", "u")
        assert rows.generation.roles[rows.index(messages.cursor)] == 0
        await press(pilot, "home", "b")
        assert screen.plan is not None
        assert rows.index(messages.cursor) == screen.plan.head_end


async def test_replay_compares_and_goes_to_steps(demo: MakeApp) -> None:
    app = demo(IN_PLACE)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        await press(pilot, "7")
        graph = screen.query_one(ReplayPane).graph
        await until(pilot, lambda: graph.steps > 0)
        assert graph.state.recorded_events == graph.state.whatif_events
        await press(pilot, "home")
        assert screen.number == 1
        assert graph.state.step == 1
        graph.action_compaction(1)
        await settle(pilot)
        assert graph.state.step == graph.state.recorded_events[0]


async def test_copying_leaves_a_file_too(demo: MakeApp, tmp_path: Path) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+y")
        assert "compression:" in app.clipboard
        assert (tmp_path / "place" / "copied.txt").read_text() == app.clipboard
        await press(pilot, "Y")
        assert "Active Task" in app.clipboard
        await press(pilot, "y")
        assert app.clipboard


async def test_help_opens_over_every_screen_and_closes(demo: MakeApp) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "question_mark")
        assert isinstance(app.screen, HelpScreen)
        await press(pilot, "escape")
        assert conversation(pilot)


async def test_the_place_is_remembered(demo: MakeApp, tmp_path: Path) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        app.action_next_theme()
        await settle(pilot)
        theme = app.theme
    again = SavedState.load((app.place.database and Path(app.place.database)) or Path(""), tmp_path / "place")
    assert again.pane == "summary"
    assert again.theme == theme


async def test_a_writer_at_work_is_followed_without_losing_the_place(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    db = writer.create(path, journal="wal")
    writer.session(db, "s", title="Live", model="gpt-4o")
    for number, wire in enumerate(writer.talk(10)):
        writer.insert(db, "s", wire, 1_000.0 + number)
    db.commit()
    app = InspectorApp(open_store(path), place=SavedState(folder=tmp_path / "place"), name="s")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        messages = screen.query_one("#messages", MessageList)
        await press(pilot, "home", "down", "down")
        before, count = messages.cursor, messages.row_count
        code = (
            "import sys, sqlite3; db = sqlite3.connect(sys.argv[1], timeout=0);"
            "db.execute('INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, 2e3)',"
            " ('s', 'user', 'more'));"
            "db.commit()"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        await until(pilot, lambda: messages.row_count == count + 1)
        assert messages.cursor == before
    db.close()


@pytest.mark.parametrize(
    "size",
    [
        pytest.param((160, 48), marks=pytest.mark.slow),
        (80, 24),
        pytest.param((60, 16), marks=pytest.mark.slow),
    ],
)
async def test_sad_paths(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "state.db"
    db = writer.create(path)
    writer.session(db, "none", title="Nothing said", model="")
    writer.session(db, "one", title="One message", model="gpt-4o")
    writer.insert(db, "one", {"role": "user", "content": "hello"}, 1_000.0)
    writer.session(db, "huge", title="\x1b[31mred [/b] 中文", model="\x9b0m")
    writer.insert(db, "huge", {"role": "user", "content": "x" * 400_000}, 1_000.0)
    writer.insert(db, "huge", {"role": "assistant", "content": "行" * 5_000 + "\x1b[2J\u202e"}, 1_001.0)
    db.commit()
    db.close()
    for name, count in (("none", 0), ("one", 1), ("huge", 2)):
        app = InspectorApp(open_store(path), place=SavedState(folder=tmp_path / "place"), name=name)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            screen = conversation(pilot)
            assert screen.rows is not None
            assert len(screen.rows.generation) == count
            for key in KEYS.values():
                screen.query_one("#messages").focus()
                await press(pilot, key)
            assert app.is_running


async def test_an_empty_database_says_so(tmp_path: Path) -> None:
    db = writer.create(tmp_path / "state.db")
    db.commit()
    db.close()
    app = InspectorApp(open_store(tmp_path / "state.db"), place=SavedState(folder=tmp_path / "place"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert app.screen.query_one("#empty").display
        assert not app.screen.query_one(ConversationTable).display


async def test_resizing_keeps_the_place(demo: MakeApp) -> None:
    app = demo(ROTATING)
    async with app.run_test(size=(160, 48)) as pilot:
        await settle(pilot)
        screen = conversation(pilot)
        messages = screen.query_one("#messages", MessageList)
        await press(pilot, "home", *["down"] * 7)
        at = messages.cursor
        for size in ((80, 24), (160, 48)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert messages.cursor == at
            assert messages.line_of(at) in range(
                messages.scroll_offset.y, messages.scroll_offset.y + messages.size.height
            )
