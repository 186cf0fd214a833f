"""Compactions made by hand: two short lists and what lies between them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from inspector.core.conversations import Compaction
from inspector.core.messages import Message
from inspector.quality.measures.measure import Measure, MeasuredCompaction

PREFIX = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted:\n"
SUMMARY = """## Goal
Move the shop.
## Completed Actions
1. Patched src/shop/cart.py
## Next Steps
- Announce the date
"""


def user(text: str) -> Message:
    return Message({"role": "user", "content": text})


def agent(text: str = "", *calls: tuple[str, dict[str, Any]]) -> Message:
    found = [
        {"id": f"c{at}", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for at, (name, arguments) in enumerate(calls)
    ]
    return Message({"role": "assistant", "content": text, **({"tool_calls": found} if found else {})})


def tool(text: str) -> Message:
    return Message({"role": "tool", "content": text, "tool_call_id": "c0"})


def compacted(
    head: Sequence[Message],
    middle: Sequence[Message],
    tail: Sequence[Message],
    summary: str | None = SUMMARY,
    index: int = 1,
    **changes: Any,
) -> MeasuredCompaction:
    """A compaction that put a summary between head and tail; None leaves nothing."""
    before = [*head, *middle, *tail]
    put = [] if summary is None else [user(PREFIX + summary)]
    after = [*head, *put, *tail]
    values: dict[str, Any] = {
        "index": index, "session": "s", "before": len(before), "after": len(after), "head_end": len(head),
        "tail_start": len(head) + len(middle), "head_after": len(head), "tail_after": len(head) + len(put),
        "summary_at": len(head) if put else None, "summary": summary, "merged": False, "fallback": False,
        "tokens_before": 1_000, "tokens_after": 300, "at": 0.0,
    }  # fmt: skip
    return MeasuredCompaction(
        Compaction(**(values | changes)), before, after, middle_tokens=700, summary_tokens=40
    )


def told(measure: Measure) -> dict[str, tuple[bool, str]]:
    """What was measured → whether it is known, and where or why."""
    return {entry.text: (entry.known, entry.where or entry.note) for entry in measure.evidence}
