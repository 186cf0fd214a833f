"""A screen that is left while threads are at work: what they bring late is dropped, and nothing breaks."""

from __future__ import annotations

from pathlib import Path

from inspector.app.work import Counted, Recovered
from tests.app.running import CHECKOUT, conversation, conversations, press, running


async def test_what_comes_for_a_screen_that_was_left_is_dropped(rotating: Path) -> None:
    async with running(rotating) as pilot:
        await press(pilot, "enter")
        screen = conversation(pilot)
        assert not screen.left
        await press(pilot, "escape")
        assert conversations(pilot) is pilot.app.screen
        assert screen.left
        assert screen.inspection is not None
        before = screen.compactions
        late = Recovered(screen.inspection.conversation.id, ())
        await screen._on_message(late)
        assert screen.compactions == before != ()


async def test_the_list_below_a_conversation_still_hears_of_its_threads(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        below = pilot.app.screen_stack[0]
        assert conversation(pilot) is pilot.app.screen
        assert not below.left  # type: ignore[attr-defined]


async def test_an_app_that_ends_hears_of_nothing(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        assert screen.rows is not None
        counted = dict(screen.rows.exact)
        pilot.app.exit()
        assert screen.left
        await screen._on_message(Counted(screen.rows.generation, {0: 123_456}, True, "made up"))
        assert screen.rows.exact == counted
