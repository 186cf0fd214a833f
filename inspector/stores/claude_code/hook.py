"""The hooks of Claude Code. docs/hooks.md describes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspector.stores.hook_events import HookEvent
from inspector.stores.values import mapping_at, texts_of

_ANALYSIS = re.compile(r"<analysis>(?:(?!<analysis>).)*?</analysis>", re.S)
_USED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def read(event: Mapping[str, Any]) -> HookEvent | None:
    """Return an event in the common form; None if it gets no answer."""
    names = ("hook_event_name", "session_id", "transcript_path", "compact_summary")
    name, session, path, summary = texts_of(event, *names)
    if name in ("UserPromptSubmit", "PostToolUse"):
        output = {"hookEventName": name}
        return HookEvent(
            "report",
            session,
            as_json=lambda text: {"hookSpecificOutput": {**output, "additionalContext": text}},
        )
    if name == "PreCompact":
        return HookEvent("keep", transcript=path)
    if name == "SessionStart" and event.get("source") == "compact":
        return HookEvent("rules", session, path)
    if name == "PostCompact":
        return HookEvent("lost", session, path, after=[("summary", _ANALYSIS.sub("", summary))])
    if name == "Status":
        window = mapping_at(event, "context_window")
        usage, size = mapping_at(window, "current_usage"), window.get("context_window_size")
        used = sum(value for key in _USED if isinstance(value := usage.get(key), int))
        return HookEvent("status", session, path, used=used, window=size if isinstance(size, int) else 0)
    return None
