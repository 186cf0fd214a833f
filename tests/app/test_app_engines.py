"""Engines that another distribution brings, in the app: plans, replays, sweeps; one that fails is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.app.app import InspectorApp
from inspector.app.conversation.screen import ConversationScreen
from inspector.app.saved_state import SavedState
from inspector.app.sweep.screen import SweepScreen
from inspector.stores.detect import open_store
from tests.app.running import conversation, press, running
from tests.stores import writer
from widgets.bars.notes_bar import NotesBar


@pytest.mark.usefixtures("halves_engine")
async def test_an_engine_of_another_package_plans_and_a_broken_one_is_named(tmp_path: Path) -> None:
    store = open_store(writer.simple(tmp_path / "state.db", sessions=1, turns=12))
    (row,) = store.conversations()
    app = InspectorApp(store, saved=SavedState(folder=tmp_path / "place"), name=row.id)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, ConversationScreen)
        before = screen.derived.plan
        assert before is not None
        screen.change(profile="halves")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.derived.plan is not None
        assert (screen.derived.plan.profile, screen.derived.plan.head_end) == ("halves", 1)
        for broken in ("broken", "unloadable"):
            screen.change(profile=broken)
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert any(f"The engine {broken}" in text for text in screen.query_one(NotesBar).sentences)
        screen.change(profile=before.profile)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.derived.plan.profile == before.profile
        assert app.is_running


@pytest.mark.usefixtures("halves_engine")
@pytest.mark.parametrize("profile", ["halves", "words"])
async def test_an_engine_of_another_package_replays_and_sweeps(in_place: Path, profile: str) -> None:
    async with running(in_place, "Nightly orders import loses rows", size=(140, 40)) as pilot:
        screen = conversation(pilot)
        screen.change(profile=profile, context_length=12_000)
        await press(pilot, "7", "escape", "left")
        assert screen.moment is not None
        assert screen.derived.plan is not None
        assert (screen.derived.plan.profile, screen.derived.plan.length) == (profile, screen.moment.length)
        assert screen.run_now is not None
        assert screen.run_now.settings.profile == profile
        assert screen.run_now.events
        await press(pilot, "v")
        sweep = pilot.app.screen
        assert isinstance(sweep, SweepScreen)
        assert sweep.found is not None
        assert sweep.found.complete
        assert len({count for line in sweep.found.cells["compactions"] for count in line}) > 1


@pytest.mark.usefixtures("halves_engine")
async def test_a_replay_under_an_engine_that_fails_names_it_and_goes_on(in_place: Path) -> None:
    async with running(in_place, "Nightly orders import loses rows", size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "left")
        screen.change(profile="broken")
        await press(pilot, "7")
        assert any("The engine broken failed" in text for text in screen.query_one(NotesBar).sentences)
        screen.change(profile="documented")
        await press(pilot, "7", "escape", "left")
        assert screen.derived.plan is not None
        assert screen.derived.plan.profile == "documented"
