"""The place that is remembered between runs: per database the conversation, pane, sort and settings; the theme."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.state import read_state, state_dir, write_state, write_text

_FILE = "places.json"
#: Databases whose place is kept.
_KEPT = 50


@dataclass(slots=True)
class Place:
    """Where the user was. Values from the file are checked, never trusted."""

    database: str = ""
    theme: str = ""
    conversation: str = ""
    pane: str = ""
    sort: tuple[str, bool] | None = None
    rows: dict[str, int] = field(default_factory=dict)
    folder: Path | None = None

    @classmethod
    def load(cls, database: Path, folder: Path | None = None) -> Place:
        """What is remembered of a database."""
        folder = folder or state_dir()
        document = read_state(folder / _FILE)
        places = document.get("places")
        known = places.get(str(database)) if isinstance(places, dict) else None
        known = known if isinstance(known, dict) else {}
        sort = known.get("sort")
        return cls(
            database=str(database),
            theme=_text(document.get("theme")),
            conversation=_text(known.get("conversation")),
            pane=_text(known.get("pane")),
            sort=(sort[0], bool(sort[1]))
            if isinstance(sort, list) and len(sort) == 2 and isinstance(sort[0], str)
            else None,
            folder=folder,
        )

    def save(self) -> bool:
        """Remember this place; False where the state directory cannot be written to."""
        if self.folder is None:
            return False
        path = self.folder / _FILE
        document = read_state(path)
        places = document.get("places")
        places = places if isinstance(places, dict) else {}
        places.pop(self.database, None)
        entry: dict[str, Any] = {"conversation": self.conversation, "pane": self.pane}
        if self.sort is not None:
            entry["sort"] = list(self.sort)
        places[self.database] = entry
        for oldest in list(places)[: max(0, len(places) - _KEPT)]:
            del places[oldest]
        return write_state(path, {"theme": self.theme, "places": places})

    def write_copy(self, text: str) -> Path | None:
        """Keep what was copied in a file too, for terminals without a clipboard; None where that fails."""
        if self.folder is None:
            return None
        path = self.folder / "copied.txt"
        return path if write_text(path, text) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
