"""Starting the app: the index is read while Textual is still being imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.stores.base import Store


def launch(
    store: Store, name: str | None, flags: dict[str, Any], config: Path | None, theme: str | None
) -> None:
    """Run the app until the user leaves it."""
    from inspector.app.app import InspectorApp
    from inspector.app.place import Place

    place = Place.load(store.info.path.resolve())
    InspectorApp(store, place=place, name=name, flags=flags, config=config, theme=theme).run()
