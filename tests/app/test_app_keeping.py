"""Persistent state: remembered settings, dismissed notes, copies, files and programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.app.conversation.opening import first_settings
from inspector.config.folders import state_dir
from inspector.core.errors import StoreMissing
from inspector.engines.base import Settings
from inspector.stores.base import Store
from tests.app.running import (
    CHECKOUT,
    compacted,
    conversation,
    conversations,
    cursor,
    notes,
    press,
    rows,
    running,
    settled,
    title,
    told,
    until,
)
from widgets.bars.notes_bar import NotesBar


async def test_dismissed_notes_do_not_come_back(tmp_path: Path) -> None:
    path = compacted(tmp_path / "state.db")
    async with running(path, "s0") as pilot:
        screen = conversation(pilot)
        screen.show_notes("Something is worth knowing.", "Something is worth knowing.")
        await settled(pilot)
        assert notes(pilot).count("Something is worth knowing.") == 1
        await press(pilot, "escape")
        assert notes(pilot) == ()
        screen.show_notes("Something is worth knowing.")
        assert notes(pilot) == ()
        screen.show_notes("Another thing.")
        await settled(pilot)
        await pilot.click("#note")
        await settled(pilot)
        assert notes(pilot) == ()
        await press(pilot, "escape")
        conversations(pilot)


async def test_settings_message_pane_and_theme_last_between_runs(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, "ctrl+t", "6", "right", "escape", "[", "2", "escape", "down", "q")
        wanted = rows(pilot).generation.ids[cursor(pilot)]
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        assert pilot.app.theme == "inspector-light"
        assert screen.panes.current == "compaction"
        assert (screen.state.generation, screen.state.compaction) == (4, 3)
        assert rows(pilot).generation.ids[cursor(pilot)] == wanted
        assert screen.state.settings.threshold == pytest.approx(0.51)
        assert "changed: threshold 51%" in title(pilot)
        await press(pilot, "ctrl+z", "q")
    async with running(rotating, CHECKOUT) as pilot:
        assert "changed" not in title(pilot)


@pytest.mark.slow
async def test_the_settings_a_of_a_comparison_are_remembered(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, "=", "escape", "enter")
        kept = conversation(pilot).state.kept
        assert kept is not None
        assert kept == conversation(pilot).state.tuning


@pytest.mark.parametrize(
    "kept",
    [{"threshold": "x"}, {"profile": "nobody's"}, {"threshold": 7}, {"protect_last_n": None}, {"profile": 3}],
)
def test_invalid_remembered_settings_are_ignored(kept: dict[str, object]) -> None:
    force = Settings(profile="hermes-0.13")
    assert first_settings(force, kept, {}) == force


def test_a_flag_has_priority_over_a_remembered_setting() -> None:
    kept = {"threshold": 0.6, "target_ratio": 0.3}
    found = first_settings(Settings(threshold=0.7), kept, {"threshold": 0.7})
    assert (found.threshold, found.target_ratio) == (0.7, 0.3)


async def test_copies_go_to_the_clipboard_and_to_a_file(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        copied = state_dir() / "copied.txt"
        await press(pilot, "ctrl+y")
        assert pilot.app.clipboard.startswith("# hermes-0.13")
        await press(pilot, "Y")
        assert "Active Task" in pilot.app.clipboard
        await press(pilot, "y")
        assert pilot.app.clipboard.startswith("refunds and emails are done")
        assert copied.read_text(encoding="utf-8") == pilot.app.clipboard
        await press(pilot, "3", "y")
        assert "Active Task" in pilot.app.clipboard
        assert "text of the pane" in told(pilot)[-1]


async def test_a_message_of_a_deleted_file_is_not_copied(tmp_path: Path) -> None:
    path = compacted(tmp_path / "state.db")
    async with running(path, "s0") as pilot:
        path.unlink()
        await press(pilot, "y")
        assert told(pilot)[-1] == "There is no message to copy here."
        assert any("no file at" in note for note in notes(pilot))
        await press(pilot, "o")
        assert told(pilot)[-1] == "There is no message to open here."
        await press(pilot, "T", "escape", *"12345678", "[", "]", "space", "x", "v")
        assert pilot.app.return_code in (None, 0)


async def test_a_problem_is_shown_below_the_help_as_long_as_it_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_: Store) -> int:
        raise StoreMissing("There is no file any more.")

    path = compacted(tmp_path / "state.db")
    async with running(path, "s0") as pilot:
        screens = (pilot.app.screen_stack[0], conversation(pilot))
        told_by = [screen.query_one(NotesBar) for screen in screens]
        await press(pilot, "?")
        with monkeypatch.context() as patch:
            patch.setattr(type(screens[1].store), "version", gone)
            pilot.app._watch()  # type: ignore[attr-defined]
            await until(pilot, lambda: all("There is no file any more." in bar.sentences for bar in told_by))
        await press(pilot, "escape")
        assert pilot.app.screen is screens[1]
        pilot.app._watch()  # type: ignore[attr-defined]
        await until(pilot, lambda: not any(bar.sentences for bar in told_by))


async def test_missing_programs_are_named(rotating: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "/nowhere/pager -x")
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, "o")
        assert told(pilot)[-1] == "There is no program '/nowhere/pager -x'. Set $PAGER to another one."
        monkeypatch.setenv("PAGER", "less 'quietly")
        await press(pilot, "o")
        assert told(pilot)[-1] == '$PAGER is "less \'quietly": No closing quotation.'
        monkeypatch.setenv("PAGER", "true")
        await press(pilot, "o")
        assert told(pilot)[-1] == "Another program cannot take over this terminal; y copies the message."


def test_all_settings_are_remembered() -> None:
    from inspector.engines.settings import SETTING_NAMES

    assert set(SETTING_NAMES) == set(Settings.__struct_fields__)


def test_every_changed_setting_is_used_again() -> None:
    kept = {"tail_mode": "legacy", "threshold_cap": None, "min_tail_user_messages": 3}
    settings = first_settings(Settings(threshold_cap=90_000), kept, {})
    assert (settings.tail_mode, settings.threshold_cap, settings.min_tail_user_messages) == (
        "legacy",
        None,
        3,
    )
