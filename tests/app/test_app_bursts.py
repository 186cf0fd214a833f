"""Keys that come faster than panes are made."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import ContentSwitcher

from tests.app.running import CHECKOUT, running, settled


def on_screen(app_screen: object) -> list[str]:
    switcher = app_screen.query_one(ContentSwitcher)  # type: ignore[attr-defined]
    return [pane.id or "" for pane in switcher.children if pane.display]


async def test_one_pane_is_on_screen_after_a_burst(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        for keys, last in (("235", "cache"), ("1234567" * 69 + "4", "losses")):
            for key in keys:
                pilot.app.simulate_key(key)
            await settled(pilot)
            assert on_screen(pilot.app.screen) == [last]
