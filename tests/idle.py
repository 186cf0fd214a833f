"""Waiting until an app has nothing left to do: by its event loop, where Textual guesses from the processor's time.

A guess takes its time where the app is idle, and comes too soon on a machine that gives the process none.

Names with an underscore of Textual and asyncio stand here alone, as no public ones say the same: what is ready in the
loop, which frame is wanted, and the lines of a screen. Tests would wait a sixtieth of a second for each frame without
them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import pytest
import textual.app
import textual.constants
import textual.pilot
from textual._context import active_app, visible_screen_stack
from textual.app import App, ScreenStackError
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen

#: Timers that are due so soon belong to what is going on (a resize waits for others 8 ms), in seconds.
_SOON = 0.01


async def idle(*_: float) -> None:
    """Until nothing in the event loop is ready to run and the frame is drawn. Threads are not waited for."""
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    while quiet < 2:
        await asyncio.sleep(0)
        due = min((timer.when() for timer in loop._scheduled if not timer.cancelled()), default=None)
        if loop._ready or _draw():
            quiet = 0
        elif due is not None and due - loop.time() < _SOON:
            await asyncio.sleep(max(0.0, due - loop.time()))
            quiet = 0
        else:
            quiet += 1


def draw_at_rest(patch: pytest.MonkeyPatch) -> None:
    """Nobody sees the frames on the way to rest, and they are half of what a key takes: keep them for `draw`."""
    patch.setattr(Screen, "_compositor_refresh", lambda screen: None)


def draw(app: App[Any]) -> bool:
    """Draw what changed on the screen on top; whether anything had. Drawing may set more off.

    Each widget draws its lines. Nobody puts them together: that is another third of the work.
    """
    if not app.is_running or not app.screen_stack:
        return False
    compositor = app.screen._compositor
    dirty = Region.from_union(list(compositor._dirty_regions)) if compositor._dirty_regions else None
    compositor._dirty_regions.clear()
    if dirty is not None:
        visible_screen_stack.set(app._background_screens)
        with pytest.MonkeyPatch.context() as patch:
            # They make colours of colours, once more for each line.
            patch.setattr(app, "get_line_filters", tuple)
            deque(compositor._get_renders(dirty), maxlen=0)
        app._update_mouse_over(app.screen)
    return dirty is not None


def lines_of(app: App[Any]) -> list[str]:
    """The text on the screen on top, line by line."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def _draw() -> bool:
    """Draw the frame that the screen wants to draw within the next sixtieth of a second, if it wants to."""
    app = active_app.get(None)
    try:
        screen = app.screen if app is not None else None
    except ScreenStackError:
        return False
    if screen is None or not screen.is_attached or not screen._update_timer._active.is_set():
        return False
    screen._on_timer_update()
    return True


async def _idle(pilot: Pilot[Any], timeout: float = 0.0) -> bool:
    await idle()
    return True


def wait_for_the_event_loop() -> None:
    """Have every pilot of this process wait so from now on, and no app move anything bit by bit."""
    textual.constants.TEXTUAL_ANIMATIONS = "none"  # type: ignore[misc]
    textual.pilot.wait_for_idle = textual.app.wait_for_idle = idle  # type: ignore[attr-defined]
    Pilot._wait_for_screen = _idle  # type: ignore[method-assign]
