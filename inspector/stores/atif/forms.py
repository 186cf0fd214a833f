"""Steps of an ATIF trajectory as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import mapping_at, mappings_in, text_at
from inspector.stores.wires import answer_of, call_of, plain, result_of


def wires_of(steps: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages in a step: its text, then the results of its calls."""
    step = steps[0]
    source, content = step.get("source"), plain(step.get("message"))
    if source != "agent":
        return [{"role": "user" if source == "user" else "system", "content": content}]
    calls = [
        call_of(call.get("tool_call_id"), call.get("function_name"), call.get("arguments"))
        for call in mappings_in(step.get("tool_calls"))
    ]
    answer = {**answer_of((), [text_at(step, "reasoning_content")], calls), "content": content}
    results = mappings_in(mapping_at(step, "observation").get("results"))
    return [
        answer,
        *(result_of(result.get("source_call_id"), plain(result.get("content"))) for result in results),
    ]
