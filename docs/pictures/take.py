"""Take the pictures of the documentation from the bundled databases: python docs/pictures/take.py"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from inspector.app.app import InspectorApp
from inspector.app.job_screen import JobScreen
from inspector.app.saved_state import SavedState
from inspector.config.bundled import demo_databases, fixtures_dir
from inspector.stores.detect import open_store
from inspector.stores.several import SeveralStores

HERE = Path(__file__).resolve().parent
CHECKOUT = "Move checkout to orders-v2"
#: (name, conversation or None for the list, keys).
PICTURES: tuple[tuple[str, str | None, tuple[str, ...]], ...] = (
    ("conversation", CHECKOUT, ("left_square_bracket", "left_square_bracket", "2")),
    ("conversations", None, ()),
    ("what-if", CHECKOUT, ("6", "right", "right", "right", "right", "right")),
    ("summary", "Nightly orders import loses rows", ("3", "m")),
)
#: The app is idle after this number of idle checks in a row, seconds apart. Waiting ends after the limit in seconds.
_CHECKS, _PAUSE, _LIMIT = 8, 0.05, 60.0


async def settled(pilot: Pilot[None]) -> None:
    """Wait until all threads have ended, also those started by other threads. Raises TimeoutError."""
    quiet = 0
    async with asyncio.timeout(_LIMIT):
        while quiet < _CHECKS:
            await pilot.pause(_PAUSE)
            busy = any(
                not worker.is_finished for worker in pilot.app.workers if worker.group != "watch"
            ) or any(screen.jobs.busy() for screen in pilot.app.screen_stack if isinstance(screen, JobScreen))
            quiet = 0 if busy else quiet + 1


async def take(name: str, conversation: str | None, keys: tuple[str, ...]) -> None:
    """Take one picture when all threads have ended."""
    store = SeveralStores([open_store(path) for path in demo_databases()], fixtures_dir())
    with tempfile.TemporaryDirectory() as folder:
        app = InspectorApp(store, saved=SavedState(folder=Path(folder)), name=conversation)
        async with app.run_test(size=(150, 42)) as pilot:
            await settled(pilot)
            for key in keys:
                await pilot.press(key)
                await settled(pilot)
            picture = app.export_screenshot(title="compaction-inspector")
    (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")


def main() -> None:
    """Take all pictures."""
    for picture in PICTURES:
        asyncio.run(take(*picture))


if __name__ == "__main__":
    main()
