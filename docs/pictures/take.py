"""Take the pictures of the documentation from the bundled databases: python docs/pictures/take.py [NAME...]"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from html import escape
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
    ("losses", None, ("l",)),
    ("facts", CHECKOUT, ("4",)),
    ("cache", CHECKOUT, ("5",)),
    ("findings", CHECKOUT, ("7",)),
)
#: The frames of the tour: a key ("" for the first frame), and the words below it.
TOUR = (
    ("", "Every conversation of every agent on this machine"),
    ("l", "l: the worst compactions first"),
    ("enter", "enter: the compaction, its cause, what it took"),
    ("4", "4: the facts that it lost, and their fates"),
)
#: Seconds that a frame is shown.
_SHOWN = 3.5
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


async def frames(conversation: str | None, keys: tuple[str, ...]) -> list[str]:
    """Return the picture of the app at its start and after each key, each when all threads have ended."""
    store = SeveralStores([open_store(path) for path in demo_databases()], fixtures_dir())
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        app = InspectorApp(store, saved=SavedState(folder=Path(folder)), name=conversation)
        async with app.run_test(size=(150, 42)) as pilot:
            await settled(pilot)
            pictures.append(app.export_screenshot(title="compaction-inspector"))
            for key in keys:
                await pilot.press(key)
                await settled(pilot)
                pictures.append(app.export_screenshot(title="compaction-inspector"))
    return pictures


def moving(pictures: list[str], words: list[str]) -> str:
    """Return one SVG that shows pictures in turn, each with words below it. With reduced motion it shows the first."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', pictures[0])
    assert box is not None
    width, height = float(box[1]), float(box[2])
    share = 100 / len(pictures)
    css = (
        "@keyframes frame { 0% { visibility: visible } "
        f"{share:.2f}%, 100% {{ visibility: hidden }} }} .frame {{ visibility: hidden; "
        f"animation: frame {_SHOWN * len(pictures):g}s step-end infinite }} "
        "@media (prefers-reduced-motion) { .frame { animation: none } .frame:first-of-type { visibility: visible } } "
        ".words { font: 26px sans-serif; fill: #808890; text-anchor: middle }"
    )
    parts = []
    for number, (picture, text) in enumerate(zip(pictures, words, strict=True)):
        begins = f"animation-delay: {(number - len(pictures)) * _SHOWN:g}s"
        caption = f'<text class="words" x="{width / 2:g}" y="{height + 34:g}">{escape(text)}</text>'
        picture = picture.replace("<svg ", f'<svg width="{width:g}" height="{height:g}" ', 1)
        parts.append(f'<g class="frame" style="{begins}">{picture}{caption}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height + 50:g}"><style>{css}</style>'
        f"{''.join(parts)}</svg>\n"
    )


def main() -> None:
    """Take the named pictures, or all."""
    names = sys.argv[1:]
    for name, conversation, keys in PICTURES:
        if not names or name in names:
            picture = asyncio.run(frames(conversation, keys))[-1]
            (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")
    if not names or "tour" in names:
        pictures = asyncio.run(frames(None, tuple(key for key, _ in TOUR if key)))
        (HERE / "tour.svg").write_text(moving(pictures, [text for _, text in TOUR]), encoding="utf-8")


if __name__ == "__main__":
    main()
