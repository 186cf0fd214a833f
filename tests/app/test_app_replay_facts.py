"""Facts at risk in the app: in the replay pane next to A and B, and as a metric of the sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import force_setattr

from inspector.answers.fact_reading import read_facts
from inspector.app.conversation.resources import FACTS
from inspector.app.conversation.screen import ConversationScreen
from inspector.app.sweep.screen import SweepScreen
from inspector.quality.facts.risk import FactSteps
from inspector.replay.metrics import METRICS
from inspector.replay.run import run_course
from tests.app.running import Test, conversation, press, running, screen_text, settled
from tests.examples import also
from widgets.bars.mode_bar import ModeBar
from widgets.lists.heat_map import HeatMap
from widgets.panes.what_if_pane import WhatIfPane

FACT_METRICS = [metric.name for metric in METRICS if metric.facts]
ORDERS = "Nightly orders import loses rows"


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Delay reading facts until the returned function is called."""
    needs = FACTS.needs
    force_setattr(FACTS, "needs", lambda state, loaded: None)

    def now(pilot: Test) -> None:
        force_setattr(FACTS, "needs", needs)
        beneath(pilot).watch_loaded()

    yield now
    force_setattr(FACTS, "needs", needs)


def beneath(pilot: Test) -> ConversationScreen:
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, ConversationScreen))


def sweeping(pilot: Test) -> SweepScreen:
    assert isinstance(pilot.app.screen, SweepScreen)
    return pilot.app.screen


async def test_facts_at_risk_are_next_to_a_and_b(in_place: Path, unread: Any) -> None:
    async with running(in_place, ORDERS, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "6")
        pane = screen.query_one(WhatIfPane)
        assert pane.body.text.count("being read") == 2 * len(FACT_METRICS)
        unread(pilot)
        await settled(pilot)
        assert "being read" not in pane.body.text
        assert pane.run is not None
        recorded, run = (one.metrics for one in pane.run.runs)
        assert recorded.facts == run.facts
        assert 0 < run.facts_at_risk < run.facts  # type: ignore[operator]
        assert f" {run.facts_at_risk} " in pane.body.text
        await press(pilot, "equals_sign")
        screen.tuner.change(target_ratio=0.7)
        await settled(pilot)
        assert pane.run is not None
        _, kept, now = (one.metrics for one in pane.run.runs)
        assert kept.facts_at_risk == run.facts_at_risk > now.facts_at_risk  # type: ignore[operator]
        assert f" {now.facts_at_risk}" in pane.body.text
        await press(pilot, "ctrl+r")
        assert "facts at risk" in pilot.app.clipboard


@pytest.mark.slow
async def test_a_cell_counts_facts_after_they_are_read(in_place: Path, unread: Any) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "v")
        screen = sweeping(pilot)
        assert screen.swept is not None
        assert not set(FACT_METRICS) & set(screen.swept.cells)
        screen.query_one("#sweep-metric", ModeBar).choose("facts_at_risk")
        await press(pilot, "right", "down")
        cursor = screen.query_one(HeatMap).cursor
        text = screen_text(pilot)
        assert "The facts are being read" in text
        assert text.count("being read") == 1 + len(FACT_METRICS)
        unread(pilot)
        await settled(pilot)
        assert "being read" not in screen_text(pilot)
        assert screen.query_one(HeatMap).cursor == cursor
        opened = beneath(pilot).loaded.opened
        assert opened is not None
        inspection = opened.inspection
        course = screen.subject.recording.course.with_facts(FactSteps(read_facts(inspection).facts.facts))
        for row, column in (cursor, (0, 0), (7, 7)):
            run = run_course(course, screen.settings_of(row, column), screen.subject.model)
            for metric in METRICS:
                assert screen.swept.cells[metric.name][row][column] == pytest.approx(metric.of(run))
        chosen = run_course(course, screen.settings_of(*cursor), screen.subject.model).metrics
        assert f"{chosen.facts_at_risk}" in screen_text(pilot)


@pytest.mark.slow
async def test_over_many_conversations_facts_are_read_when_their_metric_is_chosen(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "v", "o")
        screen = sweeping(pilot)
        assert screen.swept is not None
        assert screen.swept.conversations == len(screen.subject.every)
        assert "facts_at_risk" not in screen.swept.cells
        screen.query_one("#sweep-metric", ModeBar).choose("constraints_at_risk")
        await settled(pilot)
        assert not screen.running
        assert screen.swept is not None
        assert max(map(max, screen.swept.cells["constraints_at_risk"])) > 0
        known = screen.swept
        await press(pilot, "M")
        assert screen.swept is known
        assert screen.state.metric == "facts_at_risk"


@pytest.mark.parametrize("width", also(80, 160, 140, 110))
async def test_every_metric_can_be_read_in_its_row(in_place: Path, width: int) -> None:
    async with running(in_place, ORDERS, size=(width, 24)) as pilot:
        await press(pilot, "v")
        bar = sweeping(pilot).query_one("#sweep-metric", ModeBar)
        assert len(bar.modes) == len(METRICS) - 1
        line = screen_text(pilot).splitlines()[1]
        assert all(mode.label in line or f"{mode.short} " in f"{line} " for mode in bar.modes), line
        assert "Sweep: compactions" in screen_text(pilot).splitlines()[0]
