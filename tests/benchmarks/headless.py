"""The app driven without a terminal: from a key to the frame that the compositor made of it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from inspector.app.panes import Panes
from inspector.app.screens.conversation import ConversationScreen
from textual import events
from textual.screen import Screen

from inspector.app import app as app_module
from inspector.app.app import InspectorApp
from inspector.app.launch import be_prompt
from inspector.app.saved_state import SavedState
from inspector.stores.detect import open_store
from tests.benchmarks.context import Context, fresh_environment
from tests.benchmarks.figures import Figure, middle, p95, spread
from tests.benchmarks.generator import LONG, LONGEST
from tests.benchmarks.terminal import HEIGHT, WIDTH
from widgets.lists.conversation_table import ConversationTable
from widgets.lists.message_list import MessageList


class _Timed(InspectorApp):
    """The app, telling when a frame was made."""

    CSS_PATH = str(Path(app_module.__file__).with_name("app.tcss"))
    frames: int = 0
    at: float = 0.0

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        # The one place through which every frame goes. Without a terminal it is not turned into text.
        if renderable is not None and hasattr(renderable, "render_segments"):
            renderable.render_segments(self.console)
        super()._display(screen, renderable)
        self.frames += 1
        self.at = time.perf_counter()

    async def until(self, found: Callable[[], bool], seconds: float = 60.0) -> float:
        """When a frame was made with `found` true."""
        end = time.perf_counter() + seconds
        seen = -1
        while time.perf_counter() < end:
            if self.frames != seen:
                seen = self.frames
                if found():
                    return self.at
            await asyncio.sleep(0)
        raise TimeoutError("no such frame")

    def key(self, name: str) -> float:
        """Press a key; answers when."""
        now = time.perf_counter()
        self.post_message(events.Key(name, name if len(name) == 1 else None))
        return now


@asynccontextmanager
async def _running(context: Context) -> AsyncIterator[_Timed]:
    with fresh_environment() as (environment, folder), patch.dict(os.environ, environment):
        app = _Timed(open_store(context.database), place=SavedState(folder=Path(folder)))
        async with app.run_test(size=(WIDTH, HEIGHT)):
            await app.until(lambda: bool(app.screen.query(ConversationTable)) and _table(app).row_count > 0)
            await asyncio.sleep(0.3)
            # What any opening needs is imported by then.
            await app.workers.wait_for_complete([w for w in app.workers if w.group == "prepare"])
            yield app


@asynccontextmanager
async def opened_long(context: Context) -> AsyncIterator[tuple[_Timed, ConversationScreen]]:
    """The app with the long conversation open, once everything about it is known."""
    async with _running(context) as app:
        await _open(app, LONG, context.shape.long)
        screen = app.screen
        assert isinstance(screen, ConversationScreen)
        await app.until(lambda: screen.plan is not None and screen.compactions is not None)
        await app.workers.wait_for_complete([w for w in app.workers if w.group != "watch"])
        yield app, screen


def _table(app: _Timed) -> ConversationTable:
    return app.screen.query_one(ConversationTable)


def _shows(app: _Timed, length: int) -> bool:
    screen = app.screen
    if not isinstance(screen, ConversationScreen) or screen.rows is None:
        return False
    return len(screen.rows.generation) == length and length - 1 in screen.rows.lines


async def _open(app: _Timed, title: str, length: int) -> float:
    _table(app).select(app.store.resolve(title))
    await asyncio.sleep(0.2)
    start = app.key("enter")
    return 1e3 * (await app.until(lambda: _shows(app, length)) - start)


def measure(context: Context) -> list[Figure]:
    """Opening, scrolling and a knob."""
    be_prompt()
    return asyncio.run(_measure(context))


async def _measure(context: Context) -> list[Figure]:
    shape = context.shape
    figures = []
    for title, length, target in ((LONG, shape.long, 100), (LONGEST, shape.longest, 300)):
        taken = []
        for _ in range(max(2, context.runs // 2)):
            async with _running(context) as app:
                taken.append(await _open(app, title, length))
        figures.append(
            Figure(f"headless: opening {length:,} messages", middle(taken), "ms", target, spread(taken))
        )
    async with _running(context) as app:
        await _open(app, LONGEST, shape.longest)
        taken = await _scroll(app)
        note = f"{len(taken)} keys, median {middle(taken):.1f}, most {max(taken):.0f} ms"
        figures.append(
            Figure(f"headless: key to frame, p95, {shape.longest:,} messages", p95(taken), "ms", 16, note)
        )
    async with _running(context) as app:
        await _open(app, LONG, shape.long)
        figures += await _knob(app, shape.long)
    return figures


async def _scroll(app: _Timed) -> list[float]:
    messages = app.screen.query_one(MessageList)
    keys = (
        ["up"] * 60 + ["pageup"] * 60 + ["down"] * 80 + ["pagedown"] * 40 + ["home"] + ["down"] * 60 + ["end"]
    )
    taken = []
    for key in keys:
        before = messages.cursor
        start = app.key(key)
        taken.append(1e3 * (await app.until(lambda: messages.cursor != before) - start))  # noqa: B023
        await asyncio.sleep(0.004)
    return taken


async def _knob(app: _Timed, length: int) -> list[Figure]:
    screen = app.screen
    assert isinstance(screen, ConversationScreen)
    await app.until(lambda: screen.plan is not None)
    end = time.perf_counter() + 60
    while screen.exact_total is None and time.perf_counter() < end:
        await asyncio.sleep(0.05)
    await screen.query_one(Panes).bring("tune")
    await asyncio.sleep(0.5)
    await app.workers.wait_for_complete([w for w in app.workers if w.group in ("record", "replay")])
    planned: list[float] = []
    shown: list[float] = []
    run: list[float] = []
    with patch.object(screen, "change", partial(_timed, screen.change, planned)):
        for number in range(40):
            turns, end = len(planned), time.perf_counter() + 10
            # To and fro: a key held turns faster and faster, up to where there is nothing left to turn.
            start = app.key("left" if number % 2 else "right")
            while len(planned) == turns:
                if time.perf_counter() > end:
                    raise TimeoutError("the knob did not turn")
                await asyncio.sleep(0)
            # Every pane has its values by now: the next frame shows them.
            frames = app.frames
            last = await app.until(lambda: app.frames > frames)  # noqa: B023
            shown.append(1e3 * (last - start))
            while frames != app.frames:
                frames, last = app.frames, app.at
                await asyncio.sleep(0.05)
            run.append(1e3 * (last - start))
    return [
        Figure(
            "headless: a knob turned, the values of every pane", middle(planned), "ms", None, spread(planned)
        ),
        Figure(
            f"headless: a knob turned, the frame, {length:,} messages",
            middle(shown),
            "ms",
            16,
            f"p95 {p95(shown):.1f} ms",
        ),
        Figure(
            "headless: a knob turned, the whole conversation run anew and shown",
            middle(run),
            "ms",
            None,
            f"p95 {p95(run):.1f} ms",
        ),
    ]


def _timed(work: Callable[..., None], taken: list[float], **changes: Any) -> None:
    start = time.perf_counter()
    work(**changes)
    taken.append(1e3 * (time.perf_counter() - start))
