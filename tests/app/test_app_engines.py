"""Engines of another distribution in the app: plans and replays; a failing engine is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.app.conversation.resources import RUNS
from inspector.app.saved_state import SavedState
from inspector.stores.detect import open_store
from tests.app.running import app_on, conversation, latest, notes, plan, press, running, settled
from tests.examples import also
from tests.stores import writer

ORDERS = "Nightly orders import loses rows"
CHINESE = "小程序首页改版"


@pytest.mark.usefixtures("halves_engine")
async def test_an_engine_of_another_package_plans_and_a_broken_one_is_named(tmp_path: Path) -> None:
    store = open_store(writer.simple(tmp_path / "state.db", sessions=1, turns=12))
    (row,) = store.conversations()
    app = app_on(store, SavedState(folder=tmp_path / "place"), name=row.id)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen, before = conversation(pilot), plan(pilot)
        screen.tuner.change(profile="halves")
        await settled(pilot)
        assert (plan(pilot).profile, plan(pilot).head_end) == ("halves", 1)
        for broken in ("broken", "unloadable"):
            screen.tuner.change(profile=broken)
            await settled(pilot)
            assert any(f"The engine {broken}" in text for text in notes(pilot))
        screen.tuner.change(profile=before.profile)
        await settled(pilot)
        assert plan(pilot).profile == before.profile
        assert app.is_running


@pytest.mark.usefixtures("halves_engine")
@pytest.mark.parametrize("profile", also("halves", "words"))
async def test_an_engine_of_another_package_replays(rotating: Path, profile: str) -> None:
    async with running(rotating, CHINESE, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        screen.tuner.change(profile=profile, context_length=60_000)
        await press(pilot, "6", "escape", "left")
        at = screen.state.moment
        assert at is not None
        assert (plan(pilot).profile, plan(pilot).length) == (profile, at.length)
        run = latest(pilot, RUNS).run
        assert run.settings.profile == profile
        assert run.events


@pytest.mark.usefixtures("halves_engine")
async def test_a_replay_names_a_failing_engine_and_continues(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "left")
        screen.tuner.change(profile="broken")
        await press(pilot, "6")
        assert any("The engine broken failed" in text for text in notes(pilot))
        screen.tuner.change(profile="documented")
        await press(pilot, "6", "escape", "left")
        assert plan(pilot).profile == "documented"
