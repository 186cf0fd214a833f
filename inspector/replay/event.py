"""A compaction of a run, and its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Event(NamedTuple):
    """A compaction after `step` messages. Boundaries index the list before it; `before` and `after` are lengths in
    messages. `before` is 0 if the list before it is not recorded; `tokens_before` is then 0 or as the agent reports.

    `tokens_before` and `tokens_after` are sizes of the request as the agent reports them. `rough_before` and
    `rough_after` are rough estimates with the recorded system prompt. `rough_before` includes `cleared` tokens of old
    results that were cleared and no longer sent. `summary` is the size of the summary in rough tokens. `overflow`: a
    request before it did not fit into the window; only recorded compactions have it.
    """

    step: int
    fires: str
    before: int
    after: int
    head_end: int
    tail_start: int
    tokens_before: int
    tokens_after: int
    rough_before: int
    rough_after: int
    fallback: bool = False
    summary: int = 0
    cleared: int = 0
    overflow: bool = False


def places_of(events: Sequence[Event]) -> list[tuple[int, int, int]]:
    """Return the step and the boundaries of each compaction."""
    return [(event.step, event.head_end, event.tail_start) for event in events]
