"""Wait until an app is idle, by its event loop. Textual guesses from the processor time.

A guess wastes time when the app is idle, and ends too early on a busy machine.

Only this module uses private names of Textual and asyncio, because no public name gives the same: ready callbacks of
the loop, the wanted frame, and the lines of a screen. Without them, tests would wait a sixtieth of a second per frame.
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

#: Timers due within this time, in seconds, belong to the current work (a resize waits 8 ms for other resizes).
_SOON = 0.01


async def idle(*_: float) -> None:
    """Wait until nothing in the event loop is ready to run and the frame is drawn. Do not wait for threads."""
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
    """Skip frames before the app is idle, and leave drawing to `draw`. That halves the time of a key."""
    patch.setattr(Screen, "_compositor_refresh", lambda screen: None)


def draw(app: App[Any]) -> bool:
    """Draw the changes of the top screen; return whether there were any. Drawing may start more work.

    Each widget draws its lines. They are not composed into a frame, which would be another third of the work.
    """
    if not app.is_running or not app.screen_stack:
        return False
    compositor = app.screen._compositor
    dirty = Region.from_union(list(compositor._dirty_regions)) if compositor._dirty_regions else None
    compositor._dirty_regions.clear()
    if dirty is not None:
        visible_screen_stack.set(app._background_screens)
        with pytest.MonkeyPatch.context() as patch:
            # Filters would convert the colours of every line again.
            patch.setattr(app, "get_line_filters", tuple)
            deque(compositor._get_renders(dirty), maxlen=0)
        app._update_mouse_over(app.screen)
    return dirty is not None


def lines_of(app: App[Any]) -> list[str]:
    """Return the text of the top screen, line by line."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def _draw() -> bool:
    """Draw now if the screen waits to draw a frame; return whether it did."""
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
    """Make every pilot of this process wait for the event loop, and turn animations off."""
    textual.constants.TEXTUAL_ANIMATIONS = "none"  # type: ignore[misc]
    textual.pilot.wait_for_idle = textual.app.wait_for_idle = idle  # type: ignore[attr-defined]
    Pilot._wait_for_screen = _idle  # type: ignore[method-assign]
