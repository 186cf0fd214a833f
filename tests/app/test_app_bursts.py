"""Keys that arrive faster than panes are drawn."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import ContentSwitcher

from tests.app.running import CHECKOUT, conversation, cursor, messages, press, running, settled
from widgets.panes.message_pane import MessagePane


def on_screen(app_screen: object) -> list[str]:
    switcher = app_screen.query_one(ContentSwitcher)  # type: ignore[attr-defined]
    return [pane.id or "" for pane in switcher.children if pane.display]


async def test_one_pane_is_on_screen_after_a_burst(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        for keys, last in (("235", "cache"), ("1234567" * 9 + "4", "losses")):
            for key in keys:
                pilot.app.simulate_key(key)
            await settled(pilot)
            assert on_screen(pilot.app.screen) == [last]


async def test_no_key_is_lost_while_messages_are_read(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen, listed = conversation(pilot), messages(pilot)
        last = listed.cursor
        for _ in range(5):
            # The list has moved its cursor, and before the screen knows it, a result arrives from a thread.
            listed.action_move(-1)
            screen.watch_loaded()
            listed.action_move(-1)
        await settled(pilot)
        assert listed.cursor == last - 10
        assert screen.state.row == last - 10
        for _ in range(9):
            pilot.app.simulate_key("up")
        await settled(pilot)
        assert (listed.cursor, screen.state.row) == (last - 19, last - 19)


async def test_the_message_pane_shows_the_message_after_returning_to_it(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        listed, pane = messages(pilot), conversation(pilot).query_one(MessagePane)
        await press(pilot, "up")
        shown = pane.view
        listed.action_move(-1)
        await pilot.pause()
        await pilot.pause()
        listed.action_move(1)
        await settled(pilot)
        assert cursor(pilot) == 40
        assert pane.view == shown
