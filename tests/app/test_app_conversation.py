"""The conversation screen: lists, jumps, find, panes and knobs."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from inspector.answers.answers import Answers
from inspector.answers.cachepoints import cache_points
from inspector.app.conversation.panes.registry import PANES
from inspector.app.conversation.resources import HITS
from inspector.app.help.screen import HelpScreen
from inspector.core.errors import NoVocabulary
from inspector.engines.registry import engine, names
from tests.app.running import (
    CHECKOUT,
    compacted,
    conversation,
    conversations,
    cursor,
    marked,
    messages,
    notes,
    opened,
    plan,
    press,
    recorded,
    row,
    rows,
    running,
    screen_text,
    settled,
    title,
    told,
    value_of,
    write,
)
from tests.examples import also
from widgets.bars.gauge import Gauge
from widgets.bars.key_line import KeyLine
from widgets.bars.pane_tabs import PaneTabs
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Timeline
from widgets.lists.fact_list import search_text
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.knobs import Knobs
from widgets.panes.losses_pane import LossesPane
from widgets.panes.message_pane import MessagePane
from widgets.panes.next_request import NextRequest
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_pane import SummaryPane

KEYS = {pane.name: str(number) for number, pane in enumerate(PANES, 1)}
NAMES = tuple(KEYS)


async def test_a_conversation_opens_at_the_end_of_the_live_list_with_everything_counted(
    rotating: Path,
) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        assert (screen.state.generation, screen.state.compaction, cursor(pilot)) == (5, 4, 41)
        assert messages(pilot).has_focus
        assert plan(pilot).compacts
        assert screen.query_one(Gauge).state.kind == "exact"
        assert screen.query_one(Gauge).state.tokens == sum(rows(pilot).exact.values())
        assert {row(pilot, n).token_kind for n in range(42)} == {"exact"}
        assert title(pilot).startswith(f"{CHECKOUT} ─ ! 1 error, 4 warnings")
        shown = value_of(pilot, MessagePane)
        assert (shown.row.label, shown.row.token_kind) == ("41", "exact")


async def test_without_a_vocabulary_counts_stay_rough_with_one_note(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(model: str) -> None:
        raise NoVocabulary("No vocabulary is at hand.")

    monkeypatch.setattr("inspector.tokens.tokenizers.counter_for", refuse)
    async with running(rotating, CHECKOUT) as pilot:
        assert conversation(pilot).query_one(Gauge).state.kind == "rough"
        assert row(pilot, 0).token_kind == "rough"
        await press(pilot, "[", "[", "]")
        assert told(pilot) == ["No vocabulary is at hand."]


async def test_compactions_before_and_after(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "[")
        made, ended = recorded(pilot, 3), recorded(pilot, 4)
        assert (screen.state.generation, screen.state.compaction) == (4, 3)
        assert cursor(pilot) == made.summary_at
        assert "summary" in row(pilot, made.summary_at or 0).flags
        flags = [row(pilot, n).flags for n in range(ended.before)]
        assert [n for n, found in enumerate(flags) if "struck" in found] == list(
            range(ended.head_end, ended.tail_start)
        )
        kinds = {(line.kind, line.name, line.index) for line in messages(pilot).boundaries}
        assert ("recorded", "head_end", ended.head_end) in kinds
        assert ("recorded", "tail_start", ended.tail_start) in kinds
        assert ("planned", "head_end", plan(pilot).head_end) in kinds
        assert ("planned", "tail_start", ended.tail_start) in kinds
        assert screen.query_one(RegionBar).recorded is not None
        await press(pilot, "]")
        assert (screen.state.generation, cursor(pilot)) == (5, ended.summary_at)
        assert "summary" in row(pilot, ended.summary_at or 0).flags
        assert screen.query_one(RegionBar).recorded is None
        assert screen.query_one(Timeline).current == 5
        await press(pilot, "]")
        assert told(pilot)[-1] == "No compaction after this list."
        await press(pilot, "[", "[", "[", "[")
        assert (screen.state.generation, screen.state.compaction) == (1, 1)
        assert cursor(pilot) == recorded(pilot, 1).head_end
        await press(pilot, "[")
        assert told(pilot)[-1] == "No compaction before this list."
        await press(pilot, "]")
        assert (screen.state.generation, screen.state.compaction) == (2, 1)


async def test_the_chosen_compaction_is_the_same_in_every_pane(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "2", "3", "4", "left_square_bracket", "left_square_bracket")
        assert screen.state.compaction == 2
        losses = value_of(pilot, LossesPane)
        assert losses.chosen == 2
        await press(pilot, "3")
        summary = value_of(pilot, SummaryPane)
        assert (summary.summary.compaction, summary.summary.total) == (recorded(pilot, 2), 4)
        await press(pilot, "2")
        shown = value_of(pilot, CompactionPane)
        assert shown.done.index == 2
        await press(pilot, "right_square_bracket")
        shown = value_of(pilot, CompactionPane)
        assert (shown.done.index, screen.state.generation) == (3, 4)


async def test_the_compaction_pane_shows_removed_and_added_messages(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "2")
        pane = screen.query_one(CompactionPane)
        done = recorded(pilot, 4)
        assert pane.body.has_focus
        assert pane.messages.row_count == done.before + 1
        assert pane.view is not None
        assert pane.view.plan is not None
        assert pane.view.summary is not None
        assert pane.view.summary.budget == pane.view.plan.summary_budget, (
            "the summary and the plan name one limit"
        )
        # Rules come first, then decisions and values. Earlier summaries kept them.
        assert [(one.compaction, one.outcome, one.fact.text) for one in pane.view.lost] == [
            (3, "weakened", "ask me before you post."),
            (
                1,
                "value lost",
                "We keep idempotency keys in Postgres, not in Redis, because Redis lost writes on 14 February.",
            ),
            (3, "lost", "24 hours are over."),
        ]
        assert pane.view.lost_notes == ("± 2 facts may be lost",)
        assert "#33 g1" in screen_text(pilot)
        assert pane.view.summary is not None
        await press(pilot, "tab")
        assert pane.messages.has_focus
        await press(pilot, "J")
        assert pane.messages.cursor == done.head_end
        assert "Σ" in screen_text(pilot)
        await press(pilot, "enter")
        assert (screen.state.generation, cursor(pilot)) == (4, done.head_end)
        assert messages(pilot).has_focus
        await press(pilot, "2", "comma")
        assert screen.state.compaction == 3
        await press(pilot, "full_stop")
        assert screen.state.compaction == 4


async def test_the_highlighted_line_of_a_text_is_the_same_after_a_resize(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "2", *["J"] * 40)
        body = conversation(pilot).query_one(CompactionPane).body
        tag = body.active_tag
        assert tag.startswith("section:")
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert body.active_tag == tag
        unfolded = body.line_count
        await press(pilot, "enter")
        assert body.line_count > unfolded


async def test_from_a_compaction_to_its_losses(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "2", "comma", "comma", "comma")
        view = value_of(pilot, CompactionPane)
        assert view.done.index == 1
        gone = view.lost[0]
        assert gone.outcome in ("lost", "value lost")
        await press(pilot, "J", "enter")
        assert (screen.state.generation, cursor(pilot)) == (gone.saying.generation, gone.saying.index)
        assert screen.panes.current == "message"
        assert marked(pilot)
        assert messages(pilot).highlight == search_text(gone.text)
        await press(pilot, "escape", "escape")
        assert messages(pilot).highlight == ""
        assert not marked(pilot)


@pytest.mark.slow
async def test_the_compaction_pane_keeps_its_place_when_settings_change(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(120, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "2", "tab", "J", "down", "down")
        pane = screen.query_one(CompactionPane)
        before = pane.messages.cursor
        assert before > 2
        screen.tuner.change(target_ratio=0.5)
        await settled(pilot)
        assert pane.messages.cursor == before
        assert pane.view is not None
        assert pane.view.plan is not None
        assert pane.view.plan.tail_start != pane.view.done.tail_start


@pytest.mark.parametrize("size", also((80, 24), (160, 48)))
async def test_every_pane_is_filled_and_left_by_escape(rotating: Path, size: tuple[int, int]) -> None:
    shown = {
        "message": "refunds and emails",
        "compaction": "ompaction 4 of 4",
        "summary": "Active Task",
        "losses": "compaction 4",
        "cache": "breakpoints",
        "what-if": "target_ratio",
        "findings": "warning",
        "tokens": "next compaction",
    }
    async with running(rotating, CHECKOUT, size=size) as pilot:
        screen = conversation(pilot)
        panes = screen.panes
        for pane, key in KEYS.items():
            await press(pilot, key)
            assert (panes.current, screen.state.pane) == (pane, pane)
            assert screen.query_one(PaneTabs).active == pane
            assert screen.focused in list(panes.pane(pane).walk_children(with_self=True))
            assert shown[pane] in screen_text(pilot)
            about = panes.tabs[pane].help()
            assert about
            if pane in ("message", "tokens"):
                await press(pilot, "question_mark")
                assert isinstance(pilot.app.screen, HelpScreen)
                assert pilot.app.screen.query_one(KeyLine).render_line(0).text.split() == ["esc", "Close"]
                assert about in pilot.app.screen.page.about
                await press(pilot, "escape")
                assert panes.current == pane
            await press(pilot, "escape")
            assert messages(pilot).has_focus
        await press(pilot, "escape")
        conversations(pilot)


@pytest.mark.slow
async def test_keys_of_older_versions_lead_to_the_current_panes(tmp_path: Path) -> None:
    async with running(compacted(tmp_path / "state.db"), "Made") as pilot:
        panes = conversation(pilot).panes
        for key, pane, view in (
            ("8", "tokens", ""),
            ("1", "message", ""),
            ("exclamation_mark", "findings", ""),
            ("0", "summary", "lineage"),
            ("t", "what-if", ""),
        ):
            await press(pilot, key)
            assert panes.current == pane
            shown = panes.pane(pane)
            assert conversation(pilot).focused in list(shown.walk_children(with_self=True))
            assert not view or getattr(shown, "view_name", "") == view


@pytest.mark.parametrize("pane", also("", *NAMES))
async def test_every_key_of_a_pane_is_handled(in_place: Path, pane: str) -> None:
    """Press the keys of a pane, or those of the screen if no pane has the focus; not keys that open a screen."""
    async with running(in_place, "Nightly orders import loses rows", size=(100, 30)) as pilot:
        screen = conversation(pilot)
        panes = screen.panes

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
        for key in sorted(keys - {"escape", "o", "e", "slash", "v", "p", "P", "T", "V"}):
            await press(pilot, key)
            await at_the_pane()
            assert pilot.app.screen is screen, key
        assert not [note for note in notes(pilot) if "went wrong" in note]


async def test_jumps(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        roles = rows(pilot).generation.roles
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
        assert "No text to find yet" in told(pilot)[-1]
        await press(pilot, "home", "slash")
        await write(pilot, "REFUND")
        assert "find in this generation" in screen_text(pilot)
        await press(pilot, "enter")
        assert "find in this generation" in screen_text(pilot), "the text stays, with its label"
        hits = screen.loaded.current(HITS, screen.state)
        assert hits is not None
        assert len(hits) > 3
        assert cursor(pilot) == hits[0]
        assert messages(pilot).highlight == "REFUND"
        await press(pilot, "n", "n", "N")
        assert cursor(pilot) == hits[1]
        assert marked(pilot)
        await press(pilot, "[", "n")
        assert screen.loaded.current(HITS, screen.state) == (), "it is looked for in the list on screen"
        assert told(pilot)[-1] == "0 messages with 'REFUND'  (n, N)"
        await press(pilot, "escape")
        assert not screen.query_one("#find", Input).display
        assert messages(pilot).highlight == ""
        assert not marked(pilot)
        conversation(pilot)
        await press(pilot, "home", "slash", *"legacy", "escape")
        assert (messages(pilot).highlight, cursor(pilot)) == ("", -1)


async def test_a_knob_moves_every_picture_and_undo_takes_it_back(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        before = plan(pilot)
        await press(pilot, "t")
        seconds = count()
        screen.query_one(Knobs).clock = lambda: float(next(seconds))
        await press(pilot, *["right"] * 10)
        assert screen.query_one(Knobs).has_focus
        assert screen.state.settings.threshold == pytest.approx(0.6)
        assert screen.query_one(Gauge).state.threshold == plan(pilot).budgets.threshold_tokens == 76_800
        assert plan(pilot) != before
        assert "changed: threshold 60%" in title(pilot)
        await press(pilot, "down", "right")
        assert "changed: threshold 60%, target_ratio 21%" in title(pilot)
        await press(pilot, "ctrl+z")
        assert "target_ratio" not in title(pilot)
        await press(pilot, "R")
        assert screen.state.settings == opened(pilot).resolved.settings
        assert "changed" not in title(pilot)
        assert plan(pilot) == before
        await press(pilot, "ctrl+z")
        assert screen.state.settings.threshold == pytest.approx(0.6)


async def test_digits_change_panes_and_enter_begins_a_value_on_a_knob(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "6", "enter", "7", "0", "enter")
        assert screen.state.settings.threshold == pytest.approx(0.7)
        await press(pilot, "enter", "8", "escape")
        assert screen.state.settings.threshold == pytest.approx(0.7)
        assert screen.query_one(Knobs).has_focus
        await press(pilot, "enter", "9", "x", "enter")
        assert "not a number" not in screen_text(pilot)
        assert screen.state.settings.threshold == pytest.approx(0.09)
        await press(pilot, "3")
        assert screen.panes.current == "summary"
        assert "enter lets you type a value" in screen.panes.tabs["what-if"].help()


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
        assert screen.state.generation == 5


async def test_the_timeline_and_the_regions_take_keys(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        screen.query_one(Timeline).focus()
        await press(pilot, "h", "h")
        assert screen.state.generation == 3
        await press(pilot, "home")
        assert screen.state.generation == 1
        await press(pilot, "end")
        assert screen.state.generation == 5
        screen.query_one(RegionBar).focus()
        await press(pilot, "left", "left", "left", "enter")
        assert cursor(pilot) == 0


async def test_the_cache_pane_changes_layout_and_time_and_goes_to_breakpoints(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "5")
        pane = screen.query_one(NextRequest)
        before = pane.view
        assert before is not None
        await press(pilot, "L")
        after = pane.view
        assert after is not None
        assert {before.layout, after.layout} == {"native", "envelope"}
        await press(pilot, "E")
        after = pane.view
        assert after is not None
        assert after.ttl == "1h"
        assert pilot.app.theme == "inspector-dark"
        await press(pilot, "J", "J", "enter")
        assert cursor(pilot) == after.breakpoints[1].point.message
        assert pane.body.has_focus, "the next breakpoint is a key away"


@pytest.mark.slow
async def test_the_cache_pane_counts_up_to_breakpoints_as_the_command_does(rotating: Path) -> None:
    answer = cache_points(Answers.of([rotating], {}, None), CHECKOUT, None, None, None)
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, "5")
        view = value_of(pilot, NextRequest)
        assert [point.tokens for point in view.breakpoints] == [placed.tokens for placed in answer.points]
        assert view.breakpoints[-1].tokens == view.total, "the last one is on the last message"


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["hermes-0.19", "hermes-0.20"])
async def test_the_cache_pane_counts_repeated_results_in_full_as_the_command_does(
    in_place: Path, profile: str
) -> None:
    name, flags = "Search cluster to OpenSearch 2", {"profile": profile}
    answer = cache_points(Answers.of([in_place], flags, None), name, 1, None, None)
    async with running(in_place, name, flags=flags) as pilot:
        await press(pilot, "left_square_bracket", "left_square_bracket", "left_square_bracket", "5")
        screen = conversation(pilot)
        assert screen.state.generation == 1
        view = value_of(pilot, NextRequest)
        assert [point.tokens for point in view.breakpoints] == [placed.tokens for placed in answer.points]


@pytest.mark.slow
async def test_modes_of_panes(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        await press(pilot, "1", "m")
        assert screen.query_one(MessagePane).mode != "text"
        await press(pilot, "escape", "3", "J", "space")
        assert "▸" in screen_text(pilot)
        pane = screen.query_one(SummaryPane)
        await press(pilot, "m")
        assert (pane.view_name, screen.state.view) == ("changes", "changes")
        assert "compaction 3 → compaction 4" in screen_text(pilot)
        await press(pilot, "f")
        assert isinstance(pane.shown, SummaryChanges)
        assert pane.shown.filter == "changes"
        await press(pilot, "m")
        assert pane.view_name == "sides"
        await press(pilot, "m")
        assert pane.view_name == "lineage"
        assert "compaction 4 of 4" in screen_text(pilot)
        await press(pilot, "m")
        assert pane.view_name == "attempts"
        await press(pilot, "m")
        assert pane.view_name == "text"


async def test_any_two_summaries_can_be_compared(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen, shown = conversation(pilot), []
        await press(pilot, "3", "m")
        for keys in ("", "{", "{{{", "[", "[", "]]}}}}"):
            await press(pilot, *keys)
            changes = value_of(pilot, SummaryPane).changes
            shown.append(None if changes is None else (changes.old.index, changes.new.index))
        assert screen.state.view == "changes"
        assert shown == [(3, 4), (2, 4), (1, 4), (1, 3), (1, 2), (3, 4)]


async def test_the_names_of_profiles_are_separate_from_their_status(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, "p")
        for option in pilot.app.screen.query_one(OptionList).options:
            assert str(option.prompt)[2:].split()[0] == option.id


async def test_a_low_screen_shows_the_chosen_profile_and_its_whole_note(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(80, 24)) as pilot:
        await press(pilot, "p", "end")
        shown = " ".join(screen_text(pilot).replace("│", " ").split())
        assert f"{names()[-1]} observed" in shown
        assert engine(names()[-1]).summary[:50] in shown


@pytest.mark.slow
async def test_every_profile_can_be_chosen_from_the_list(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        seen, first = {}, screen.state.settings.profile
        for _ in names():
            await press(pilot, "p")
            # The list is longer than the screen and starts at the profile in use.
            assert seen or "detected" in screen_text(pilot)
            await press(pilot, "p", "enter")
            profile = screen.state.settings.profile
            seen[profile] = screen.query_one(Gauge).state.threshold
            assert plan(pilot).profile == profile
        assert (set(seen), profile) == (set(names()), first)
        assert seen["hermes-0.19"] == 96_000
