"""The next compaction in the tokens pane: distance, facts at risk, the text to pin."""

from __future__ import annotations

import shutil
from pathlib import Path

from inspector.answers.answers import Answers
from inspector.answers.upcoming import upcoming
from inspector.app.conversation.panes.tokens import compute
from inspector.app.conversation.resources import UPCOMING
from inspector.commands.sources import open_source
from tests.app.running import (
    CHECKOUT,
    add,
    conversation,
    cursor,
    latest,
    messages,
    opened,
    plan,
    press,
    running,
    settled,
    told,
    until,
)
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.tokens_pane import TokensPane, ahead_lines

SIZE = (160, 48)


async def test_the_pane_shows_the_same_as_the_command(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        await press(pilot, "8")
        await until(pilot, lambda: bool(conversation(pilot).query_one(TokensPane).body.text))
        text = conversation(pilot).query_one(TokensPane).body.text
        expected = upcoming(Answers(open_source(str(rotating), False), {}, None), CHECKOUT)
        assert expected.at_risk
        assert all(sentence in text for sentence in expected.sentences)
        assert all(risk.fact.text in text for risk in expected.at_risk)
        assert latest(pilot, UPCOMING).pin == expected.pin


async def test_the_facts_lead_to_their_messages_and_the_pin_is_copied(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        await press(pilot, "8", "C")
        assert any("text to pin" in note for note in told(pilot))
        assert pilot.app.clipboard == latest(pilot, UPCOMING).pin
        await press(pilot, "J", "enter")
        assert cursor(pilot) == latest(pilot, UPCOMING).at_risk[0].places[0]


async def test_a_knob_changes_the_distance_and_earlier_lists_have_no_distance(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        await press(pilot, "8")
        before = latest(pilot, UPCOMING)
        conversation(pilot).tuner.change(context_length=400_000)
        await settled(pilot)
        assert latest(pilot, UPCOMING).threshold_tokens != before.threshold_tokens
        messages(pilot).focus()
        await press(pilot, "left_square_bracket")
        assert "next compaction" not in conversation(pilot).query_one(TokensPane).body.text


async def test_the_view_stays_in_place_while_the_live_list_grows(rotating: Path, tmp_path: Path) -> None:
    path = shutil.copy(rotating, tmp_path / "state.db")
    async with running(path, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        session = opened(pilot).generations[-1].session
        await press(pilot, "4")
        losses = screen.query_one(LossesFacts)
        while losses.scope != "risk":
            await press(pilot, "r")
        await press(pilot, "J", "J")
        fact = losses.facts.entry
        assert fact is not None
        await press(pilot, "8", "J", "J")
        tokens = screen.query_one(TokensPane)
        tag = tokens.body.active_tag
        assert tag
        for pane, length in (("8", 43), ("4", 44)):
            await press(pilot, pane)
            add(path, "And one thing more.", session)
            screen.opening.again()
            await settled(pilot)
            assert plan(pilot).length == length
        assert losses.facts.entry is not None
        assert losses.facts.entry.fact.key == fact.fact.key
        assert tokens.body.active_tag == tag
        await press(pilot, "8")
        assert "44 messages" in tokens.head.text


def test_a_list_of_one_message_has_one_message() -> None:
    assert compute((), 1, 1, False, None).title == "generation 1, 1 message"


def test_the_next_compaction_is_announced_while_it_is_read() -> None:
    lines = [line.text for line in ahead_lines(compute((), 1, 4, True, None))]
    assert lines == ["next compaction", "Reading the facts at risk …", ""]
    assert not ahead_lines(compute((), 1, 4, False, None))
