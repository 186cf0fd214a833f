"""The windows of models that OpenClaw's own texts name: answers to /compact and results of its tools about sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from inspector.config.models import context_length
from inspector.core.patterns import late_pattern
from inspector.stores.values import count_of, mapping_at, mappings_in, text_at

#: Matches the window in a text about the context, as in `Context 23k/262k`.
_CONTEXT = late_pattern(r"Context:? [\d.?]+[km]?/([1-9]\d{0,8}(?:\.\d)?)([km]?)(?![\w.])")
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


class Windows(Struct):
    """The windows in tokens by model."""

    of: dict[str, int] = field(default_factory=dict)
    #: Model and provider of the last finished turn. A status shows the window of that turn.
    last: tuple[str, str] = ("", "")
    #: The ids of calls for the status of another session.
    foreign: set[str] = field(default_factory=set)

    def note_answer(self, message: Mapping[str, Any]) -> None:
        """Note the model of an answer if it ends a turn, and its calls for the status of another session."""
        for part in mappings_in(message.get("content")):
            if text_at(part, "name") == "session_status" and text_at(part, "arguments", "sessionKey"):
                self.foreign.add(text_at(part, "id"))
        if text_at(message, "stopReason") != "toolUse":
            self.last = text_at(message, "model"), text_at(message, "provider")

    def note_text(self, text: str, model: str, provider: str) -> None:
        """Note the window in a text about the context of a model. The text rounds it."""
        match = _CONTEXT.search(text)
        if match is None or not model:
            return
        unit = _UNITS[match[2]]
        digits = 1 if unit == 1_000_000 else 0
        rounded = float(match[1])
        for exact in (self.of.get(model), context_length(model, provider)[0]):
            if exact is not None and round(exact / unit, digits) == rounded:
                self.of[model] = exact
                return
        self.of[model] = round(rounded * unit)

    def note_result(self, message: Mapping[str, Any], session: str) -> None:
        """Note the windows that a result of OpenClaw's tools has for this session."""
        tool, details = text_at(message, "toolName"), mapping_at(message, "details")
        if tool == "sessions_list":
            for row in mappings_in(details.get("sessions")):
                window = count_of(row, "contextTokens")
                if text_at(row, "sessionId") == session and window:
                    self.of[text_at(row, "model")] = window
        elif tool == "session_status" and text_at(message, "toolCallId") not in self.foreign:
            self.note_text(text_at(details, "statusText"), *self.last)
