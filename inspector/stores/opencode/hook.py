"""The hooks of the opencode plug-in. docs/hooks.md describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.agents import places_of, row_of
from inspector.core.errors import BadInput
from inspector.stores.hook_events import HookEvent
from inspector.stores.values import texts_of


def read(event: Mapping[str, Any]) -> HookEvent | None:
    """Return an event in the common form; None if it gets no answer. Raise BadInput if there is no database."""
    name, session = texts_of(event, "hook_event_name", "session_id")
    if name != "session.compacting" or not session:
        return None
    databases = [path for path in places_of(row_of("opencode")) if path.is_file()]
    if not databases:
        raise BadInput("The database of opencode is not in its usual place.")
    newest = max(databases, key=lambda path: path.stat().st_mtime)
    return HookEvent("keep", transcript=str(newest), conversation=session)
