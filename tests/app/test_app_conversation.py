"""The conversation screen: lists, jumps, find, panes and knobs."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.answers.answers import Answers
from inspector.app.help.screen import HelpScreen
from inspector.app.panes import HELP, KEYS, NAMES, Panes
from tests.app.running import (
    CHECKOUT,
    conversation,
    conversations,
    cursor,
    messages,
    notes,
    press,
    row,
    running,
    screen_text,
    settled,
    title,
    told,
    write,
)
from widgets.bars.gauge import Gauge
from widgets.bars.pane_tabs import PaneTabs
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Timeline
from widgets.panes.cache_pane import CachePane
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.diff_pane import DiffPane
from widgets.panes.knobs import Knobs
from widgets.panes.message_pane import MessagePane
from widgets.panes.summary_text import SummaryText as SummaryPane


async def test_it_opens_at_the_end_of_the_live_list_with_everything_counted(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        assert (screen.number, cursor(pilot)) == (5, 41)
        assert messages(pilot).has_focus
        assert screen.plan is not None
        assert screen.query_one(Gauge).state.kind == "exact"
        assert screen.query_one(Gauge).state.tokens == sum(screen.rows.exact.values())  # type: ignore[union-attr]
        assert {row(pilot, n).token_kind for n in range(42)} == {"exact"}
        assert title(pilot).startswith(f"{CHECKOUT} ─ ! 1 error, 8 warnings")
        assert screen.query_one(MessagePane)._view.label == "41"  # type: ignore[union-attr]
        assert screen.query_one(MessagePane)._view.token_kind == "exact"  # type: ignore[union-attr]


async def test_without_a_vocabulary_counts_stay_rough_and_it_says_why_once(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspector.tokens.tokenizers import Counter

    absent = Counter("cl100k_base", None, "No vocabulary is at hand.")
    monkeypatch.setattr("inspector.tokens.tokenizers.counter_for", lambda model: absent)
    async with running(rotating, CHECKOUT) as pilot:
        assert conversation(pilot).query_one(Gauge).state.kind == "rough"
        assert row(pilot, 0).token_kind == "rough"
        await press(pilot, "[", "[", "]")
        assert told(pilot) == ["No vocabulary is at hand."]


async def test_compactions_before_and_after(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "[")
        ended = screen.recorded(4)
        assert ended is not None
        assert (screen.number, cursor(pilot)) == (4, ended.head_end)
        flags = [row(pilot, n).flags for n in range(ended.before)]
        assert [n for n, found in enumerate(flags) if "struck" in found] == list(
            range(ended.head_end, ended.tail_start)
        )
        kinds = {(line.kind, line.name, line.index) for line in messages(pilot).boundaries}
        assert ("recorded", "head_end", ended.head_end) in kinds
        assert ("recorded", "tail_start", ended.tail_start) in kinds
        assert ("planned", "head_end", screen.plan.head_end) in kinds  # type: ignore[union-attr]
        assert screen.query_one(RegionBar).recorded is not None
        await press(pilot, "]")
        assert (screen.number, cursor(pilot)) == (5, ended.summary_at)
        assert "summary" in row(pilot, ended.summary_at or 0).flags
        assert screen.query_one(RegionBar).recorded is None
        await press(pilot, "]")
        assert told(pilot)[-1] == "No compaction after this list."
        await press(pilot, "[", "[", "[", "[", "[")
        assert screen.number == 1
        assert told(pilot)[-1] == "No compaction before this list."


async def test_the_compaction_pane_shows_what_went_and_what_came(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "6")
        pane = screen.query_one(CompactionPane)
        recorded = screen.recorded(4)
        assert recorded is not None
        assert pane.messages.has_focus
        assert len(pane._rows) == recorded.before + 1
        assert {bound.kind for bound in pane._view.bounds} == {"recorded", "planned"}  # type: ignore[union-attr]
        assert "Σ" in screen_text(pilot)
        rows = [pane._rows.row(n) for n in range(recorded.before + 1)]
        regions = [found.region for found in rows if found is not None]
        assert regions.count("middle") >= recorded.tail_start - recorded.head_end
        await press(pilot, "J")
        assert pane.messages.cursor == recorded.head_end
        await press(pilot, "enter")
        assert (screen.number, cursor(pilot)) == (4, recorded.head_end)
        assert messages(pilot).has_focus
        await press(pilot, "6", "comma")
        assert screen.number == 3
        await press(pilot, "full_stop")
        assert screen.number == 4


async def test_the_compaction_pane_keeps_its_place_when_settings_change(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "[", "6", "J", "down", "down")
        pane = screen.query_one(CompactionPane)
        before = pane.messages.cursor
        screen.change(target_ratio=0.5)
        await settled(pilot)
        assert pane.messages.cursor == before
        assert "differs" in " ".join(bound.note for bound in pane._view.bounds)  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [(160, 48), (80, 24)])
@pytest.mark.parametrize("pane", NAMES)
async def test_every_pane_is_filled_and_left_by_escape(
    rotating: Path, pane: str, size: tuple[int, int]
) -> None:
    async with running(rotating, CHECKOUT, size=size) as pilot:
        screen = conversation(pilot)
        await press(pilot, KEYS[pane])
        panes = screen.query_one(Panes)
        assert panes.current == pane
        assert screen.query_one(PaneTabs).active == pane
        assert screen.focused in list(panes.pane(pane).walk_children(with_self=True))
        text = screen_text(pilot)
        assert {
            "message": "refunds and emails",
            "summary": "Active Task",
            "diff": "compaction 3 → compaction 4",
            "cache": "breakpoints",
            "tune": "target_ratio",
            "compaction": "Compaction 4 of 4",
            "replay": "recorded",
            "findings": "warning",
            "facts": "compaction 4",
            "lineage": "compaction 4 of 4",
            "measures": "hard constraints" if size[1] > 40 else "open request",
        }[pane] in text
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        assert HELP[pane] in pilot.app.screen.page.about
        await press(pilot, "escape")
        assert panes.current == pane
        await press(pilot, "escape")
        assert messages(pilot).has_focus
        await press(pilot, "escape")
        conversations(pilot)


@pytest.mark.parametrize("pane", ["", *NAMES])
async def test_every_key_of_a_pane_is_survived(in_place: Path, pane: str) -> None:
    """Those of the screen are pressed where no pane has the focus; a pane adds its own."""
    async with running(in_place, "Nightly orders import loses rows", size=(100, 30)) as pilot:
        screen = conversation(pilot)
        panes = screen.query_one(Panes)

        async def at_the_pane() -> None:
            if pane:
                await panes.bring(pane)

        await at_the_pane()
        await settled(pilot)
        outer = (pilot.app, screen) if pane else (pilot.app,)
        keys = {
            key
            for active in screen.active_bindings.values()
            for key in active.binding.key.split(",")
            if (active.binding.id or "").count(".") and active.node not in outer
        }
        for key in sorted(keys - {"escape", "o", "e", "slash", "v"}):
            await press(pilot, key)
            await at_the_pane()
            assert pilot.app.screen is screen, key
        assert not [note for note in notes(pilot) if "went wrong" in note]


async def test_jumps(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        roles = screen.rows.generation.roles  # type: ignore[union-attr]
        users = [n for n, role in enumerate(roles) if role == 0]
        await press(pilot, "home")
        for wanted in users:
            await press(pilot, "u")
            assert cursor(pilot) == wanted
        await press(pilot, "u")
        assert told(pilot)[-1] == "No user message after this message."
        await press(pilot, "U")
        assert cursor(pilot) == users[-2]
        places = sorted({line.index for line in messages(pilot).boundaries if line.index is not None})
        await press(pilot, "home", "b")
        assert cursor(pilot) == places[0]
        await press(pilot, "end", "B")
        assert cursor(pilot) == places[-1]
        await press(pilot, "x")
        assert told(pilot)[-1] == "No tool error after this message."
        await press(pilot, "[", "[", "[", "[", "home", "x")
        assert cursor(pilot) == 24
        assert "error" in row(pilot, 24).flags
        await press(pilot, "x")
        assert cursor(pilot) == 42
        await press(pilot, "X", "X")
        assert cursor(pilot) == 24
        assert told(pilot)[-1] == "No tool error before this message."


async def test_find_walks_through_the_hits_and_marks_them_in_the_text(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "n")
        assert "Nothing is looked for yet" in told(pilot)[-1]
        await press(pilot, "home", "slash")
        await write(pilot, "REFUND")
        await press(pilot, "enter")
        assert screen._hits is not None
        hits = screen._hits[1]
        assert len(hits) > 3
        assert cursor(pilot) == hits[0]
        assert messages(pilot).highlight == "REFUND"
        await press(pilot, "n", "n", "N")
        assert cursor(pilot) == hits[1]
        body = screen.query_one(MessagePane).body
        assert body._matches
        await press(pilot, "[", "n")
        assert screen._hits[0].number == 4
        await press(pilot, "escape")
        assert not screen.query_one("#find", Input).display
        assert messages(pilot).highlight == ""
        assert not body._matches
        conversation(pilot)


async def test_a_knob_moves_every_picture_and_undo_takes_it_back(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        before = screen.plan
        await press(pilot, "t")
        seconds = count()
        screen.query_one(Knobs).clock = lambda: float(next(seconds))
        await press(pilot, *["right"] * 10)
        assert screen.query_one(Knobs).has_focus
        assert screen.settings.threshold == pytest.approx(0.6)
        assert screen.query_one(Gauge).state.threshold == 76_800
        assert screen.plan != before
        assert "≠ threshold 60%" in title(pilot)
        await press(pilot, "down", "right")
        assert "≠ threshold 60%, target_ratio 21%" in title(pilot)
        await press(pilot, "ctrl+z")
        assert "target_ratio" not in title(pilot)
        await press(pilot, "R")
        assert screen.settings == screen.resolved.settings  # type: ignore[union-attr]
        assert "≠" not in title(pilot)
        await press(pilot, "ctrl+z")
        assert screen.settings.threshold == pytest.approx(0.6)


async def test_digits_type_a_value_in_the_knobs_and_change_panes_elsewhere(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "5", "7", "0", "enter")
        assert screen.settings.threshold == pytest.approx(0.7)
        await press(pilot, "8", "escape")
        assert screen.settings.threshold == pytest.approx(0.7)
        assert screen.query_one(Knobs).has_focus
        await press(pilot, "9", "x", "enter")
        assert "not a number" not in screen_text(pilot)
        await press(pilot, "escape", "2")
        assert screen.query_one(Panes).current == "summary"
        assert "Digits and enter type a value here" in HELP["tune"]


async def test_tab_goes_from_the_list_to_the_pane_and_around(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "tab")
        assert screen.focused is screen.query_one(MessagePane).body
        seen = []
        for _ in range(3):
            await press(pilot, "tab")
            seen.append(type(screen.focused))
        assert seen == [RegionBar, Timeline, type(messages(pilot))]
        assert screen.number == 5


async def test_the_timeline_and_the_regions_take_keys(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        screen.query_one(Timeline).focus()
        await press(pilot, "h", "h")
        assert screen.number == 3
        await press(pilot, "home")
        assert screen.number == 1
        await press(pilot, "end")
        assert screen.number == 5
        screen.query_one(RegionBar).focus()
        await press(pilot, "left", "left", "left", "enter")
        assert cursor(pilot) == 0


async def test_the_cache_pane_changes_layout_and_time_and_goes_to_breakpoints(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "4")
        before = screen.query_one(CachePane)._view
        assert before is not None
        await press(pilot, "L")
        after = screen.query_one(CachePane)._view
        assert after is not None
        assert {before.layout, after.layout} == {"native", "envelope"}
        await press(pilot, "T")
        assert screen.query_one(CachePane)._view.ttl == "1h"  # type: ignore[union-attr]
        assert pilot.app.theme == "inspector-dark"
        await press(pilot, "J", "J", "enter")
        assert cursor(pilot) == screen.query_one(CachePane)._view.breakpoints[1].message  # type: ignore[union-attr]


async def test_the_cache_pane_counts_up_to_breakpoints_as_the_command_does(rotating: Path) -> None:
    answer = Answers.of([rotating], {}, None).breakpoints(CHECKOUT, None, None, None)
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "4")
        view = screen.query_one(CachePane)._view
        assert view is not None
        for point, told in zip(view.breakpoints, answer["breakpoints"], strict=True):
            assert abs((point.tokens or 0) - told["tokens"]) <= 1
        assert view.breakpoints[-1].tokens == view.total, "the last one stands on the last message"


async def test_modes_of_panes(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "1", "m")
        assert screen.query_one(MessagePane).mode != "text"
        await press(pilot, "escape", "3", "m")
        assert screen.query_one(DiffPane).mode == "changes"
        await press(pilot, "escape", "2", "J", "space")
        assert "▸" in screen_text(pilot)
        assert screen.query_one(SummaryPane).is_attached


async def test_profiles_go_round(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        seen = []
        for _ in range(4):
            await press(pilot, "p")
            seen.append(screen.settings.profile)
            assert screen.plan is not None
            assert screen.plan.profile == screen.settings.profile
        assert {"hermes-0.19", "documented"} <= set(seen)
