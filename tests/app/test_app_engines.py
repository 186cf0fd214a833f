"""An engine that another distribution brings, in the app: it plans; one that fails is named and the app goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.app.app import InspectorApp
from inspector.app.saved_state import SavedState
from inspector.app.screens.conversation import ConversationScreen
from inspector.engines import registry
from inspector.stores.detect import open_store
from tests.engines.test_truncation import _ENGINE, _METADATA, _POINTS
from tests.stores import writer
from widgets.bars.notes_bar import NotesBar


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The distribution halves-engine, installed in a folder of its own."""
    (tmp_path / "halves_engine.py").write_text(_ENGINE)
    info = tmp_path / "halves_engine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_METADATA)
    (info / "entry_points.txt").write_text(_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    registry._others.cache_clear()
    registry._loaded.cache_clear()
    yield
    registry._others.cache_clear()
    registry._loaded.cache_clear()
    sys.modules.pop("halves_engine", None)


@pytest.mark.usefixtures("other_package")
async def test_an_engine_of_another_package_plans_and_a_broken_one_is_named(tmp_path: Path) -> None:
    store = open_store(writer.simple(tmp_path / "state.db", sessions=1, turns=12))
    (row,) = store.conversations()
    app = InspectorApp(store, place=SavedState(folder=tmp_path / "place"), name=row.id)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, ConversationScreen)
        before = screen.plan
        assert before is not None
        screen.change(profile="halves")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.plan is not None
        assert (screen.plan.profile, screen.plan.head_end) == ("halves", 1)
        for broken in ("broken", "unloadable"):
            screen.change(profile=broken)
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert any(f"The engine {broken}" in text for text in screen.query_one(NotesBar).sentences)
        screen.change(profile=before.profile)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.plan.profile == before.profile
        assert app.is_running
