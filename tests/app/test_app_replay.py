"""Replay in the app: stepping, playing, dragging, the phases of a compaction, and the screen at each moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.answers.inspection import Inspection
from inspector.app.conversation.player import Player
from inspector.app.conversation.resources import COMPACTIONS, RECORDING, RUNS
from inspector.app.conversation.screen import ConversationScreen
from inspector.app.conversation.step_rows import StepRows
from inspector.core.conversations import Compaction
from inspector.replay.moments import PHASES, Moment
from tests.app.running import (
    Test,
    add,
    compacted,
    conversation,
    derived,
    latest,
    made,
    messages,
    plan,
    press,
    recorded,
    row,
    running,
    screen_text,
    settled,
    told,
    write,
    written,
)
from tests.counting import lines_run
from tests.recipes import recipe
from tests.stores.writer import Writer, create, talk
from widgets.bars.gauge import Gauge
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Timeline
from widgets.lists.message_list import MessageRow
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.summary_pane import SummaryPane
from widgets.panes.token_graph import TokenGraph

ORDERS = "Nightly orders import loses rows"


def moment(pilot: Test) -> Moment:
    at = conversation(pilot).state.moment
    assert at is not None
    return at


def rows(pilot: Test) -> StepRows:
    found = conversation(pilot).messages.rows
    assert isinstance(found, StepRows)
    return found


def shown(pilot: Test) -> list[MessageRow]:
    """Return the rows on screen."""
    listed = rows(pilot)
    return [found for at in messages(pilot).visible_rows if (found := listed.row(at)).text is not None]


def track_of(text: str) -> range:
    """Return the cells of the timeline's track: between the sign for playing and the text."""
    return range(2, text.index("  ", 2))


