"""The lineage pane in the app: filled in a thread, its column, going to the neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspector.app.panes import Panes
from widgets.panes.diff_pane import DiffPane
from widgets.panes.lineage_pane import LineagePane

from tests.app.running import CHECKOUT, compacted, conversation, cursor, press, running, screen_text, told

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ROTATING = FIXTURES / "hermes-0.13-rotating.db"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    copy = tmp_path / "state.db"
    copy.write_bytes(ROTATING.read_bytes())
    return copy


async def test_the_key_brings_it_up_with_the_summary_in_force(database: Path) -> None:
    async with running(database, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "0")
        screen = conversation(pilot)
        assert screen.query_one(Panes).current == "lineage"
        assert screen.place.pane == "lineage"
        pane = screen.query_one(LineagePane)
        assert (pane.column, pane.items.has_focus) == (3, True)
        assert "compaction 4 of 4" in pane.headline
        assert "left of the first: 18 of 26 items" in pane.headline
        # The budget comes from the engine, after the list was read.
        assert "748 of 4.8k tokens" in pane.headline


async def test_the_column_follows_the_list_on_screen(database: Path) -> None:
    async with running(database, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "0", "escape", "left_square_bracket", "left_square_bracket")
        screen = conversation(pilot)
        assert screen.number == 3
        pane = screen.query_one(LineagePane)
        assert pane.column == 1
        assert "a fallback text, which no model wrote" in pane.headline
        # In the pane the same keys choose a column; the list stays.
        await press(pilot, "0", "right_square_bracket")
        assert (pane.column, screen.number) == (2, 3)


async def test_enter_shows_the_two_summaries_at_the_item(database: Path) -> None:
    async with running(database, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "0", "m", "m")
        screen = conversation(pilot)
        pane = screen.query_one(LineagePane)
        assert pane.mode == "reworded"
        await press(pilot, "G", "left_square_bracket", "enter")
        assert screen.number == 4
        made = screen.recorded(3)
        assert made is not None
        assert cursor(pilot) == made.summary_at
        panes = screen.query_one(Panes)
        assert panes.current == screen.place.pane == "diff"
        diff = screen.query_one(DiffPane)
        assert diff.body.has_focus
        assert diff._view is not None
        assert (diff._view.old_title, diff._view.new_title) == ("compaction 2", "compaction 3")
        assert diff.body.active is not None
        assert "cut-over to 100 % is on 12 March" in diff.body.text.split("\n")[diff.body.active]


async def test_the_first_summary_has_no_neighbour_before_it(database: Path) -> None:
    async with running(database, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "0", *["left"] * 9, "enter")
        screen = conversation(pilot)
        assert screen.query_one(Panes).current == "summary"
        assert screen.number == 2


async def test_narrow(database: Path) -> None:
    async with running(database, CHECKOUT, size=(80, 24)) as pilot:
        await press(pilot, "0", "down")
        text = screen_text(pilot)
        assert "0 life" in text
        assert "compaction 4 of 4" in text
        assert "− dropped" in text
        assert "▸4" in text


async def test_the_palette_has_it(database: Path) -> None:
    from inspector.app.palette import palette_commands

    async with running(database, CHECKOUT) as pilot:
        titles = {command.title for command in palette_commands(pilot.app, pilot.app.screen)}  # type: ignore[arg-type]
        assert "Lineage" in titles
        assert "Lineage: Later column" in titles


async def test_a_conversation_without_compactions(database: Path) -> None:
    async with running(database, "Check the load test scripts") as pilot:
        await press(pilot, "0", "enter", "right", "m")
        pane = conversation(pilot).query_one(LineagePane)
        assert pane.headline == "No compaction has left a summary to follow so far."
        assert told(pilot) == []


async def test_it_is_worked_out_once_for_the_same_compactions(tmp_path: Path) -> None:
    path = compacted(tmp_path / "state.db")
    async with running(path, "Made") as pilot:
        await press(pilot, "0")
        screen = conversation(pilot)
        known = screen._lineage
        assert known is not None
        await press(pilot, "1", "0", "escape", "left_square_bracket")
        assert screen._lineage is known
        assert [row.text for _, rows in known.views.until(2).lineage.groups for row in rows] == [
            "Find it", "look at the log", "ask Ann", "tell Bob",
        ]  # fmt: skip
