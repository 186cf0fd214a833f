"""The trace of a phrase in the app, and the fates of the facts of a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.answers.tracing import steps_of, trace_phrase
from inspector.app.trace.screen import StepList, TraceScreen
from inspector.app.trace.statement_prompt import StatementPrompt
from inspector.quality.facts.fact import Life
from inspector.stores.detect import open_store
from tests.app.running import conversation, opened, press, running, title, told, value_of, write
from tests.stores.writer import Writer, create, talk
from widgets.lists.fact_list import search_text
from widgets.panes.losses_pane import LossesPane
from widgets.panes.message_pane import MessagePane

SIZE = (160, 48)
LOSES_ROWS = "Nightly orders import loses rows"


async def test_the_trace_of_a_found_text_leads_to_each_place(in_place: Path) -> None:
    async with running(in_place, LOSES_ROWS, size=SIZE) as pilot:
        screen = conversation(pilot)
        screen.change(find="s3://orders-raw/")
        await press(pilot, "T")
        assert isinstance(pilot.app.screen, TraceScreen)
        assert "s3://orders-raw/" in title(pilot)
        steps = pilot.app.screen.query_one(StepList).entries
        assert steps[0].text.startswith("said at #")
        compactions = [step.compaction for step in steps if step.compaction is not None]
        assert compactions
        assert compactions == sorted(set(compactions))
        await press(pilot, "enter")
        assert pilot.app.screen is screen
        assert (screen.state.generation, screen.messages.rows.index(screen.state.row)) == (  # type: ignore[union-attr]
            steps[0].generation,
            steps[0].index,
        )


async def test_a_message_shows_the_fates_of_its_facts(in_place: Path) -> None:
    async with running(in_place, LOSES_ROWS, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "4")
        facts = value_of(pilot, LossesPane)
        life = next(fact for scope in facts.offered for fact in scope.facts if isinstance(fact, Life))
        saying = life.saying
        screen.change(
            generation=saying.generation, row=saying.index + opened(pilot).offset(saying.generation)
        )
        await press(pilot, "1")
        pane = screen.query_one(MessagePane)
        assert pane.view is not None
        assert life.fact.key in [one.fact.key for one in pane.view.statements]
        while pane.mode != "fates":
            await press(pilot, "m")
        assert life.fact.text[:40] in pane.body.text
        assert f"After compaction {life.compaction}: " in pane.body.text
        await press(pilot, "T", "enter")
        assert isinstance(pilot.app.screen, TraceScreen)
        await press(pilot, "escape")
        assert pilot.app.screen is screen


async def test_a_search_hit_is_traced(in_place: Path) -> None:
    async with running(in_place, size=SIZE) as pilot:
        await press(pilot, "f", *"orders-raw", "enter", "T")
        shown = pilot.app.screen
        assert isinstance(shown, TraceScreen)
        assert shown.query_one(StepList).entries
        await press(pilot, "enter")
        assert conversation(pilot)


async def test_the_trace_of_a_hit_is_that_of_the_statement_with_all_words(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Harbor")
    said = "Look at the harbor fee. Always round the mooring fee to whole euros. The mooring is wet."
    writer.say([{"role": "user", "content": said}, *talk(12)])
    writer.compact(0, len(writer.live) - 3, "## Goal\nFind it")
    writer.db.close()
    async with running(tmp_path, size=SIZE) as pilot:
        await press(pilot, "f", *"fee", "space", *"ROUND", "enter", "T")
        assert "Always round the mooring fee to whole euros" in title(pilot)
        steps = pilot.app.screen.query_one(StepList).entries
        assert [step.text.split(":")[0] for step in steps] == [
            "said at #0 of generation 1 by the user",
            "compaction 1",
            "now",
        ]
        await press(pilot, "escape", "slash", "ctrl+u", *'"mooring fee"', "enter", "T")
        assert title(pilot).endswith("“mooring fee”")


@pytest.mark.parametrize("words", ["pier/lock7", "deep water"])
async def test_a_search_traces_the_same_words_as_the_command(tmp_path: Path, words: str) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Harbor")
    said = "Harbor notes\nHard rule: do not touch pier/lock7 near deep water."
    other = "The deep water is near pier/lock7, I think."
    apart = "Water at pier/lock7 is deep."
    spoken = [("user", said), ("assistant", other), ("assistant", apart)]
    writer.say([*({"role": role, "content": text} for role, text in spoken), *talk(12)])
    writer.compact(0, len(writer.live) - 3, "## Goal\nFind it")
    writer.db.close()
    store = open_store(tmp_path)
    (trace,) = trace_phrase(Answers(store, {}, None), (), words)
    store.close()
    assert "do not touch" in trace.fact
    async with running(tmp_path, size=SIZE) as pilot:
        for row in (0, 1, 2):
            await press(pilot, "f")
            await write(pilot, words)
            await press(pilot, "enter", *["down"] * row, "T")
            assert title(pilot).endswith(f"“{words}”")
            assert pilot.app.screen.query_one(StepList).entries == steps_of(trace)
            await press(pilot, "escape", "escape")


async def test_a_message_with_several_statements_asks_which_one_to_trace(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Harbor")
    said = "Never open both gates at once. Always round the mooring fee to whole euros."
    writer.say([{"role": "user", "content": said}, *talk(12)])
    writer.compact(0, len(writer.live) - 3, "## Goal\nFind it")
    writer.db.close()
    async with running(tmp_path, "Harbor", size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "4")
        screen.change(generation=1, row=opened(pilot).offset(1))
        await press(pilot, "1", "T")
        prompt = pilot.app.screen
        assert isinstance(prompt, StatementPrompt)
        assert len(prompt.statements) == 2
        await press(pilot, "escape")
        assert pilot.app.screen is screen
        await press(pilot, "T", "down", "enter")
        assert isinstance(pilot.app.screen, TraceScreen)
        assert prompt.statements[1][:40] in title(pilot)


def test_the_words_to_search_for_are_whole_words() -> None:
    text = (
        "Never open both gates of the western lock before the pilot has left the basin and the lamp is green."
    )
    found = search_text(text)
    assert text.startswith(f"{found} ")


async def test_an_absent_phrase_is_noted(in_place: Path) -> None:
    async with running(in_place, LOSES_ROWS, size=SIZE) as pilot:
        conversation(pilot).change(find="no such words at all")
        await press(pilot, "T")
        assert "No message" in str(pilot.app.screen.query_one("#none").render())


async def test_a_hit_in_a_tool_call_has_no_trace_and_the_screen_says_why(rotating: Path) -> None:
    async with running(rotating, size=SIZE) as pilot:
        await press(pilot, "f", *"prices", "enter", "T")
        assert not pilot.app.screen.query_one(StepList).entries
        assert "does not look into tool calls" in str(pilot.app.screen.query_one("#none").render())


async def test_a_fate_leads_to_the_list_after_its_compaction_from_a_replay_too(in_place: Path) -> None:
    async with running(in_place, LOSES_ROWS, size=SIZE) as pilot:
        screen = conversation(pilot)
        screen.change(find="s3://orders-raw/")
        await press(pilot, "colon", "9", "enter", "T")
        listed = pilot.app.screen.query_one(StepList)
        place = next(at for at, step in enumerate(listed.entries) if step.compaction and step.index is None)
        listed.move_cursor(place)
        await press(pilot, "enter")
        compaction = listed.entries[place].compaction
        assert compaction is not None
        assert (screen.state.moment, screen.state.compaction) == (None, compaction)
        assert screen.state.generation == compaction + 1


async def test_the_keys_of_the_compaction_pane_step_through_a_replay(in_place: Path) -> None:
    async with running(in_place, LOSES_ROWS, size=SIZE) as pilot:
        screen = conversation(pilot)
        last = screen.state.compaction
        await press(pilot, "2", "left", "comma")
        assert screen.state.moment is not None
        assert screen.state.moment.compaction == last
        await press(pilot, "full_stop")
        assert screen.state.moment.compaction == last
        assert told(pilot)[-1] == "No compaction after this step."


async def test_the_long_first_line_of_a_message_is_found(in_place: Path) -> None:
    async with running(in_place, LOSES_ROWS, size=SIZE) as pilot:
        screen = conversation(pilot)
        screen.change(generation=3, row=47 + opened(pilot).offset(3))
        await press(pilot, "T")
        assert isinstance(pilot.app.screen, TraceScreen)
        assert pilot.app.screen.query_one(StepList).entries[0].text.startswith("said at #")
