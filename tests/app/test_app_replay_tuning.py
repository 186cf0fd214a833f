"""Tuning with the whole conversation: size of summaries, A and B, undo, export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from inspector.app.conversation.resources import RUNS
from inspector.core.errors import OutputProblem, StoreError
from inspector.engines.settings import difference
from inspector.export.writing import write_file
from tests.app.running import conversation, latest, notes, press, running, screen_text, told, write
from tests.conftest import ROOT
from widgets.panes.knob_values import KNOBS
from widgets.panes.knobs import Knobs
from widgets.panes.run_lines import ReplayView
from widgets.panes.what_if_pane import WhatIfPane

ORDERS = "Nightly orders import loses rows"
SIZE_KNOB = len(KNOBS) - 1


@pytest.mark.slow
async def test_the_size_of_summaries_is_a_knob(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "6", *["down"] * SIZE_KNOB)
        recorded = latest(pilot, RUNS).run.metrics
        pane = screen.query_one(WhatIfPane)
        assert "3 compactions" in pane.figures.text
        await press(pilot, "enter", *"9000", "enter")
        assert screen.state.summary_size == 9_000
        large = latest(pilot, RUNS).run.metrics
        assert large.mean_tokens > recorded.mean_tokens
        await press(pilot, "enter", *"50", "percent_sign", "enter")
        assert screen.state.summary_size == 0.5
        assert latest(pilot, RUNS).run.metrics.mean_tokens < large.mean_tokens
        assert "Summaries of the what-if have 50% of their budget" in pane.body.text
        await press(pilot, "ctrl+z")
        assert screen.state.summary_size == 9_000
        await press(pilot, "ctrl+z")
        assert screen.state.summary_size is None
        assert latest(pilot, RUNS).run.metrics == recorded
        await press(pilot, "ctrl+z")
        assert told(pilot)[-1] == "No setting was changed."


async def test_the_run_of_one_profile_is_not_shown_under_the_name_of_another(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "6")
        shown: list[ReplayView | None] = []
        pane = screen.query_one(WhatIfPane)
        pane.set_run = shown.append  # type: ignore[method-assign]
        screen.tuner.change(profile="truncation")
        await press(pilot)
        assert shown[0] is None
        assert shown[-1] is not None


async def test_a_is_kept_next_to_b_and_they_can_be_swapped(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "backslash")
        assert any("No settings are kept" in text for text in told(pilot))
        before = screen.state.settings
        await press(pilot, "6", "escape", "equals_sign")
        screen.tuner.change(context_length=90_000)
        await press(pilot)
        pane = screen.query_one(WhatIfPane)
        view = pane.run
        assert view is not None
        assert [run.name for run in view.runs] == ["recorded", "A", "B"]
        assert view.runs[0].metrics.compactions == view.runs[1].metrics.compactions == 3
        assert view.runs[2].metrics.peak_tokens != view.runs[1].metrics.peak_tokens
        assert view.graph.kept != view.graph.whatif
        assert "◦" in screen_text(pilot)
        after = screen.state.settings
        await press(pilot, "backslash")
        assert screen.state.settings == before
        assert screen.state.kept is not None
        assert screen.state.kept[0] == after
        await press(pilot, "backslash", "equals_sign", "equals_sign")
        assert screen.state.kept is None
        view = pane.run
        assert view is not None
        assert [run.name for run in view.runs] == ["recorded", "what-if"]


async def test_the_lines_of_a_and_b_have_only_settings_that_the_profile_uses() -> None:
    async with running(ROOT / "fixtures" / "agents", "Harbor importer", size=(160, 48)) as pilot:
        await press(pilot, "6", "l", "equals_sign", "l")
        view = conversation(pilot).query_one(WhatIfPane).run
        assert view is not None
        kept, now = (note for note in view.notes if note.startswith(("A  ", "B  ")))
        assert kept.startswith("A  claude-code-2.1.216, threshold ")
        assert kept.count(",") == now.count(",") == 1


async def test_settings_are_recommended_with_their_reasons(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        before = screen.state.settings
        await press(pilot, "6", "ctrl+o")
        messages = [text for text in told(pilot) if text.startswith(("Keep the settings", "Recommended:"))]
        assert len(messages) == 1
        if screen.state.settings == before:
            assert messages[0].startswith("Keep the settings in force.")
        else:
            assert "ctrl+z goes back" in messages[0]
            await press(pilot, "ctrl+z")
            assert screen.state.settings == before


async def test_a_recommendation_names_the_settings_that_it_changes() -> None:
    async with running(ROOT / "fixtures" / "agents" / "goose", size=(140, 40)) as pilot:
        await press(pilot, "enter")
        before = conversation(pilot).state.settings
        await press(pilot, "ctrl+o")
        (named,) = (text.split(". ")[0] for text in told(pilot) if text.startswith("Recommended: "))
        assert named == "Recommended: threshold 30%"
        assert difference(conversation(pilot).state.settings, before) == {"threshold": 0.3}


async def test_the_pane_begins_with_how_well_the_recording_is_reproduced(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "6")
        view = conversation(pilot).query_one(WhatIfPane).run
        assert view is not None
        assert view.notes[0].startswith("The settings in force reproduce 3 of 3 recorded compactions")
        assert len(view.graph.low) == len(view.graph.high) == len(view.graph.whatif)


async def test_a_read_that_fails_is_told_in_the_pane(in_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspector.answers import recordings

    reading = recordings.read_recording

    def read(inspection: Any, profile: str, watch: Any) -> Any:
        if profile == "truncation":
            raise StoreError("The messages cannot be read.")
        return reading(inspection, profile, watch)

    monkeypatch.setattr(recordings, "read_recording", read)
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "6")
        screen, pane = conversation(pilot), conversation(pilot).query_one(WhatIfPane)
        screen.tuner.change(profile="truncation")
        await press(pilot)
        assert pane.figures.text == "The messages cannot be read."
        assert notes(pilot) == ("The messages cannot be read.",)
        await press(pilot, "ctrl+z")
        assert pane.run is not None
        assert "cannot be read" not in pane.figures.text


@pytest.mark.parametrize("between", ["documented", "hermes-0.19"], ids=["read now", "read before"])
async def test_a_read_that_works_again_is_shown(
    in_place: Path, monkeypatch: pytest.MonkeyPatch, between: str
) -> None:
    from inspector.answers import recordings

    reading, failures = recordings.read_recording, [StoreError("The messages cannot be read.")]

    def read(inspection: Any, profile: str, watch: Any) -> Any:
        if profile == "truncation" and failures:
            raise failures.pop()
        return reading(inspection, profile, watch)

    monkeypatch.setattr(recordings, "read_recording", read)
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "6")
        screen, pane = conversation(pilot), conversation(pilot).query_one(WhatIfPane)
        for profile in ("truncation", between, "truncation"):
            screen.tuner.change(profile=profile)
            await press(pilot)
        assert pane.run is not None
        assert "cannot be read" not in pane.figures.text


@pytest.mark.slow
async def test_a_may_be_of_another_profile(in_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspector.answers import recordings

    read: list[str] = []
    reading = recordings.read_recording
    monkeypatch.setattr(
        recordings,
        "read_recording",
        lambda inspection, profile, watch: (read.append(profile), reading(inspection, profile, watch))[1],
    )
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "6", "escape", "equals_sign")
        before = latest(pilot, RUNS).run
        screen.tuner.change(profile="documented")
        await press(pilot)
        for length in (70_000, 80_000, 90_000):
            screen.tuner.change(context_length=length)
            await press(pilot)
        kept = latest(pilot, RUNS).kept
        assert kept is not None
        assert kept.metrics == before.metrics
        assert {name: read.count(name) for name in set(read)} == {"hermes-0.19": 1, "documented": 1}


@pytest.mark.slow
async def test_the_settings_found_are_exported(in_place: Path, tmp_path: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "equals_sign")
        screen.tuner.change(threshold=0.95)
        await press(pilot, "6", "ctrl+r")
        text = pilot.app.clipboard
        assert "Nightly orders import loses rows" in text
        assert "recorded" in text
        assert "threshold" in text
        assert "A, for " in text
        assert "config.yaml" in text
        assert "http" not in text
        for name in ("found.yaml", "found.txt"):
            await press(pilot, "W")
            await write(pilot, str(tmp_path / name).replace("/", "/"))
            await press(pilot, "enter")
            assert isinstance(screen.focused, Knobs), "the next turn of a knob needs no other key"
        kept = yaml.safe_load((tmp_path / "found.yaml").read_text())
        assert kept["compression"]["threshold"] == 0.95
        assert (tmp_path / "found.txt").read_text() == text
        before = sorted(in_place.parent.iterdir())
        for path in (in_place.parent / "config.yaml", tmp_path / "found.txt"):
            await press(pilot, "W")
            screen.question.value = str(path)
            await press(pilot, "enter", "escape")
        assert sorted(in_place.parent.iterdir()) == before
        assert any("holds the agent's settings" in line for line in told(pilot))
        assert any("is there already" in line for line in told(pilot))
        await press(pilot, "W", "escape")
        assert not screen.query_one("#question").display
        assert isinstance(screen.focused, Knobs)


@pytest.mark.slow
async def test_an_existing_file_is_overwritten_after_confirmation(in_place: Path, tmp_path: Path) -> None:
    target = tmp_path / "there.yaml"
    target.write_text("mine")
    async with running(in_place, ORDERS) as pilot:
        box = conversation(pilot).question
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


async def test_a_threshold_that_only_the_compactions_show_is_named() -> None:
    async with running(ROOT / "fixtures" / "agents" / "cline", "1791990000000", size=(160, 48)) as pilot:
        await press(pilot, "6")
        pane = conversation(pilot).query_one(WhatIfPane)
        assert "shown by one recorded compaction (161,060 tokens" in pane.body.text
        assert "all messages of the list would stay" in pane.body.text


async def test_changed_settings_are_shown_as_lines_of_the_configuration(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(160, 48)) as pilot:
        await press(pilot, "6")
        body = conversation(pilot).query_one(WhatIfPane).body
        assert "config.yaml" not in body.text
        await press(pilot, "l")
        assert "for config.yaml (ctrl+y copies these lines, W writes them to a new file):" in body.text
        assert "threshold: 0.51  # was 0.5" in body.text
        assert "threshold: 0.51" in screen_text(pilot)
        await press(pilot, "R")
        assert "config.yaml" not in body.text
    async with running(ROOT / "fixtures" / "agents", "Write the schedule", size=(160, 48)) as pilot:
        await press(pilot, "6", "l")
        assert "No setting of gemini is known" in conversation(pilot).query_one(WhatIfPane).body.text
