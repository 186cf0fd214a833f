"""The hooks of the pi extension. docs/hooks.md describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.stores.hook_events import HookEvent, messages_in
from inspector.stores.values import texts_of


def read(event: Mapping[str, Any]) -> HookEvent | None:
    """Return an event in the common form; None if it gets no answer.

    After a compaction it has the `messages` before, the `kept` messages, and the `summary`. Raise BadInput without the
    lists.
    """
    name, summary = texts_of(event, "hook_event_name", "summary")
    if name != "session_compact":
        return None
    kept = messages_in(event.get("kept"))
    after = [("tool" if message.role == "toolResult" else message.role, message.text) for message in kept]
    return HookEvent(
        "lost", messages=messages_in(event.get("messages")), after=[("summary", summary), *after]
    )
