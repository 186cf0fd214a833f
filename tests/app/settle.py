"""Waiting for the app, without sleeping for a guess."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from inspector.app.screens.conversation import ConversationScreen
from tests.app.running import settled as settle


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, settling behind each."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def conversation(pilot: Pilot[Any]) -> ConversationScreen:
    """The conversation screen on top."""
    screen = pilot.app.screen
    assert isinstance(screen, ConversationScreen)
    return screen


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    """Until something is true; fails when the app has been idle many times over and it is not."""
    for _ in range(1_000):
        if true():
            return
        await settle(pilot)
        await asyncio.sleep(0.01)
    raise AssertionError("what was waited for did not come")
