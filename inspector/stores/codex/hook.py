"""The hooks of Codex. docs/hooks.md describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.stores.hook_events import HookEvent
from inspector.stores.values import text_of


def read(event: Mapping[str, Any]) -> HookEvent | None:
    """Return an event in the common form; None if it gets no answer."""
    if text_of(event, "hook_event_name") != "SessionStart" or event.get("source") != "compact":
        return None
    return HookEvent("rules", transcript=text_of(event, "transcript_path"))
