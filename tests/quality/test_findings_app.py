"""Findings in the app: header, pane, marks, timeline, the list of conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.app.app import InspectorApp
from inspector.app.conversation.screen import ConversationScreen
from inspector.app.saved_state import SavedState
from inspector.stores.detect import open_store
from tests.app.running import settled
from tests.idle import draw_at_rest
from widgets.bars.timeline import Timeline
from widgets.panes.findings_pane import FindingsPane


@pytest.fixture(autouse=True)
def _at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_at_rest(monkeypatch)


@asynccontextmanager
async def running(folder: Path, name: str) -> AsyncIterator[tuple[InspectorApp, Pilot[None]]]:
    store = open_store(folder / "hermes-0.13-rotating.db")
    app = InspectorApp(store, saved=SavedState(), name=name)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        yield app, pilot


async def test_findings_are_counted_marked_and_jumped_to(fixtures_dir: Path) -> None:
    async with running(fixtures_dir, "Move checkout to orders-v2") as (app, pilot):
        screen = app.screen
        assert isinstance(screen, ConversationScreen)
        assert screen.derived is not None
        assert screen.derived.findings.words == "! 1 error, 4 warnings"
        await pilot.press("exclamation_mark")
        await settled(pilot)
        pane = screen.query_one(FindingsPane)
        assert pane.list.row_count == 6, "findings of one cause share a line and count once"
        assert pane.list.has_focus
        await pilot.press("enter")
        await settled(pilot)
        rows, cursor = screen.messages.rows, screen.message_list.cursor
        assert screen.state.generation == 3
        assert rows is not None
        assert rows.index(cursor) == 4
        shown = rows.row(cursor)
        assert {"finding", "summary"} <= shown.flags
        assert "!" in screen.query_one(Timeline).render_line(0).text


async def test_a_finding_without_a_message_leads_to_the_settings(own_fixtures: Path) -> None:
    (own_fixtures / "config.yaml").write_text("compression: {target_ratio: 0.95}\n", encoding="utf-8")
    async with running(own_fixtures, "Numbers for the weekly report") as (app, pilot):
        await pilot.press("7", "enter")
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, ConversationScreen)
        assert screen.derived is not None
        assert [finding.rule for finding in screen.derived.findings.findings] == ["target-ratio-clamped"]
        assert screen.saved.pane == "what-if"
