"""A compaction of a run."""

from __future__ import annotations

from typing import NamedTuple


class Event(NamedTuple):
    """A compaction that would have happened after `step` messages. Boundaries index the list then; `before` and
    `after` are its lengths in messages. Tokens are rough, the system prompt included where it is recorded; of
    `tokens_before` so many as `cleared` were no longer sent, as old results had been cleared."""

    step: int
    fires: str
    before: int
    after: int
    head_end: int
    tail_start: int
    tokens_before: int
    tokens_after: int
    fallback: bool = False
    summary: int = 0
    cleared: int = 0
