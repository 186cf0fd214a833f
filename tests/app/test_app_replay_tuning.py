"""Tuning with the whole conversation: summaries' size, A and B, undo, what is carried off."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from textual.widgets import Input
from widgets.panes.replay_pane import ReplayPane

from inspector.core.errors import OutputProblem
from inspector.export.writing import write_file
from tests.app.running import conversation, press, running, screen_text, told, write
from widgets.panes.knob_values import KNOBS

ORDERS = "Nightly orders import loses rows"
SIZE_KNOB = len(KNOBS) - 1


async def test_the_size_of_summaries_is_a_knob(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "5", *["down"] * SIZE_KNOB)
        assert screen.run_now is not None
        recorded = screen.run_now.metrics
        assert "The whole conversation: 3 compactions" in screen_text(pilot)
        await press(pilot, *"9000", "enter")
        assert screen.summary_size == 9_000
        large = screen.run_now.metrics
        assert large.mean_tokens > recorded.mean_tokens
        await press(pilot, *"50", "percent_sign", "enter")
        assert screen.summary_size == 0.5
        assert screen.run_now.metrics.mean_tokens < large.mean_tokens
        await press(pilot, "escape", "7", "escape")
        assert "50% of the budget of the rules" in screen.query_one(ReplayPane)._headline.text
        await press(pilot, "ctrl+z")
        assert screen.summary_size == 9_000
        await press(pilot, "ctrl+z")
        assert screen.summary_size is None
        assert screen.run_now.metrics == recorded


async def test_a_is_kept_beside_b_and_they_change_places(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "backslash")
        assert any("Nothing is kept" in text for text in told(pilot))
        before = screen.settings
        await press(pilot, "7", "escape", "equals_sign")
        screen.change(context_length=90_000)
        await press(pilot)
        pane = screen.query_one(ReplayPane)
        view = pane._view
        assert view is not None
        assert [run.name for run in view.runs] == ["recorded", "A", "B"]
        assert view.runs[0].compactions == view.runs[1].compactions == 3
        assert view.runs[2].peak != view.runs[1].peak
        assert view.graph.kept != view.graph.whatif
        assert "◦" in screen_text(pilot)
        after = screen.settings
        await press(pilot, "backslash")
        assert screen.settings == before
        assert screen.kept is not None
        assert screen.kept[0] == after
        await press(pilot, "backslash", "equals_sign", "equals_sign")
        assert screen.kept is None
        view = pane._view
        assert view is not None
        assert [run.name for run in view.runs] == ["recorded", "what-if"]


async def test_a_may_be_of_another_profile(in_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspector.app.screens import replaying

    read: list[str] = []
    record = replaying.read_recording
    monkeypatch.setattr(
        replaying,
        "read_recording",
        lambda inspection, profile, watch: (read.append(profile), record(inspection, profile, watch))[1],
    )
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "7", "escape", "equals_sign")
        before = screen.run_now
        screen.change(profile="documented")
        await press(pilot)
        for length in (70_000, 80_000, 90_000):
            screen.change(context_length=length)
            await press(pilot)
        assert before is not None
        assert screen.run_kept is not None
        assert screen.run_kept.metrics == before.metrics
        assert read == ["hermes-0.19"]


async def test_what_was_found_is_carried_off(in_place: Path, tmp_path: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "equals_sign")
        screen.change(threshold=0.95)
        await press(pilot, "7", "ctrl+r")
        text = pilot.app.clipboard
        assert "Nightly orders import loses rows" in text
        assert "recorded" in text
        assert "threshold" in text
        assert "A, for Hermes' config.yaml" in text
        assert "http" not in text
        for name in ("found.yaml", "found.txt"):
            await press(pilot, "W")
            await write(pilot, str(tmp_path / name).replace("/", "/"))
            await press(pilot, "enter")
        kept = yaml.safe_load((tmp_path / "found.yaml").read_text())
        assert kept["compression"]["threshold"] == 0.95
        assert (tmp_path / "found.txt").read_text() == text
        before = sorted(in_place.parent.iterdir())
        screen._write(in_place.parent / "config.yaml")
        screen._write(tmp_path / "found.txt")
        await press(pilot)
        assert sorted(in_place.parent.iterdir()) == before
        assert any("holds the agent's settings" in line for line in told(pilot))
        assert any("is there already" in line for line in told(pilot))
        await press(pilot, "W", "escape")
        assert not screen.query_one("#write").display


async def test_a_file_that_is_there_is_overwritten_when_it_is_asked_for_twice(
    in_place: Path, tmp_path: Path
) -> None:
    target = tmp_path / "there.yaml"
    target.write_text("mine")
    async with running(in_place, ORDERS) as pilot:
        box = conversation(pilot).query_one("#write", Input)
        await press(pilot, "W")
        await write(pilot, f"{tmp_path}/gone/x.yaml")
        await press(pilot, "enter")
        assert box.display, "the name can be mended"
        assert "There is no folder" in told(pilot)[-1]
        box.value = str(target)
        await press(pilot, "enter")
        assert told(pilot)[-1] == f"{target} is there already. Enter once more overwrites it."
        assert target.read_text() == "mine"
        await press(pilot, "enter")
        assert "compression:" in target.read_text()
        assert not box.display
        target.write_text("mine again")
        await press(pilot, "W")
        box.value = str(target)
        await press(pilot, "enter", "escape")
        assert target.read_text() == "mine again", "asked about anew"


def test_nothing_is_written_where_hermes_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / ".hermes").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "hermes"))
    database = tmp_path / "data" / "state.db"
    database.parent.mkdir()
    database.touch()
    link = tmp_path / "link.yaml"
    link.symlink_to(home / ".hermes" / "config.yaml")
    refused = [
        home / ".hermes" / "config.yaml",
        home / ".hermes" / "profiles" / "x.txt",
        tmp_path / "hermes" / "a.yaml",
        database.parent / "Config.yaml",
        database.parent / "state.db-wal",
        database.parent / "sub" / ".." / "config.yml",
        link,
        database,
        tmp_path / "missing" / "x.txt",
        tmp_path,
    ]
    for path in refused:
        with pytest.raises(OutputProblem):
            write_file(path, "text", [database])
    write_file(database.parent / "found.yaml", "text", [database])
    assert sorted(path.name for path in database.parent.iterdir()) == ["found.yaml", "state.db"]
    assert not list((home / ".hermes").iterdir())
