"""Delayed calls happen, however late the process is; cancelled calls do not."""

from __future__ import annotations

import asyncio

from textual.widgets import Static

from tests.widgets.widget_host import hosting
from widgets.base.later import later


async def test_a_call_happens_though_the_process_was_held_up() -> None:
    widget, called = Static(), list[str]()
    async with hosting(widget) as host:
        loop = asyncio.get_running_loop()
        later(widget, 0.001, lambda: called.append("late"))
        due = loop.time() + 0.005
        while loop.time() < due:
            # The loop cannot run while this test holds it up.
            pass
        await host.settle()
    assert called == ["late"]


async def test_a_cancelled_call_does_not_happen() -> None:
    widget, called = Static(), list[str]()
    async with hosting(widget) as host:
        later(widget, 0.001, lambda: called.append("cancelled")).cancel()
        later(widget, 0.001, lambda: called.append("wanted"))
        await host.settle()
    assert called == ["wanted"]
