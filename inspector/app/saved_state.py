"""The place of the user, stored between runs: conversation, pane and sort order by database; changed settings and
message by conversation; theme; desktop notifications.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field

from inspector.config.folders import read_state, state_dir, write_state, write_text

if TYPE_CHECKING:
    from inspector.app.conversation.state import Tuning

T = TypeVar("T")
_FILE = "places.json"
#: Maximum number of stored databases, and of conversations of each.
_KEPT = 50
_KEPT_CONVERSATIONS = 200


class SavedState(Struct):
    """The last place of the user. Values from the file are checked.

    `alerts`: events of live conversations ring the bell and send desktop notifications.
    `settings` are changed settings by root session and name, `messages` the store's row under the cursor by root
    session. `kept` (A of a comparison by root session) and `attempt` (the form for another summary) last for one run.
    """

    database: str = ""
    theme: str = ""
    alerts: bool = False
    conversation: str = ""
    pane: str = ""
    sort: tuple[str, bool] | None = None
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    folder: Path | None = None
    kept: dict[str, Tuning] = field(default_factory=dict)
    attempt: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, database: Path, folder: Path | None = None) -> SavedState:
        """Saved values of a database."""
        folder = folder or state_dir()
        document = read_state(folder / _FILE)
        place = _mapping(_mapping(document.get("places")).get(str(database)))
        sort = place.get("sort")
        return cls(
            database=str(database),
            theme=_text(document.get("theme")),
            alerts=document.get("alerts") is True,
            conversation=_text(place.get("conversation")),
            pane=_text(place.get("pane")),
            sort=(sort[0], bool(sort[1]))
            if isinstance(sort, list) and len(sort) == 2 and isinstance(sort[0], str)
            else None,
            settings={
                root: dict(changed)
                for root, changed in _mapping(place.get("settings")).items()
                if isinstance(changed, dict)
            },
            messages={
                root: row
                for root, row in _mapping(place.get("messages")).items()
                if isinstance(row, int) and not isinstance(row, bool)
            },
            folder=folder,
        )

    def save(self) -> bool:
        """Remember this place; False if the state directory cannot be written to."""
        if self.folder is None:
            return False
        path = self.folder / _FILE
        document = read_state(path)
        places = dict(_mapping(document.get("places")))
        places.pop(self.database, None)
        entry: dict[str, Any] = {"conversation": self.conversation, "pane": self.pane}
        if self.sort is not None:
            entry["sort"] = list(self.sort)
        for name, values in (("settings", self.settings), ("messages", self.messages)):
            if values:
                entry[name] = dict(list(values.items())[-_KEPT_CONVERSATIONS:])
        places[self.database] = entry
        for oldest in list(places)[: max(0, len(places) - _KEPT)]:
            del places[oldest]
        return write_state(path, {"theme": self.theme, "alerts": self.alerts, "places": places})

    def write_copy(self, text: str) -> Path | None:
        """Write a copied text to a file too, for terminals without a clipboard. Return None if that fails."""
        if self.folder is None:
            return None
        path = self.folder / "copied.txt"
        return path if write_text(path, text) else None


def store_last(values: dict[str, T], root: str, value: T | None) -> None:
    """Store the value of a conversation as the newest entry; None deletes the entry."""
    values.pop(root, None)
    if value is not None:
        values[root] = value


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
