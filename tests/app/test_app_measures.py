"""Measures in the app: worked out from the facts that were found, chosen, gone from to messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.answers.measures import measure_conversation
from inspector.app.conversation.resources import FACTS, MEASURES
from inspector.quality.measures.definitions import DEFINITIONS
from tests.app.running import (
    CHECKOUT,
    Test,
    add,
    compacted,
    conversation,
    cursor,
    latest,
    marked,
    messages,
    notes,
    opened,
    press,
    running,
    screen_text,
    settled,
    written,
)
from widgets.panes.losses_measures import LossesMeasures
from widgets.panes.losses_pane import LossesPane

SIZE = (160, 48)


def pane_of(pilot: Test) -> LossesMeasures:
    """The measures of the losses pane."""
    shown = conversation(pilot).query_one(LossesPane).shown
    assert isinstance(shown, LossesMeasures)
    return shown


async def test_it_shows_the_measures_of_every_compaction_beginning_with_that_of_the_list(
    rotating: Path,
) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "V")
        pane = pane_of(pilot)
        assert screen.saved.pane == "losses"
        assert pane.table.has_focus
        assert pane.column == 3
        view = latest(pilot, MEASURES).whole
        assert sorted(row.id for row in view.rows) == sorted(DEFINITIONS)
        assert [column.head for column in view.columns] == ["1", "2!", "3", "4"]
        facts = latest(pilot, FACTS).reading.facts
        found = measure_conversation(opened(pilot).inspection, opened(pilot).resolved.settings, facts)
        for row in view.rows:
            shares = [measure.share for measure in found.curve(row.id)]
            assert [cell.share for cell in row.cells] == [s.value if s else None for s in shares]
            for cell, measure in zip(row.cells, found.curve(row.id), strict=True):
                assert [entry.known for entry in cell.evidence] == [e.known for e in measure.evidence]
            assert len(row.whole.evidence) == sum(len(cell.evidence) for cell in row.cells)
        await press(pilot, "left_square_bracket", "left_square_bracket")
        assert (pane.column, screen.state.compaction, screen.state.generation) == (1, 2, 3)
        assert "a fallback text, which no model wrote" in screen_text(pilot)


async def test_from_evidence_to_where_it_was_said_and_where_it_is_found(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "V")
        pane = pane_of(pilot)
        pane.set_measure("artifact-files")
        await press(pilot, "left_square_bracket", "enter")
        assert pane.evidence.has_focus
        gone = pane.evidence.entry
        assert gone is not None
        assert gone.said is not None
        assert not gone.known
        await press(pilot, "enter")
        assert (screen.state.generation, cursor(pilot)) == (gone.said.generation, gone.said.index)
        assert screen.panes.current == "message"
        assert messages(pilot).highlight == gone.said.text == gone.text
        assert marked(pilot)
        # The choice is there when one comes back, though another list is on screen.
        await press(pilot, "V")
        assert (pane.column, pane.measure) == (2, "artifact-files")
        at = next(n for n, entry in enumerate(pane.evidence.entries) if entry.known)
        pane.evidence.move_cursor(at)
        kept = pane.evidence.entry
        assert kept is not None
        assert kept.found is not None
        await press(pilot, "s")
        assert (screen.state.generation, cursor(pilot)) == (kept.found.generation, kept.found.index)
        assert marked(pilot)


@pytest.mark.slow
async def test_places_of_facts_name_the_words_that_stand_there(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "V")
        pane = pane_of(pilot)
        pane.set_measure("survival-value")
        await press(pilot, "r")
        assert pane.column == 4
        known = [n for n, entry in enumerate(pane.evidence.entries) if entry.known]
        assert known
        for at in known:
            await press(pilot, "V")
            pane.evidence.move_cursor(at)
            entry = pane.evidence.entries[at]
            assert entry.found is not None
            await press(pilot, "s")
            assert (screen.state.generation, cursor(pilot)) == (entry.found.generation, entry.found.index)
            assert marked(pilot), entry


@pytest.mark.slow
async def test_facts_that_come_anew_are_measured_anew(tmp_path: Path) -> None:
    path = compacted(tmp_path / "state.db")
    async with running(path, "Made", size=(80, 24)) as pilot:
        screen = conversation(pilot)
        # Nothing is measured before somebody wants to see it.
        assert screen.loaded.latest(MEASURES) is None
        await press(pilot, "V")
        facts, first = latest(pilot, FACTS), latest(pilot, MEASURES)
        await press(pilot, "1", "V")
        assert latest(pilot, MEASURES) is first
        add(path, "The limit is 40 requests a second.")
        screen.opening.again()
        await settled(pilot)
        assert latest(pilot, FACTS) is not facts
        assert screen.loaded.current(MEASURES, screen.state) is latest(pilot, MEASURES) is not first
        assert not [text for text in notes(pilot) if "went wrong" in text]


async def test_without_compactions_there_is_nothing_to_measure(tmp_path: Path) -> None:
    path = written(tmp_path / "state.db", [{"role": "user", "content": "Hello"}])
    async with running(path, "Made", size=SIZE) as pilot:
        await press(pilot, "V")
        assert "Nothing was compacted so far, so there is nothing to measure." in pane_of(pilot).headline
        await press(pilot, "right_square_bracket", "enter", "s", "J")
        assert pane_of(pilot).measure == ""


@pytest.mark.slow
async def test_in_place_compactions_say_where_requests_went(tmp_path: Path) -> None:
    async with running(compacted(tmp_path / "state.db"), "Made", size=SIZE) as pilot:
        await press(pilot, "V")
        pane = pane_of(pilot)
        assert pane.column == 1
        pane.set_measure("continuity-next")
        await settled(pilot)
        assert "tell Bob" in [entry.text for entry in pane.evidence.entries]
        screen = conversation(pilot)
        at = next(n for n, entry in enumerate(pane.evidence.entries) if entry.text == "tell Bob")
        pane.evidence.focus()
        pane.evidence.move_cursor(at)
        await press(pilot, "enter")
        assert screen.state.generation == 3
        assert marked(pilot)
