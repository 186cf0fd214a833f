"""The lineage of the summaries in the app: filled by a thread, its column, the way to the changes of an item."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.app.conversation.resources import LINEAGE
from tests.app.running import (
    CHECKOUT,
    compacted,
    conversation,
    cursor,
    latest,
    press,
    recorded,
    running,
    screen_text,
    told,
    view_of,
)
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_lineage import SummaryLineage
from widgets.panes.summary_pane import SummaryPane


async def test_the_key_shows_the_lineage_at_the_chosen_compaction(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "0")
        screen, lineage = conversation(pilot), view_of(pilot, SummaryLineage)
        assert (screen.state.pane, screen.saved.pane) == ("summary", "summary")
        assert (lineage.column, lineage.items.has_focus) == (3, True)
        assert "compaction 4 of 4" in lineage.head.text
        assert "first summary: 18 of 26 items left" in lineage.head.text
        # The budget comes from the engine, after the list was read.
        assert "748 of 4.8k tokens" in lineage.head.text


async def test_the_column_is_the_chosen_compaction(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "0", "escape", "left_square_bracket", "left_square_bracket")
        screen, lineage = conversation(pilot), view_of(pilot, SummaryLineage)
        assert (screen.state.generation, screen.state.compaction) == (3, 2)
        assert lineage.column == 1
        assert "− 26 dropped   fallback" in lineage.head.text
        await press(pilot, "0", "right_square_bracket")
        assert (lineage.column, screen.state.compaction, screen.state.generation) == (2, 3, 4)
        assert lineage.items.has_focus


@pytest.mark.slow
async def test_enter_shows_the_changes_at_the_item(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "0", "f", "f")
        screen, lineage = conversation(pilot), view_of(pilot, SummaryLineage)
        assert lineage.filter == "reworded"
        await press(pilot, "G", "left_square_bracket", "enter")
        assert (screen.state.generation, screen.state.compaction) == (4, 3)
        assert cursor(pilot) == recorded(pilot, 3).summary_at
        pane = screen.query_one(SummaryPane)
        assert pane.view_name == "changes"
        assert pane.view is not None
        assert pane.view.changes is not None
        assert pane.view.changes.titles == ("compaction 2", "compaction 3")
        shown = pane.shown
        assert isinstance(shown, SummaryChanges)
        assert shown.body.has_focus
        assert shown.body.active is not None
        assert "cut-over to 100 % is on 12 March" in shown.body.text.split("\n")[shown.body.active]


@pytest.mark.slow
async def test_the_first_summary_has_no_summary_before_it(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "0", *["left_square_bracket"] * 3, "enter")
        screen = conversation(pilot)
        assert (screen.state.generation, screen.state.compaction) == (2, 1)
        assert screen.query_one(SummaryPane).view_name == "changes"
        assert "There is no earlier summary to compare with." in screen_text(pilot)


@pytest.mark.slow
async def test_narrow(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(80, 24)) as pilot:
        await press(pilot, "0", "down")
        text = screen_text(pilot)
        assert "lineage" in text
        assert "compaction 4 of 4" in text
        assert "− dropped" in text
        assert "▸4" in text


async def test_a_conversation_without_compactions(rotating: Path) -> None:
    async with running(rotating, "Check the load test scripts") as pilot:
        await press(pilot, "0", "enter", "f")
        assert view_of(pilot, SummaryLineage).head.text == "No compaction has a summary to follow."
        assert told(pilot) == []


async def test_the_lineage_is_computed_once_for_the_same_compactions(tmp_path: Path) -> None:
    path = compacted(tmp_path / "state.db")
    async with running(path, "Made") as pilot:
        await press(pilot, "0")
        known = latest(pilot, LINEAGE)
        await press(pilot, "1", "0", "escape", "left_square_bracket")
        assert latest(pilot, LINEAGE) is known
        assert [row.text for _, rows in known.until(2).lineage.groups for row in rows] == [
            "Find it", "look at the log", "ask Ann", "tell Bob",
        ]  # fmt: skip
