"""Delayed calls happen, however late the process is; cancelled calls do not."""

from __future__ import annotations

from itertools import count

import pytest
import textual.timer
from textual.widgets import Static

from tests.widgets.widget_host import hosting
from widgets.base.later import later


async def test_it_is_called_though_the_process_was_held_up(monkeypatch: pytest.MonkeyPatch) -> None:
    widget, called = Static(), list[str]()
    async with hosting(widget) as host:
        # Textual has no public clock: a delay between two readings of its clock loses a tick.
        seconds = count(1_000.0)
        monkeypatch.setattr(textual.timer._time, "get_time", lambda: next(seconds))
        widget.set_timer(0.001, lambda: called.append("a timer of Textual"))
        later(widget, 0.001, lambda: called.append("this"))
        await host.settle()
    assert called == ["this"], "a timer that is called too needs no other way"


async def test_a_cancelled_call_does_not_happen() -> None:
    widget, called = Static(), list[str]()
    async with hosting(widget) as host:
        later(widget, 0.001, lambda: called.append("cancelled")).cancel()
        later(widget, 0.001, lambda: called.append("wanted"))
        await host.settle()
    assert called == ["wanted"]
