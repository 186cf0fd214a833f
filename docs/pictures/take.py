"""Take the pictures of the documentation anew, from the bundled databases: python docs/pictures/take.py"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from inspector.app.app import InspectorApp
from inspector.app.place import Place
from inspector.bundled import demo_databases, fixtures_dir
from inspector.stores.detect import open_store
from inspector.stores.several import SeveralStores

HERE = Path(__file__).resolve().parent
CHECKOUT = "Move checkout to orders-v2"
#: Name, conversation (none: the list), keys.
PICTURES: tuple[tuple[str, str | None, tuple[str, ...]], ...] = (
    ("conversation", CHECKOUT, ("left_square_bracket", "2")),
    ("conversations", None, ()),
    ("replay", CHECKOUT, ("5", "right", "right", "right", "right", "right", "escape", "7")),
    ("diff", "Nightly orders import loses rows", ("3",)),
)


async def take(name: str, conversation: str | None, keys: tuple[str, ...]) -> None:
    """One picture, once every thread has ended."""
    store = SeveralStores([open_store(path) for path in demo_databases()], fixtures_dir())
    with tempfile.TemporaryDirectory() as folder:
        app = InspectorApp(store, place=Place(folder=Path(folder)), name=conversation)
        async with app.run_test(size=(150, 42)) as pilot:
            for key in ("", *keys):
                if key:
                    await pilot.press(key)
                await app.workers.wait_for_complete()
                await pilot.pause(0.3)
            picture = app.export_screenshot(title="compaction-inspector")
    (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")


def main() -> None:
    """Every picture."""
    for picture in PICTURES:
        asyncio.run(take(*picture))


if __name__ == "__main__":
    main()