async def test_a_step_shows_only_what_existed_then(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        listed = screen.messages.rows
        assert listed is not None
        live = len(listed.generation)
        await press(pilot, "left")
        at = moment(pilot)
        assert at.length == live - 1
        assert len(rows(pilot).generation) == live - 1
        assert plan(pilot).length == live - 1
        recording = screen.loaded.current(RECORDING, screen.state)
        assert recording is not None
        assert derived(pilot).tokens == recording.tokens[at.step - 1]
        gauge = screen.query_one(Gauge).state
        assert (gauge.tokens, gauge.kind) == (recording.tokens[at.step - 1], "fitted")
        position = screen.query_one(Timeline).position
        assert position is not None
        assert (position.step, position.steps) == (at.step, at.step + 1)
        await press(pilot, "right")
        assert moment(pilot).length == live
        await press(pilot, "right")
        assert "This is the last step." in told(pilot)
        await press(pilot, "escape")
        assert screen.state.moment is None
        assert not isinstance(screen.messages.rows, StepRows)
        assert screen.query_one(Timeline).position is None


@pytest.mark.slow
async def test_stepping_back_undoes_stepping_forward(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Made", system_prompt="You are an agent.")
    writer.say(talk(3))
    writer.compact(1, 9, "## Goal\nFind it\n\n## In Progress\n- look at the log")
    writer.say(talk(1, 3))
    async with running(writer.end(), "Made") as pilot:
        screen = conversation(pilot)
        await press(pilot, "colon", "1", "enter")
        seen: list[tuple[Moment, tuple[object, ...]]] = []

        def state() -> tuple[object, ...]:
            gauge, bar = screen.query_one(Gauge), screen.query_one(RegionBar)
            return (
                derived(pilot).plan,
                gauge.state,
                bar.planned,
                bar.recorded,
                messages(pilot).boundaries,
                len(rows(pilot)),
            )

        while not seen or moment(pilot) != seen[-1][0]:
            seen.append((moment(pilot), state()))
            await press(pilot, "right")
        assert [at.number for at, _ in seen] == list(range(1, len(seen) + 1))
        for at, was in reversed(seen):
            assert moment(pilot) == at
            assert state() == was
            await press(pilot, "left")


async def test_removed_messages_are_struck_through_and_readable(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "1", "escape", "left", "home", "down")
        gone = shown(pilot)
        assert gone[1].label == "c2"
        assert "struck" in gone[1].flags
        generation, index = rows(pilot).place(messages(pilot).cursor)
        assert (generation.number, index) == (2, 0)
        text = screen.store.messages(generation, 0, 1)[0].text
        assert text[:30] in screen_text(pilot)
        await press(pilot, "y")
        assert pilot.app.clipboard == text


async def test_a_compaction_is_shown_in_five_phases(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        third = recorded(pilot, 3)
        await press(pilot, "left", "left_square_bracket")
        at = moment(pilot)
        assert (at.phase, at.compaction, at.generation) == ("before", 3, 3)
        assert screen.query_one(RegionBar).recorded is not None
        tokens = []
        notes = []
        for phase in ("before", *PHASES):
            assert moment(pilot).phase == phase
            tokens.append(derived(pilot).tokens or 0)
            position = screen.query_one(Timeline).position
            assert position is not None
            notes.append(position.note)
            if phase == "before":
                assert all(found.pruned_tokens is None for found in shown(pilot))
            if phase == "pruned":
                assert any(found.pruned_tokens is not None for found in shown(pilot))
            if phase in ("summarized", "kept"):
                middle = row(pilot, third.head_end)
                assert "struck" in middle.flags
                assert "struck" not in row(pilot, third.tail_start).flags
            if phase == "kept":
                assert "copied" in row(pilot, third.tail_start).flags
            await press(pilot, "right")
        assert tokens[0] == third.tokens_before or tokens[0] >= tokens[1]
        assert tokens[1] > tokens[2]
        recording = screen.loaded.current(RECORDING, screen.state)
        assert recording is not None
        assert tokens[4] == recording.events[2].tokens_after
        assert [f"{number}/5" in note for number, note in enumerate(notes, 1)] == [True] * 5
        assert moment(pilot).step == at.step + 1
        await press(pilot, "left")
        assert rows(pilot).index(messages(pilot).cursor) == third.summary_at


async def test_the_future_is_not_shown(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "3", "escape", "colon", "5", "enter")
        assert moment(pilot).step == 5
        assert (derived(pilot).made_by, derived(pilot).ended_by) == (None, None)
        pane = screen.query_one(SummaryPane)
        assert pane.view is not None
        assert pane.view.summary.compaction is None
        assert "No summary is recorded so far." in screen_text(pilot)
        await press(pilot, "right_square_bracket")
        assert moment(pilot).phase == "before"
        assert screen.state.compaction == 1
        await press(pilot, "2", "escape")
        shown = screen.query_one(CompactionPane)
        assert shown.view is not None
        assert (shown.view.done.index, shown.view.summary, shown.view.lost) == (1, None, ())
        await press(pilot, "3", "escape")
        assert pane.view.summary.compaction is None, "it is not made yet"
        await press(pilot, "right", "right", "right", "right")
        assert moment(pilot).phase == "after"
        assert derived(pilot).made_by == recorded(pilot, 1)
        assert pane.view is not None
        assert (pane.view.summary.compaction, pane.view.summary.total) == (recorded(pilot, 1), 1)


async def test_keys_before_the_conversation_is_read_are_all_answered(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        for key in ("left", "left", "left"):
            pilot.app.simulate_key(key)
        await settled(pilot)
        recording = latest(pilot, RECORDING)
        assert moment(pilot).number == len(recording.moments) - 3


async def test_calls_turns_and_numbers(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "colon", "1", "enter", "a")
        recording = latest(pilot, RECORDING)
        places = recording.transcript.places
        assert moment(pilot).step in recording.course.calls
        await press(pilot, "u")
        assert places[moment(pilot).step - 1].role == 0
        at = moment(pilot)
        await press(pilot, "ctrl+right", "U")
        assert moment(pilot) == at
        await press(pilot, "colon", *"99999", "enter")
        assert moment(pilot).step == len(places)
        await press(pilot, "colon", "escape")
        assert moment(pilot).step == len(places)
        assert not screen.query_one("#question", Input).display
        await press(pilot, "colon")
        await write(pilot, "x")
        await press(pilot, "enter")
        assert "'x' is not a step; type a number." in told(pilot)
        await press(pilot, "backspace", "3", "enter")
        assert moment(pilot).step == 3
        assert not screen.query_one("#question", Input).display


class Beats:
    """A clock that a test controls."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.then: Callable[[], None] | None = None

    def __call__(self, seconds: float, then: Callable[[], None]) -> Beats:
        self.seconds.append(seconds)
        self.then = then
        return self

    def stop(self) -> None:
        self.then = None

    async def beat(self, pilot: Test) -> None:
        assert self.then is not None
        self.then()
        await pilot.pause()


@pytest.fixture
def beats(monkeypatch: pytest.MonkeyPatch) -> Beats:
    """Let the test control the clock of every player."""
    clock = Beats()
    begin = Player.__init__
    monkeypatch.setattr(Player, "__init__", lambda player, host, beat: begin(player, host, clock))  # type: ignore[arg-type]
    return clock


async def test_playing_pausing_and_speed(in_place: Path, beats: Beats) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "colon", "1", "enter", "space")
        assert screen.state.playing
        assert beats.seconds == [0.2]
        for step in range(2, 6):
            await beats.beat(pilot)
            assert moment(pilot).step == step
        assert "▶" in screen_text(pilot)
        await press(pilot, "greater_than_sign", "greater_than_sign", "greater_than_sign")
        assert (screen.state.speed, beats.seconds[-1]) == (50, 0.04)
        await beats.beat(pilot)
        assert moment(pilot).step == 7
        await press(pilot, "less_than_sign", "space")
        assert not screen.state.playing
        assert beats.then is None
        assert moment(pilot).step == 7
        await press(pilot, "end", "colon", *"138", "enter", "space")
        assert moment(pilot).step == 1
        await press(pilot, "space", "colon", *"125", "enter", "space")
        while screen.state.playing:
            await beats.beat(pilot)
        assert moment(pilot).number == len(latest(pilot, RECORDING).moments)


@pytest.mark.slow
async def test_the_timeline_is_clicked_and_dragged(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(140, 40)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "left")
        line = screen.query_one(Timeline)
        text, steps = line.render_line(0).text, moment(pilot).step + 1
        track = track_of(text)
        x = track.start + line.gutter.left
        await pilot.mouse_down(line, offset=(x, 0))
        await press(pilot)
        assert moment(pilot).step == 1
        for share in (0.25, 0.5, 0.75):
            at = x + round(share * (len(track) - 1))
            await pilot.hover(line, offset=(at, 0))
            await press(pilot)
            assert abs(moment(pilot).step - 1 - share * (steps - 1)) <= steps / len(track) + 1
        await pilot.mouse_up(line, offset=(x, 0))
        here = moment(pilot)
        await pilot.hover(line, offset=(x + 3, 0))
        await press(pilot)
        assert moment(pilot) == here
        line.focus()
        await press(pilot, "home", "right")
        assert moment(pilot).step == 2


@pytest.mark.slow
async def test_the_graph_goes_to_moments(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "6", "tab", "home")
        assert moment(pilot).step == 1
        graph = screen.query_one(TokenGraph)
        assert graph.state.step == 1
        await press(pilot, "right", "right", "L")
        assert graph.state.step == moment(pilot).step == 28


async def test_a_knob_acts_on_the_shown_moment(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "colon", *"40", "enter", "6")
        before, length = plan(pilot), moment(pilot).length
        await press(pilot, *["left"] * 10)
        assert moment(pilot).step == 40
        assert screen.state.settings.threshold < 0.5
        assert plan(pilot).length == length
        screen.tuner.change(profile="documented")
        await press(pilot)
        assert plan(pilot).profile == "documented" != before.profile
        assert moment(pilot).step == 40


@pytest.mark.slow
async def test_truncation_steps_and_runs_under_its_own_rules(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        screen.tuner.change(profile="truncation")
        await press(pilot, "6", "escape", "left")
        assert moment(pilot).step > 1
        assert plan(pilot).profile == "truncation"
        assert latest(pilot, RUNS).run.settings.profile == "truncation"
        assert screen.query_one(Gauge).state.tokens


async def test_a_conversation_that_grows_keeps_the_step(tmp_path: Path) -> None:
    path = compacted(tmp_path / "state.db")
    async with running(path, "Made") as pilot:
        screen = conversation(pilot)
        await press(pilot, "left", "left")
        at = moment(pilot)
        add(path, "and one more")
        screen.opening.again()
        await press(pilot)
        assert moment(pilot) == at
        position = screen.query_one(Timeline).position
        assert position is not None
        assert position.steps == at.step + 3


@pytest.mark.slow
async def test_a_growing_conversation_keeps_the_phase_and_plays_on(tmp_path: Path, beats: Beats) -> None:
    path = compacted(tmp_path / "state.db")
    async with running(path, "Made") as pilot:
        screen = conversation(pilot)
        await press(pilot, "left", "left_square_bracket", "right", "right", "right")
        at = moment(pilot)
        assert at.phase == "kept"
        add(path, "and one more")
        screen.opening.again()
        await press(pilot)
        assert moment(pilot) == at
        await press(pilot, "space")
        add(path, "and another one")
        screen.opening.again()
        await press(pilot)
        assert screen.state.playing
        await beats.beat(pilot)
        assert moment(pilot).number == at.number + 1


async def test_a_new_compaction_is_noted_and_the_shown_list_stays(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db", journal="wal"))
    writer.begin(title="Made", system_prompt="You are an agent.")
    writer.say(talk(12))
    writer.db.commit()
    async with running(tmp_path / "state.db", "Made") as pilot:
        screen, before = conversation(pilot), len(writer.live)
        assert told(pilot) == []
        writer.compact(3, 40, "## Goal\nFind it")
        expected = f"Compacted: {before} → {len(writer.live)} messages. Press ] to see the new list."
        writer.say(talk(1))
        writer.db.commit()
        screen.opening.again()
        await press(pilot)
        assert told(pilot) == [expected]
        assert screen.state.generation == 1
        writer.say(talk(1))
        writer.db.commit()
        screen.opening.again()
        await press(pilot)
        assert told(pilot) == [expected]
    writer.end()


@pytest.mark.slow
async def test_a_conversation_that_ends_with_a_compaction(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Made", system_prompt="You are an agent.")
    writer.say(talk(12))
    writer.compact(3, 40, "## Goal\nFind it")
    async with running(writer.end(), "Made") as pilot:
        await press(pilot, "left", "left", "end", "right", "right", "right", "right", "right")
        assert moment(pilot).phase == "after"
        await press(pilot, *["left"] * 6)
        assert "generation 1 of 2" in screen_text(pilot)


@pytest.mark.parametrize(
    "size",
    [
        pytest.param((160, 48), marks=pytest.mark.slow),
        (80, 24),
        pytest.param((60, 16), marks=pytest.mark.slow),
    ],
)
async def test_every_size_and_short_conversations(tmp_path: Path, size: tuple[int, int]) -> None:
    async with running(written(tmp_path / "state.db", talk(1)[:1]), "Made", size=size) as pilot:
        await press(pilot, "left", "right", "left_square_bracket", "space", "space")
        assert moment(pilot).step == 1
        for key in "12345678":
            await press(pilot, key, "escape")
        assert conversation(pilot).is_current


@pytest.mark.slow
async def test_a_step_is_no_more_work_in_a_longer_list(tmp_path: Path) -> None:
    work = []
    for turns in (50, 400):
        async with running(written(tmp_path / f"{turns}.db", talk(turns)), "Made") as pilot:
            await press(pilot, "left", "left")
            work.append(lines_run(conversation(pilot).player.step, "message", -1))
    assert work[1] <= 1.5 * work[0]


async def test_a_key_before_the_compactions_are_known_waits_for_them(
    in_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = threading.Event()
    compactions = Inspection.compactions

    def late(inspection: Inspection) -> tuple[Compaction, ...]:
        known.wait(60)
        return compactions(inspection)

    monkeypatch.setattr(Inspection, "compactions", late)
    app = made(in_place, name=ORDERS)
    async with app.run_test(size=(120, 40)) as pilot:
        while not isinstance(app.screen, ConversationScreen) or app.screen.derived is None:
            await pilot.pause(0.001)
        screen = app.screen
        await pilot.press("left")
        assert screen.loaded.latest(COMPACTIONS) is None
        assert screen.state.moment is None
        known.set()
        await settled(pilot)
        assert moment(pilot).step > 1


@pytest.mark.parametrize("later", [False, True])
async def test_a_compaction_without_the_list_before_it_is_no_moment(tmp_path: Path, later: bool) -> None:
    lines = recipe("claude_lines")
    made = lines.Session("5e55a000-0000-4000-8000-00000000000c")
    made.compact(lines.nine_sections(Primary=["Read the berths."]), before=167_412, after=9_000)
    if later:
        made.user("And the quay.")
        made.answer(lines.text("So it is."))
    made.write(tmp_path / "a.jsonl")
    async with running(tmp_path, made.session) as pilot:
        for key in ("l", "h", "A", "space"):
            await press(pilot, "left_square_bracket", key)
            at = conversation(pilot).state.moment
            assert (at is not None and at.step > 0) == later
            if later:
                await press(pilot, "escape")
            else:
                assert told(pilot)[-1] == "There is no message to step to."
