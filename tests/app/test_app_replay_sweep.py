"""The sweep screen: cells equal what-ifs, moving, taking, ranges, cancelling, exports, every size."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.widgets import Input

from inspector.answers import sweeping
from inspector.app.sweep.grid import settings_words
from inspector.app.sweep.screen import SweepScreen
from inspector.app.sweep.subject import SweepState
from inspector.engines.base import Settings
from inspector.replay.axes import SWEPT, axes_of, default_axis, nearest
from inspector.replay.run import run_course
from inspector.replay.sweep import Axis
from tests.app.conftest import MakeApp
from tests.app.running import Test, conversation, press, running, screen_text, settled, title, told, write
from tests.conftest import ROOT
from tests.examples import also
from tests.recipes import recipe
from widgets.lists.heat_map import ALIKE, BEST, FORCE, NOW, SAME, HeatMap
from widgets.panes.token_graph import TokenGraph

ORDERS = "Nightly orders import loses rows"


def on_sweep(pilot: Test) -> SweepScreen:
    assert isinstance(pilot.app.screen, SweepScreen)
    return pilot.app.screen


def heat(pilot: Test) -> HeatMap:
    return on_sweep(pilot).query_one(HeatMap)


async def test_a_cell_shows_its_run_and_is_taken(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        before = conversation(pilot).state.settings
        await press(pilot, "v")
        screen, grid = on_sweep(pilot), heat(pilot)
        assert screen.swept is not None
        assert screen.swept.complete
        assert grid.cursor == grid.state.now == grid.state.force
        text = screen_text(pilot)
        assert all(sign in text for sign in (NOW, FORCE, BEST, SAME, "identical to threshold"))
        await press(pilot, "right", "right", "down", "m", "m")
        row, column = grid.cursor
        wanted = screen.settings_of(row, column)
        run = run_course(screen.subject.recording.course, wanted, screen.subject.model)
        assert screen.swept.cells["peak_tokens"][row][column] == run.metrics.peak_tokens
        assert screen.query_one(TokenGraph).state.whatif == run.tokens
        assert screen.state.metric == "peak_tokens"
        assert ALIKE in screen_text(pilot)
        await press(pilot, "end")
        best = screen.swept.best("peak_tokens")
        assert grid.cursor == (best.row, best.column)
        await press(pilot, "home", "right", "right", "down", "enter")
        assert conversation(pilot).state.settings == wanted != before
        await press(pilot, "ctrl+z")
        assert conversation(pilot).state.settings == before


async def test_a_mark_of_settings_that_no_cell_has_is_called_the_nearest(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "v")
        assert f"{NOW} on screen {FORCE} in force" in " ".join(screen_text(pilot).split())
        await press(pilot, "escape", "6", "l", "v")
        grid = heat(pilot)
        assert grid.state.now == grid.state.force
        assert f"{NOW} on screen (nearest) {FORCE} in force" in " ".join(screen_text(pilot).split())


def test_settings_that_no_cell_is_near_have_no_mark() -> None:
    state = SweepState(*axes_of("threshold=0.8,0.85,0.9 target_ratio=0.2,0.3"))
    words = settings_words(state, Settings(threshold=0.5), Settings(threshold=0.85, target_ratio=0.2))
    assert words == f"{NOW} on screen (outside)  {FORCE} in force"


async def test_a_narrow_sweep_has_short_names_and_names_the_metric_in_full(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(80, 24)) as pilot:
        await press(pilot, "v")
        assert title(pilot).startswith("Sweep: compactions ─ ")
        bar = on_sweep(pilot).query_one("#sweep-metric").render_line(0).text
        assert bar.split()[-6:] == ["summ.", "again", "user", "USD", "facts", "constr."]
        assert f"{NOW} on screen" in screen_text(pilot)
        assert f"{SAME} identical" in screen_text(pilot), "the meaning of each mark has room"
        await press(pilot, "M")
        assert title(pilot).startswith("Sweep: constraints at risk ─ ")


async def test_a_wide_sweep_marks_every_metric_that_is_not_chosen(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(160, 40)) as pilot:
        await press(pilot, "v")
        bar = on_sweep(pilot).query_one("#sweep-metric").render_line(0).text
        assert bar.split()[1] == "●"
        assert bar.count("○") == 10
        assert bar.rstrip().endswith("○ constraints at risk")


@pytest.mark.slow
async def test_other_knobs_and_typed_ranges(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "v")
        screen = on_sweep(pilot)
        seen = {screen.state.columns.name}
        for _ in range(len(SWEPT)):
            await press(pilot, "x")
            assert screen.state.columns.name != screen.state.rows.name
            assert screen.swept is not None
            seen.add(screen.state.columns.name)
        assert seen == set(SWEPT) - {"threshold"}
        await press(pilot, "y", "r")
        await write(pilot, "context_length=60000,120000 protect_last_n=5:20:5")
        await press(pilot, "enter")
        assert (screen.state.rows, screen.state.columns) == (
            Axis("context_length", (60_000, 120_000)),
            Axis("protect_last_n", (5, 10, 15, 20)),
        )
        assert screen.swept is not None
        assert screen.swept.rows == screen.state.rows
        await press(pilot, "r")
        await write(pilot, "threshold=9")
        await press(pilot, "enter")
        assert any("must lie between" in text for text in told(pilot))
        box = screen.query_one("#question", Input)
        assert (box.display, box.value) == (True, "threshold=9"), "what was typed can be mended"
        await press(pilot, "escape")
        assert not screen.query_one("#question").display


@pytest.mark.slow
async def test_equal_cells_are_noted(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "v", "r")
        await write(pilot, "threshold=0.98,0.99 target_ratio=0.2")
        await press(pilot, "enter")
        assert heat(pilot).state.best is None
        assert "all cells are equal by this metric" in " ".join(screen_text(pilot).split())
        await press(pilot, "r")
        await write(pilot, "threshold=0.3,0.5,0.95 target_ratio=0.1,0.8")
        await press(pilot, "enter")
        found = on_sweep(pilot).swept
        assert found is not None
        least = min(min(line) for line in found.cells["compactions"])
        count = sum(line.count(least) for line in found.cells["compactions"])
        assert 1 < count < 6
        assert heat(pilot).state.best is not None
        assert f"{BEST} best ({count} cells are equal)" in screen_text(pilot)


@pytest.mark.slow
async def test_over_all_conversations_and_those_of_the_filter(demo: MakeApp) -> None:
    app = demo()
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"orders", "enter", "enter", "v")
        screen = on_sweep(pilot)
        shown = len(screen.subject.filtered)
        assert 0 < shown < len(screen.subject.every) == 10
        await press(pilot, "o")
        assert screen.state.scope == "filter"
        assert screen.swept is not None
        assert screen.swept.conversations == shown
        await press(pilot, "o")
        assert screen.state.scope == "all"
        assert screen.swept.conversations == 10
        assert "over 10 conversations" in screen_text(pilot)


async def test_cancelling_keeps_finished_cells(in_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "v")
        screen = on_sweep(pilot)
        grid = sweeping._grid

        def one(*words: object) -> object:
            asked.append(1)
            if len(asked) == 2:
                pilot.app.call_from_thread(screen.action_back)
            return grid(*words)  # type: ignore[arg-type]

        monkeypatch.setattr(sweeping, "_grid", one)
        await press(pilot, "o")
        assert not screen.running
        assert screen.swept is not None
        assert not screen.swept.complete
        assert 1 <= screen.swept.conversations <= 2 < len(screen.subject.every)
        assert "Cancelled." in screen_text(pilot)
        await press(pilot, "escape")
        assert conversation(pilot)


@pytest.mark.slow
async def test_tables_are_written(in_place: Path, tmp_path: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "v")
        screen = on_sweep(pilot)
        for name in ("found.csv", "found.json"):
            await press(pilot, "W")
            await write(pilot, str(tmp_path / name))
            await press(pilot, "enter")
        table = list(csv.DictReader(io.StringIO((tmp_path / "found.csv").read_text())))
        assert len(table) == 64
        document = json.loads((tmp_path / "found.json").read_text())
        assert document["axes"] == ["threshold", "target_ratio"]
        assert screen.swept is not None
        cell = screen.swept.cells["peak_tokens"][0][0]
        assert document["metrics"]["peak_tokens"][0][0] == float(table[0]["peak_tokens"]) == cell
        await press(pilot, "W")
        await write(pilot, str(in_place.parent / "config.yaml"))
        await press(pilot, "enter")
        assert any("holds the agent's settings" in text for text in told(pilot))


@pytest.mark.parametrize("size", also((80, 24), (160, 48), (50, 14)))
async def test_the_map_fits_every_size(in_place: Path, size: tuple[int, int]) -> None:
    async with running(in_place, ORDERS, size=size) as pilot:
        await press(pilot, "v")
        for _ in range(9):
            await press(pilot, "right")
        assert heat(pilot).cursor[1] == 7
        assert "80%" in screen_text(pilot)
        for _ in range(9):
            await press(pilot, "down")
        assert heat(pilot).cursor[0] == 7
        assert "90%" in screen_text(pilot)
        assert "m Metric" in screen_text(pilot) or size[0] < 80


async def test_a_sweep_begins_with_settings_that_the_profile_uses() -> None:
    async with running(ROOT / "fixtures" / "agents", "Harbor importer") as pilot:
        await press(pilot, "v")
        screen = on_sweep(pilot)
        assert screen.swept is not None
        assert (screen.state.rows.name, screen.state.columns.name) == ("threshold", "context_length")
        assert "is not used by" not in screen_text(pilot)


@pytest.mark.slow
async def test_truncation_is_swept_like_any_profile(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        conversation(pilot).tuner.change(profile="truncation")
        await press(pilot, "v")
        found = on_sweep(pilot).swept
        assert found is not None
        assert found.complete
        assert len({count for line in found.cells["compactions"] for count in line}) > 1


def test_axes() -> None:
    from inspector.core.errors import UsageProblem
    from inspector.engines.base import Settings

    assert nearest(Axis("threshold", (0.2, 0.4)), 0.31) == 1
    assert nearest(Axis("threshold", (0.2, 0.4)), 0.9) is None
    assert nearest(Axis("max_tokens", (0, 10)), None) is None
    for name in SWEPT:
        axis = default_axis(name, Settings())
        assert len(axis.values) == len(set(axis.values)) == 8
    for text in ("", "threshold=0.5", "threshold=0.5 threshold=0.6", "colour=1 threshold=2", "threshold"):
        with pytest.raises(UsageProblem):
            axes_of(text)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(160, 48), (80, 24)])
async def test_the_curve_of_a_cell_is_of_the_open_conversation(rotating: Path, size: tuple[int, int]) -> None:
    async with running(rotating, "Numbers for the weekly report", size=size) as pilot:
        await press(pilot, "v")
        curve = on_sweep(pilot).query_one(TokenGraph).state.whatif
        assert "in Numbers for the weekly report" in screen_text(pilot)
        await press(pilot, "o")
        assert on_sweep(pilot).state.scope == "all"
        assert "in Numbers for the weekly report" in screen_text(pilot)
        assert on_sweep(pilot).query_one(TokenGraph).state.whatif == curve


@pytest.mark.slow
async def test_facts_that_come_before_the_screen_is_there_are_counted(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        await press(pilot, "v")
        before = on_sweep(pilot)
        assert before.facts is not None
        early = SweepScreen(replace(before.subject, facts=None), before.take)
        early.take_facts(before.facts)
        pilot.app.push_screen(early)
        await settled(pilot)
        assert early.swept is not None
        assert early.swept.cells["facts_at_risk"] == before.swept.cells["facts_at_risk"]  # type: ignore[union-attr]


async def test_a_sweep_names_the_compactions_that_it_leaves_out(tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    for number in range(2):
        made = lines.Session(f"5e55a000-0000-4000-8000-00000000005{number}")
        made.compact(lines.nine_sections(Primary=["Read the berths."]), before=167_412, after=9_000)
        for berth in range(4):
            made.user(f"Read berth {berth}.")
            made.answer(lines.text("Read."), written=900)
        made.write(tmp_path / f"{number}.jsonl")
    async with running(tmp_path, made.session, size=(200, 48)) as pilot:
        await press(pilot, "v")
        sentence = "left out: the list before is not recorded, and runs have no such summary."
        assert f"1 compaction is {sentence}" in screen_text(pilot)
        await press(pilot, "o")
        assert on_sweep(pilot).state.scope == "all"
        assert f"2 compactions are {sentence}" in screen_text(pilot)
