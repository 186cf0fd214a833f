"""The hooks of Hermes Agent. docs/hooks.md describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.stores.hook_events import HookEvent, messages_in
from inspector.stores.values import mapping_at, texts_of


def read(event: Mapping[str, Any]) -> HookEvent | None:
    """Return an event in the common form; None if it gets no answer. Raise BadInput if its messages are not a list."""
    name, session = texts_of(event, "hook_event_name", "session_id")
    if name == "on_pre_compress":
        return HookEvent("keep", messages=messages_in(event.get("messages")))
    if name != "pre_llm_call":
        return None
    history = mapping_at(event, "extra").get("conversation_history", event.get("conversation_history"))
    return HookEvent(
        "missing", session, messages=messages_in(history), as_json=lambda text: {"context": text}
    )
